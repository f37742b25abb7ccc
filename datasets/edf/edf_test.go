package edf

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func open(t *testing.T, b []byte) *File {
	t.Helper()
	f, err := Open("x.edf", bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestDiscontinuous(t *testing.T) {
	f := open(t, gappy())
	want := []Run{{Start: 0, Seconds: 2, First: 0, Records: 2}, {Start: 5.5, Seconds: 2, First: 2, Records: 2}}
	if d := cmp.Diff(want, f.Runs()); d != "" {
		t.Error(d)
	}
	if got := f.Header().Start; !got.Equal(time.Date(2021, 3, 5, 22, 30, 0, 25e7, time.UTC)) {
		t.Errorf("start %v", got)
	}
	a, notes, err := f.Annotations()
	if err != nil || len(notes) != 0 {
		t.Fatal(err, notes)
	}
	if d := cmp.Diff([]Annotation{{Onset: 0.25, Text: "early"}, {Onset: 2.75, Duration: 0.5, HasDuration: true, Text: "late"}}, a); d != "" {
		t.Error(d)
	}
}

func TestSpan(t *testing.T) {
	f := open(t, gappy())
	for _, tt := range []struct {
		from, to float64
		want     []Piece
	}{
		{-5, 0.25, []Piece{{0, []float64{0}}}},
		{0.1, 0.5, []Piece{{0.25, []float64{0.5}}}},
		{0.75, 1.5, []Piece{{0.75, []float64{1.5, 2, 2.5}}}},               // over the edge of a record
		{1.75, 5.75, []Piece{{1.75, []float64{3.5}}, {5.5, []float64{4}}}}, // over the gap
		{2, 5.5, nil},
		{7.25, 100, []Piece{{7.25, []float64{7.5}}}},
		{3, 3, nil},
	} {
		got, err := f.Span(0, tt.from, tt.to)
		if d := cmp.Diff(tt.want, got, closeTo); err != nil || d != "" {
			t.Errorf("%g to %g: %v %s", tt.from, tt.to, err, d)
		}
	}
	if _, err := f.Span(1, 0, 1); err == nil {
		t.Error("annotations were read as samples")
	}
	if _, err := f.Span(0, 2, 1); err == nil {
		t.Error("no error for a span that ends before it begins")
	}
}

var closeTo = cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })

// TestDecoder compares reading from a stream with reading from a file.
func TestDecoder(t *testing.T) {
	b := gappy()
	f := open(t, b)
	d, err := NewDecoder(iotestOneByte{bytes.NewReader(b)})
	if err != nil {
		t.Fatal(err)
	}
	var rec Record
	var onsets []float64
	for {
		err := d.Next(&rec)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		onsets = append(onsets, rec.Onset)
		want := make([]int32, 4)
		if err := f.Digital(want, 0, 4*rec.Index); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, rec.Digital[0]); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff([]float64{0, 1, 5.5, 6.5}, onsets); diff != "" || !d.Header().Start.Equal(f.Header().Start) {
		t.Error(diff, d.Header().Start)
	}
	d, err = NewDecoder(bytes.NewReader(b[:len(b)-1]))
	for err == nil {
		err = d.Next(&rec)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "record 4") {
		t.Errorf("cut stream: %v", err)
	}
}

// iotestOneByte gives a byte at a time.
type iotestOneByte struct{ r io.Reader }

func (r iotestOneByte) Read(p []byte) (int, error) { return r.r.Read(p[:min(1, len(p))]) }

func TestBDFSign(t *testing.T) {
	got := make([]int32, 4)
	decode(got, []byte{0, 0, 0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 0, 0}, 3)
	if d := cmp.Diff([]int32{-8388608, -1, 8388607, 1}, got); d != "" {
		t.Error(d)
	}
}

