package realworld

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/charts"
)

// goesOn is how an identity goes on: how probable it is that a positive item follows a positive one, and a negative one a negative one.
type goesOn struct{ pos, neg float64 }

// dispersions are the paper's figure of how differently identities go on, as the paper's filter has learned it without labels by the end of
// each one's stream, and the same as the true labels have it. The colour is what the filter changed, the paper's and the program's.
func (f *found) dispersions() ([]report.Figure, error) {
	pos, neg := f.class("positive"), f.class("negative")
	if pos < 0 || neg < 0 {
		return nil, fmt.Errorf("classes %q: want negative and positive", f.labels)
	}
	learned := dispersion{
		id: "dispersion", title: f.title + ": learned", modes: []int{0, 1}, change: "change of accuracy by the paper's filter (off), points",
		caption: "How differently identities go on: the transitions that the paper's filter has learned by the end of each stream, and what it changed there.",
		of:      func(one identity) goesOn { return learnedBy(one, pos, neg, len(f.labels)) },
	}
	counted := dispersion{
		id: "dispersion-true", title: f.title + ": true labels", modes: []int{3, 2}, change: "change of accuracy by auto, smoothed, points",
		caption: "The same by the true labels, of who has such pairs, and what auto, smoothed, changed there.",
		of:      func(one identity) goesOn { return goesOn{stays(one, pos), stays(one, neg)} },
	}
	var out []report.Figure
	for _, d := range []dispersion{learned, counted} {
		figure, err := d.draw(f)
		if err != nil {
			return nil, err
		}
		out = append(out, figure)
	}
	return out, nil
}

// dispersion is one of the figures.
type dispersion struct {
	id, title, change, caption string
	modes                      []int // whose changes are told, the first in colour
	of                         func(one identity) goesOn
}

func (d dispersion) draw(f *found) (report.Figure, error) {
	data := report.Table{
		ID: d.id, Title: d.title, Columns: []string{"identity", "items", "p(pos|pos)", "p(neg|neg)"},
		Notes: []string{"- where there is no such pair; changes of accuracy in points."},
	}
	for _, mode := range d.modes {
		data.Columns = append(data.Columns, modeNames[mode])
	}
	var points []charts.Disperse
	shown, gains, losses := 0, 0, 0
	for k, one := range f.said[0].ordered {
		v := d.of(one)
		row := []report.Cell{report.Text(one.name), report.Count(f.outcomes[0].ordered[0].Streams[k].Raw.Items), share(v.pos), share(v.neg)}
		for _, mode := range d.modes {
			row = append(row, report.Points(f.outcomes[0].ordered[mode].change(k)))
		}
		data.AddCells(row...)
		change := f.outcomes[0].ordered[d.modes[0]].change(k)
		points = append(points, charts.Disperse{X: v.pos, Y: v.neg, Change: change})
		if math.IsNaN(v.pos + v.neg) {
			continue
		}
		shown++
		switch {
		case change > 0:
			gains++
		case change < 0:
			losses++
		}
	}
	svg, err := charts.Dispersion(d.title, "p(pos|pos)", "p(neg|neg)", d.change, points).Encode("svg")
	return report.Figure{
		ID: d.id, SVG: svg, Data: data,
		Caption: d.caption + " On the dashed line what comes does not depend on what came before. Triangles upward are gains, downward losses, rings nothing; of those in one place what changed most is on top.",
		Alt:     fmt.Sprintf("%d identities by p(pos|pos) and p(neg|neg): %d gain, %d lose.", shown, gains, losses),
	}, err
}

func share(v float64) report.Cell {
	if math.IsNaN(v) {
		return report.Text("-")
	}
	return report.Num(v, 3)
}

func (f *found) class(name string) int {
	return slices.IndexFunc(f.labels, func(label string) bool { return strings.EqualFold(label, name) })
}

// learnedBy is what the paper's filter has learned at the end of the longest stream of an identity.
func learnedBy(one identity, pos, neg, classes int) goesOn {
	longest := one.streams[0]
	for _, s := range one.streams[1:] {
		if len(s.Q) > len(longest.Q) {
			longest = s
		}
	}
	filter, err := adapt.New(classes, adapt.Settings{Gate: adapt.GateOff})
	if err != nil {
		panic("realworld: " + err.Error()) // the settings have no value that could be wrong
	}
	p := make([]float64, classes)
	for _, q := range longest.Q {
		filter.Step(p, q)
	}
	a := filter.Transitions(nil)
	return goesOn{a[pos*classes+pos], a[neg*classes+neg]}
}

// stays is how often a class follows itself in the true labels, NaN if nothing ever follows it.
func stays(one identity, class int) float64 {
	same, all := 0.0, 0.0
	for _, s := range one.streams {
		for t := 1; t < len(s.Truth); t++ {
			if s.Truth[t-1] != class || s.Truth[t] < 0 {
				continue
			}
			all++
			if s.Truth[t] == class {
				same++
			}
		}
	}
	return same / all
}
