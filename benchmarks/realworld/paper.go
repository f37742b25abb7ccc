package realworld

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// paper is the real-world part of the paper's published numbers: accuracy in percent.
type paper struct {
	Real struct {
		Columns  []string                        `json:"columns"`
		Accuracy map[string]map[string][]float64 `json:"accuracy_percent"` // by predictor, then plain, oatta or oatta-llr, by column
	} `json:"real_world"`
}

// The paper's filters, by the names of its numbers: without its gate and with it.
const (
	paperPlain = "plain"
	paperOff   = "oatta"
	paperGated = "oatta-llr"
)

// readPaper reads paper/tables.json. A user has none, and no column of the paper then.
func readPaper(name string) (*paper, error) {
	p := &paper{}
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(b, p)
	}
	if err != nil {
		return nil, fmt.Errorf("realworld: %s: %w", filepath.Base(name), err)
	}
	return p, nil
}

// of returns what the paper has for a predictor and a filter in a column such as cnn1d/harth.
func (p *paper) of(column, predictor, filter string) (float64, bool) {
	at := slices.Index(p.Real.Columns, column)
	values := p.Real.Accuracy[predictor][filter]
	if at < 0 || at >= len(values) {
		return 0, false
	}
	return values[at], true
}
