package charts

import (
	"slices"
	"testing"
)

func TestPlainTicks(t *testing.T) {
	for _, test := range []struct {
		lo, hi float64
		want   []string
	}{
		{596, 1788, []string{"750", "1250", "1750"}},
		{103, 1236, []string{"300", "600", "900", "1200"}},
		{0.73, 0.91, []string{"0.75", "0.8", "0.85", "0.9"}},
		{0.399, 0.5102, []string{"0.4", "0.45", "0.5"}},
		{1e9, 4e9, []string{"1e+09", "2e+09", "3e+09", "4e+09"}},
	} {
		var got []string
		for _, tick := range (plain{}).Ticks(test.lo, test.hi) {
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v to %v: %q, want %q", test.lo, test.hi, got, test.want)
		}
	}
}
