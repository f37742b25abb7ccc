package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/npy"
	"github.com/oatta/oatta/internal/calibration"
	"github.com/oatta/oatta/internal/cli/calibrate"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
)

// labelledLine is what the tests read back of a labelled prediction.
type labelledLine struct {
	Stream string
	Probs  []float64
	Label  string
}

// halves cuts real predictions into two files of different people.
func halves(t *testing.T, name string) (files [2]string, lines [2][]labelledLine) {
	t.Helper()
	var text [2]strings.Builder
	streams := map[string]int{}
	for _, line := range unzip(t, testdata.Shared(t, "data", "predictions", name+".jsonl.gz")) {
		var l labelledLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		n, known := streams[l.Stream]
		if !known {
			n = len(streams)
			streams[l.Stream] = n
		}
		lines[n%2] = append(lines[n%2], l)
		fmt.Fprintln(&text[n%2], line)
	}
	for i := range files {
		files[i] = filepath.Join(t.TempDir(), fmt.Sprintf("%s%d.jsonl", name, i))
		writeFile(t, files[i], text[i].String())
	}
	return files, lines
}

// lossAt is the mean loss in nats at a temperature, by the formula.
func lossAt(lines []labelledLine, classes []string, temperature float64) float64 {
	loss := 0.0
	for _, l := range lines {
		sum, truth := 0.0, 0.0
		for k, q := range l.Probs {
			v := math.Pow(max(q, 1e-12), 1/temperature)
			if sum += v; classes[k] == l.Label {
				truth = v
			}
		}
		loss -= math.Log(truth/sum) / float64(len(lines))
	}
	return loss
}

type calibrationJSON struct {
	Fit struct {
		Temperature, Low, High float64
		Unit                   string
		Before, After          struct{ NLL, ECE, Accuracy float64 }
	}
	Auto                       float64 `json:"auto_temperature"`
	Prior                      []float64
	Used                       bool                 `json:"prior_used"`
	HeldOut                    *calibration.HeldOut `json:"held_out"`
	Transitions                *calibrate.TransitionsReport
	Classes                    []string
	Failures                   int
	Items, Unlabelled, Unknown int
	Unused                     int
	Wrote                      []string
	Warnings                   []string
}

