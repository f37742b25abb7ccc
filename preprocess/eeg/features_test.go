package eeg

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/preprocess/eeg/yasa"
)

// busy is n samples that never rest.
func busy(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 40*math.Sin(float64(i)*0.13) + 15*math.Sin(float64(i*i%977))
	}
	return x
}

const twelve = 12 * 3000 // samples of twelve epochs at 100 Hz

func channelOf(label string, rate float64, samples []float64) Channel {
	return Channel{Label: label, Unit: "uV", Rate: rate, Step: 0.1, Min: -200, Max: 200, Pieces: []Piece{{0, samples}}}
}

func featuresOf(channels ...string) Settings {
	return Settings{Channels: channels, Rate: 100, Features: YASA, Roles: []string{EEG, EOG, EMG}[:len(channels)]}
}

// Rows are those of package yasa, from the offset on, but normalised by all of the recording.
func TestFeatures(t *testing.T) {
	eeg := busy(twelve)
	volts := slices.Clone(eeg)
	for i := range volts {
		volts[i] /= 1e6
	}
	r := recording{channelOf("C4-M1", 100, volts), channelOf("LOC", 100, busy(twelve))}
	r[0].Unit = "V"
	want, err := yasa.Features(yasa.Channels{EEG: eeg, EOG: busy(twelve)}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []int{0, 3} {
		e, err := Prepare(r, 30*float64(first), featuresOf("C4-M1", "LOC"))
		if err != nil {
			t.Fatal(err)
		}
		if e.Count != 12-first || !slices.Equal(e.Features, want.Names) || len(e.Warnings) > 0 || slices.Contains(e.Gap, true) {
			t.Fatalf("%d epochs of %d features, warnings %q", e.Count, len(e.Features), e.Warnings)
		}
		row := e.Tensor(2)
		for i, v := range want.Row(first + 2) {
			if got := row.Data.([]float32)[i]; math.Abs(float64(got-v)) > 1e-3*math.Abs(float64(v))+1e-4 {
				t.Errorf("epoch %d, %s: %g, want %g", first+2, want.Names[i], got, v)
			}
		}
		if !slices.Equal(row.Shape, []int64{1, 116}) {
			t.Errorf("shape %v", row.Shape)
		}
	}
	// Epochs that begin within those of the recording.
	if e, err := Prepare(r, 12, featuresOf("C4-M1")); err != nil || e.Count != 11 || e.Gap[10] {
		t.Errorf("from second 12: %v, %+v", err, e)
	}
}

// Gaps, values that are none, channels that do not move, and rates.
func TestFeaturesOfFaultyRecordings(t *testing.T) {
	torn := channelOf("torn", 100, busy(7*3000+100))
	torn.Pieces = append(torn.Pieces, Piece{9 * 30, busy(twelve)})
	nan := channelOf("nan", 100, busy(twelve))
	nan.Pieces[0].Samples[4*3000+5] = math.NaN()
	odd := channelOf("odd", 100, busy(twelve))
	odd.Unit = "furlong"
	r := recording{
		torn, nan, odd, channelOf("flat", 100, make([]float64, twelve)), channelOf("slow", 1, busy(360)), channelOf("EEG 80", 80, busy(twelve)),
		channelOf("short", 100, busy(9*3000+2999)), channelOf("still", 0, nil),
	}
	for _, c := range []struct {
		channels []string
		gaps     []int
		count    int
		warning  string
		err      string
	}{
		{[]string{"torn"}, []int{7, 8}, 21, "", ""},
		{[]string{"nan"}, []int{4}, 12, "", ""},
		{[]string{"nan", "torn"}, []int{4, 7, 8, 12, 13, 14, 15, 16, 17, 18, 19, 20}, 21, "", "9 epochs without a gap in any channel"},
		{[]string{"odd"}, nil, 12, `unit "furlong" is no voltage`, ""},
		{[]string{"nan", "slow"}, []int{4}, 12, `channel "slow": 1 Hz: it has nothing above 0.5 Hz`, ""},
		{[]string{"flat"}, nil, 12, "", ""},
		{[]string{"EEG 80"}, nil, 0, "", `channel "EEG 80": 80 Hz: the features are of up to 30 Hz, want over 80`},
		{[]string{"short"}, nil, 0, "", "4.5 minutes: the features are means over minutes, want 5 at the least"},
		{[]string{"nan", "still"}, nil, 0, "", `channel "still": rate 0 Hz`},
		{[]string{"none"}, nil, 0, "", "not among"},
	} {
		e, err := Prepare(r, 0, featuresOf(c.channels...))
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: error %v, want %q", c.channels, err, c.err)
		}
		if err != nil {
			continue
		}
		var gaps []int
		for i, gap := range e.Gap {
			if gap {
				gaps = append(gaps, i)
			}
		}
		if !slices.Equal(gaps, c.gaps) || e.Count != c.count || (len(e.Warnings) == 0) != (c.warning == "") || !strings.Contains(strings.Join(e.Warnings, "\n"), c.warning) {
			t.Errorf("%v: gaps %v of %d, warnings %q", c.channels, gaps, e.Count, e.Warnings)
		}
		if flat := c.channels[0] == "flat"; flat != (len(e.Faults) == 1 && len(e.Faults[0].Flat) == 12) {
			t.Errorf("%v: faults %+v", c.channels, e.Faults)
		}
	}
	for _, offset := range []float64{math.NaN(), -1} {
		if _, err := Prepare(r, offset, featuresOf("nan")); err == nil {
			t.Errorf("no error from second %g", offset)
		}
	}
	if _, err := Prepare(r, 1e300, featuresOf("nan")); err == nil || !strings.Contains(err.Error(), "no whole epoch") {
		t.Errorf("beyond the end: %v", err)
	}
}

