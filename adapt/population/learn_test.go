package population

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// stream makes items without times of digits, and - for an item without a label.
func stream(text string) (out []Item) {
	for _, c := range text {
		class := int(c - '0')
		if c == '-' {
			class = -1
		}
		out = append(out, Item{Class: class})
	}
	return out
}

// at gives items their times, in seconds.
func at(items []Item, seconds ...float64) []Item {
	for i, s := range seconds {
		items[i].Time = time.Date(2020, 5, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(s * float64(time.Second)))
	}
	return items
}

func counted(classes int, streams ...[]Item) *Counts {
	c := NewCounts(classes)
	for _, s := range streams {
		c.Add(s)
	}
	return c
}

func near(a, b []float64, within float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= within })
}

func TestCounts(t *testing.T) {
	seconds := []float64{0, 30, 60, 90, 120, 150, 180, 210, 240, 270} // a rhythm is known
	for name, tc := range map[string]struct {
		streams [][]Item
		pairs   [][]float64
		runs    []float64 // of class 0, the first bins
		lengths []float64
	}{
		"one stream":              {[][]Item{stream("0001100")}, [][]float64{{3, 1}, {1, 1}}, []float64{0, 1, 1}, []float64{5, 2}},
		"not from one to another": {[][]Item{stream("00"), stream("11")}, [][]float64{{1, 0}, {0, 1}}, []float64{0, 1}, []float64{2, 2}},
		"not across no label":     {[][]Item{stream("00-001-1")}, [][]float64{{2, 1}, {0, 0}}, []float64{0, 2}, []float64{4, 2}},
		"single items":            {[][]Item{stream("0"), stream("1"), stream("-"), nil}, [][]float64{{0, 0}, {0, 0}}, []float64{1}, []float64{1, 1}},
		"in their time": {
			[][]Item{at(stream("0000011111"), seconds...)},
			[][]float64{{4, 1}, {0, 4}},
			[]float64{0, 0, 0, 1},
			[]float64{5, 5},
		},
		"a missed step": {
			[][]Item{at(stream("0000011111"), 0, 30, 60, 120, 150, 180, 210, 240, 270, 300)},
			[][]float64{{3, 1}, {0, 4}},
			[]float64{0, 1, 1},
			[]float64{5, 5},
		},
		"a little late": {
			[][]Item{at(stream("0000011111"), 0, 30, 60, 104, 134, 164, 194, 224, 254, 284)},
			[][]float64{{4, 1}, {0, 4}},
			[]float64{0, 0, 0, 1},
			[]float64{5, 5},
		},
		"a long gap": {
			[][]Item{at(stream("0000011111"), 0, 30, 60, 90, 120, 9e5, 9e5+30, 9e5+60, 9e5+90, 9e5+120)},
			[][]float64{{4, 0}, {0, 4}},
			[]float64{0, 0, 0, 1},
			[]float64{5, 5},
		},
		"back in time": {
			[][]Item{at(stream("00111"), 0, 30, 60, 40, 90)},
			[][]float64{{1, 1}, {0, 1}},
			[]float64{0, 1},
			[]float64{2, 3},
		},
		"one item without a time": {
			[][]Item{append(append(at(stream("0000011111"), seconds...), stream("1")...), at(stream("1"), 330)...)},
			[][]float64{{4, 1}, {0, 6}},
			[]float64{0, 0, 0, 1},
			[]float64{5, 7},
		},
		"too few steps for a rhythm": {
			[][]Item{at(stream("0011"), 0, 30, 4000, 4030)},
			[][]float64{{1, 1}, {0, 1}},
			[]float64{0, 1},
			[]float64{2, 2},
		},
	} {
		c := counted(2, tc.streams...)
		runs := make([]float64, Bins)
		copy(runs, tc.runs)
		if !slices.EqualFunc(c.pairs, tc.pairs, slices.Equal) || !slices.Equal(c.runs[0], runs) || !slices.Equal(c.lengths, tc.lengths) {
			t.Errorf("%s: pairs %v, want %v; runs of 0 %v, want %v; lengths %v, want %v", name, c.pairs, tc.pairs, c.runs[0], runs, c.lengths, tc.lengths)
		}
	}
}

func TestBins(t *testing.T) {
	for length, want := range map[int]int{1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 8: 3, 9: 4, 1024: 10, 1025: 11, 1 << 40: 11} {
		if got := bin(length); got != want {
			t.Errorf("a run of %d is in bin %d, want %d", length, got, want)
		}
	}
}

