package detection

import (
	"fmt"
	"math"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/report"
)

// transfer tells what the temperature of the clean test set does on its corruptions: the change in points through each gate against
// the same gate without a temperature, mean and worst corruption. Auto gets it as adapt.Settings.Calibrated says, and as it is.
func transfer(shared string, seeds, steps int) ([]report.Table, error) {
	sets, err := benchmarks.ReadCIFARSets(shared)
	if err != nil {
		return nil, err
	}
	clean, err := temperature([]stream{{sets.Test[0].Q, sets.Test[0].Truth}})
	if err != nil {
		return nil, err
	}
	cells, err := cellsOf(sets.Corrupted, seeds, steps)
	if err != nil {
		return nil, err
	}
	t := report.Table{Title: fmt.Sprintf("T = %.2f of the clean set", clean), Columns: []string{"stream", "auto", "auto, as it is", "off", "ewma"}}
	laws := len(cells) / len(sets.Corrupted)
	for law := range laws {
		row := []string{cells[law].law}
		for _, s := range settingsWith(clean) {
			mean, worst := 0.0, math.Inf(1)
			for at := law; at < len(cells); at += laws {
				change, err := cells[at].change(s)
				if err != nil {
					return nil, err
				}
				mean += change / float64(len(sets.Corrupted))
				worst = min(worst, change)
			}
			row = append(row, fmt.Sprintf("%+.2f (%+.1f)", mean, worst))
		}
		t.Add(row...)
	}
	own, err := ownTemperatures(shared, sets, seeds, steps)
	return []report.Table{t, own}, err
}

// ownTemperatures tells the same for predictions whose own labels gave the temperature.
func ownTemperatures(shared string, sets *benchmarks.CIFARSets, seeds, steps int) (t report.Table, err error) {
	cells, err := realCells(shared)
	if err != nil {
		return t, err
	}
	controlled, err := cellsOf(sets.Test[1:2], seeds, steps)
	if err != nil {
		return t, err
	}
	t = report.Table{Title: "T of their own labels", Columns: []string{"predictions", "T", "auto", "auto, as it is", "off", "ewma"}}
	for _, c := range append(cells, controlled...) {
		row := []report.Cell{report.Text(c.name), report.Num(c.temperature, 2)}
		for _, s := range settingsWith(c.temperature) {
			change, err := c.change(s)
			if err != nil {
				return t, err
			}
			row = append(row, report.Points(change))
		}
		t.AddCells(row...)
	}
	return t, nil
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
