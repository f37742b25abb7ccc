package models

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/oatta/oatta/runtime"
)

const sleepManifest = `{"oatta_manifest": 1, "name": "cnn1d", "task": "signal-classification", "labels": ["W", "N1"],
"signal": {"name": "x", "modality": "sleep", "channels": ["EEG Fpz-Cz|C4-M1"], "rate": 100, "samples": 3000, "low": 0.3, "high": 35, "standardise": "recording"},
"output": {"name": "logits"}}`

const textManifest = `{"oatta_manifest": 1, "name": "minilm", "task": "text-classification", "labels": ["negative", "positive"],
"text": {"ids": "input_ids", "mask": "attention_mask", "types": "token_type_ids", "max_tokens": 128, "transforms": ["cardiffnlp"]},
"output": {"name": "logits"}}`

func TestSignalAndTextManifests(t *testing.T) {
	for name, text := range map[string]string{"sleep": sleepManifest, "text": textManifest} {
		t.Run(name, func(t *testing.T) {
			m, err := ReadManifest(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			var first, second bytes.Buffer
			if err := m.Write(&first); err != nil {
				t.Fatal(err)
			}
			again, err := ReadManifest(bytes.NewReader(first.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Write(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) || !reflect.DeepEqual(m, again) {
				t.Errorf("%v; written and read again:\n%s\n%s", err, &first, &second)
			}
			if strings.Contains(first.String(), `"input"`) {
				t.Errorf("a section of pictures came into being:\n%s", &first)
			}
		})
	}
	m, err := ReadManifest(strings.NewReader(sleepManifest))
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Signal; s.Hop != 3000 || s.Unit != "uV" || s.Order != 4 {
		t.Errorf("defaults: hop %d, unit %q, order %d, want 3000, uV, 4", s.Hop, s.Unit, s.Order)
	}
}

func TestSignalAndTextManifestErrors(t *testing.T) {
	for _, test := range []struct{ text, old, new, want string }{
		{sleepManifest, `"task": "signal-classification", `, ``, "signal: is of the task signal-classification, the manifest's task is image-classification"},
		{sleepManifest, `"signal-classification"`, `"text-classification"`, "signal: is of the task"},
		{sleepManifest, `"signal-classification"`, `"audio"`, `task: "audio", want`},
		{sleepManifest, `"labels"`, `"input": {"name": "y"}, "labels"`, "input: is of the task"},
		{sleepManifest, `"sleep"`, `"dance"`, `signal.modality: "dance"`},
		{sleepManifest, `["EEG Fpz-Cz|C4-M1"]`, `[]`, "signal.channels: 0 names"},
		{sleepManifest, `["EEG Fpz-Cz|C4-M1"]`, `["a", "a"]`, `signal.channels[1]: "a" occurs twice`},
		{sleepManifest, `["EEG Fpz-Cz|C4-M1"]`, `["a", " "]`, `signal.channels[1]`},
		{sleepManifest, `"rate": 100`, `"rate": 0`, "signal.rate"},
		{sleepManifest, `"rate": 100`, `"rate": 128`, "want the 30 of an epoch"},
		{sleepManifest, `"samples": 3000`, `"samples": 3000, "hop": 1500`, "epochs do not overlap"},
		{sleepManifest, `"high": 35`, `"high": 51`, "not beyond half the rate"},
		{sleepManifest, `"high": 35`, `"high": 0.2`, "signal.low: 0.3 Hz, want below"},
		{sleepManifest, `"recording"`, `"numbers"`, "want 1 with standardise"},
		{sleepManifest, `"standardise": "recording"`, `"standardise": "numbers", "mean": [0], "std": [0]`, "signal.std[0]"},
		{sleepManifest, `"low"`, `"lo"`, `unknown field "signal.lo"`},
		{textManifest, `"ids": "input_ids", `, ``, "text.ids: missing"},
		{textManifest, `"mask": "attention_mask"`, `"mask": "input_ids"`, "want different inputs"},
		{textManifest, `"max_tokens": 128`, `"max_tokens": 2`, "text.max_tokens: 2"},
		{textManifest, `"max_tokens"`, `"tokenizer": "../x", "max_tokens"`, "not a path below"},
	} {
		text := strings.Replace(test.text, test.old, test.new, 1)
		if text == test.text {
			t.Fatalf("%q is not in the manifest", test.old)
		}
		if _, err := ReadManifest(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s for %s: %v, want %q", test.new, test.old, err, test.want)
		}
	}
}

func TestMatchSignalsAndTexts(t *testing.T) {
	sleep, err := ReadManifest(strings.NewReader(sleepManifest))
	if err != nil {
		t.Fatal(err)
	}
	text, err := ReadManifest(strings.NewReader(textManifest))
	if err != nil {
		t.Fatal(err)
	}
	port := func(name string, t runtime.DType, shape ...int64) runtime.Port {
		return runtime.Port{Name: name, Type: t, Shape: shape}
	}
	out := []runtime.Port{port("logits", runtime.Float32, -1, 2)}
	tokens := []runtime.Port{port("input_ids", runtime.Int64, -1, -1), port("attention_mask", runtime.Int64, -1, -1), port("token_type_ids", runtime.Int64, -1, -1)}
	for _, test := range []struct {
		m    Manifest
		in   []runtime.Port
		want string // "" fits
	}{
		{sleep, []runtime.Port{port("x", runtime.Float32, -1, 1, 3000)}, ""},
		{sleep, []runtime.Port{port("x", runtime.Float32, -1, 1, -1)}, ""},
		{sleep, []runtime.Port{port("x", runtime.Float32, -1, 2, 3000)}, "1 channels of 3000 samples"},
		{sleep, []runtime.Port{port("x", runtime.Float32, -1, 1, 1, 3000)}, "1 channels of 3000 samples"},
		{sleep, []runtime.Port{port("x", runtime.Int64, -1, 1, 3000)}, "want float32"},
		{text, tokens, ""},
		{text, tokens[:2], `input is "token_type_ids"`},
		{text, append([]runtime.Port{port("pos", runtime.Int64, -1, -1)}, tokens...), "the model has 4 inputs"},
		{text, []runtime.Port{tokens[0], port("attention_mask", runtime.Float32, -1, -1), tokens[2]}, "want int64"},
		{text, []runtime.Port{port("input_ids", runtime.Int64, -1, 8, 8), tokens[1], tokens[2]}, "want int64 [N, length]"},
	} {
		_, _, err := test.m.Match(test.in, out)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s on %v: %v, want %q", test.m.Name, test.in, err, test.want)
		}
	}
}
