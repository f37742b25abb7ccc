package models

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// minimal is a manifest with nothing but what must be there.
const minimal = `{
  "oatta_manifest": 1,
  "name": "two",
  "labels": ["cat", "dog"],
  "input": {"name": "x", "height": 8, "width": 8, "mean": [0, 0, 0], "std": [1, 1, 1]},
  "output": {"name": "y"}
}`

func read(text string) (Manifest, error) { return ReadManifest(strings.NewReader(text)) }

func TestReadManifestFillsInDefaults(t *testing.T) {
	got, err := read(minimal)
	if err != nil {
		t.Fatal(err)
	}
	want := Manifest{
		Version: 1, Name: "two", Task: ImageClassification, Labels: []string{"cat", "dog"}, Temperature: 1,
		Input: Input{
			Name: "x", Height: 8, Width: 8, Layout: NCHW, Color: RGB, Mean: []float64{0, 0, 0}, Std: []float64{1, 1, 1},
			Resize: 8, Interpolation: Bilinear,
		},
		Output: Output{Name: "y", Kind: Logits},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestReadManifestNormalisesThePrior(t *testing.T) {
	m, err := read(strings.Replace(minimal, `"output"`, `"prior": [0.3, 0.7000005], "output"`, 1))
	if err != nil {
		t.Fatal(err)
	}
	if sum := m.Prior[0] + m.Prior[1]; math.Abs(sum-1) > 1e-15 || math.Abs(m.Prior[0]-0.3/1.0000005) > 1e-15 {
		t.Errorf("prior %v sums to %v", m.Prior, sum)
	}
}

func TestReadManifestIsStrict(t *testing.T) {
	replace := func(old, with string) string {
		if !strings.Contains(minimal, old) {
			t.Fatalf("no %s in the minimal manifest", old)
		}
		return strings.Replace(minimal, old, with, 1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"unknown field", replace(`"labels"`, `"lables"`), `line 4, column 3: unknown field "lables"`},
		{"other case", replace(`"labels"`, `"Labels"`), `line 4, column 3: unknown field "Labels"`},
		{"unknown inner field", replace(`"height"`, `"heigth"`), `line 5, column 26: unknown field "input.heigth"`},
		{"twice", replace(`"output"`, `"name": "other", "output"`), `line 6, column 3: field "name" occurs twice`},
		{"behind", minimal + "\n{}", `line 8, column 1: something follows`},
		{"wrong type", replace(`"height": 8`, `"height": "8"`), `line 5, column 38: input.height: got string, want a whole number`},
		{"fraction", replace(`"height": 8`, `"height": 8.5`), `want a whole number`},
		{"wrong inner type", replace(`["cat", "dog"]`, `["cat", 7]`), `got number, want a string`},
		{"object for text", replace(`"two"`, `{"a": [1, {"b": 2}]}`), `name: got object, want a string`},
		{"array", `[1]`, `line 1, column 1: want a JSON object`},
		{"empty", ``, `line 1, column 1: the text ends too early`},
		{"cut off", minimal[:60], `ends too early`},
		{"no JSON", `oatta`, `line 1, column 1`},
		{"NaN", replace(`"mean": [0,`, `"mean": [NaN,`), `line 5`},
		{"huge number", replace(`"mean": [0,`, `"mean": [1e999,`), `input.mean`},
		{"no version", replace(`"oatta_manifest": 1,`, ``), `oatta_manifest: version 0`},
		{"later version", replace(`"oatta_manifest": 1`, `"oatta_manifest": 2`), `version 2, this program reads version 1`},
		{"codes twice", replace(`"output"`, `"codes": {"cat": 1, "cat": 2}, "output"`), `line 6, column 23: field "codes.cat" occurs twice`},
		{"code of null", replace(`"output"`, `"codes": {"cat": null}, "output"`), `codes.cat: got null, want a whole number`},
		{"code of a fraction", replace(`"output"`, `"codes": {"cat": 1.5}, "output"`), `want a whole number`},
		{"code of text", replace(`"output"`, `"codes": {"cat": "1"}, "output"`), `got string, want a whole number`},
		{"list of codes", replace(`"output"`, `"codes": [1, 2], "output"`), `codes: got array, want an object`},
		{"codes cut off", replace(`"output"`, `"codes": {"cat": 1`), `line 6`},
		{"large", minimal + strings.Repeat(" ", MaxManifestBytes), `more than`},
	} {
		_, err := read(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "models: ") {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

func TestValidateNamesTheField(t *testing.T) {
	nan := math.NaN()
	for want, edit := range map[string]func(m *Manifest){
		"name: ":                             func(m *Manifest) { m.Name = "" },
		"task: ":                             func(m *Manifest) { m.Task = "detection" },
		"notes: ":                            func(m *Manifest) { m.Notes = strings.Repeat("x", maxTextSize+1) },
		"labels: 0 labels":                   func(m *Manifest) { m.Labels = nil },
		"labels: 1 labels":                   func(m *Manifest) { m.Labels = []string{"cat"} },
		"not both":                           func(m *Manifest) { m.LabelsFile = "labels.txt" },
		`labels[1]: "cat" is`:                func(m *Manifest) { m.Labels = []string{"cat", "cat"} },
		`labels[0]: ""`:                      func(m *Manifest) { m.Labels[0] = "" },
		`labels[0]: " cat"`:                  func(m *Manifest) { m.Labels[0] = " cat" },
		`labels[0]: "a\nb"`:                  func(m *Manifest) { m.Labels[0] = "a\nb" },
		"labels[0]: \"\\xff\"":               func(m *Manifest) { m.Labels[0] = "\xff" },
		"input.name: ":                       func(m *Manifest) { m.Input.Name = "" },
		"input.height: 0 pixels":             func(m *Manifest) { m.Input.Height = 0 },
		"input.width: 4097":                  func(m *Manifest) { m.Input.Width = 4097 },
		"input.layout: ":                     func(m *Manifest) { m.Input.Layout = "CHWN" },
		"input.color: ":                      func(m *Manifest) { m.Input.Color = "GRAY" },
		"input.interpolation: ":              func(m *Manifest) { m.Input.Interpolation = "area" },
		"input.resize: 7 pixels":             func(m *Manifest) { m.Input.Resize = 7 },
		"input.stretch":                      func(m *Manifest) { m.Input.Stretch = true },
		"0 and 3 values":                     func(m *Manifest) { m.Input.Mean = nil },
		"input.mean[1]: NaN":                 func(m *Manifest) { m.Input.Mean[1] = nan },
		"input.std[2]: 0,":                   func(m *Manifest) { m.Input.Std[2] = 0 },
		"input.std[0]: NaN":                  func(m *Manifest) { m.Input.Std[0] = nan },
		"output.name: ":                      func(m *Manifest) { m.Output.Name = "" },
		"output.kind: ":                      func(m *Manifest) { m.Output.Kind = "scores" },
		"temperature: -1":                    func(m *Manifest) { m.Temperature = -1 },
		"temperature: NaN":                   func(m *Manifest) { m.Temperature = nan },
		"temperature: +Inf":                  func(m *Manifest) { m.Temperature = math.Inf(1) },
		"prior: 3 values":                    func(m *Manifest) { m.Prior = []float64{0.2, 0.2, 0.6} },
		"prior[0]: 0,":                       func(m *Manifest) { m.Prior = []float64{0, 1} },
		"prior[1]: NaN":                      func(m *Manifest) { m.Prior = []float64{0.5, nan} },
		"prior: sums to 0.9":                 func(m *Manifest) { m.Prior = []float64{0.4, 0.5} },
		`codes: "owl" is none of the labels`: func(m *Manifest) { m.Codes = map[string]int{"owl": 1} },
		`codes: 7 is of "cat" and of "dog"`:  func(m *Manifest) { m.Codes = map[string]int{"cat": 7, "dog": 7} },
		"codes: 4294967296 for":              func(m *Manifest) { m.Codes = map[string]int{"cat": 1 << 32} },
		"parameters: -1":                     func(m *Manifest) { m.Parameters = -1 },
		"sha256: \"abc\"":                    func(m *Manifest) { m.SHA256 = "abc" },
		"sha256: \"" + clip(upper64()):       func(m *Manifest) { m.SHA256 = upper64() },
	} {
		m, err := read(minimal)
		if err != nil {
			t.Fatal(err)
		}
		edit(&m)
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func upper64() string { return strings.Repeat("AB", 32) }

func TestWriteIsStableAndReadable(t *testing.T) {
	m, err := read(minimal)
	if err != nil {
		t.Fatal(err)
	}
	m.Labels = []string{"<cat> & co.", "3,", "["}
	m.Prior = []float64{0.25, 0.5, 0.25}
	m.Codes = map[string]int{"[": -1, "3,": 0}
	m.Input.Mean = []float64{-1, 0.1, 1e-7}
	var first, second bytes.Buffer
	if err := m.Write(&first); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\"mean\": [-1, 0.1, 1e-7],\n", "\"prior\": [0.25, 0.5, 0.25]", "\"codes\": {\n    \"3,\": 0,\n    \"[\": -1\n  },\n", "  \"labels\": [\n    \"<cat> & co.\",\n    \"3,\",\n    \"[\"\n  ],\n",
	} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("no %q in\n%s", want, &first)
		}
	}
	back, err := read(first.String())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m, back); d != "" {
		t.Error(d)
	}
	if err := back.Write(&second); err != nil || first.String() != second.String() {
		t.Errorf("written again (%v):\n%s", err, &second)
	}
}

func TestWriteRefusesWhatItCouldNotRead(t *testing.T) {
	var buf bytes.Buffer
	if err := (Manifest{}).Write(&buf); err == nil || buf.Len() > 0 {
		t.Errorf("error %v and %d bytes", err, buf.Len())
	}
}
