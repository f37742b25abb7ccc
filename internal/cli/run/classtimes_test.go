package run

import (
	"testing"

	"github.com/oatta/oatta/internal/results"
)

// Time without windows is told: before the first, and where gaps leave some out.
func TestNoData(t *testing.T) {
	x := newTimes([]string{"a", "b"}, 2)
	for i, offset := range []float64{4, 6, 8, 20, 22} {
		x.add(i, &results.Record{Stream: "s", Offset: offset, Duration: 4, Raw: []float64{1, 0}, Adapted: []float64{1, 0}})
	}
	x.add(5, &results.Record{Stream: "t", Duration: 4, Raw: []float64{1, 0}, Adapted: []float64{1, 0}})
	if a, b := x.Recordings[0], x.Recordings[1]; a.NoData != 4+10 || a.Adapted["a"] != 10 || b.NoData != 0 {
		t.Errorf("%+v, %+v", a, b)
	}
}
