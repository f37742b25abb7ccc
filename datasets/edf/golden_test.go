package edf

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// goldenFile is what edfio read of a file; see testdata/golden.py.
type goldenFile struct {
	Error         string
	Start         string
	Patient       string
	Recording     string
	Records       int64
	RecordSeconds float64 `json:"record_seconds"`
	Signals       []goldenSignal
	Annotations   [][3]any
}

type goldenSignal struct {
	Label, Unit, Error string
	Rate               float64
	Samples            int64
	Digital            string `json:"digital_sha256"`
	First, Last        []float64
	Mean               float64
}

func goldens(t *testing.T) map[string]goldenFile {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var g struct{ Files map[string]goldenFile }
	if err := json.Unmarshal(b, &g); err != nil {
		t.Fatal(err)
	}
	return g.Files
}

func openShared(t *testing.T, name string) *File {
	t.Helper()
	f, err := OpenFile(testdata.Shared(t, "data", "edf", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestGolden compares every file that edfio can read with what it reads.
func TestGolden(t *testing.T) {
	all := goldens(t)
	maps.DeleteFunc(all, func(_ string, want goldenFile) bool { return want.Error != "" }) // see TestMalformed
	if len(all) < 20 {
		t.Errorf("%d files: the golden file is not whole", len(all))
	}
	for _, name := range testdata.Some(t, "data/edf", slices.Sorted(maps.Keys(all))...) {
		want := all[name]
		t.Run(name, func(t *testing.T) {
			f := openShared(t, name)
			compareHeader(t, f.Header(), want)
			compareSignals(t, f, want.Signals)
			compareAnnotations(t, f, want.Annotations)
		})
	}
}

func compareHeader(t *testing.T, h *Header, want goldenFile) {
	t.Helper()
	// edfio cuts the fraction to microseconds; here it is rounded to nanoseconds.
	if got := h.Start.Format("2006-01-02T15:04:05.000000"); strings.TrimSuffix(got, ".000000") != want.Start {
		t.Errorf("start %s, want %s", got, want.Start)
	}
	if h.Patient != want.Patient || h.Recording != want.Recording {
		t.Errorf("patient %q, recording %q; want %q, %q", h.Patient, h.Recording, want.Patient, want.Recording)
	}
	if h.Records != want.Records || h.RecordSeconds != want.RecordSeconds {
		t.Errorf("%d records of %g s, want %d of %g", h.Records, h.RecordSeconds, want.Records, want.RecordSeconds)
	}
}

func compareSignals(t *testing.T, f *File, want []goldenSignal) {
	t.Helper()
	k := 0
	for i, s := range f.Header().Signals {
		if s.Annotations() {
			continue
		}
		if k == len(want) {
			t.Fatalf("more signals than edfio's %d", len(want))
		}
		w := want[k]
		k++
		if s.Label != w.Label || s.Unit != w.Unit || s.Rate() != w.Rate || f.Samples(i) != w.Samples {
			t.Errorf("signal %d: %q %q %g Hz, %d samples; want %+v", i, s.Label, s.Unit, s.Rate(), f.Samples(i), w)
			continue
		}
		if got := digest(t, f, i); got != w.Digital {
			t.Errorf("%s: digital samples differ", s.Label)
		}
		compareValues(t, f, i, w)
	}
	if k != len(want) {
		t.Errorf("%d signals, want %d", k, len(want))
	}
}

func digest(t *testing.T, f *File, signal int) string {
	t.Helper()
	digital := make([]int32, f.Samples(signal))
	if err := f.Digital(digital, signal, 0); err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, digital); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func compareValues(t *testing.T, f *File, signal int, want goldenSignal) {
	t.Helper()
	got := make([]float64, f.Samples(signal))
	err := f.Physical(got, signal, 0)
	if (err != nil) != (want.Error != "") {
		t.Errorf("%s: error %v; edfio's %q", want.Label, err, want.Error)
	}
	if err != nil || want.Error != "" {
		return
	}
	s := f.Header().Signals[signal]
	tol := 1e-12 * (math.Abs(s.PhysicalMax) + math.Abs(s.PhysicalMin))
	mean := 0.0
	for _, v := range got {
		mean += v / float64(len(got))
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= tol }
	for i, w := range want.First {
		if v := got[i]; !near(v, w) {
			t.Errorf("%s: sample %d is %v, want %v", s.Label, i, v, w)
		}
	}
	for i, w := range want.Last {
		if v := got[len(got)-len(want.Last)+i]; !near(v, w) {
			t.Errorf("%s: at the end %v, want %v", s.Label, v, w)
		}
	}
	if !near(mean, want.Mean) {
		t.Errorf("%s: mean %v, want %v", s.Label, mean, want.Mean)
	}
}

// compareAnnotations leaves out the onsets that edfio takes for texts where a writer left out the zero before them.
func compareAnnotations(t *testing.T, f *File, want [][3]any) {
	t.Helper()
	got, _, err := f.Annotations()
	if err != nil {
		t.Fatal(err)
	}
	if !unseparated(f) {
		// edfio puts texts of one onset in order of the alphabet; here they stay in that of the file.
		slices.SortStableFunc(got, func(a, b Annotation) int {
			return cmp.Or(cmp.Compare(a.Onset, b.Onset), strings.Compare(a.Text, b.Text))
		})
	}
	k := 0
	for _, w := range want {
		text, onset := w[2].(string), w[0].(float64)
		if signedNumber(text) && unseparated(f) {
			continue
		}
		if k == len(got) {
			t.Fatalf("%d annotations, want more", k)
		}
		a := got[k]
		k++
		duration, timed := w[1].(float64)
		if a.Text != text || a.HasDuration != timed || math.Abs(a.Duration-duration) > 1e-9 {
			t.Errorf("annotation %+v, want %v", a, w)
		}
		if math.Abs(a.Onset-onset) > 1e-6 && !unseparated(f) { // edfio rounds to 1e-7
			t.Errorf("annotation at %v, want %v", a.Onset, onset)
		}
	}
	if k != len(got) {
		t.Errorf("%d annotations, want %d", len(got), k)
	}
}

// unseparated tells whether lists of the file are without the zero between them; edfio then has the onset of the first of them.
func unseparated(f *File) bool {
	_, notes, _ := f.Annotations()
	return len(notes) > 0 && strings.Contains(notes[0], "no zero before it")
}