func calibrationOf(t *testing.T, code int, args ...string) (c calibrationJSON, errOut string) {
	t.Helper()
	out, errOut := mustOatta(t, code, append([]string{"calibrate", "--format", "json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &c); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return c, errOut
}

// What is fitted to some people makes the predictions for others fit better, and the filter takes it.
func TestCalibrateRealPredictions(t *testing.T) {
	hapt := "walking,walking_upstairs,walking_downstairs,sitting,standing,laying"
	for _, tc := range []struct {
		file, classes string
		gain          float64 // of the loss, at least
	}{
		{"hapt_lr", hapt, -.005},   // calibrated as it is: nothing to gain
		{"hapt_lr_noisy", hapt, 1}, // T is over 6
		{"sleep_lr", "W,N1,N2,N3,R", .02},
	} {
		files, lines := halves(t, tc.file)
		settings := filepath.Join(t.TempDir(), "settings.json")
		c, _ := calibrationOf(t, console.Fine, files[0], "--classes", tc.classes, "--truth-field", "label", "-o", settings)
		classes := strings.Split(tc.classes, ",")
		if got := lossAt(lines[0], classes, c.Fit.Temperature); math.Abs(got-c.Fit.After.NLL) > 1e-6 || got > c.Fit.Before.NLL {
			t.Errorf("%s: loss %.7f, reported as %.7f", tc.file, got, c.Fit.After.NLL)
		}
		if want := max(c.Fit.Temperature/1.8, min(c.Fit.Temperature, 1)); math.Abs(c.Auto-want) > 1e-12 {
			t.Errorf("%s: auto gets %g for %g", tc.file, c.Auto, c.Fit.Temperature)
		}
		before, after := lossAt(lines[1], classes, 1), lossAt(lines[1], classes, c.Fit.Temperature)
		if after > before-tc.gain {
			t.Errorf("%s: T %.3f of one half takes the other from %.4f to %.4f", tc.file, c.Fit.Temperature, before, after)
		}
		var s struct {
			Temperature float64
			Prior       []float64
		}
		if err := json.Unmarshal([]byte(readFile(t, settings)), &s); err != nil || s.Temperature != c.Auto || (len(s.Prior) == len(classes)) != c.Used {
			t.Errorf("%s: settings %+v, %v", tc.file, s, err)
		}
		mustOatta(t, console.Fine, "filter", files[1], "--classes", tc.classes, "--settings", settings, "-o", os.DevNull)
	}
}

const calibrationItems = 60

// calibrationItem is the i-th of some predictions of two classes that claim too much: .95 where 4 of 5 are right.
func calibrationItem(i int) (p float64, truth string) {
	if i%5 == 3 {
		return .95, "fox"
	}
	return .95, "deer"
}

// calibrationLines writes them as JSON lines.
func calibrationLines(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for i := range calibrationItems {
		p, truth := calibrationItem(i)
		fmt.Fprintf(&text, `{"stream":"cam%d","file":"%d.jpg","probs":[%g,%g],"truth":%q}`+"\n", i%13, i, p, 1-p, truth)
	}
	file := filepath.Join(t.TempDir(), "in.jsonl")
	writeFile(t, file, text.String())
	return file
}

// p(right) is .95 at T = 1 and must be .8: odds of 19 become 4.
var calibratedTemperature = math.Log(19) / math.Log(4)

func TestCalibrateFormats(t *testing.T) {
	dir := t.TempDir()
	table, labels, document := filepath.Join(dir, "in.csv"), filepath.Join(dir, "labels.csv"), filepath.Join(dir, "in.json")
	rows, truths, images := "stream;id;p:fox;p:deer\n", "file,label\n", []string{}
	for i := range calibrationItems {
		p, truth := calibrationItem(i)
		rows += fmt.Sprintf("cam%d;%d.jpg;%g;%g\n", i%13, i, 1-p, p)
		truths += fmt.Sprintf("%d.jpg,%s\n", i, truth)
		images = append(images, fmt.Sprintf(`{"file": "cam%d/%d.jpg", "detections": [{"conf": 1, "classifications": [["0", %g], ["1", %g]]}]}`, i%13, i, p, 1-p))
	}
	writeFile(t, table, rows)
	writeFile(t, labels, truths)
	writeFile(t, document, `{"classification_categories": {"0": "deer", "1": "fox"}, "images": [`+strings.Join(images, ",\n")+`]}`)
	var intervals []float64
	for _, args := range [][]string{
		{calibrationLines(t), "--classes", "deer,fox"},
		{table, "--labels", labels},
		{document, "--labels", labels},
	} {
		c, _ := calibrationOf(t, console.Fine, args...)
		if math.Abs(c.Fit.Temperature-calibratedTemperature) > 1e-5 || c.Fit.Unit != "streams" {
			t.Errorf("%v: %+v", args, c.Fit)
		}
		for k, class := range c.Classes {
			if want := map[string]float64{"deer": 48.5 / 61, "fox": 12.5 / 61}[class]; math.Abs(c.Prior[k]-want) > 1e-12 {
				t.Errorf("%v: prior of %s is %g, want %g", args, class, c.Prior[k], want)
			}
		}
		intervals = append(intervals, c.Fit.High-c.Fit.Low)
	}
	if !(intervals[0] > 0) || intervals[0] != intervals[1] {
		t.Errorf("widths of the interval %v", intervals)
	}
}

func TestCalibrateText(t *testing.T) {
	out, errOut := mustOatta(t, console.Fine, "calibrate", calibrationLines(t), "--classes", "deer,fox", "--gate", "ewma")
	for _, want := range []string{"60 of 60 items fitted, of 13 streams", "temperature 2.124, 95 % interval", "accuracy 80.00 %", "--temperature 1.18 with the gate auto", "NLL (nats)", `"deer"     48          0.7951`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s\ndoes not say %s", out, want)
		}
	}
	if !strings.Contains(errOut, "the prior is the class frequencies of these labels") {
		t.Error(errOut)
	}
}

func TestCalibrateDiagram(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "reliability")
	c, _ := calibrationOf(t, console.Fine, calibrationLines(t), "--classes", "deer,fox", "--diagram", prefix)
	if len(c.Wrote) != 2 {
		t.Errorf("wrote %v", c.Wrote)
	}
	dec := xml.NewDecoder(strings.NewReader(readFile(t, prefix+".svg")))
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := png.Decode(bytes.NewReader([]byte(readFile(t, prefix+".png")))); err != nil {
		t.Error(err)
	}
	if _, errOut := mustOatta(t, console.Nothing, "calibrate", calibrationLines(t), "--diagram", prefix); !strings.Contains(errOut, "--overwrite replaces it") {
		t.Error(errOut)
	}
	mustOatta(t, console.Fine, "calibrate", calibrationLines(t), "--classes", "deer,fox", "--diagram", prefix, "--overwrite")
}

const calibrationManifest = `{
    "oatta_manifest": 1,
    "name":   "two",
    "labels": ["fox", "deer"],
    "input": {"name": "x", "height": 2, "width": 2, "mean": [0.50, 0, 0], "std": [1, 1, 1]},
    "output": {"name": "y"}
}
`

// The manifest gets its values in the order of its own labels, and nothing else changes.
func TestCalibrateManifest(t *testing.T) {
	manifest := filepath.Join(t.TempDir(), "two.json")
	writeFile(t, manifest, calibrationManifest)
	mustOatta(t, console.Fine, "calibrate", calibrationLines(t), "--classes", "deer,fox", "--model", manifest, "--gate", "off")
	want := strings.Replace(calibrationManifest, `{"name": "y"}`, "{\"name\": \"y\"},\n    \"temperature\": 2.12", 1)
	got := readFile(t, manifest)
	at := strings.Index(want, "2.12") + len("2.12")
	if !strings.HasPrefix(got, want[:at]) || !strings.Contains(got, "\n    \"prior\": [0.204918033, 0.795081967]\n}\n") {
		t.Errorf("manifest\n%s", got)
	}
	// Lines that name no classes are taken for the manifest's, and a prior of none stays what it was.
	swapped := filepath.Join(t.TempDir(), "swapped.jsonl")
	writeFile(t, swapped, strings.ReplaceAll(readFile(t, calibrationLines(t)), "[0.95,0.050000000000000044]", "[0.05,0.95]"))
	c, _ := calibrationOf(t, console.Fine, swapped, "--model", manifest, "--class-prior", "none")
	if again := readFile(t, manifest); again[strings.Index(again, "prior"):] != got[strings.Index(got, "prior"):] || c.Classes[0] != "fox" || !strings.Contains(strings.Join(c.Warnings, "\n"), "the manifest keeps the prior that it had") || c.Fit.Before.Accuracy != .8 {
		t.Errorf("%+v\n%s", c, again)
	}
}

// A model's manifest is found by its ONNX file, and the model is loaded with what was fitted: here to ready predictions of CIFAR-10.
func TestCalibrateModel(t *testing.T) {
	array, err := npy.Read(strings.NewReader(readFile(t, testdata.Shared(t, "data", "predictions", "cifar10_test_resnet18_balanced_logits.npy"))), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	logits, err := array.Float32s()
	if err != nil {
		t.Fatal(err)
	}
	truth, err := datasets.ReadCIFARLabels(testdata.Shared(t, "data", "cifar10", "test_labels.u8"))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for i, y := range truth[:5000] {
		fmt.Fprintf(&text, `{"stream":"%d","logits":%s,"truth":"%d"}`+"\n", i/50, filtering.AsJSON(logits[10*i:10*i+10]), y)
	}
	dir := t.TempDir()
	in, model := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "net.onnx")
	writeFile(t, in, text.String())
	m, err := models.Load("resnet20-cifar10")
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.Data()
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, model, string(data))
	if _, errOut := mustOatta(t, console.Nothing, "calibrate", in, "--model", model); !strings.Contains(errOut, "`oatta models inspect --write "+model+"` makes one") {
		t.Error(errOut)
	}
	var manifest bytes.Buffer
	if err := m.Manifest.Write(&manifest); err != nil {
		t.Fatal(err)
	}
	writeFile(t, models.ManifestPath(model), manifest.String())
	c, _ := calibrationOf(t, console.Fine, in, "--model", model, "--gate", "ewma", "--label-index", "0")
	after, err := models.Load(model)
	if err != nil {
		t.Fatal(err)
	}
	if got := after.Manifest; math.Abs(got.Temperature-c.Fit.Temperature) > 1e-8 || len(got.Prior) != 10 || c.Classes[0] != got.Labels[0] || got.Temperature < 1.5 || got.Temperature > 1.7 {
		t.Errorf("temperature %g, prior %v", got.Temperature, got.Prior)
	}
}

