package main

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/run"
	"github.com/oatta/oatta/internal/testdata"
)

const sampleNight = "../../datasets/samples/night.edf"

// The sample of a night is staged by itself: what chose the model and what it cannot do are told once, and stand in the manifest.
func TestSleepByItself(t *testing.T) {
	needEngine(t)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	_, text := mustOatta(t, console.Fine, "run", "sleep", sampleNight, "-o", out)
	for _, want := range []string{
		"model yasa-eeg-eog: it takes an EEG and an EOG; no EMG: none by a name that is known in night.edf (--emg names one)",
		`"EEG Fpz-Cz", in night.edf, is another derivation`, "80 epochs in 1 stream: 0 failed",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is not told once in:\n%s", want, text)
		}
	}
	m, err := run.ReadManifest(out)
	if err != nil || m.Settings.Model.Name != "yasa-eeg-eog" || len(m.Warnings) != 1 {
		t.Errorf("%+v, %v, %q", m.Settings.Model, err, m.Warnings)
	}
	var prepared struct {
		Features string
		Roles    []string
		Taken    []struct{ Channel, Signal string }
	}
	if err := json.Unmarshal(m.Settings.Prepare, &prepared); err != nil || prepared.Features != "yasa-0.8.1" || len(prepared.Roles) != 2 || len(prepared.Taken) != 2 || prepared.Taken[1].Signal != "EOG horizontal" {
		t.Errorf("%v, %s", err, m.Settings.Prepare)
	}
	_, text = mustOatta(t, console.Fine, "run", "sleep", sampleNight, "-m", "yasa-eeg", "--causal", "-o", filepath.Join(t.TempDir(), "out.csv"))
	if !strings.Contains(text, "yasa-eeg itself looks ahead") || strings.Contains(text, "it takes") {
		t.Errorf("causal: %s", text)
	}
	s := evaluated(t, "sleep", sampleNight, "--format", "json", "-q")
	if s.Raw.Items != 80 || s.Raw.Accuracy != 0.7 {
		t.Errorf("%+v", s.Raw)
	}
}

// The predictors that change a network are refused, with the way out; views of the recording are merged.
func TestMethodsOfTrees(t *testing.T) {
	needEngine(t)
	for _, name := range []string{"tent", "memo", "mc-dropout"} {
		if _, text := mustOatta(t, console.Nothing, "run", "sleep", sampleNight, "--method", name, "-q"); !strings.Contains(text, "is of decision trees") || !strings.Contains(text, "ttaug merges views") {
			t.Errorf("%s: %s", name, text)
		}
	}
	plain, _ := mustOatta(t, console.Fine, "run", "sleep", sampleNight, "-q")
	merged, _ := mustOatta(t, console.Fine, "run", "sleep", sampleNight, "-q", "--method", "ttaug", "--views", "2")
	changed := 0
	for i, l := range parseLines(t, merged) {
		if l.Prob != parseLines(t, plain)[i].Prob {
			changed++
		}
	}
	if changed < 70 {
		t.Errorf("views changed %d of 80 probabilities", changed)
	}
}