// A view changes the recording: its gain the scale, its shift the place, its noise the rest; the zero view nothing.
func TestFeatureViews(t *testing.T) {
	r, set := recording{channelOf("C4", 100, busy(twelve))}, featuresOf("C4")
	plain, err := Prepare(r, 0, set)
	if err != nil {
		t.Fatal(err)
	}
	std := slices.Index(plain.Features, "eeg_std")
	cell := func(v View, epoch int) (float64, *Epochs) {
		e, err := PrepareView(r, 0, set, v)
		if err != nil {
			t.Fatal(err)
		}
		return float64(e.Data[epoch*e.Samples+std]), e
	}
	want, _ := cell(View{}, 3)
	if got, _ := cell(View{Gain: 0.5}, 3); math.Abs(got-1.5*want) > 1e-3 {
		t.Errorf("half as much more: %g, want %g", got, 1.5*want)
	}
	if got, _ := cell(View{Jitter: 0.5, Seed: 1}, 3); !(got > want) {
		t.Errorf("with noise: %g, want over %g", got, want)
	}
	one, _ := cell(View{Jitter: 0.5, Seed: 1}, 3)
	if same, _ := cell(View{Jitter: 0.5, Seed: 1}, 3); same != one {
		t.Errorf("the same seed: %g and %g", one, same)
	}
	if other, _ := cell(View{Jitter: 0.5, Seed: 2}, 3); other == one {
		t.Errorf("another seed: %g", other)
	}
	next, _ := cell(View{}, 4)
	if got, e := cell(View{Shift: 30}, 3); got != next || !e.Gap[11] || e.Gap[0] {
		t.Errorf("an epoch later: %g, want %g; gaps %v", got, next, e.Gap)
	}
	if _, e := cell(View{Shift: -1}, 3); !e.Gap[0] || e.Count != 12 {
		t.Errorf("earlier: gaps %v", e.Gap)
	}
}

func TestFeatureSettings(t *testing.T) {
	for name, change := range map[string]func(*Settings){
		"unknown":  func(s *Settings) { s.Features = "yasa-0.1" },
		"roles":    func(s *Settings) { s.Roles = nil },
		"order":    func(s *Settings) { s.Roles = []string{EOG, EEG} },
		"twice":    func(s *Settings) { s.Channels, s.Roles = []string{"a", "b", "c"}, []string{EEG, EMG, EMG} },
		"first":    func(s *Settings) { s.Channels, s.Roles = []string{"a"}, []string{EMG} },
		"stranger": func(s *Settings) { s.Roles[1] = "ecg" },
		"band":     func(s *Settings) { s.Band.High = 35 },
		"scale":    func(s *Settings) { s.Standardise = true },
		"length":   func(s *Settings) { s.EpochSeconds = 20 },
		"alone":    func(s *Settings) { s.Features = "" },
	} {
		s := featuresOf("a", "b")
		change(&s)
		if err := s.Validate(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, roles := range [][]string{{EEG}, {EEG, EOG}, {EEG, EMG}, {EEG, EOG, EMG}} {
		if err := CheckRoles(roles); err != nil {
			t.Error(err)
		}
	}
}

func TestFindRole(t *testing.T) {
	labels := []string{"EEG Fpz-Cz", "EEG Pz-Oz", "EOG horizontal", "Leg"}
	if c, err := FindRole(labels, "C4-M1|Fpz-Cz", EEG); err != nil || c.Signal != 0 || c.Name != "Fpz-Cz" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := FindRole(labels, "Chin|EMG", EMG); err == nil || err.Error() != `no EMG by a name that is known among "EEG Fpz-Cz", "EEG Pz-Oz", "EOG horizontal", "Leg"` {
		t.Errorf("%v", err)
	}
	if _, err := FindRole(labels, "Chin", EMG); err == nil || !strings.HasPrefix(err.Error(), `channel "Chin": not among`) {
		t.Errorf("%v", err)
	}
	if got := Rivals(labels, "C4-M1|Fpz-Cz", EEG); !slices.Equal(got, labels[:2]) {
		t.Errorf("%q", got)
	}
}
