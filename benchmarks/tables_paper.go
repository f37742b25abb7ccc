package benchmarks

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// PaperTables is what is used of the paper's published numbers.
type PaperTables struct {
	Controlled struct {
		Streams map[string]PaperStream `json:"streams"`
	} `json:"controlled"`
	Correlation struct {
		R         float64 `json:"R"`
		BreakEven float64 `json:"break_even_accuracy_percent"`
	} `json:"corruption_correlation"`
}

// PaperStream is one row of the paper's controlled table: the change in points averaged over its five predictors, on CIFAR-10.1 with
// a base accuracy of 77 %. Each is mean and standard deviation over ten seeds.
type PaperStream struct {
	Delta struct {
		Off [2]float64 `json:"oatta"`
		LLR [2]float64 `json:"oatta-llr"`
	} `json:"delta_avg"`
}

// paperRow is one row of the paper's controlled table and the stream here that it belongs to. S2 at its default stands twice.
type paperRow struct{ title, stream string }

func paperRows() []paperRow {
	rows := []paperRow{{"s1", "s1"}, {"s2 alpha=0.70 (default)", "s2 alpha=0.70"}}
	for _, s := range PaperStreams()[1:] {
		rows = append(rows, paperRow{s.Name, s.Name})
	}
	return rows
}

// ReadPaperTables reads paper/tables.json and requires all rows of the controlled table.
func ReadPaperTables(name string) (*PaperTables, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("benchmarks: %w", err)
	}
	t := &PaperTables{}
	if err := json.Unmarshal(b, t); err != nil {
		return nil, fmt.Errorf("benchmarks: %s: %w", filepath.Base(name), err)
	}
	for _, row := range paperRows() {
		if _, ok := t.Controlled.Streams[row.title]; !ok {
			return nil, fmt.Errorf("benchmarks: %s: controlled.streams has no %q", filepath.Base(name), row.title)
		}
	}
	return t, nil
}
