package models

import (
	"bytes"
	"math"
	"strings"
	"testing"
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
	once, err := Calibrate([]byte(uncalibrated), 1.6017530197702752, []float64{.25, .75})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(uncalibrated, `"output": {"name": "temperature"},`,
		"\"output\": {\"name\": \"temperature\"},\n\t\"temperature\": 1.60175302,\n\t\"prior\": [0.25, 0.75],", 1)
	if string(once) != want {
		t.Errorf("got\n%s\nwant\n%s", once, want)
	}
	twice, err := Calibrate(once, 2, nil)
	if want := strings.Replace(want, "1.60175302", "2", 1); err != nil || string(twice) != want {
		t.Errorf("got\n%s\nwant\n%s, %v", twice, want, err)
	}
	back, err := Calibrate(twice, 1.6017530197702752, []float64{.25, .75})
	if err != nil || !bytes.Equal(back, once) {
		t.Errorf("got\n%s\nwant\n%s, %v", back, once, err)
	}
	tight := strings.NewReplacer("\n\t", "", "\n", "", `: `, `:`, `, `, `,`).Replace(uncalibrated)
	got, err := Calibrate([]byte(tight), 3, nil)
	if err != nil || !strings.Contains(string(got), `{"name":"temperature"},"temperature":3,"notes"`) {
		t.Errorf("%s: %v", got, err)
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
		if out, err := Calibrate([]byte(tc.text), tc.temperature, tc.prior); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%g %v: %s %v, want %s", tc.temperature, tc.prior, out, err, tc.want)
		}
	}
}

// Whatever the text, the result reads back as asked, or there is an error.
func FuzzCalibrate(f *testing.F) {
	f.Add([]byte(uncalibrated))
	f.Add([]byte(`{"oatta_manifest":1,"na\u006de":"x","output":{"name":"y"} , "prior" : [0.5,0.5],"labels":["a","b"],"input":{"name":"x","height":1,"width":1,"mean":[0,0,0],"std":[1,1,1]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := Calibrate(text, 2.5, []float64{.25, .75})
		if err != nil {
			return
		}
		m, err := ReadManifest(bytes.NewReader(out))
		if err != nil || m.Temperature != 2.5 || m.Prior[0] != .25 {
			t.Fatalf("%s: %v", out, err)
		}
	})
}
