package hypnogram_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/oatta/oatta/datasets/edf"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/testdata"
)

// sequence parses "WW12?" into stages.
func sequence(s string) (out []hypnogram.Stage) {
	for _, c := range s {
		out = append(out, map[rune]hypnogram.Stage{'W': hypnogram.W, '1': hypnogram.N1, '2': hypnogram.N2, '3': hypnogram.N3, 'R': hypnogram.R, '?': hypnogram.Unscored}[c])
	}
	return out
}

// seconds is n annotations of a second each.
func seconds(text string, n int) (out []edf.Annotation) {
	for i := range n {
		out = append(out, edf.Annotation{Onset: float64(i), Duration: 1, HasDuration: true, Text: text})
	}
	return out
}

func TestFromAnnotations(t *testing.T) {
	at := func(onset, duration float64, text string) edf.Annotation {
		return edf.Annotation{Onset: onset, Duration: duration, HasDuration: duration >= 0, Text: text}
	}
	for name, tt := range map[string]struct {
		in        []edf.Annotation
		want      string
		warn, err bool
		offset    float64
	}{
		"R&K":           {in: []edf.Annotation{at(0, 60, "Sleep stage W"), at(60, 30, "Sleep stage 3"), at(90, 30, "Sleep stage 4"), at(120, 30, "Sleep stage R")}, want: "WW33R"},
		"AASM":          {in: []edf.Annotation{at(0, 30, "sleep stage n1"), at(30, 30, "Sleep stage N2"), at(60, 30, "Sleep Stage N3")}, want: "123"},
		"dropped":       {in: []edf.Annotation{at(0, 30, "Sleep stage 1"), at(30, 30, "Movement time"), at(60, 30, "Sleep stage ?"), at(120, 30, "Sleep stage 2")}, want: "1???2"},
		"others":        {in: []edf.Annotation{at(0, 60, "Sleep stage 2"), at(30, 10, "Apnea"), at(30, 0, "Lights off")}, want: "22"},
		"rounded":       {in: []edf.Annotation{at(14, 30, "Sleep stage 1"), at(44, 31, "Sleep stage 2")}, want: "12", offset: 14},
		"no duration":   {in: []edf.Annotation{at(0, -1, "Sleep stage 1"), at(60, -1, "Sleep stage 2")}, want: "112"},
		"conflict":      {in: []edf.Annotation{at(0, 60, "Sleep stage 1"), at(30, 60, "Sleep stage 2")}, want: "122", warn: true},
		"same twice":    {in: []edf.Annotation{at(0, 60, "Sleep stage 1"), at(30, 60, "Sleep stage 1")}, want: "111"},
		"12 s late":     {in: []edf.Annotation{at(12, 30, "Sleep stage W"), at(42, 60, "Sleep stage 2")}, want: "W22", offset: 12},
		"20 s pages":    {in: []edf.Annotation{at(0, 20, "Sleep stage W"), at(20, 20, "Sleep stage W"), at(40, 20, "Sleep stage W"), at(60, 20, "Sleep stage 1"), at(80, 20, "Sleep stage 2"), at(100, 20, "Sleep stage 2")}, want: "WW?2", warn: true},
		"10 s pages":    {in: []edf.Annotation{at(0, 10, "Sleep stage W"), at(10, 10, "Sleep stage W"), at(20, 10, "Sleep stage W"), at(30, 10, "Sleep stage R")}, want: "W"},
		"1 s pages":     {in: seconds("Sleep stage R", 61), want: "RR"},
		"60 s pages":    {in: []edf.Annotation{at(0, 60, "Sleep stage W"), at(60, 60, "Sleep stage 3")}, want: "WW33"},
		"a second off":  {in: []edf.Annotation{at(0, 29.4, "Sleep stage W"), at(29.4, 30, "Sleep stage 1"), at(60.9, 29, "Sleep stage 2")}, want: "W12"},
		"change inside": {in: []edf.Annotation{at(0, 75, "Sleep stage 1"), at(75, 15, "Sleep stage 2"), at(90, 30, "Sleep stage 3")}, want: "11?3", warn: true},
		"half":          {in: []edf.Annotation{at(0, 60, "Sleep stage 1"), at(60, 15, "Sleep stage 2"), at(90, 14, "Sleep stage 3")}, want: "112"},
		"duration 0":    {in: []edf.Annotation{at(0, 0, "Sleep stage 1"), at(60, 0, "Sleep stage 2")}, want: "112"},
		"cut":           {in: []edf.Annotation{at(-60, 60, "Sleep stage W"), at(-30, 60, "Sleep stage W"), at(30, 30, "Sleep stage 1")}, want: "W1", warn: true},
		"words":         {in: []edf.Annotation{at(0, 30, "Sleep stage Wake"), at(30, 30, "sleep_stage_NREM1"), at(60, 30, "Stage - N2"), at(90, 30, "SLEEP-S4"), at(120, 30, "Sleep stage REM"), at(150, 30, "SLEEP-MT"), at(180, 30, "Stage 2 sleep")}, want: "W123R?2"},
		"unknown word":  {in: []edf.Annotation{at(0, 30, "Sleep stage 1"), at(30, 30, "Sleep stage X")}, want: "1?", warn: true},
		"all unknown":   {in: []edf.Annotation{at(0, 30, "Sleep stage X")}, err: true},
		"bare":          {in: []edf.Annotation{at(0, 30, "Wake"), at(30, 30, "N2"), at(60, 30, "1"), at(90, 30, "REM"), at(120, 30, "UNS")}, want: "W2?R?", warn: true},
		"bare, if none": {in: []edf.Annotation{at(0, 30, "Sleep stage 1"), at(30, 30, "N2")}, want: "1"},
		"bare nothings": {in: []edf.Annotation{at(0, 30, "?"), at(30, 30, "Unknown")}, err: true},
		"none":          {in: []edf.Annotation{at(0, 60, "Lights off")}, err: true},
		"before":        {in: []edf.Annotation{at(-60, 60, "Sleep stage 1")}, err: true},
		"over and over": {in: slices.Repeat([]edf.Annotation{at(0, 3e7, "Sleep stage 1")}, 3), err: true},
		"a million yrs": {in: []edf.Annotation{at(0, 1e11, "Sleep stage 1")}, err: true},
	} {
		h, err := hypnogram.FromAnnotations(time.Time{}, tt.in)
		if (err != nil) != tt.err {
			t.Errorf("%s: error %v", name, err)
		}
		if err != nil || tt.err {
			continue
		}
		if d := cmp.Diff(sequence(tt.want), h.Stages); d != "" || (len(h.Warnings) > 0) != tt.warn || h.Offset != tt.offset {
			t.Errorf("%s: %s %q, offset %g", name, d, h.Warnings, h.Offset)
		}
	}
}

