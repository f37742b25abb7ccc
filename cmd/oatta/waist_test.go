package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/run"
)

// sampleWalk is five minutes of somebody with a phone at the waist.
const sampleWalk = "../../datasets/samples/walk.csv.gz"

// wantRaw and wantAdapted are the accuracies of the embedded network on it, of 168 windows.
const wantRaw, wantAdapted = 165.0 / 168, 168.0 / 168

// The sample is told by itself. What the network was made for is told once, where nobody chose it, and nothing else.
func TestMotionByItself(t *testing.T) {
	needEngine(t)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	_, text := mustOatta(t, console.Fine, "run", "motion", sampleWalk, "-o", out)
	notes := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "oatta: ") {
			notes++
		}
	}
	if !strings.Contains(text, "model har-waist: made for a phone at the waist") || !strings.Contains(text, "-m names a model for a wrist") || notes != 1 {
		t.Errorf("%s", text)
	}
	m, err := run.ReadManifest(out)
	if err != nil || m.Settings.Model.Name != "har-waist" || m.Settings.Model.License != "CC-BY-4.0" || len(m.Warnings) != 0 || m.Settings.Items != 233 {
		t.Errorf("%+v, %v, %q", m.Settings.Model, err, m.Warnings)
	}
	for _, args := range [][]string{{"-m", "har-waist"}, {"-q"}} {
		if _, text := mustOatta(t, console.Fine, append([]string{"run", "motion", sampleWalk}, args...)...); strings.Contains(text, "made for") {
			t.Errorf("%q: %s", args, text)
		}
	}
	if _, text := mustOatta(t, console.Fine, "eval", "motion", sampleWalk); !strings.Contains(text, "made for a phone at the waist") {
		t.Errorf("eval: %s", text)
	}
}

// How good the embedded network is on the sample is fixed.
func TestMotionOfSample(t *testing.T) {
	needEngine(t)
	s := evaluated(t, "motion", sampleWalk, "--format", "json", "-q")
	if s.Raw.Items != 168 || math.Abs(s.Raw.Accuracy-wantRaw) > 1e-9 || math.Abs(s.Adapted.Accuracy-wantAdapted) > 1e-9 {
		t.Errorf("%d windows, %v raw, %v adapted", s.Raw.Items, s.Raw.Accuracy, s.Adapted.Accuracy)
	}
	for _, name := range []string{"mc-dropout", "ttaug", "tent", "memo"} {
		if s := evaluated(t, "motion", sampleWalk, "--method", name, "--format", "json", "-q"); s.Raw.Accuracy < wantRaw-0.03 {
			t.Errorf("%s: %v raw", name, s.Raw.Accuracy)
		}
	}
}

// Recordings that the network was not made for are told of.
func TestMotionThatDoesNotFitTheWaist(t *testing.T) {
	needEngine(t)
	for name, test := range map[string]struct {
		rate, unit float64
		gravity    [3]float64
		header     string
		want       string
	}{
		"20 Hz":           {20, 1, [3]float64{1, 0, 0}, "x,y,z", "20 Hz, the network takes 50"},
		"m/s2 without it": {50, 9.81, [3]float64{1, 0, 0}, "x,y,z", "the unit may be m/s2: --unit m/s2"},
		"mg, said to be":  {50, 1000, [3]float64{1, 0, 0}, "x [m/s2],y [m/s2],z [m/s2]", "the unit is another (--unit), or gravity was taken out"},
		"no gravity":      {50, 9.81, [3]float64{}, "x [m/s2],y [m/s2],z [m/s2]", "gravity was taken out"},
		"a wrist":         {50, 1, [3]float64{-0.2, 0.9, 0.4}, "x,y,z", "gravity lies along y, in the network's training along x"},
		"as it should be": {50, 9.81, [3]float64{1, 0, 0}, "x [m/s2],y [m/s2],z [m/s2]", ""},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "time,%s\n", test.header)
		for i := range int(30 * test.rate) {
			s := 0.2 * math.Sin(2*math.Pi*1.9*float64(i)/test.rate)
			fmt.Fprintf(&b, "%.3f,%.4f,%.4f,%.4f\n", float64(i)/test.rate, test.unit*(test.gravity[0]+s), test.unit*(test.gravity[1]+s/3), test.unit*(test.gravity[2]-s/3))
		}
		path := filepath.Join(t.TempDir(), "a.csv")
		writeFile(t, path, b.String())
		_, text := mustOatta(t, console.Fine, "run", "motion", path, "-o", filepath.Join(t.TempDir(), "out.csv"))
		told := strings.ReplaceAll(text, "made for a phone", "")
		if test.want == "" && strings.Contains(told, "a.csv:") || !strings.Contains(told, test.want) {
			t.Errorf("%s: %s\nwant %q", name, text, test.want)
		}
	}
}

// The list and the page say what it is, of which data, and what it is not for.
func TestModelsTellOfTheWaist(t *testing.T) {
	list, _ := mustOatta(t, console.Fine, "models", "list")
	card, _ := mustOatta(t, console.Fine, "models", "inspect", "har-waist")
	for text, wants := range map[string][]string{
		list: {"har-waist ", "x, y, z at 50 Hz", "CC-BY-4.0; right: "},
		card: {"windows     128 samples at 50 Hz in g, one every 64", "# har-waist", "Reyes-Ortiz", "CC BY 4.0", "**Not for** a wrist"},
	} {
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
}
