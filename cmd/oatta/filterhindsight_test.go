package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filter"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/testdata"
)

// crowd writes lines of a few interleaved streams, each of which stays in its class for a while, and returns the vectors of each.
func crowd(t testing.TB, path string, seed uint64, n int) map[string][][]float64 {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	vectors, class := map[string][][]float64{}, map[string]int{}
	var text strings.Builder
	for i := range n {
		stream := fmt.Sprintf("cam%d", r.IntN(5))
		if r.IntN(8) == 0 {
			class[stream] = r.IntN(3)
		}
		q := []float64{0.2, 0.2, 0.2}
		q[class[stream]] += 0.4 * r.Float64()
		q[r.IntN(3)] += 0.3 * r.Float64()
		sum := q[0] + q[1] + q[2]
		for k := range q {
			q[k] /= sum
		}
		probs, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, `{"stream":%q,"id":%d,"probs":%s}`+"\n", stream, i, probs)
		vectors[stream] = append(vectors[stream], q)
	}
	writeFile(t, path, text.String())
	return vectors
}

type hindsightLine struct {
	Stream, Label string
	ID            int
	Adapted       []float64
	AdaptedLabel  string `json:"adapted_label"`
	AdaptedMode   string `json:"adapted_mode"`
}

func hindsightLines(t *testing.T, text string) (out []hindsightLine) {
	t.Helper()
	for line := range strings.Lines(text) {
		var l hindsightLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, l)
	}
	return out
}

// What the command writes with hindsight is what the library says of each stream, and the output says how it came about.
func TestFilterHindsight(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.jsonl")
	vectors := crowd(t, in, 1, 300)
	for _, gate := range []adapt.Gate{adapt.GateAuto, adapt.GateWindow} {
		s := adapt.Settings{Gate: gate}
		want := map[string]map[string][][]float64{"smoothed": {}, "lagged": {}}
		paths := map[string][]int{}
		for stream, q := range vectors {
			want["smoothed"][stream], want["lagged"][stream] = smooth(t, s, q), lagged(t, s, q, 4)
			paths[stream] = make([]int, len(q))
			if _, err := adapt.Viterbi(3, s, paths[stream], q); err != nil {
				t.Fatal(err)
			}
		}
		for flag, mode := range map[string]string{"--smooth": "smoothed", "--lag=4": "lagged", "--viterbi": "smoothed"} {
			out, errOut := mustOatta(t, console.Fine, "filter", in, flag, "--gate", string(gate))
			if !strings.Contains(errOut, "("+mode+")") {
				t.Errorf("%s: the summary does not say %s: %s", flag, mode, errOut)
			}
			lines := hindsightLines(t, out)
			if len(lines) != 300 {
				t.Fatalf("%s: %d lines", flag, len(lines))
			}
			at := map[string]int{}
			for i, l := range lines {
				k := at[l.Stream]
				at[l.Stream]++
				if !slices.Equal(l.Adapted, want[mode][l.Stream][k]) || l.AdaptedMode != mode {
					t.Fatalf("%s %s line %d: %s %v, want %v", gate, flag, i+1, l.AdaptedMode, l.Adapted, want[mode][l.Stream][k])
				}
				class, _ := results.Top(l.Adapted)
				if flag == "--viterbi" {
					class = paths[l.Stream][k]
				}
				if l.AdaptedLabel != fmt.Sprint(class) {
					t.Fatalf("%s line %d: label %s, want %d", flag, i+1, l.AdaptedLabel, class)
				}
				if mode == "smoothed" && l.ID != i {
					t.Fatalf("%s line %d is item %d", flag, i+1, l.ID)
				}
			}
		}
	}
}

func smooth(t *testing.T, s adapt.Settings, q [][]float64) [][]float64 {
	dst := make([][]float64, len(q))
	for i := range dst {
		dst[i] = make([]float64, len(q[i]))
	}
	if _, err := adapt.Smooth(len(q[0]), s, dst, q); err != nil {
		t.Fatal(err)
	}
	return dst
}

func lagged(t *testing.T, s adapt.Settings, q [][]float64, lag int) (out [][]float64) {
	f, err := adapt.NewLagged(len(q[0]), s, lag)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, len(q[0]))
	for _, v := range q {
		if _, due := f.Step(dst, v); due {
			out = append(out, slices.Clone(dst))
		}
	}
	for {
		if _, due := f.Flush(dst); !due {
			return out
		}
		out = append(out, slices.Clone(dst))
	}
}

// Beside an output stands how it came about.
func TestFilterManifest(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.jsonl")
	crowd(t, in, 2, 50)
	mustOatta(t, console.Fine, "filter", in, "-o", out, "--lag", "3", "--gate", "ewma", "--gamma", "0.2")
	var m filter.Manifest
	if err := json.Unmarshal([]byte(readFile(t, files.ManifestPath(out))), &m); err != nil {
		t.Fatal(err)
	}
	if m.Mode != "lagged" || m.Lag != 3 || m.Filter.Paper == nil || m.Filter.Paper.Gamma != 0.2 || m.Input != "in.jsonl" || m.Format != "jsonl" ||
		!m.Complete || m.Summary.Items != 50 || m.Summary.Streams != 5 || m.Times == nil || m.Times.Gaps != "breaks" || len(m.Classes) != 3 {
		t.Errorf("%+v", m)
	}
}

// A lag of 0 is the causal filter.
func TestFilterLagZero(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.jsonl")
	crowd(t, in, 2, 50)
	plain, _ := mustOatta(t, console.Fine, "filter", in)
	zero, _ := mustOatta(t, console.Fine, "filter", in, "--lag", "0")
	if plain != zero || !strings.Contains(plain, `"adapted_mode":"filtered"`) {
		t.Error(zero)
	}
}

