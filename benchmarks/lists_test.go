package benchmarks

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Lists that hold all classes are whole vectors; those of one class are not, where an order is to be found.
func TestLists(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 7))
	var text bytes.Buffer
	text.WriteString(`{"file":"a.jpg","stream":"cam","failure":"truncated"}` + "\n")
	class := 0
	for range 400 {
		if random.IntN(12) == 0 {
			class = random.IntN(3)
		}
		q := []float64{random.Float64(), random.Float64(), random.Float64()}
		q[class] += 0.35
		line, err := json.Marshal(map[string]any{"stream": "cam", "probs": []float64{q[0] / (q[0] + q[1] + q[2]), q[1] / (q[0] + q[1] + q[2]), q[2] / (q[0] + q[1] + q[2])}})
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	file := filepath.Join(t.TempDir(), "vectors.jsonl")
	put := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(text.String())
	var out bytes.Buffer
	table, err := RunLists(file)
	if err == nil {
		err = table.WriteText(&out)
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if cells := strings.Fields(line); len(cells) > 0 && cells[0] == "cam" {
			if cells[1] != "400" || cells[3] == "0" || strings.Join(cells[10:], "") != "0+00+0" || strings.Join(cells[4:7], "") == "0+0" {
				t.Errorf("%q", cells)
			}
			return
		}
	}
	t.Errorf("no row of the stream:\n%s", &out)
}

func TestListsRefuse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vectors.jsonl")
	for text, want := range map[string]string{
		"": "no prediction", `{"stream":"a","failure":"x"}`: "no prediction", `{"stream":"a"`: "vectors.jsonl:1",
		`{"stream":"a","probs":[2,3]}`: "vectors.jsonl",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := RunLists(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := RunLists(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no file: no error")
	}
}
