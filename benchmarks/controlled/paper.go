package controlled

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
)

// Paper is what the paper has printed, by row.
type Paper map[string]PaperRow

// PaperRow is what it has printed of a row: by predictor, "plain" and by filter, in percent.
type PaperRow struct {
	Accuracy    map[string]map[string]float64
	Significant map[string]map[string]bool // by predictor and filter
	Delta       map[string][2]float64      // by filter: mean change in points over the five predictors, standard deviation over seeds
}

// ReadPaper reads the controlled table of paper/tables.json, with every row of it that the paper has.
func ReadPaper(name string) (Paper, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("controlled: %w", err)
	}
	var file struct {
		Controlled struct {
			Streams map[string]map[string]json.RawMessage
		}
	}
	err = json.Unmarshal(b, &file)
	p := Paper{}
	for row, entries := range file.Controlled.Streams {
		if err != nil {
			break
		}
		p[row], err = readRow(entries)
	}
	if err != nil {
		return nil, fmt.Errorf("controlled: %s: %w", filepath.Base(name), err)
	}
	for _, row := range PaperRows() {
		if _, ok := p[row.Name]; !ok {
			return nil, fmt.Errorf("controlled: %s: controlled.streams has no %q", filepath.Base(name), row.Name)
		}
	}
	return p, nil
}

func readRow(entries map[string]json.RawMessage) (PaperRow, error) {
	r := PaperRow{Accuracy: map[string]map[string]float64{}, Significant: map[string]map[string]bool{}}
	for name, raw := range entries {
		if name == "delta_avg" {
			if err := json.Unmarshal(raw, &r.Delta); err != nil {
				return r, err
			}
			continue
		}
		var cells map[string]json.RawMessage
		if err := json.Unmarshal(raw, &cells); err != nil {
			return r, err
		}
		r.Accuracy[name] = map[string]float64{}
		for key, cell := range cells {
			var err error
			if key == "significant" {
				var marks map[string]bool
				err = json.Unmarshal(cell, &marks)
				r.Significant[name] = marks
			} else {
				var v float64
				err = json.Unmarshal(cell, &v)
				r.Accuracy[name][key] = v
			}
			if err != nil {
				return r, fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	return r, nil
}

// agrees tells whether a mean change has the sign of the paper's. One that the paper prints as zero has none: then it is enough to be
// within its standard deviation of zero.
func agrees(change float64, paper [2]float64) bool {
	if unsigned(paper) {
		return math.Abs(change) <= paper[1]
	}
	return change > 0 == (paper[0] > 0) && change != 0
}

// unsigned tells that the paper prints a change as zero.
func unsigned(paper [2]float64) bool { return math.Abs(paper[0]) < 0.005 }