// TestDamage is of faults that no file at hand has.
func TestDamage(t *testing.T) {
	with := func(change func(s *sample)) []sample { s := ramp(); change(&s); return []sample{s, ramp()} }
	for name, tt := range map[string]struct {
		file           []byte
		open, physical string // errors
		warning        string
	}{
		"overlap":      {file: build(version0, "EDF+D", "2", "1", 2, []sample{ramp(), notes("+0\x14\x14\x00", "+0.5\x14\x14\x00")}), open: "record 2 begins at second 0.5"},
		"no onset":     {file: build(version0, "EDF+D", "2", "1", 2, []sample{ramp(), notes("+0\x14\x14\x00", "what")}), open: "without its onset"},
		"duration":     {file: build(version0, "", "1", "-1", 1, []sample{ramp()}), open: "duration of a record"},
		"NaN":          {file: build(version0, "", "1", "nan", 1, []sample{ramp()}), open: "not a number"},
		"huge record":  {file: build(version0, "", "1", "1", 0, with(func(s *sample) { s.samples = 99999999; s.data = nil })), open: "no whole record"},
		"huger record": {file: build("\xffBIOSEMI", "24BIT", "1", "1", 0, with(func(s *sample) { s.samples = 99999999; s.data = nil })), open: "a record of"},
		"negative":     {file: build(version0, "", "1", "1", 1, with(func(s *sample) { s.samples = -4 })), open: "samples in a record"},
		"flat scale":   {file: build(version0, "", "1", "1", 1, with(func(s *sample) { s.pmax = s.pmin })), physical: "both -500", warning: "both -500"},
		"no digits":    {file: build(version0, "", "1", "1", 1, with(func(s *sample) { s.dmax = s.dmin })), physical: "both -1000", warning: "both -1000"},
		"a word":       {file: build(version0, "", "1", "1", 1, with(func(s *sample) { s.pmin = "low" })), physical: `"low" is not a number`, warning: "low"},
		"NUL":          {file: build("0\x00\x00\x00\x00\x00\x00\x00", "", "1", "1", 1, with(func(*sample) {}))},
		"no version":   {file: build("0      1", "", "1", "1", 1, with(func(*sample) {})), open: "not an EDF"},
		"Latin-1":      {file: build(version0, "", "1", "1", 1, with(func(s *sample) { s.unit = "\xb5V" })), warning: "not ASCII"},
		"last record":  {file: build(version0, "", "3", "1", 3, with(func(*sample) {}))[:768+40], warning: "the last 8 bytes"},
		"more records": {file: build(version0, "", "1", "1", 3, with(func(*sample) {})), warning: "the file holds 3"},
		"count":        {file: build(version0, "", "many", "1", 1, with(func(*sample) {})), warning: "number of records"},
		"timeless":     {file: build(version0, "", "1", "0", 1, with(func(*sample) {})), warning: "no duration"},
		"header":       {file: bytes.Replace(build(version0, "", "1", "1", 1, with(func(*sample) {})), []byte("22.30.00768 "), []byte("22.30.00999 "), 1), warning: "length 999"},
		"clock":        {file: bytes.Replace(build(version0, "", "1", "1", 1, with(func(*sample) {})), []byte("22.30.00"), []byte("25.30.00"), 1), warning: "no date and time"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Open("x.edf", bytes.NewReader(tt.file), int64(len(tt.file)))
			check(t, err, tt.open)
			if err != nil {
				return
			}
			if w := strings.Join(f.Header().Warnings, "\n"); !strings.Contains(w, tt.warning) || (tt.warning == "") != (w == "") {
				t.Errorf("warnings %q, want %q", w, tt.warning)
			}
			check(t, f.Physical(make([]float64, 4), 0, 0), tt.physical)
			check(t, f.Physical(make([]float64, 4), 1, 0), "") // its neighbour is whole
			check(t, f.Digital(make([]int32, 4), 0, 0), "")
		})
	}
}

