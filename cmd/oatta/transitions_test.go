package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt/population"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filter"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/run"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
)

// realStreams reads one of the sets of real streams: classes, and the lines of each stream in order.
func realStreams(t *testing.T, name string) (classes []string, lines [][]string) {
	t.Helper()
	var meta struct{ Classes []string }
	if err := json.Unmarshal([]byte(readFile(t, testdata.Shared(t, "data", "streams", name+".meta.json"))), &meta); err != nil {
		t.Fatal(err)
	}
	last := ""
	for _, line := range unzip(t, testdata.Shared(t, "data", "streams", name+".jsonl.gz")) {
		var item struct{ Stream string }
		if err := json.Unmarshal([]byte(line), &item); err != nil {
			t.Fatal(err)
		}
		if item.Stream != last {
			last = item.Stream
			lines = append(lines, nil)
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], line)
	}
	return meta.Classes, lines
}

// linesFile writes streams one after the other.
func linesFile(t *testing.T, streams [][]string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "in.jsonl")
	writeFile(t, file, strings.Join(slices.Concat(streams...), "\n")+"\n")
	return file
}

// adaptedAccuracy filters a file with truths and returns the accuracy, in points.
func adaptedAccuracy(t *testing.T, args ...string) float64 {
	t.Helper()
	scores := filepath.Join(t.TempDir(), "scores.json")
	mustOatta(t, console.Fine, append([]string{"filter", "-o", os.DevNull, "--scores", scores}, args...)...)
	var e struct{ Adapted struct{ Accuracy float64 } }
	if err := json.Unmarshal([]byte(readFile(t, scores)), &e); err != nil {
		t.Fatal(err)
	}
	return 100 * e.Adapted.Accuracy
}

// What half of the dialogues teach helps with the others.
func TestTransitionsOfRealStreams(t *testing.T) {
	classes, lines := realStreams(t, "maptask_lr")
	var half [2][][]string
	for i, s := range lines {
		half[i%2] = append(half[i%2], s)
	}
	in, out, names := linesFile(t, half[0]), filepath.Join(t.TempDir(), "order.json"), strings.Join(classes, ",")
	manifest := filepath.Join(t.TempDir(), "acts.json")
	writeFile(t, manifest, strings.Replace(calibrationManifest, `["fox", "deer"]`, filtering.AsJSON(classes), 1))
	c, _ := calibrationOf(t, console.Fine, in, "--classes", names, "--transitions-out", out, "--model", manifest)
	if c.Transitions.Streams != 13 || !c.Transitions.Used || c.HeldOut.Transitions.Low <= 0 || c.HeldOut.Folds != 5 || !slices.Contains(c.Wrote, out) {
		t.Errorf("%+v, %+v", c.Transitions, c.HeldOut)
	}
	if c.Used || c.HeldOut.Prior.Low > 0 {
		t.Errorf("a prior for auto: %+v", c.HeldOut.Prior)
	}
	written, err := population.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := models.ReadManifestFile(manifest); err != nil || filtering.AsJSON(m.Transitions) != filtering.AsJSON(written) || m.Prior != nil {
		t.Errorf("the manifest has %+v and the prior %v (%v)", m.Transitions, m.Prior, err)
	}
	others := linesFile(t, half[1])
	without, with := adaptedAccuracy(t, others, "--classes", names), adaptedAccuracy(t, others, "--classes", names, "--transitions", out)
	if with < without+1 {
		t.Errorf("accuracy %.2f without, %.2f with transitions", without, with)
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(classes), func(i, j int) { // the classes take each other's places
		written.Classes[i], written.Classes[j] = written.Classes[j], written.Classes[i]
	})
	wrong := filepath.Join(t.TempDir(), "wrong.json")
	writeFile(t, wrong, filtering.AsJSON(written))
	if with := adaptedAccuracy(t, others, "--classes", names, "--transitions", wrong); math.Abs(with-without) > .5 {
		t.Errorf("accuracy %.2f without, %.2f with transitions of other classes", without, with)
	}
}

