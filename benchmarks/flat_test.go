package benchmarks

import (
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// However little the predictions claim, auto loses nearly nothing where there is no order and gains where there is; as published it loses
// a great part.
func TestFlat(t *testing.T) {
	sets, err := ReadCIFARSets(testdata.Tree(t, testdata.CIFARPredictions...))
	if err != nil {
		t.Fatal(err)
	}
	r, err := RunFlat(sets.Corrupted[:6], ControlledSettings{Steps: 1000, Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	last := len(r.Factors) - 1
	for f, factor := range r.Factors {
		for i, stream := range r.Streams {
			auto, published := r.Cells[f][0][i], r.Cells[f][1][i]
			if auto.Mean < -0.5 || auto.Mean < published.Mean-3 {
				t.Errorf("1/%g %s: auto %+.2f, as published %+.2f", factor, stream, auto.Mean, published.Mean)
			}
			if f == last && stream == "S1" && published.Mean > -10 {
				t.Errorf("as published %+.2f: the test has lost its case", published.Mean)
			}
		}
	}
	if table := r.Table("flat"); len(table.Rows) != 2*len(r.Factors) || len(table.Columns) != 2+len(r.Streams) {
		t.Errorf("table of %d rows and %d columns", len(table.Rows), len(table.Columns))
	}
}
