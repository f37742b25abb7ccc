package main

import (
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/explain"
)

// The explanation is of the stream that was asked for, whatever came between and after, and in every format.
func TestFilterExplain(t *testing.T) {
	dir := t.TempDir()
	in, doc := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "in.json")
	vectors := crowd(t, in, 21, 200)
	var images []string
	for stream, q := range vectors {
		for i, v := range q {
			images = append(images, fmt.Sprintf(`{"file": "%s/%03d.jpg", "classifications": [["a", %g], ["b", %g], ["c", %g]]}`, stream, i, v[0], v[1], v[2]))
		}
	}
	writeFile(t, doc, `{"classification_categories": {"a": "ape", "b": "bear", "c": "cat"}, "images": [`+strings.Join(images, ",")+`]}`)
	f, err := adapt.New(3, adapt.Settings{Gate: adapt.GateEWMA})
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, 3)
	for _, v := range vectors["cam2"] {
		f.Step(dst, v)
	}
	want := f.Transitions(nil)
	for _, input := range []string{in, doc} {
		for _, extra := range [][]string{nil, {"--state", filepath.Join(dir, "s.state")}} {
			if extra != nil && input == doc {
				continue
			}
			prefix := filepath.Join(t.TempDir(), "x")
			args := append([]string{"filter", input, "--gate", "ewma", "--explain", "cam2", "--explain-to", prefix}, extra...)
			if _, errOut := mustOatta(t, console.Fine, args...); !strings.Contains(errOut, fmt.Sprintf("%d steps of stream cam2", len(vectors["cam2"]))) {
				t.Error(errOut)
			}
			rows := strings.Split(strings.TrimSpace(readFile(t, prefix+"-matrix.csv")), "\n")
			for i, row := range rows[1:] {
				for k, cell := range strings.Split(row, ",")[2:5] {
					var v float64
					fmt.Sscan(cell, &v)
					if !(math.Abs(v-want[3*i+k]) < 1e-5) {
						t.Fatalf("%v: row %d of the matrix is %s, want %v", extra, i, row, want[3*i:3*i+3])
					}
				}
			}
			checkExplained(t, prefix)
			mustOatta(t, console.Nothing, args...) // the files are there
		}
	}
}

func checkExplained(t *testing.T, prefix string) {
	t.Helper()
	for _, name := range explain.Files(prefix) {
		info, err := os.Stat(name)
		if err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	file, err := os.Open(prefix + ".png")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := png.Decode(file); err != nil {
		t.Error(err)
	}
	var summary map[string]any
	if err := json.Unmarshal([]byte(readFile(t, prefix+".json")), &summary); err != nil {
		t.Error(err)
	}
}

func TestFilterExplainRefused(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.jsonl")
	crowd(t, in, 22, 30)
	for _, args := range [][]string{{"--explain-to", "x"}, {"--explain", "cam1", "--smooth"}, {"--explain", "cam1", "--lag", "2"}} {
		mustOatta(t, console.Nothing, append([]string{"filter", in}, args...)...)
	}
	_, errOut := mustOatta(t, console.Partial, "filter", in, "--explain", "nobody", "--explain-to", filepath.Join(dir, "x"))
	if !strings.Contains(errOut, `no item of the stream "nobody"`) {
		t.Error(errOut)
	}
	if name := filtering.FileName("../a b/" + strings.Repeat("é", 99)); strings.ContainsAny(name, "/. ") || len([]rune(name)) != 64 {
		t.Errorf("file name %q", name)
	}
}

// Predictions that are sure of everything and contradict themselves are warned of; sensible ones are not.
func TestFilterWarnsOfStarvation(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.jsonl")
	for _, sharp := range []float64{1, 12} {
		var text strings.Builder
		for i := range 900 {
			class, noise := i/30%3, 0.8*math.Sin(float64(i*i))
			logits := []float64{noise, 0.8 * math.Sin(float64(3*i*i+1)), 0.8 * math.Sin(float64(5*i*i+2))}
			logits[class]++
			for k := range logits {
				logits[k] *= sharp
			}
			data, err := json.Marshal(logits)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&text, `{"stream":"s","logits":%s}`+"\n", data)
		}
		writeFile(t, in, text.String())
		_, errOut := mustOatta(t, console.Fine, "filter", in)
		if warned := strings.Contains(errOut, "--temperature"); warned != (sharp > 1) {
			t.Errorf("logits times %g: %s", sharp, errOut)
		}
	}
}