// What cannot be read, or has no label, parts its neighbours; times tell the rhythm.
func TestCalibrateTransitions(t *testing.T) {
	line := func(stream string, second int, rest string) string {
		return fmt.Sprintf(`{"stream":"%s","time":"2020-05-01T00:%02d:%02dZ",%s}`+"\n", stream, second/60, second%60, rest)
	}
	var text strings.Builder
	for i := range 20 {
		for _, stream := range []string{"a", "b"} { // interleaved
			rest := fmt.Sprintf(`"probs":[0.7,0.3],"truth":"%d"`, i/4%2)
			switch {
			case stream == "a" && i == 3:
				rest = `"probs":[0.7,0.3]`
			case stream == "b" && i == 9:
				rest = `"probs":[0.7,0.7],"truth":"0"`
			}
			text.WriteString(line(stream, 30*i, rest))
		}
	}
	in, out := filepath.Join(t.TempDir(), "in.jsonl"), filepath.Join(t.TempDir(), "order.json")
	writeFile(t, in, text.String())
	c, _ := calibrationOf(t, console.Partial, in, "--transitions-out", out)
	if tr := c.Transitions; tr.Pairs != 34 || tr.Items != 38 || tr.Streams != 2 || tr.Rhythm != 30 {
		t.Errorf("%+v", tr)
	}
	if !strings.Contains(strings.Join(c.Warnings, "\n"), "the transitions are of 2 streams only: they tell habits of those") {
		t.Error(c.Warnings)
	}
	report, _ := mustOatta(t, console.Partial, "calibrate", in, "--transitions-out", out, "--overwrite")
	for _, want := range []string{"transitions of 2 streams (34 pairs): stay 0.", "rhythm 30 s", "of 2 streams filtered by auto, held out in 2 folds", "with the class prior of the others: ", "wrote " + out} {
		if !strings.Contains(report, want) {
			t.Errorf("%s\ndoes not say %s", report, want)
		}
	}
	one := filepath.Join(t.TempDir(), "one.jsonl")
	writeFile(t, one, line("a", 0, `"probs":[0.7,0.3],"truth":"0"`)+line("a", 30, `"probs":[0.7,0.3],"truth":"1"`))
	if c, _ = calibrationOf(t, console.Fine, one); c.HeldOut != nil || c.Used || !strings.Contains(strings.Join(c.Warnings, "\n"), "there are no two streams with labels") {
		t.Errorf("%+v", c)
	}
}

// Where order tells nothing, a prior changes nothing under auto.
func TestPriorOfShuffledStreams(t *testing.T) {
	classes, lines := realStreams(t, "maptask_lr")
	in, names := linesFile(t, lines), strings.Join(classes, ",")
	c, _ := calibrationOf(t, console.Fine, in, "--classes", names)
	prior := strings.Trim(filtering.AsJSON(c.Prior), "[]")
	change := 0.0
	const seeds = 3
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 5))
		for _, s := range lines {
			r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
		}
		shuffled := linesFile(t, lines)
		change += (adaptedAccuracy(t, shuffled, "--classes", names, "--prior", prior) - adaptedAccuracy(t, shuffled, "--classes", names)) / seeds
	}
	if math.Abs(change) > .1 {
		t.Errorf("a prior changes the accuracy by %.3f points", change)
	}
}

// order writes a file of transitions of deer and fox, at a rhythm of one minute.
func order(t *testing.T, edit func(o *population.Order)) string {
	t.Helper()
	o := &population.Order{
		Version: 1, Classes: []string{"deer", "fox"}, Transitions: [][]float64{{.9, .1}, {.3, .7}}, Frequencies: []float64{.75, .25},
		Rhythm: 60, Streams: 12, Items: 900, Pairs: 880,
	}
	if edit != nil {
		edit(o)
	}
	file := filepath.Join(t.TempDir(), "order.json")
	writeFile(t, file, filtering.AsJSON(o))
	return file
}

// twoClasses writes predictions of a and b, to which the names of the classes are given by --classes.
func twoClasses(t *testing.T, swapped bool) string {
	t.Helper()
	var text strings.Builder
	r := rand.New(rand.NewPCG(3, 3))
	for range 40 {
		p := .2 + .6*r.Float64()
		q := [2]float64{p, 1 - p}
		if swapped {
			q[0], q[1] = q[1], q[0]
		}
		fmt.Fprintf(&text, `{"stream":"a","probs":[%g,%g]}`+"\n", q[0], q[1])
	}
	file := filepath.Join(t.TempDir(), "two.jsonl")
	writeFile(t, file, text.String())
	return file
}

// adaptedProbs are the adapted probabilities of the first class of a run of filter.
func adaptedProbs(t *testing.T, class int, args ...string) (out []float64) {
	t.Helper()
	text, _ := mustOatta(t, console.Fine, append([]string{"filter"}, args...)...)
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var l struct{ Adapted []float64 }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l.Adapted[class])
	}
	return out
}

func nearly(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-12 })
}