func TestCalibrateClassPrior(t *testing.T) {
	c, _ := calibrationOf(t, console.Fine, calibrationLines(t), "--classes", "deer,fox", "--class-prior", "999.5,0")
	if math.Abs(c.Prior[0]-1000/1000.5) > 1e-12 || math.Abs(c.Prior[1]-.5/1000.5) > 1e-12 {
		t.Errorf("%v", c.Prior)
	}
	c, _ = calibrationOf(t, console.Fine, calibrationLines(t), "--classes", "deer,fox", "--class-prior", "none")
	if c.Prior != nil {
		t.Errorf("%v", c.Prior)
	}
}

// Malformed lines are named and skipped; the others give what they give without them.
func TestCalibrateMalformed(t *testing.T) {
	in := calibrationLines(t)
	want, _ := calibrationOf(t, console.Fine, in, "--classes", "deer,fox")
	lines := strings.SplitAfter(readFile(t, in), "\n")
	lines[10] += `{"stream":"a","probs":[0.6,NaN],"truth":"deer"}` + "\n" + `{"stream":"a","probs":[0.6,0.3],"truth":"deer"}` + "\n"
	lines[20] += `{"stream":"a","probs":[0.6,0.4]}` + "\n" + `{"stream":"a","probs":[0.6,0.4],"truth":"wolf"}` + "\n"
	writeFile(t, in, strings.Join(lines, ""))
	got, errOut := calibrationOf(t, console.Partial, in, "--classes", "deer,fox")
	if got.Fit.Temperature != want.Fit.Temperature || got.Failures != 2 || !strings.Contains(errOut, in+":12: ") || !strings.Contains(errOut, in+":13: adapt: probabilities sum to 0.89") {
		t.Errorf("%+v\n%s", got, errOut)
	}
	if text := strings.Join(got.Warnings, "\n"); !strings.Contains(text, `1 item has a true label that is none of the classes: "wolf"`) {
		t.Error(text)
	}
	if _, errOut := mustOatta(t, console.Nothing, "calibrate", in, "--on-error", "stop"); !strings.Contains(errOut, in+":12: ") {
		t.Error(errOut)
	}
}

