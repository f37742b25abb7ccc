package models

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt/population"
)

const uncalibrated = `{
	"oatta_manifest": 1,
	"name": "two",
	"labels": ["prior", "b"],
	"input": {"name": "x", "height": 2, "width": 2, "mean": [0.50, 0, 0], "std": [1, 1, 1]},
	"output": {"name": "temperature"},
	"notes": "\"prior\": [1]"
}
`

func TestCalibrate(t *testing.T) {
	once, err := Calibrate([]byte(uncalibrated), Calibration{Temperature: 1.6017530197702752, Prior: []float64{.25, .75}})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(uncalibrated, `"output": {"name": "temperature"},`,
		"\"output\": {\"name\": \"temperature\"},\n\t\"temperature\": 1.60175302,\n\t\"prior\": [0.25, 0.75],", 1)
	if string(once) != want {
		t.Errorf("got\n%s\nwant\n%s", once, want)
	}
	twice, err := Calibrate(once, Calibration{Temperature: 2})
	if want := strings.Replace(want, "1.60175302", "2", 1); err != nil || string(twice) != want {
		t.Errorf("got\n%s\nwant\n%s, %v", twice, want, err)
	}
	back, err := Calibrate(twice, Calibration{Temperature: 1.6017530197702752, Prior: []float64{.25, .75}})
	if err != nil || !bytes.Equal(back, once) {
		t.Errorf("got\n%s\nwant\n%s, %v", back, once, err)
	}
	tight := strings.NewReplacer("\n\t", "", "\n", "", `: `, `:`, `, `, `,`).Replace(uncalibrated)
	got, err := Calibrate([]byte(tight), Calibration{Temperature: 3})
	if err != nil || !strings.Contains(string(got), `{"name":"temperature"},"temperature":3,"notes"`) {
		t.Errorf("%s: %v", got, err)
	}
}

// two is an order of the classes of the manifest, which has them the other way round.
func two() *population.Order {
	return &population.Order{
		Version: 1, Classes: []string{"b", "prior"}, Transitions: [][]float64{{.9, .1}, {.2, .8}}, Frequencies: []float64{.6, .4},
		Rhythm: 30, Streams: 12, Items: 900, Pairs: 880,
	}
}

func TestCalibrateTransitions(t *testing.T) {
	once, err := Calibrate([]byte(uncalibrated), Calibration{Temperature: 2, Transitions: two()})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := ReadManifest(bytes.NewReader(once)); err != nil || !reflect.DeepEqual(m.Transitions, two()) {
		t.Errorf("%+v, %v\n%s", m.Transitions, err, once)
	}
	kept, err := Calibrate(once, Calibration{Temperature: 3})
	if want := strings.Replace(string(once), `"temperature": 2,`, `"temperature": 3,`, 1); err != nil || string(kept) != want {
		t.Errorf("got\n%s\nwant\n%s, %v", kept, want, err)
	}
	other := two()
	other.Transitions[0] = []float64{.5, .5}
	replaced, err := Calibrate(once, Calibration{Temperature: 2, Transitions: other})
	if want := strings.Replace(string(once), "[[0.9,0.1]", "[[0.5,0.5]", 1); err != nil || string(replaced) != want {
		t.Errorf("got\n%s\nwant\n%s, %v", replaced, want, err)
	}
	for _, tc := range []struct{ from, to, want string }{
		{`["b",`, `["c",`, `only there: "c"; only here: "b"`},
		{"[0.9,", "[0.8,", "transitions[0]: sums to 0.9"},
		{`"streams":12`, `"people":12`, `unknown field "transitions.people"`},
		{`"oatta_transitions":1`, `"oatta_transitions":2`, "version 2"},
	} {
		if _, err := read(strings.Replace(string(once), tc.from, tc.to, 1)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.to, err, tc.want)
		}
	}
	other.Classes[0] = "c"
	if _, err := Calibrate(once, Calibration{Temperature: 2, Transitions: other}); err == nil || !strings.Contains(err.Error(), `only there: "c"`) {
		t.Error(err)
	}
}

func TestCalibrateRefuses(t *testing.T) {
	for _, tc := range []struct {
		text        string
		temperature float64
		prior       []float64
		want        string
	}{
		{"{", 1, nil, "ends too early"},
		{uncalibrated, math.NaN(), nil, "invalid character 'N'"},
		{uncalibrated, -1, nil, "temperature: -1"},
		{uncalibrated, 1, []float64{1}, "1 values for 2 labels"},
		{uncalibrated, 1, []float64{.5, .6}, "sums to 1.1"},
	} {
		if out, err := Calibrate([]byte(tc.text), Calibration{Temperature: tc.temperature, Prior: tc.prior}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%g %v: %s %v, want %s", tc.temperature, tc.prior, out, err, tc.want)
		}
	}
}

// Whatever the text, the result reads back as asked, or there is an error.
func FuzzCalibrate(f *testing.F) {
	f.Add([]byte(uncalibrated))
	f.Add([]byte(`{"oatta_manifest":1,"na\u006de":"x","output":{"name":"y"} , "prior" : [0.5,0.5],"labels":["a","b"],"input":{"name":"x","height":1,"width":1,"mean":[0,0,0],"std":[1,1,1]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := Calibrate(text, Calibration{Temperature: 2.5, Prior: []float64{.25, .75}})
		if err != nil {
			return
		}
		m, err := ReadManifest(bytes.NewReader(out))
		if err != nil || m.Temperature != 2.5 || m.Prior[0] != .25 {
			t.Fatalf("%s: %v", out, err)
		}
	})
}
