package charts

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"
)

// randomStreamOf returns a stream of n records over k classes with all that a stream can have.
func randomStreamOf(seed uint64, k, n int) Stream {
	r := rand.New(rand.NewPCG(seed, 71))
	s := Stream{Title: "Stream cam1", Note: "a note", Shares: []Share{{Name: "none"}, {Name: "persist"}, {Name: "sticky"}, {Name: "full"}}}
	for i := range k {
		s.Classes = append(s.Classes, fmt.Sprintf("class %d", i))
	}
	for i := range n {
		s.Step = append(s.Step, 3*i+1)
		s.Times = append(s.Times, int64(i)*int64(time.Minute))
		s.Raw, s.Adapted, s.Truth = append(s.Raw, r.IntN(k)), append(s.Adapted, r.IntN(k)), append(s.Truth, r.IntN(k+1)-1)
		s.Gate, s.Gain, s.Ratio = append(s.Gate, r.Float64()), append(s.Gain, r.Float64()-0.2), append(s.Ratio, r.NormFloat64())
		s.Entropy, s.AdaptedEntropy = append(s.Entropy, r.Float64()), append(s.AdaptedEntropy, r.Float64())
		s.Evidence = append(s.Evidence, math.Exp(-8*r.Float64()))
		for h := range s.Shares {
			s.Shares[h].Values = append(s.Shares[h].Values, 0.25)
		}
		if i%(n/60+1) == 0 {
			s.SizeAt, s.Sizes = append(s.SizeAt, i), append(s.Sizes, make([]float64, k))
			for j := range k {
				s.Sizes[len(s.Sizes)-1][j] = math.Exp(8*r.Float64() - 4)
			}
		}
	}
	for i, kind := range []MarkKind{MarkGap, MarkBreak, MarkReset, MarkZero} {
		s.Marks = append(s.Marks, Mark{min(i*n/5, n-1), kind})
	}
	return s
}

// streams are the cases that must not panic, overlap or overflow.
func streams() map[string]Stream {
	bare := randomStreamOf(1, 3, 40)
	bare.Note, bare.Step, bare.Times, bare.Truth, bare.Gain, bare.Ratio, bare.Shares, bare.Sizes, bare.SizeAt, bare.Marks = "", nil, nil, nil, nil, nil, nil, nil, nil, nil
	names := randomStreamOf(2, 7, 100)
	names.Classes = []string{
		"", "Füchse & <Söhne>", "狐", strings.Repeat("a very long name ", 40), "two\nlines\x00\x07", "not UTF-8: \xff\xfe", "\u202eright to left שלום",
	}
	names.Title = strings.Repeat("long title ", 60)
	unknown := randomStreamOf(3, 4, 60)
	for i := range unknown.Gain {
		unknown.Gain[i], unknown.Ratio[i], unknown.Entropy[i] = math.NaN(), math.Inf(1-2*(i%2)), math.NaN()
		unknown.Evidence[i], unknown.Gate[i] = 0, []float64{0.5, math.NaN()}[i%2]
		unknown.Truth[i] = -1
	}
	for _, sizes := range unknown.Sizes {
		sizes[0], sizes[1] = math.Inf(1), 0
	}
	disorder := randomStreamOf(4, 5, 300)
	for i := range disorder.Times {
		disorder.Times[i] = int64(i*i*i%977) * int64(time.Hour)
	}
	far := randomStreamOf(18, 2, 30)
	far.Times[0], far.Times[29] = math.MinInt64, math.MaxInt64
	ages := randomStreamOf(19, 2, 30)
	ages.Times[0], ages.Times[29] = 1, math.MaxInt64
	marked := randomStreamOf(5, 2, 5000)
	for i := range marked.Raw {
		marked.Marks = append(marked.Marks, Mark{i, MarkZero}, Mark{i, MarkGap})
	}
	return map[string]Stream{
		"ordinary": randomStreamOf(6, 6, 500), "bare": bare, "names": names, "unknown": unknown, "disorder": disorder, "far": far, "ages": ages, "marked": marked,
		"one class": randomStreamOf(7, 1, 50), "one step": randomStreamOf(8, 4, 1), "two steps": randomStreamOf(9, 2, 2),
		"at the limit": randomStreamOf(10, laneLimit, 900), "beyond it": randomStreamOf(11, laneLimit+1, 900),
		"thousand classes": randomStreamOf(12, 1000, 2000), "long": randomStreamOf(13, 40, 100_000),
	}
}