func TestOrder(t *testing.T) {
	// 0: 44 pairs to itself, 5 to 1, and it begins; 1: 5 to 0, 5 to itself; no 2.
	text := "0" + strings.Repeat("0", 44) + strings.Repeat("110", 5)
	o, err := counted(3, stream(text), stream("---")).Order([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	f := []float64{50.5 / 61.5, 10.5 / 61.5, .5 / 61.5}
	if !near(o.Frequencies, f, 1e-6) || o.Streams != 1 || o.Items != 60 || o.Pairs != 59 || o.Rhythm != 0 {
		t.Errorf("%+v", o)
	}
	want := [][]float64{
		{(44 + f[0]) / 50, (5 + f[1]) / 50, f[2] / 50},
		{(5 + f[0]) / 11, (5 + f[1]) / 11, f[2] / 11},
		f,
	}
	for i := range want {
		if !near(o.Transitions[i], want[i], 1e-6) {
			t.Errorf("row %d is %v, want %v", i, o.Transitions[i], want[i])
		}
	}
	if mean := o.Dwell[0].Mean; math.Abs(mean-50./6) > 1e-4 {
		t.Errorf("0 lasts %g", mean)
	}
	if !slices.Equal(o.Dwell[1].Shares, append([]float64{0, 1}, make([]float64, Bins-2)...)) || o.Dwell[1].Mean != 2 {
		t.Errorf("1 lasts %+v", o.Dwell[1])
	}
	if o.Dwell[2].Mean != rounded(60./11) { // of all
		t.Errorf("2 lasts %+v", o.Dwell[2])
	}
}

// Counts under Least are told together, or not at all.
func TestPooled(t *testing.T) {
	even, all := []float64{1, 1, 1, 1}, []float64{9, 9, 9, 9}
	for name, tc := range map[string]struct {
		counts, share, occur, want []float64
	}{
		"nothing small":               {[]float64{5, 6, 7, 8}, even, all, []float64{5, 6, 7, 8}},
		"evenly":                      {[]float64{9, 4, 1, 1}, even, all, []float64{9, 2, 2, 2}},
		"by share":                    {[]float64{9, 4, 2, 0}, []float64{.7, .1, .1, .1}, all, []float64{9, 2, 2, 2}},
		"zeros take part":             {[]float64{9, 4, 0, 8}, even, all, []float64{9, 2, 2, 8}},
		"all small":                   {[]float64{1, 2, 3, 2}, even, all, []float64{2, 2, 2, 2}},
		"alone, nearer to none":       {[]float64{9, 2, 9, 9}, even, all, []float64{9, 0, 9, 9}},
		"alone, nearer to Least":      {[]float64{9, 3, 9, 9}, even, all, []float64{9, 5, 9, 9}},
		"with one that never occurs":  {[]float64{9, 3, 0, 9}, even, []float64{9, 9, 0, 9}, []float64{9, 2.5, 2.5, 9}},
		"alone with nothing to share": {[]float64{9, 0, 9, 9}, even, all, []float64{9, 0, 9, 9}},
	} {
		if got := pooled(tc.counts, tc.share, tc.occur); !near(got, tc.want, 1e-12) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

// A single transition more or less of a rare kind leaves the others of its pool where they are told apart only by frequencies.
func TestPooledTransitions(t *testing.T) {
	common := strings.Repeat("0", 50) + strings.Repeat("1", 50) + strings.Repeat("2", 50) + strings.Repeat("3", 50)
	var first [][]float64
	for _, rare := range []string{"02", "03"} {
		o, err := counted(4, stream(common), stream(strings.Repeat("2", 9)), stream(strings.Repeat("3", 9)), stream(rare)).Order([]string{"a", "b", "c", "d"})
		if err != nil {
			t.Fatal(err)
		}
		f := o.Frequencies
		if ratio := o.Transitions[0][2] / o.Transitions[0][3]; math.Abs(ratio-f[2]/f[3]) > 1e-4 {
			t.Errorf("%s: row %v tells which it was", rare, o.Transitions[0])
		}
		first = append(first, o.Transitions[0])
	}
	if !near(first[0], first[1], 1e-3) {
		t.Errorf("%v and %v", first[0], first[1])
	}
}

func TestRhythm(t *testing.T) {
	slow := at(stream("01010"), 0, 60, 120, 180, 600)
	fast := at(stream("010101"), 0, 2, 4, 6, 8, 10)
	for name, tc := range map[string]struct {
		streams [][]Item
		want    float64
	}{
		"none":  {[][]Item{stream("0101")}, 0},
		"slow":  {[][]Item{slow}, 60},
		"both":  {[][]Item{slow, fast}, 2},
		"equal": {[][]Item{at(stream("00"), 5, 5)}, 0},
		"back":  {[][]Item{at(stream("000"), 5, 1, 4)}, 3},
	} {
		o, err := counted(2, tc.streams...).Order([]string{"a", "b"})
		if err != nil || o.Rhythm != tc.want {
			t.Errorf("%s: rhythm %v, want %v (%v)", name, o.Rhythm, tc.want, err)
		}
	}
}

func TestOrderOfNothing(t *testing.T) {
	if _, err := counted(2, stream("--")).Order([]string{"a", "b"}); err == nil || !strings.Contains(err.Error(), "no item has a label") {
		t.Error(err)
	}
	if _, err := counted(2, stream("01")).Order([]string{"a", "a"}); err == nil || !strings.Contains(err.Error(), `"a" is classes[0] already`) {
		t.Error(err)
	}
	o, err := counted(2, stream("01")).Order([]string{"a", "b"})
	if err != nil || o.Dwell != nil {
		t.Errorf("%+v, %v", o, err)
	}
}