func TestTrim(t *testing.T) {
	for _, tt := range []struct {
		stages   string
		margin   int
		from, to int
	}{
		{"WWWW12WWWW", 2, 2, 8},
		{"WW12W", 9, 0, 5},
		{"WW?WW", 1, 0, 0},
		{"W?1?R?W", 1, 1, 6},
		{"", 1, 0, 0},
	} {
		if from, to := hypnogram.Trim(sequence(tt.stages), tt.margin); from != tt.from || to != tt.to {
			t.Errorf("%s: %d to %d, want %d to %d", tt.stages, from, to, tt.from, tt.to)
		}
	}
}

func TestAlign(t *testing.T) {
	start := time.Date(2020, 1, 1, 22, 0, 0, 0, time.UTC)
	h := &hypnogram.Hypnogram{Start: start, Stages: sequence("W123R")}
	for _, tt := range []struct {
		start   time.Time
		seconds float64
		offset  float64
		want    string // "" is an error
	}{
		{start, 150, 0, "W123R"},
		{start, 149, 0, "W123"},
		{start, 1000, 0, "W123R"},
		{start.Add(-90 * time.Second), 240, 90, "W123R"},
		{start.Add(60 * time.Second), 1000, 0, "23R"},
		{start.Add(40 * time.Second), 50, 20, "2"}, // the recording starts within the second epoch
		{time.Time{}, 60, 0, "W1"},
		{start.Add(150 * time.Second), 1000, 0, ""},
		{start.Add(-24 * time.Hour), 3600, 0, ""},
	} {
		a, err := hypnogram.Align(h, tt.start, tt.seconds)
		if (err != nil) != (tt.want == "") {
			t.Errorf("%v: error %v", tt.start, err)
		}
		if err == nil && (a.Offset != tt.offset || cmp.Diff(sequence(tt.want), a.Stages) != "") {
			t.Errorf("%v for %g s: %+v, want %s at %g", tt.start, tt.seconds, a, tt.want, tt.offset)
		}
	}
}