func TestCalibrateWarnings(t *testing.T) {
	dir := t.TempDir()
	for name, tc := range map[string]struct {
		lines []string
		args  []string
		want  string
	}{
		"right":  {[]string{`{"stream":"a","probs":[0.6,0.4],"truth":"0"}`, `{"stream":"b","probs":[0.4,0.6],"truth":"1"}`}, nil, "lower bound"},
		"wrong":  {[]string{`{"stream":"a","probs":[0.6,0.4],"truth":"1"}`}, nil, "upper bound"},
		"absent": {[]string{`{"stream":"a","probs":[0.6,0.4],"truth":"1"}`}, []string{"--gate", "off"}, "no item is of 1 class: their prior is a guess, and the paper's gates divide by it: 0"},
		"zero":   {[]string{`{"stream":"a","probs":[1,0],"truth":"1"}`, `{"stream":"a","probs":[1,0],"truth":"0"}`}, nil, "1 item gave the truth a probability under 1e-12"},
		"single": {[]string{`{"stream":"a","probs":[0.7,0.3],"truth":"1"}`, `{"stream":"a","probs":[0.9,0.1],"truth":"0"}`}, nil, "all items are of one stream"},
		"full":   {[]string{`{"stream":"a","probs":[0.7,0.3],"truth":"1"}`, `{"stream":"a","probs":[0.9,0.1],"truth":"0"}`}, []string{"--max-memory", "8"}, "1 labelled item beyond the first 1"},
	} {
		in := filepath.Join(dir, name+".jsonl")
		writeFile(t, in, strings.Join(tc.lines, "\n")+"\n")
		c, _ := calibrationOf(t, console.Fine, append([]string{in}, tc.args...)...)
		if text := strings.Join(c.Warnings, "\n"); !strings.Contains(text, tc.want) {
			t.Errorf("%s: %s, want %s", name, text, tc.want)
		}
	}
}

