package detection

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/oatta/oatta/adapt"
)

// Settings say what is measured.
type Settings struct {
	Shared   string // folder of shared data
	Seeds    int    // controlled streams of each kind, run together
	Steps    int    // labels in a controlled stream
	List     bool   // print every cell
	Transfer bool   // instead, print what the temperature of the clean test set does on its corruptions
}

// Run writes a table for each of two gates, or those of temperatures on other data.
func Run(w io.Writer, s Settings) error {
	if s.Transfer {
		return transfer(w, s.Shared, s.Seeds, s.Steps)
	}
	cells, err := allCells(s.Shared, s.Seeds, s.Steps)
	if err != nil {
		return err
	}
	for _, gate := range []adapt.Gate{adapt.GateAuto, adapt.GateOff} {
		var all []outcome
		for _, c := range cells {
			o, err := c.measure(gate)
			if err != nil {
				return err
			}
			all = append(all, o)
			if s.List {
				fmt.Fprintln(w, gate, o)
			}
		}
		if err := report(w, gate, all); err != nil {
			return err
		}
	}
	return nil
}

// report counts the alarms in each group of cells, and what following them changes.
func report(w io.Writer, gate adapt.Gate, all []outcome) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "gate %s\tcells\talarms\tmean gain of the remedy\tworst\t\n", gate)
	for _, group := range groups {
		cells, alarms, gain, worst := 0, 0, 0.0, 0.0
		for _, o := range all {
			if !group.holds(o) {
				continue
			}
			cells++
			if o.warned {
				alarms++
				gain += o.remedy
				worst = min(worst, o.remedy)
			}
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%+.2f\t%+.2f\t\n", group.name, cells, alarms, gain/float64(max(alarms, 1)), worst)
	}
	return t.Flush()
}

var groups = []struct {
	name  string
	holds func(outcome) bool
}{
	{"as predicted, some temperature gains over a point", func(o outcome) bool { return !o.calibrated && o.best > 1 }},
	{"as predicted, in order, truth wants T over 2.2", func(o outcome) bool { return !o.calibrated && o.sticky && o.temperature > 2.2 }},
	{"as predicted, some gains up to a point", func(o outcome) bool { return !o.calibrated && o.best > 0 && o.best <= 1 }},
	{"as predicted, none gains", func(o outcome) bool { return !o.calibrated && o.best <= 0 }},
	{"as predicted, no order", func(o outcome) bool { return !o.calibrated && o.orderless }},
	{"calibrated by their labels", func(o outcome) bool { return o.calibrated }},
}