// TestHiddenGap: the records of a file that calls itself continuous are where their onsets say.
func TestHiddenGap(t *testing.T) {
	for name, tt := range map[string]struct {
		third, fourth string
		want          []Run
		warning       string
	}{
		"gap":       {"+62", "+63", []Run{{0, 2, 0, 2}, {62, 2, 2, 2}}, "gaps of 60 seconds in all"},
		"drift":     {"+2.4", "+3.9", []Run{{0, 4, 0, 4}}, ""},
		"backwards": {"+2", "+0", []Run{{0, 4, 0, 4}}, "taken for continuous"},
		"unknown":   {"+62", "x", []Run{{0, 4, 0, 4}}, ""},
	} {
		b := build(version0, "EDF+C", "4", "1", 4, []sample{ramp(), notes("+0\x14\x14\x00", "+1\x14\x14\x00", tt.third+"\x14\x14\x00", tt.fourth+"\x14\x14\x00")})
		f := open(t, b)
		if d := cmp.Diff(tt.want, f.Runs()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if w := strings.Join(f.Header().Warnings, "\n"); (tt.warning == "") != (w == "") || !strings.Contains(w, tt.warning) {
			t.Errorf("%s: %q", name, w)
		}
	}
	d, err := NewDecoder(bytes.NewReader(build(version0, "EDF+C", "2", "1", 2, []sample{ramp(), notes("+0\x14\x14\x00", "+61\x14\x14\x00")})))
	if err != nil {
		t.Fatal(err)
	}
	var rec Record
	for range 2 {
		if err := d.Next(&rec); err != nil {
			t.Fatal(err)
		}
	}
	if w := d.Header().Warnings; rec.Onset != 61 || len(w) != 1 || !strings.Contains(w[0], "60 seconds off") {
		t.Errorf("second %g, %q", rec.Onset, w)
	}
}

// TestWarningsAreCounted: each kind of fault is told once, with how often it was met.
func TestWarningsAreCounted(t *testing.T) {
	f := open(t, build(version0, "EDF+C", "3", "1", 3, []sample{ramp(), notes("+0\x14\x14\x00x\x14\x00", "+1\x14\x14\x00y\x14\x00", "+2\x14\x14\x00+3\x14cut")}))
	_, notes, err := f.Annotations()
	want := []string{`annotation at "x": no sign (2 times; this is the first)`, `annotation "x": no onset (2 times; this is the first)`, `annotation "+3\x14cut": no end`}
	if d := cmp.Diff(want, notes); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
}

// TestUnmarkedAnnotations: a plain file with a signal of annotations is read as a plus file.
func TestUnmarkedAnnotations(t *testing.T) {
	f := open(t, build(version0, "", "1", "1", 1, []sample{ramp(), notes("+0.25\x14\x14\x00+1\x1430\x14a\x14\x00")}))
	h := f.Header()
	if h.Format != EDFPlus || !h.Signals[1].Annotations() || h.Start.Nanosecond() != 25e7 || len(h.Warnings) != 1 || !strings.Contains(h.Warnings[0], "not marked as EDF+") {
		t.Errorf("%+v", h)
	}
	a, _, err := f.Annotations()
	if err != nil || len(a) != 2 || a[1].Text != "a" || a[1].Onset != 0.75 {
		t.Errorf("%+v, %v", a, err)
	}
}

func check(t *testing.T, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestLists(t *testing.T) {
	for _, tt := range []struct {
		in    string
		want  []list
		notes int
	}{
		{"+1.5\x152\x14a\x14b\x14\x00", []list{{1.5, 2, true, []string{"a", "b"}}}, 0},
		{"-3\x14a\x14\x00\x00\x00", []list{{-3, 0, false, []string{"a"}}}, 0},
		{"7\x14a\x14\x00", []list{{7, 0, false, []string{"a"}}}, 1},
		{"+0\x14\x14+2\x14b\x14\x00", []list{{0, 0, false, []string{""}}, {2, 0, false, []string{"b"}}}, 1},
		{"+1\x14cut", nil, 1},
		{"+inf\x14a\x14\x00+0x1p3\x14a\x14\x00+1e5\x14a\x14\x00+1\x15-2\x14a\x14\x00", nil, 4},
		{"+1,5\x1530,0\x14a\x14\x00", []list{{1.5, 30, true, []string{"a"}}}, 1},
		{"+1,500.0\x14a\x14\x00+1,5,0\x14a\x14\x00", nil, 2},
		{"+1\x14\xe9t\xe9\x14\x00", []list{{1, 0, false, []string{"été"}}}, 0},
	} {
		count := 0
		got := parseLists([]byte(tt.in), func(string, ...any) { count++ })
		if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(list{})); d != "" || count != tt.notes {
			t.Errorf("%q: %d notes, want %d; %s", tt.in, count, tt.notes, d)
		}
	}
}

func TestWriteAnnotations(t *testing.T) {
	start := time.Date(1989, 4, 24, 16, 13, 0, 0, time.UTC)
	var want []Annotation
	for i := range 5000 { // more than a record holds
		want = append(want, Annotation{Onset: float64(i) * 30.5, Duration: 30, HasDuration: true, Text: "Sleep stage N2"})
	}
	want = append(want, Annotation{Onset: 2e5, Text: "仰卧"})
	var b bytes.Buffer
	if err := WriteAnnotations(&b, AnnotationFile{Start: start, Annotations: want}); err != nil {
		t.Fatal(err)
	}
	f := open(t, b.Bytes())
	got, notes, err := f.Annotations()
	if d := cmp.Diff(want, got); err != nil || d != "" || len(notes)+len(f.Header().Warnings) != 0 {
		t.Error(err, d, notes, f.Header().Warnings)
	}
	if !f.Header().Start.Equal(start) || f.Header().Records < 2 {
		t.Errorf("start %v, %d records", f.Header().Start, f.Header().Records)
	}
	for name, a := range map[string]AnnotationFile{
		"year":    {Start: start.AddDate(-10, 0, 0)},
		"moment":  {Start: start.Add(1)},
		"patient": {Start: start, Patient: strings.Repeat("x", 81)},
		"field":   {Start: start, Recording: "a\tb"},
		"text":    {Start: start, Annotations: []Annotation{{Text: "a\x14b"}}},
		"empty":   {Start: start, Annotations: []Annotation{{}}},
		"length":  {Start: start, Annotations: []Annotation{{Text: "a", Duration: -1}}},
	} {
		if err := WriteAnnotations(io.Discard, a); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestCallersBugs(t *testing.T) {
	f := open(t, gappy())
	for name, call := range map[string]func(){
		"signal": func() { _ = f.Digital(nil, 2, 0) },
		"first":  func() { _ = f.Digital(nil, 0, -1) },
		"range":  func() { _ = f.Digital(make([]int32, 2), 0, 15) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