func TestTransitionsByName(t *testing.T) {
	file := order(t, nil)
	deer := adaptedProbs(t, 0, twoClasses(t, false), "--classes", "deer,fox", "--transitions", file)
	swapped := adaptedProbs(t, 1, twoClasses(t, true), "--classes", "fox,deer", "--transitions", file)
	if !nearly(deer, swapped) {
		t.Errorf("%v\n%v", deer, swapped)
	}
	plain := adaptedProbs(t, 0, twoClasses(t, false), "--classes", "deer,fox")
	if nearly(deer, plain) {
		t.Error("the transitions change nothing")
	}
	if none := adaptedProbs(t, 0, twoClasses(t, false), "--classes", "deer,fox", "--transitions", "none"); !nearly(none, plain) {
		t.Error("none is not nothing")
	}
	settings := filepath.Join(t.TempDir(), "settings.json")
	writeFile(t, settings, `{"gate": "auto"}`)
	if both := adaptedProbs(t, 0, twoClasses(t, false), "--classes", "deer,fox", "--settings", settings, "--transitions", file); !nearly(both, deer) {
		t.Error("settings and transitions are not both in force")
	}
}

// Between two rhythms that are known, the matrix is a power.
func TestTransitionsRhythm(t *testing.T) {
	in, powers := twoClasses(t, false), map[string]float64{"30s": .5, "1m": 1, "3m": 3}
	for rhythm, power := range powers {
		out := filepath.Join(t.TempDir(), "out.jsonl")
		_, errOut := mustOatta(t, console.Fine, "filter", in, "--classes", "deer,fox", "--transitions", order(t, nil), "--rhythm", rhythm, "-o", out)
		var m filter.Manifest
		if err := json.Unmarshal([]byte(readFile(t, files.ManifestPath(out))), &m); err != nil {
			t.Fatal(err)
		}
		if m.Taught == nil || !m.Taught.Used || m.Taught.Power != power || m.Taught.Rhythm != 60 || m.Taught.From != "order.json" || m.Filter.Population != nil || strings.Contains(errOut, "rhythm") {
			t.Errorf("%s: %+v, %+v\n%s", rhythm, m.Taught, m.Filter.Population, errOut)
		}
	}
	asItIs := order(t, func(o *population.Order) { o.Rhythm = 0 })
	half := order(t, func(o *population.Order) {
		stay := []float64{math.Sqrt(.9), math.Sqrt(.7)}
		o.Transitions, o.Rhythm = [][]float64{{stay[0], 1 - stay[0]}, {1 - stay[1], stay[1]}}, 0
	})
	at30 := adaptedProbs(t, 0, in, "--classes", "deer,fox", "--transitions", order(t, nil), "--rhythm", "30s")
	if !nearly(at30, adaptedProbs(t, 0, in, "--classes", "deer,fox", "--transitions", half)) {
		t.Error("half a minute is not half of the transitions of a minute")
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--transitions", order(t, nil)}, "learned at a rhythm of 60 s, and that of the input is not known in advance (--rhythm)"},
		{[]string{"--transitions", asItIs, "--rhythm", "30s"}, "not known at what rhythm the transitions were learned"},
	} {
		if _, errOut := mustOatta(t, console.Fine, append([]string{"filter", in, "--classes", "deer,fox"}, tc.args...)...); strings.Count(errOut, tc.want) != 1 {
			t.Errorf("%v: %s", tc.args, errOut)
		}
	}
	if _, errOut := mustOatta(t, console.Fine, "filter", in, "--classes", "deer,fox", "--transitions", asItIs); strings.Contains(errOut, "rhythm") {
		t.Error(errOut)
	}
}

func TestTransitionsRefused(t *testing.T) {
	in, dir := twoClasses(t, false), t.TempDir()
	first, own, broken, copied := filepath.Join(dir, "first.json"), filepath.Join(dir, "own.json"), filepath.Join(dir, "broken.json"), order(t, nil)
	writeFile(t, first, `{"auto": {"edition": 1}}`)
	writeFile(t, own, `{"population": {"transitions": [[1, 0], [0, 1]], "frequencies": [0.5, 0.5]}}`)
	writeFile(t, broken, readFile(t, copied)[:50])
	wolf := order(t, func(o *population.Order) { o.Classes[1] = "wolf" })
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--transitions", wolf}, `are not the 2 that are predicted: only there: "wolf"; only here: "fox"`},
		{[]string{"--transitions", copied, "--gate", "ewma"}, "--transitions: the gate ewma learns its own alone"},
		{[]string{"--transitions", copied, "--settings", first}, "--transitions: the first edition of auto learns its own alone"},
		{[]string{"--transitions", copied, "--settings", own}, "--transitions: the settings have transitions of their own"},
		{[]string{"--transitions", broken}, broken + ": unexpected EOF"},
		{[]string{"--transitions", filepath.Join(dir, "absent.json")}, "no such file"},
		{[]string{"--transitions", order(t, func(o *population.Order) { o.Transitions[1][0] = .4 })}, "transitions[1]: sums to 1.1, want 1"},
		{[]string{"--transitions", copied, "-o", copied, "--overwrite"}, "the file of transitions"},
	} {
		if _, errOut := mustOatta(t, console.Nothing, append([]string{"filter", in, "--classes", "deer,fox"}, tc.args...)...); !strings.Contains(errOut, tc.want) {
			t.Errorf("%v: %s, want %s", tc.args, errOut, tc.want)
		}
	}
	if _, errOut := mustOatta(t, console.Nothing, "filter", in, "--transitions", copied); !strings.Contains(errOut, `only there: "deer", "fox"; only here: "0", "1" (--classes names them)`) {
		t.Error(errOut)
	}
}