func encoded(t *testing.T, f Figure, format string) []byte {
	t.Helper()
	data, err := f.Encode(format)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// checkFigure holds what every figure must keep to: well-formed, no number that is none, and no more than a document bears.
func checkFigure(t *testing.T, f Figure) {
	t.Helper()
	const most = 1 << 20
	svg, png := encoded(t, f, "svg"), encoded(t, f, "png")
	for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the SVG is no XML: %v", err)
		}
	}
	if bad := regexp.MustCompile(`[=",MLC]-?(NaN|\+?Inf)`).Find(svg); bad != nil {
		t.Errorf("the SVG holds %s", bad)
	}
	if _, _, err := image.Decode(bytes.NewReader(png)); err != nil {
		t.Error(err)
	}
	if len(svg) > most || len(png) > most {
		t.Errorf("SVG of %d and PNG of %d bytes: want at most %d", len(svg), len(png), most)
	}
	if !bytes.Equal(svg, encoded(t, f, "svg")) { // a PNG is made of the same strokes
		t.Error("the same figure has other bytes")
	}
}

func TestStreamFigures(t *testing.T) {
	for name, s := range streams() {
		t.Run(name, func(t *testing.T) {
			f, err := s.Figure()
			if err != nil {
				t.Fatal(err)
			}
			checkFigure(t, f)
			checkText(t, f)
		})
	}
}

// words is a line of text in an SVG, as a box.
type words struct{ x0, x1, y, size float64 }

var textElement = regexp.MustCompile(`(?s)<text x="([^"]*)"( text-anchor="(middle|end)")? textLength="([^"]*)"[^>]* y="([^"]*)"[^>]*font-size:([0-9.]*)px[^>]*>([^<]*)<`)