// TestTwenty compares all real hypnograms with the plain twin, which drops what is unscored.
func TestTwenty(t *testing.T) {
	files := untar(t, testdata.Shared(t, "data", "sleep", "sleep_edf_hypnograms20.tar.gz"))
	epochs, nights := 0, 0
	for name, b := range files {
		if filepath.Ext(name) != ".edf" {
			continue
		}
		nights++
		want, err := parseHypnogram(b)
		if err != nil {
			t.Fatal(err)
		}
		f, err := edf.Open(name, bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		h, err := hypnogram.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		from, to := hypnogram.Trim(h.Stages, hypnogram.TrimEpochs)
		var got []string
		for _, s := range h.Stages[from:to] {
			if s != hypnogram.Unscored {
				got = append(got, s.String())
			}
		}
		epochs += len(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if epochs != 21039 || nights != 20 {
		t.Errorf("%d epochs of %d nights, want 21039 of 20", epochs, nights)
	}
}

func untar(t *testing.T, path string) map[string][]byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if out[filepath.Base(h.Name)], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNight aligns a real hypnogram to its recording.
func TestNight(t *testing.T) {
	h, err := hypnogram.Open(testdata.Shared(t, "data", "edf", "SC4001EC-Hypnogram.edf"))
	if err != nil {
		t.Fatal(err)
	}
	psg, err := edf.OpenFile(testdata.Asset(t, "sleep-psg", "SC4001E0-PSG.edf"))
	if err != nil {
		t.Fatal(err)
	}
	defer psg.Close()
	a, err := hypnogram.Align(h, psg.Header().Start, psg.Header().Seconds())
	if err != nil {
		t.Fatal(err)
	}
	from, to := hypnogram.Trim(a.Stages, hypnogram.TrimEpochs)
	if a.Offset != 0 || len(a.Stages) != 2650 || to-from != 841 {
		t.Errorf("offset %g, %d epochs, trimmed %d to %d", a.Offset, len(a.Stages), from, to)
	}
}

// TestWriters compares with bytes that edfio, mne and pyedflib were seen to read as they are meant; see testdata/check.py.
func TestWriters(t *testing.T) {
	stages := sequence("WW1223?RW")
	start := time.Date(2020, 2, 3, 22, 30, 5, 5e8, time.UTC)
	for name, write := range map[string]func(io.Writer) error{
		"stages.csv": func(w io.Writer) error { return hypnogram.WriteCSV(w, 12, stages) },
		"stages.tsv": func(w io.Writer) error { return hypnogram.WriteTSV(w, 12, stages) },
		"stages.edf": func(w io.Writer) error { return hypnogram.WriteEDF(w, "", start, 12, stages) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name)
		if os.Getenv("OATTA_UPDATE") != "" {
			if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, b.Bytes()) {
			t.Errorf("%s differs: %q", name, b.String())
		}
	}
	if err := hypnogram.WriteCSV(io.Discard, 0, nil); err == nil {
		t.Error("no stages were written")
	}
	if err := hypnogram.WriteTSV(io.Discard, 0, []hypnogram.Stage{9}); err == nil || !strings.Contains(err.Error(), "epoch 0") {
		t.Errorf("a stage that is none: %v", err)
	}
}
