package charts

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// hostile are names that are no names: markup, quotes, marks that turn the direction of text, bytes that a terminal obeys.
var hostile = []string{`<script>alert(1)</script>`, `"'><img src=x onerror=alert(1)>`, "\u202eright to left", "\x1b[31mred\x00", "", strings.Repeat("long ", 80)}

func nightOf(n int, density bool) Night {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x := Night{Name: "raw"}
	for range n {
		x.Stages = append(x.Stages, r.IntN(6)-1)
		if density {
			p := make([]float64, 5)
			for i := range p {
				p[i] = 0.2
			}
			x.Density = append(x.Density, p)
		}
	}
	if density && n > 3 {
		x.Density[1] = nil
	}
	return x
}

func hypnogramOf(n int, density bool) Hypnogram {
	return Hypnogram{Title: "night", Note: "a note", Classes: []string{"W", "R", "N1", "N2", "N3"}, Marked: 1, Hours: 30. / 3600, Nights: []Night{nightOf(n, density), nightOf(n, density)}}
}

func TestReportFiguresHold(t *testing.T) {
	for name, h := range map[string]Hypnogram{"night": hypnogramOf(960, true), "one epoch": hypnogramOf(1, true), "no density": hypnogramOf(80, false), "month": hypnogramOf(86400, false)} {
		h.Start = time.Date(2026, 1, 1, 22, 30, 0, 0, time.UTC)
		checkReportFigure(t, "hypnogram, "+name, h.Figure)
	}
	for _, n := range []int{1, 7, 5000} {
		l := Timeline{Title: hostile[0], Classes: hostile, Raw: make([]int, n), Adapted: make([]int, n), Gate: make([]float64, n), Prob: make([]float64, n), AfterProb: make([]float64, n)}
		for i := range n {
			l.Raw[i], l.Adapted[i], l.Gate[i], l.Prob[i] = i%len(hostile), i%3-1, math.NaN(), 0.5
		}
		checkReportFigure(t, "timeline", l.Figure)
	}
	s := Strips{Title: hostile[1], Note: "n", Classes: append(hostile, make([]string, 30)...), To: 24, Clock: true}
	for day := range 14 {
		row := StripRow{Name: hostile[day%len(hostile)], Kind: "raw"}
		for i := range 200 {
			row.Spans = append(row.Spans, Span{float64(i) * 0.12, float64(i+1) * 0.12, (i * day) % len(s.Classes)})
		}
		s.Rows = append(s.Rows, row)
	}
	checkReportFigure(t, "strips", s.Figure)
	k := len(hostile)
	checkReportFigure(t, "counts", Counts{Title: hostile[0], Classes: hostile, Values: make([]int, k*k)}.Figure)
	checkReportFigure(t, "amounts", Amounts{Title: hostile[0], Classes: hostile, Raw: make([]float64, k), Adapted: []float64{1, 2.5, 3, 0, 1e9, 5}}.Figure)
	checkReportFigure(t, "confidence", func() (Figure, error) {
		return Confidence("c", []ReliabilitySeries{{Name: "raw", Bins: make([]ReliabilityBin, 20)}, {Name: "adapted", Bins: make([]ReliabilityBin, 20)}}), nil
	})
}

func checkReportFigure(t *testing.T, name string, figure func() (Figure, error)) {
	t.Helper()
	f, err := figure()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	checkFigure(t, f)
	page, err := f.Inline(hostile[1])
	if err != nil || !strings.HasPrefix(page, "<svg ") || strings.Contains(page, "<script") || strings.Contains(page, "<img") {
		t.Errorf("%s: %v %.200s", name, err, page)
	}
}

func TestReportFiguresRefuse(t *testing.T) {
	uneven := hypnogramOf(10, true)
	uneven.Nights[1].Stages = uneven.Nights[1].Stages[:9]
	beyond := hypnogramOf(10, true)
	beyond.Nights[0].Stages[3] = 5
	for name, figure := range map[string]func() (Figure, error){
		"empty night": Hypnogram{}.Figure, "uneven nights": uneven.Figure, "class beyond": beyond.Figure,
		"empty timeline": Timeline{}.Figure, "timeline": Timeline{Classes: []string{"a"}, Raw: []int{0}, Adapted: []int{1}, Gate: []float64{1}}.Figure,
		"gate missing": Timeline{Classes: []string{"a"}, Raw: []int{0}, Adapted: []int{0}}.Figure,
		"empty strips": Strips{}.Figure, "strip": Strips{Classes: []string{"a"}, To: 1, Rows: []StripRow{{Spans: []Span{{0, 1, 1}}}}}.Figure,
		"counts": Counts{Classes: []string{"a"}}.Figure, "negative": Counts{Classes: []string{"a"}, Values: []int{-1}}.Figure,
		"amounts": Amounts{Classes: []string{"a"}, Raw: []float64{math.NaN()}, Adapted: []float64{1}}.Figure,
	} {
		if _, err := figure(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