// Recordings that features cannot be taken of, or not well, beside a good one.
func TestBadSleepForFeatures(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	samples := make([]int, 100*360)
	for i := range samples {
		samples[i] = i * i % 977
	}
	loose := slices.Clone(samples)
	clear(loose[100*180:])
	for name, text := range map[string]string{
		"good.edf": recordingOf("C4-M1", "uV", samples), "short.edf": recordingOf("C4-M1", "uV", samples[:100*299]), "other.edf": recordingOf("Leg", "uV", samples),
		"unit.edf": recordingOf("C4-M1", ".V", samples), "loose.edf": recordingOf("C4-M1", "uV", loose), "flat.edf": recordingOf("C4-M1", "uV", make([]int, 100*360)),
		"slow.edf": strings.Replace(recordingOf("C4-M1", "uV", samples), fmt.Sprintf("%-8d%-8d%-4d", 360, 1, 1), fmt.Sprintf("%-8d%-8d%-4d", 360, 2, 1), 1),
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	out, text := mustOatta(t, console.Partial, "run", "sleep", dir)
	failures := map[string]string{}
	for _, l := range parseLines(t, out) {
		if l.Failure != "" {
			failures[l.File] = l.Failure
		}
	}
	for name, want := range map[string]string{
		"short.edf": "5.0 minutes: the features are means over minutes", "other.edf": `no EEG by a name that is known among "Leg"; --eeg names it`,
		"slow.edf": `channel "C4-M1": 50 Hz: the features are of up to 30 Hz, want over 80`,
	} {
		if !strings.Contains(failures[name], want) {
			t.Errorf("%s: failure %q, want %q in it", name, failures[name], want)
		}
	}
	if len(failures) != 3 {
		t.Errorf("failures %q", failures)
	}
	for _, want := range []string{
		"model yasa-eeg: it takes an EEG; no EOG: none by a name that is known in", `channel "C4-M1": unit ".V" is no voltage`,
		`channel "C4-M1": no signal (it does not move) in 18 of 24 epochs of 2 recordings, first in flat.edf`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not told in:\n%s", want, text)
		}
	}
}

// From the file of a whole day, every stage is YASA's, and every probability but at the ends, where a zero crossing is chance.
func TestStagesAreYASAs(t *testing.T) {
	needEngine(t)
	recording := testdata.Asset(t, "sleep-psg", "SC4001E0-PSG.edf")
	testdata.Shared(t, "reference", "yasa", "index.json")
	for _, channels := range []string{"eeg", "eeg_eog", "eeg_emg", "eeg_eog_emg"} {
		t.Run(channels, func(t *testing.T) {
			want := goldenProbabilities(t, channels) // W N1 N2 N3 R of each epoch
			out, _ := mustOatta(t, console.Fine, "run", "sleep", recording, "-m", "yasa-"+strings.ReplaceAll(channels, "_", "-"), "--vectors", "--gate", "off", "--causal", "-q")
			lines := parseLines(t, out)
			if len(lines) != 2650 || len(want) != 5*2650 {
				t.Fatalf("%d epochs, %d values", len(lines), len(want))
			}
			worst := 0.0
			for i, l := range lines {
				w := want[5*i : 5*i+5]
				best := slices.Index(w, slices.Max(w))
				if stage := []string{"W", "N1", "N2", "N3", "R"}[best]; l.Label != stage {
					t.Errorf("epoch %d: %s, want %s", i, l.Label, stage)
				}
				for k, p := range l.Probs { // N1 N2 N3 R W
					e := math.Abs(p - w[(k+1)%5])
					if i < 8 || i >= len(lines)-8 {
						e /= 100
					}
					worst = max(worst, e)
				}
			}
			if !(worst < 1e-3) {
				t.Errorf("probabilities within %.2g", worst)
			}
			t.Logf("probabilities within %.2g", worst)
		})
	}
}

// The table of docs/sleep.md, of which these rows are also what YASA's own stages give.
func TestScoresOfTheNight(t *testing.T) {
	needEngine(t)
	recording, scores := testdata.Asset(t, "sleep-psg", "SC4001E0-PSG.edf"), testdata.Shared(t, "data", "edf", "SC4001EC-Hypnogram.edf")
	for model, right := range map[string]float64{"yasa-eeg": 585, "yasa-eeg-eog": 660} {
		s := evaluated(t, "sleep", recording, "--hypnogram", scores, "-m", model, "--format", "json", "-q")
		if s.Raw.Items != 841 || math.Round(841*s.Raw.Accuracy) != right {
			t.Errorf("%s: %g of %d, want %g of 841", model, s.Raw.Accuracy*float64(s.Raw.Items), s.Raw.Items, right)
		}
	}
}

func goldenProbabilities(t *testing.T, channels string) (out []float64) {
	t.Helper()
	f, err := os.Open(testdata.Shared(t, "reference", "yasa", "probabilities_"+channels+".f32.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, 5*2650)
	if err := binary.Read(z, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		out = append(out, float64(v))
	}
	return out
}