// A state is of its transitions, and a message about others does not tell them.
func TestTransitionsAndState(t *testing.T) {
	in, file := twoClasses(t, false), filepath.Join(t.TempDir(), "s.state")
	args := func(order string) []string {
		return []string{"filter", in, "--classes", "deer,fox", "--state", file, "--transitions", order}
	}
	mustOatta(t, console.Fine, args(order(t, nil))...)
	writeFile(t, in, readFile(t, in)+`{"stream":"a","probs":[0.5,0.5]}`+"\n")
	mustOatta(t, console.Fine, args(order(t, nil))...)
	_, errOut := mustOatta(t, console.Nothing, args(order(t, func(o *population.Order) { o.Transitions[0] = []float64{.8, .2} }))...)
	if !strings.Contains(errOut, "population was ") || strings.Contains(errOut, "0.8") {
		t.Error(errOut)
	}
}

// A model brings its own; a flag leaves them out; a gate of the paper has no use for them, and the run's manifest says so.
func TestTransitionsOfModel(t *testing.T) {
	needEngine(t)
	net := cifarModel(t)
	m, err := models.Load(net)
	if err != nil {
		t.Fatal(err)
	}
	o := &population.Order{Version: 1, Classes: m.Manifest.Labels, Rhythm: 60, Streams: 12, Items: 900, Pairs: 880}
	for i := range o.Classes {
		row := make([]float64, len(o.Classes))
		for j := range row {
			row[j] = .02
		}
		row[i] = .82
		o.Transitions, o.Frequencies = append(o.Transitions, row), append(o.Frequencies, .1)
	}
	text, err := models.Calibrate([]byte(readFile(t, models.ManifestPath(net))), models.Calibration{Temperature: m.Manifest.Temperature, Transitions: o})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, models.ManifestPath(net), string(text))
	photos := pictures(t, 6)
	var results []string
	for _, tc := range []struct {
		args  []string
		used  bool
		there bool
		power float64
		note  string
	}{
		{nil, true, true, 1, "is not known in advance"},
		{[]string{"--rhythm", "30s"}, true, true, .5, ""},
		{[]string{"--gate", "off"}, false, true, 1, "the gate off learns its own alone"},
		{[]string{"--transitions", "none"}, false, false, 0, ""},
	} {
		out := filepath.Join(t.TempDir(), "out.jsonl")
		mustOatta(t, console.Fine, append([]string{"run", "images", photos, "--model", net, "-o", out, "--vectors"}, tc.args...)...)
		r, err := run.ReadManifest(out)
		if err != nil {
			t.Fatal(err)
		}
		got := r.Settings.Taught
		if (got != nil) != tc.there || r.Settings.Filter.Population != nil {
			t.Fatalf("%v: %+v", tc.args, got)
		}
		if got != nil && (got.Used != tc.used || got.Power != tc.power || !strings.Contains(got.Note, tc.note) || got.From != "manifest") {
			t.Errorf("%v: %+v", tc.args, got)
		}
		results = append(results, readFile(t, out))
	}
	if results[0] == results[3] || results[0] == results[1] {
		t.Error("the transitions change nothing")
	}
	file, out := filepath.Join(t.TempDir(), "order.json"), filepath.Join(t.TempDir(), "out.jsonl")
	writeFile(t, file, filtering.AsJSON(o))
	mustOatta(t, console.Fine, "run", "images", photos, "--model", "resnet20-cifar10", "-o", out, "--vectors", "--transitions", file)
	if readFile(t, out) != results[0] {
		t.Error("the same transitions from a file differ from those of a manifest")
	}
	if _, errOut := mustOatta(t, console.Nothing, "run", "images", photos, "--model", net, "--transitions", file, "--gate", "off"); !strings.Contains(errOut, "--transitions: the gate off") {
		t.Error(errOut)
	}
	if _, errOut := mustOatta(t, console.Nothing, "run", "images", photos, "--model", net, "--transitions", order(t, nil)); !strings.Contains(errOut, `only there: "fox"`) {
		t.Error(errOut)
	}
}
