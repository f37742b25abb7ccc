package detection

import (
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
)

// transfer prints what the temperature of the clean test set does on its corruptions: the change in points through each gate against
// the same gate without a temperature, mean and worst corruption. Auto gets it as adapt.Settings.Calibrated says, and as it is.
func transfer(w io.Writer, shared string, seeds, steps int) error {
	sets, err := benchmarks.ReadCIFARSets(shared)
	if err != nil {
		return err
	}
	clean, err := temperature([]stream{{sets.Test[0].Q, sets.Test[0].Truth}})
	if err != nil {
		return err
	}
	cells, err := cellsOf(sets.Corrupted, seeds, steps)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "T = %.2f of the clean set\tauto\tauto, as it is\toff\tewma\t\n", clean)
	laws := len(cells) / len(sets.Corrupted)
	for law := range laws {
		fmt.Fprintf(t, "%s\t", cells[law].law)
		for _, s := range settingsWith(clean) {
			mean, worst := 0.0, math.Inf(1)
			for at := law; at < len(cells); at += laws {
				change, err := cells[at].change(s)
				if err != nil {
					return err
				}
				mean += change / float64(len(sets.Corrupted))
				worst = min(worst, change)
			}
			fmt.Fprintf(t, "%+.2f (%+.1f)\t", mean, worst)
		}
		fmt.Fprintln(t)
	}
	return errors.Join(t.Flush(), ownTemperatures(w, shared, sets, seeds, steps))
}

// ownTemperatures prints the same for predictions whose own labels gave the temperature.
func ownTemperatures(w io.Writer, shared string, sets *benchmarks.CIFARSets, seeds, steps int) error {
	cells, err := realCells(shared)
	if err != nil {
		return err
	}
	controlled, err := cellsOf(sets.Test[1:2], seeds, steps)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\nT of their own labels\tT\tauto\tauto, as it is\toff\tewma\t")
	for _, c := range append(cells, controlled...) {
		fmt.Fprintf(t, "%s\t%.2f\t", c.name, c.temperature)
		for _, s := range settingsWith(c.temperature) {
			change, err := c.change(s)
			if err != nil {
				return err
			}
			fmt.Fprintf(t, "%+.2f\t", change)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// settingsWith are the gates with a fitted temperature.
func settingsWith(fitted float64) []adapt.Settings {
	return []adapt.Settings{
		adapt.Settings{}.Calibrated(fitted),
		{Temperature: fitted},
		{Gate: adapt.GateOff, Temperature: fitted},
		{Gate: adapt.GateEWMA, Temperature: fitted},
	}
}

// change is what the temperature of the settings adds to the accuracy.
func (c cell) change(s adapt.Settings) (float64, error) {
	with, err := c.accuracy(s)
	if err != nil {
		return 0, err
	}
	s.Temperature = 0
	without, err := c.accuracy(s)
	return with - without, err
}