// Bad lines keep their place among those that wait, in both line formats; a document takes its answers late, too.
func TestFilterHindsightFormats(t *testing.T) {
	dir := t.TempDir()
	table, doc := filepath.Join(dir, "in.csv"), filepath.Join(dir, "in.json")
	text, images := "stream,p:deer,p:fox,truth\n", []string{}
	for i := range 40 {
		p := 0.3 + 0.4*float64(i/10%2)
		text += fmt.Sprintf("cam%d,%g,%g,deer\n", i/20, p, 1-p)
		images = append(images, fmt.Sprintf(`{"file": "cam%d/%02d.jpg", "detections": [{"conf": 1, "classifications": [["1", %g], ["0", %g]]}]}`, i/20, i, 1-p, p))
		if i == 7 {
			text += "cam0,x,y,deer\n\"two\nlines\",1\n\n" + strings.Repeat("z", 5000) + "\n"
		}
	}
	writeFile(t, table, text)
	writeFile(t, doc, `{"classification_categories": {"0": "deer", "1": "fox"}, "images": [`+strings.Join(images, ",\n")+`]}`)
	for _, flag := range []string{"--smooth", "--lag=3"} {
		out, errOut := mustOatta(t, console.Partial, "filter", table, flag, "--max-line", "4096")
		if !strings.Contains(errOut, "43 items in 2 streams: 3 failed") || !strings.Contains(errOut, "40 items scored of 43") {
			t.Errorf("%s: %s", flag, errOut)
		}
		rows := strings.Split(out, "\n")
		if flag == "--smooth" && (rows[9] != "cam0,x,y,deer,,,,," || rows[12] != "" || len(rows[13]) != 5000) {
			t.Errorf("%s: %q", flag, rows[8:14])
		}
		var adapted []string
		for _, cam := range []string{"cam0,", "cam1,"} { // with a lag the last of one stream come after the first of the other
			for _, r := range rows[1:] {
				if cells := strings.Split(r, ","); strings.HasPrefix(r, cam) && cells[7] != "" {
					adapted = append(adapted, cells[7])
				}
			}
		}
		got, _ := mustOatta(t, console.Fine, "filter", doc, flag)
		var back struct {
			Images []struct {
				Detections []struct {
					Classifications [][2]any
					Mode            string `json:"adapted_mode"`
				}
			}
		}
		if err := json.Unmarshal([]byte(got), &back); err != nil || len(adapted) != 40 {
			t.Fatalf("%v, %d adapted rows", err, len(adapted))
		}
		for i, image := range back.Images {
			for _, c := range image.Detections[0].Classifications {
				var row float64
				fmt.Sscan(adapted[i], &row)
				if p := c[1].(float64); c[0] == "0" && (p-row > 1e-6 || row-p > 1e-6) {
					t.Fatalf("%s item %d: deer %g in the document, %g in the table", flag, i, p, row)
				}
			}
			if want := map[string]string{"--smooth": "smoothed", "--lag=3": "lagged"}[flag]; image.Detections[0].Mode != want {
				t.Errorf("%s: %s", flag, image.Detections[0].Mode)
			}
		}
	}
}

func TestFilterHindsightRefused(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.jsonl")
	crowd(t, in, 3, 20)
	for _, tc := range []struct {
		want string
		args []string
	}{
		{"want one of the two", []string{"--lag", "2", "--smooth"}},
		{"want one of the two", []string{"--state", "x", "--smooth"}},
		{"--lag -1: want 0 to", []string{"--lag=-1"}},
	} {
		if _, errOut := mustOatta(t, console.Nothing, append([]string{"filter", in}, tc.args...)...); !strings.Contains(errOut, tc.want) {
			t.Errorf("%v: %s", tc.args, errOut)
		}
	}
	_, errOut := mustOatta(t, console.Nothing, "filter", in, "--smooth", "--max-held", "300")
	if !strings.Contains(errOut, "--max-held") {
		t.Error(errOut)
	}
}

// On real predictions hindsight gains what the design's study found: mean over the people of the change in points.
func TestFilterHindsightRealPredictions(t *testing.T) {
	for _, tc := range []struct {
		file, classes string
		least         float64
	}{
		{"hapt_lr", "walking,walking_upstairs,walking_downstairs,sitting,standing,laying", 1.4},
		{"hapt_lr_noisy", "walking,walking_upstairs,walking_downstairs,sitting,standing,laying", 13.4},
		{"sleep_lr", "W,N1,N2,N3,R", 0.7},
	} {
		in := testdata.Shared(t, "data", "predictions", tc.file+".jsonl.gz")
		scores := filepath.Join(t.TempDir(), "scores.json")
		mustOatta(t, console.Fine, "filter", in, "-o", filepath.Join(t.TempDir(), "out.jsonl"), "--smooth", "--classes", tc.classes, "--truth-field", "label", "--scores", scores)
		var e struct {
			Streams []struct{ Raw, Adapted struct{ Accuracy float64 } }
		}
		if err := json.Unmarshal([]byte(readFile(t, scores)), &e); err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for _, s := range e.Streams {
			mean += 100 * (s.Adapted.Accuracy - s.Raw.Accuracy) / float64(len(e.Streams))
		}
		if mean < tc.least {
			t.Errorf("%s: %+.2f points, want at least %+.2f", tc.file, mean, tc.least)
		}
	}
}