// checkText holds the text of a figure without rotations to the sheet, and apart.
func checkText(t *testing.T, f Figure) {
	t.Helper()
	var all []words
	var texts []string
	for _, m := range textElement.FindAllStringSubmatch(string(encoded(t, f, "svg")), -1) {
		number := func(s string) float64 {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		x, width := number(m[1]), number(m[4])
		x -= width * map[string]float64{"": 0, "middle": 0.5, "end": 1}[m[3]]
		w := words{x, x + width, -number(m[5]), number(m[6])}
		if w.x0 < 0 || w.x1 > f.Width.Points() || w.y < 0 || w.y > f.Height.Points() {
			t.Errorf("%q at %v leaves the sheet of %v x %v", m[7], w, f.Width, f.Height)
		}
		for i, o := range all {
			if w.x0 < o.x1 && o.x0 < w.x1 && math.Abs(w.y-o.y) < 0.72*max(w.size, o.size) {
				t.Errorf("%q at %v overlaps %q at %v", m[7], w, texts[i], o)
			}
		}
		all, texts = append(all, w), append(texts, m[7])
	}
	if len(all) < 10 {
		t.Errorf("%d lines of text: has the SVG another form?", len(all))
	}
}

// seen is a figure as a picture.
type seen struct {
	t       *testing.T
	picture image.Image
	height  vg.Length
}

func see(t *testing.T, f Figure) seen {
	t.Helper()
	picture, _, err := image.Decode(bytes.NewReader(encoded(t, f, "png")))
	if err != nil {
		t.Fatal(err)
	}
	return seen{t, picture, f.Height}
}

// at returns the colour at a place of the drawing, whose y goes up.
func (s seen) at(x, y vg.Length) color.RGBA {
	return color.RGBAModel.Convert(s.picture.At(int(x.Dots(dpi)), int((s.height - y).Dots(dpi)))).(color.RGBA)
}

// small is a stream whose steps are wide enough to be looked at one by one; third is a place in a step beside the lines in its middle.
func small(t *testing.T, seed uint64, k, n int) (*sheet, seen, func(record int) vg.Length) {
	t.Helper()
	s := randomStreamOf(seed, k, n)
	s.Step, s.Marks = nil, nil
	f, err := s.Figure()
	if err != nil {
		t.Fatal(err)
	}
	sh := newSheet(s)
	return sh, see(t, f), func(record int) vg.Length { return sh.x(float64(record) + 0.33) }
}

// A lane must show its own class: the picture is looked at, in the middle of strips and steps.
func TestLanesShowTheClasses(t *testing.T) {
	s, picture, third := small(t, 14, 3, 12)
	area := s.areas()[0]
	for record := range s.Raw {
		for class := range s.Classes {
			upper, h := s.lanes.row(area, class)
			field := paper
			if s.Truth[record] == class {
				field = truthInk
			}
			for _, tc := range []struct {
				what   string
				within vg.Length
				is     bool
				colour color.RGBA
			}{{"raw", 0.3, s.Raw[record] == class, rgba(1)}, {"adapted", 0.7, s.Adapted[record] == class, rgba(0)}} {
				want := field
				if tc.is {
					want = tc.colour
				}
				if got := picture.at(third(record), upper-h*tc.within); got != want {
					t.Errorf("record %d, lane of class %d, %s: %v, want %v", record, class, tc.what, got, want)
				}
			}
		}
	}
}

// Shares are stacked in their order, from the bottom.
func TestSharesAreStacked(t *testing.T) {
	s, picture, third := small(t, 20, 2, 12)
	area := s.areas()[len(s.panels)-2]
	for i := range s.Shares {
		y := area.Min.Y + (area.Max.Y-area.Min.Y)*vg.Length(0.25*float64(i)+0.1)
		if got := picture.at(third(5), y); got != shareColours[i] {
			t.Errorf("share %d: %v, want %v", i, got, shareColours[i])
		}
	}
}

// The sizes' shades follow their logarithm, each from its record on.
func TestSizesHaveTheirShades(t *testing.T) {
	s, picture, third := small(t, 21, 3, 12)
	area := s.areas()[len(s.panels)-1]
	most := 0.0
	for _, sizes := range s.Sizes {
		most = max(most, slices.Max(sizes))
	}
	decades := math.Ceil(math.Log10(most)) + 1 // from 0.1 on
	for record := range s.Raw {
		for class, size := range s.Sizes[record] {
			upper, h := s.lanes.row(area, class)
			part := max(math.Log10(size)+1, 0) / decades
			want := ramp(math.Round(part*(sizeShades-1)) / (sizeShades - 1))
			if got := picture.at(third(record), upper-h/2); got != want {
				t.Errorf("record %d, row %d of %g: %v, want %v", record, class, size, got, want)
			}
		}
	}
}

// A line goes through its values.
func TestLinesGoThroughTheirValues(t *testing.T) {
	s, picture, _ := small(t, 22, 2, 12)
	area := s.areas()[1]
	a := axis{lo: 0, hi: 1, from: area.Min.Y + 1, to: area.Max.Y - 1}
	for record, v := range s.Gate {
		got := picture.at(s.x(float64(record)+0.5), a.at(v))
		if got.R > 0x90 {
			t.Errorf("record %d: %v at a gate of %g: want ink", record, got, v)
		}
	}
}

func TestManyClassesShareALane(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	l := newLanes(names, 2, []int{4, 4, 1, 1, 1, 0}, []int{4, 2, -1})
	if fmt.Sprint(l.names) != "[b e 3 others]" || fmt.Sprint(l.of) != "[2 0 2 2 1]" {
		t.Errorf("rows %v, of classes %v: want the two most frequent in their order, and the others", l.names, l.of)
	}
	if l := newLanes(names, 5, []int{4}); len(l.names) != 5 {
		t.Errorf("rows %v: want one for each class", l.names)
	}
}

func TestStreamIsValidated(t *testing.T) {
	for want, change := range map[string]func(s *Stream){
		"without records":               func(s *Stream) { s.Raw = nil },
		"without classes":               func(s *Stream) { s.Classes = nil },
		"of Gate for 5":                 func(s *Stream) { s.Gate = s.Gate[1:] },
		"of Evidence for 5":             func(s *Stream) { s.Evidence = nil },
		"of Times for 5":                func(s *Stream) { s.Times = s.Times[1:] },
		"of share none":                 func(s *Stream) { s.Shares[0].Values = nil },
		"of Adapted for 5":              func(s *Stream) { s.Adapted = s.Adapted[1:] },
		"record 2 has class 3 of 3":     func(s *Stream) { s.Raw[2] = 3 },
		"record 1 has class -1":         func(s *Stream) { s.Adapted[1] = -1 },
		"has true class 3":              func(s *Stream) { s.Truth[4] = 3 },
		"vectors of sizes":              func(s *Stream) { s.SizeAt = s.SizeAt[1:] },
		"sizes 1: 3 values at record 0": func(s *Stream) { s.SizeAt[1] = 0 },
		"mark \"gap\" at record 5":      func(s *Stream) { s.Marks[0].At = 5 },
		"mark \"lunch\"":                func(s *Stream) { s.Marks[0].Kind = "lunch" },
	} {
		s := randomStreamOf(15, 3, 5)
		change(&s)
		if _, err := s.Figure(); err == nil || !strings.HasPrefix(err.Error(), "charts: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// The records of a thinned stream are placed by their steps.
func TestStepTicks(t *testing.T) {
	s := randomStreamOf(16, 2, 100)
	for i := range s.Step {
		s.Step[i] = 1 + 16*i
	}
	sh := newSheet(s)
	ticks := sh.stepTicks()
	if len(ticks) < 4 || len(ticks) > 9 {
		t.Fatalf("%d ticks", len(ticks))
	}
	for _, tick := range ticks {
		step, err := strconv.Atoi(tick.label)
		if err != nil {
			t.Fatal(err)
		}
		if want := sh.x(float64(step-1) / 16); math.Abs(float64(tick.x-want)) > 1e-9 {
			t.Errorf("step %d at %v, want %v", step, tick.x, want)
		}
	}
}

// From milliseconds to decades, an axis of times has a few labels, in order, that say when.
func TestTimeTicks(t *testing.T) {
	for _, span := range []time.Duration{
		20 * time.Millisecond, 3 * time.Second, time.Minute, 50 * time.Minute, 9 * time.Hour, 26 * time.Hour, 9 * 24 * time.Hour,
		70 * 24 * time.Hour, 400 * 24 * time.Hour, 20 * 365 * 24 * time.Hour, 200 * 365 * 24 * time.Hour,
	} {
		s := randomStreamOf(17, 2, 400)
		start := time.Date(2023, 5, 1, 21, 44, 30, 0, time.UTC)
		for i := range s.Times {
			s.Times[i] = start.Add(time.Duration(float64(span) * float64(i) / 399)).UnixNano()
		}
		sh := newSheet(s)
		labels, dates := sh.timeTicks()
		if len(labels) < 2 || len(labels) > 9 || len(dates) < 1 && !strings.HasPrefix(labels[0].label, "20") {
			t.Errorf("span %v: labels %v, dates %v", span, labels, dates)
		}
		for i := 1; i < len(labels); i++ {
			if labels[i].x <= labels[i-1].x || labels[i].label == labels[i-1].label {
				t.Errorf("span %v: %v after %v", span, labels[i], labels[i-1])
			}
		}
	}
}

func TestTicksOfAnAxis(t *testing.T) {
	for _, tc := range []struct {
		a    axis
		most int
		want string
	}{
		{axis{lo: 0, hi: 1}, 3, "0.0 0.5 1.0"},
		{axis{lo: -0.07, hi: 0.31}, 3, "0.0 0.2"},
		{axis{lo: 0, hi: 2.3}, 4, "0 1 2"},
		{axis{lo: -40, hi: 15}, 3, "-40 -20 0"},
		{axis{lo: -3, hi: 0, log: true}, 4, "1 0.1 0.01 0.001"},
		{axis{lo: -12, hi: 0, log: true}, 3, "1 1e-4 1e-8 1e-12"},
	} {
		var got []string
		for _, tick := range tc.a.ticks(tc.most) {
			got = append(got, tick.label)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%+v: %v, want %s", tc.a, got, tc.want)
		}
	}
}

// On an axis of decades the mean of a column is the geometric one.
func TestStraight(t *testing.T) {
	values, a := axis{lo: -3, hi: 0, to: 3, log: true}.straight([]float64{1, 0.01, 0, math.NaN()})
	if want := []float64{0, -2, -3}; !slices.Equal(values[:3], want) || !math.IsNaN(values[3]) {
		t.Errorf("%v, want %v and no number", values, want)
	}
	if mean := columns(values[:2], 1)[0].mean; a.at(mean) != 2 {
		t.Errorf("a mean of %g is drawn at %v, want 2", mean, a.at(mean))
	}
}

// columns against sums written out.
func TestColumns(t *testing.T) {
	got := columns([]float64{1, 3, math.NaN(), math.NaN(), -1, math.NaN(), 5}, 3)
	if c := got[0]; c != (column{1, 3, 2}) {
		t.Errorf("first %v", c)
	}
	if !math.IsNaN(got[1].mean) {
		t.Errorf("second %v: want no number", got[1])
	}
	if c := got[2]; c != (column{-1, 5, 2}) {
		t.Errorf("third %v", c)
	}
}

func TestNamesAreFitted(t *testing.T) {
	style := letters(tickSize, 0, 0)
	for _, name := range []string{"Odocoileus virginianus borealis", "狐狐狐狐狐狐狐狐狐狐狐狐", "a b", ""} {
		for _, room := range []vg.Length{0, 5, 20, 1000} {
			if got := fit(style, name, room); style.Width(got) > room && got != "" || room == 1000 && got != name {
				t.Errorf("%q for %v: %q of %v", name, room, got, style.Width(got))
			}
		}
	}
	if got := printable("a\nb\x01\xffc"); got != "a\ufffdb\ufffd\ufffdc" {
		t.Errorf("%q", got)
	}
	if got := legible("狐", 4); got != "#4 狐" {
		t.Errorf("%q: a name that the font cannot write needs its number", got)
	}
}