func TestCalibrateNothingDone(t *testing.T) {
	dir := t.TempDir()
	in, bare, empty, one, manifest := calibrationLines(t), filepath.Join(dir, "bare.jsonl"), filepath.Join(dir, "empty.jsonl"), filepath.Join(dir, "one.jsonl"), filepath.Join(dir, "m.json")
	writeFile(t, bare, `{"stream":"a","probs":[0.6,0.4]}`+"\n")
	writeFile(t, empty, "")
	writeFile(t, one, `{"stream":"a","probs":[1],"truth":"0"}`+"\n")
	writeFile(t, manifest, strings.Replace(calibrationManifest, "fox", "wolf", 1))
	three := filepath.Join(dir, "three.jsonl")
	writeFile(t, three, `{"stream":"a","probs":[0.5,0.25,0.25],"truth":"deer"}`+"\n")
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{bare}, "none of 1 item has a true label: give --labels FILE or --truth-field NAME"},
		{[]string{empty}, "holds no item"},
		{[]string{one}, "no temperature changes how well"},
		{[]string{in}, `no true label is one of the 2 classes: the labels are "deer", "fox"; the classes are 0, 1 (--classes names them)`},
		{[]string{in, "--classes", "deer,fox,hare"}, "all of 60 items failed"},
		{[]string{in, "--classes", "deer,fox", "--model", manifest}, `only there: "wolf"; only here: "fox"`},
		{[]string{three, "--model", manifest}, "3 probabilities, and " + manifest + " has 2 labels: wolf, deer"},
		{[]string{in, "--model", "resnet20-cifar10"}, "write settings by -o"},
		{[]string{in, "--model", filepath.Join(dir, "absent.json")}, "no such file"},
		{[]string{in, "--classes", "deer,fox", "--class-prior", "1,2,3"}, "--class-prior has 3 numbers for the 2 classes"},
		{[]string{in, "--class-prior", "many"}, "--class-prior many: neither numbers"},
		{[]string{in, "--classes", "deer,fox", "--class-prior", "-1,2"}, "count of class 0 is -1"},
		{[]string{in, "-o", filepath.Join(dir, "absent", "s.json")}, "no such file"},
		{[]string{in, "-o", filepath.Join(in, "s.json")}, "is no folder"},
		{[]string{in, "-o", manifest}, "--overwrite replaces it"},
		{[]string{in, "--gate", "open"}, `--gate "open": want one of [off ewma window auto]`},
		{[]string{in, "--transitions-out", "-"}, "--transitions-out -: standard output is for the report"},
		{[]string{in, "--transitions-out", manifest}, "--overwrite replaces it"},
		{[]string{in, "-o", "-"}, "standard output is for the report"},
		{[]string{in, "--format", "csv"}, "--input-format is that of the input"},
		{[]string{in, "--input-format", "xml"}, `--input-format "xml"`},
		{[]string{in, "--on-error", "panic"}, "want skip or stop"},
		{[]string{in, "--resamples", "0"}, "want at least 1, and 100 to 100000"},
		{[]string{in, in}, "2 inputs: want one"},
		{[]string{filepath.Join(dir, "absent.jsonl")}, "no such file"},
	} {
		if _, errOut := mustOatta(t, console.Nothing, append([]string{"calibrate"}, tc.args...)...); !strings.Contains(errOut, tc.want) {
			t.Errorf("%v: %s, want %s", tc.args, errOut, tc.want)
		}
	}
	if got := readFile(t, manifest); got != strings.Replace(calibrationManifest, "fox", "wolf", 1) {
		t.Errorf("the manifest became\n%s", got)
	}
}

// An output that cannot be written does not lose the report, nor the others.
func TestCalibrateUnwritable(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "settings.json")
	if err := os.MkdirAll(filepath.Join(folder, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	c, errOut := calibrationOf(t, console.Partial, calibrationLines(t), "--classes", "deer,fox", "-o", folder, "--overwrite", "--diagram", filepath.Join(dir, "d"))
	if len(c.Wrote) != 2 || !strings.Contains(errOut, "settings.json") || !(c.Fit.Temperature > 2) {
		t.Errorf("%+v\n%s", c, errOut)
	}
}
