package models

import (
	"strings"
	"testing"

	"github.com/oatta/oatta/runtime"
)

const featureManifest = `{"oatta_manifest": 1, "name": "trees", "task": "signal-classification", "labels": ["W", "N1"],
"signal": {"name": "x", "modality": "sleep", "channels": ["C4-M1", "EOG"], "rate": 100, "samples": 3000, "features": "yasa-0.8.1", "roles": ["eeg", "eog"]},
"output": {"name": "probabilities", "kind": "probabilities"}}`

// A manifest of features is read, written, and held against the graph's input.
func TestFeatureManifest(t *testing.T) {
	m, err := ReadManifest(strings.NewReader(featureManifest))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := m.Write(&text); err != nil || strings.Contains(text.String(), `"order"`) {
		t.Errorf("%v\n%s", err, &text)
	}
	if again, err := ReadManifest(strings.NewReader(text.String())); err != nil || again.Signal.Shape()[0] != 116 || len(again.Shape()) != 1 {
		t.Errorf("%+v, %v", again.Signal, err)
	}
	if set := m.Signal.Epochs(); set.Validate() != nil || set.Features != "yasa-0.8.1" {
		t.Errorf("%+v: %v", set, set.Validate())
	}
	out := []runtime.Port{{Name: "probabilities", Type: runtime.Float32, Shape: []int64{-1, 2}}}
	if _, _, err := m.Match([]runtime.Port{{Name: "x", Type: runtime.Float32, Shape: []int64{-1, 116}}}, out); err != nil {
		t.Error(err)
	}
	_, _, err = m.Match([]runtime.Port{{Name: "x", Type: runtime.Float32, Shape: []int64{-1, 65}}}, out)
	if err == nil || !strings.Contains(err.Error(), "the manifest's yasa-0.8.1 of eeg, eog has 116 features") {
		t.Errorf("%v", err)
	}
}

func TestFeatureManifestErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"yasa-0.8.1"`, `"yasa-9"`, `signal.features: "yasa-9"`},
		{`"features": "yasa-0.8.1", `, ``, "signal.roles:"},
		{`"sleep"`, `"motion"`, "signal.features: yasa-0.8.1 is of sleep"},
		{`"rate"`, `"high": 30, "rate"`, "has a band of its own"},
		{`"rate"`, `"standardise": "recording", "rate"`, "is not standardised"},
		{`"rate"`, `"causal": true, "rate"`, "signal.causal: yasa-0.8.1 takes what follows an epoch"},
		{`["eeg", "eog"]`, `["eeg"]`, "signal.roles: 1 for 2 channels"},
		{`["eeg", "eog"]`, `["eog", "eeg"]`, `signal.roles ["eog" "eeg"]`},
	} {
		text := strings.Replace(featureManifest, c.old, c.new, 1)
		if _, err := ReadManifest(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %q", c.new, c.old, err, c.want)
		}
	}
}
