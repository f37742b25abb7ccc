package charts

import (
	"errors"
	"fmt"
)

// Timeline is what is left of a [Stream] when only its results are at hand: labels before and after, gate, and how probable the labels
// were. NaN is a number that is not known, and is not drawn.
type Timeline struct {
	Title, Note     string
	Classes         []string // names [K]
	Step            []int    // number of each record's first item, increasing; nil: 1, 2, ...
	Times           []int64  // nanoseconds since 1970; nil: the axis has numbers only
	Raw, Adapted    []int    // class before and after; negative: none
	Truth           []int    // true class, negative where unknown; or nil
	Gate            []float64
	Prob, AfterProb []float64 // of the label before and after; nil: not known
}

// Figure returns lanes of the classes, the gate and the probabilities under each other over the same items.
func (t Timeline) Figure() (Figure, error) {
	n, k := len(t.Raw), len(t.Classes)
	if n == 0 || k == 0 {
		return Figure{}, errors.New("charts: timeline without records or without classes")
	}
	for _, part := range []struct {
		name     string
		length   int
		optional bool
	}{
		{"Adapted", len(t.Adapted), false},
		{"Gate", len(t.Gate), false},
		{"Step", len(t.Step), true},
		{"Times", len(t.Times), true},
		{"Truth", len(t.Truth), true},
		{"Prob", len(t.Prob), true},
		{"AfterProb", len(t.AfterProb), true},
	} {
		if part.length != n && !(part.optional && part.length == 0) {
			return Figure{}, fmt.Errorf("charts: timeline: %d values of %s for %d records", part.length, part.name, n)
		}
	}
	for _, labels := range [][]int{t.Raw, t.Adapted, t.Truth} {
		for i, c := range labels {
			if c >= k {
				return Figure{}, fmt.Errorf("charts: timeline: record %d has class %d of %d", i, c, k)
			}
		}
	}
	sh := t.sheet()
	return Figure{Width: streamWidth, Height: sh.height(), Draw: sh.draw}, nil
}

func (t Timeline) sheet() *sheet {
	s := Stream{
		Title: t.Title, Note: t.Note, Classes: legibleAll(t.Classes), Step: t.Step, Times: t.Times, Raw: t.Raw, Adapted: t.Adapted, Truth: t.Truth, Gate: t.Gate,
	}
	sh := laidOut(s)
	sh.panels = []panel{sh.classPanel(), sh.linePanel("Gate: weight of order", 46, axis{lo: 0, hi: 1}, series{values: t.Gate, colour: ink})}
	if t.Prob != nil && t.AfterProb != nil {
		sh.panels = append(sh.panels, sh.linePanel("Probability of the label", 56, axis{lo: 0, hi: 1}, series{"raw", t.Prob, rgba(1)}, series{"adapted", t.AfterProb, rgba(0)}))
	}
	return sh
}
