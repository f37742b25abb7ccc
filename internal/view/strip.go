package view

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/report"
)

// How much of a stream is drawn.
const (
	mostLanes  = 9
	mostColumn = 240
)

// strip is a stream over its items: which label the items of each column mostly have.
type strip struct {
	Height  int
	Lanes   []lane
	Marks   []mark // of what was labelled
	Columns int
}

type lane struct {
	Name     string
	Y, TextY int
	Raw      []mark
	Adapted  []mark
}

type mark struct{ X, Width string }

// stripOf draws the stream, whole.
func (s *snapshot) stripOf(k int) *strip {
	list := s.streams[k].items
	if len(list) < 2 {
		return nil
	}
	count := map[int32]int{}
	for _, i := range list {
		count[s.records[i].raw]++
		count[s.records[i].adapted]++
	}
	delete(count, -1)
	order := make([]int32, 0, len(count))
	for l := range count {
		order = append(order, l)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.depth(a), s.depth(b)), cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	if len(order) > mostLanes {
		order = order[:mostLanes]
	}
	out := &strip{Columns: min(len(list), mostColumn)}
	at := map[int32]int{}
	for n, l := range order {
		at[l] = n
		out.Lanes = append(out.Lanes, lane{Name: report.Visible(report.Named(s.text(l))), Y: 14 + 22*n, TextY: 14 + 22*n + 13})
	}
	out.Height = 14 + 22*len(order)
	for col := range out.Columns {
		from, to := col*len(list)/out.Columns, (col+1)*len(list)/out.Columns
		m := mark{fmt.Sprintf("%.2f", 160+830*float64(col)/float64(out.Columns)), fmt.Sprintf("%.2f", 830/float64(out.Columns))}
		var seen [2]map[int32]int
		seen[0], seen[1] = map[int32]int{}, map[int32]int{}
		given := false
		for _, i := range list[from:to] {
			seen[0][s.records[i].raw]++
			seen[1][s.records[i].adapted]++
			given = given || s.given[i] != ""
		}
		if n, ok := at[most(seen[0])]; ok {
			out.Lanes[n].Raw = append(out.Lanes[n].Raw, m)
		}
		if n, ok := at[most(seen[1])]; ok {
			out.Lanes[n].Adapted = append(out.Lanes[n].Adapted, m)
		}
		if given {
			out.Marks = append(out.Marks, m)
		}
	}
	return out
}

// depth orders stages of sleep as hypnograms have them; all else has one.
func (c *Collection) depth(label int32) int {
	if c.Kind != report.Sleep {
		return 0
	}
	stage, _ := hypnogram.ParseLabel(c.text(label))
	return slices.Index([]hypnogram.Stage{hypnogram.W, hypnogram.R, hypnogram.N1, hypnogram.N2, hypnogram.N3}, stage)
}

// most is the label that came most often.
func most(count map[int32]int) int32 {
	best, n := int32(-1), 0
	for l, k := range count {
		if k > n || k == n && l < best {
			best, n = l, k
		}
	}
	return best
}
