package benchmarks

import (
	"testing"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/testdata"
)

// What lists keep of the filter: nothing is lost where there is no order, and lists of five are nearly as good as whole vectors.
func TestTruncation(t *testing.T) {
	sets, err := ReadCIFARSets(testdata.Tree(t, testdata.CIFARPredictions...))
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets.Corrupted[:3] {
		for _, classes := range declared {
			none, err := truncate(set, datasets.S1(), 1, 1000, classes)
			if err != nil {
				t.Fatal(err)
			}
			order, err := truncate(set, datasets.S2(0.95), 1, 1000, classes)
			if err != nil {
				t.Fatal(err)
			}
			for k, top := range truncatedTo {
				if none.change[k] < -0.2 || order.change[k] < -0.5 {
					t.Errorf("%s, %d of %d: %+.2f points without order, %+.2f with it", set.Name, top, classes, none.change[k], order.change[k])
				}
			}
			if last := len(truncatedTo) - 1; order.change[last] < order.whole-1 || order.agree[last] < 96 {
				t.Errorf("%s, 5 of %d: %+.2f points, whole vectors %+.2f, %.1f %% agree", set.Name, classes, order.change[last], order.whole, order.agree[last])
			}
		}
	}
}
