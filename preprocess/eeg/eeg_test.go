package eeg

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/oatta/oatta/preprocess/dsp"
)

func TestFind(t *testing.T) {
	sleepEDF := []string{"EEG Fpz-Cz", "EEG Pz-Oz", "EOG horizontal", "Resp oro-nasal", "EMG submental"}
	clinic := []string{"EEG C3-Ref", "EEG C4-Ref", "EEG A1-Ref", "EEG T3-Ref", "POL E", "Fc5.", "C3_A2", "C3-A2"}
	plain := []string{"C3", "M2", "F4-M1", "EOG F4-M1"}
	for _, tt := range []struct {
		labels            []string
		name              string
		signal, reference int    // of the choice
		err               string // or the error
	}{
		{sleepEDF, "EEG Fpz-Cz", 0, -1, ""},
		{sleepEDF, "eeg  fpz - cz", 0, -1, ""},
		{sleepEDF, "Fpz-Cz", 0, -1, ""},
		{sleepEDF, "EEG FPZ_CZ", 0, -1, ""},
		{sleepEDF, "horizontal", 2, -1, ""},
		{sleepEDF, "EEG horizontal", 0, 0, `not among "EEG Fpz-Cz"`},
		{sleepEDF, "Fpz", 0, 0, "not among"}, // a derivation is not an electrode
		{sleepEDF, "C4-M1|Pz-Oz", 1, -1, ""},
		{clinic, "C4", 1, -1, ""},
		{clinic, "T7", 3, -1, ""},
		{clinic, "C4-M1", 1, 2, ""},
		{clinic, "E", 4, -1, ""},
		{clinic, "FC5", 5, -1, ""},
		{clinic, "c3-a2", 0, 0, "several labels fit"},
		{clinic, "C3-A2", 7, -1, ""},
		{plain, "EEG C3-A2", 0, 1, ""},
		{plain, "EEG F4-M1", 2, -1, ""},
		{plain, "F4", 0, 0, "several labels fit"},
		{plain, "F4#2", 3, -1, ""}, // the second that fits
		{plain, "F4#3", 0, 0, "only 2 labels fit"},
		{plain, "C4|C3#1", 0, -1, ""},
		{[]string{"C3", "C3", "C3#2"}, "C3#2", 2, -1, ""}, // a label that is so called comes first
		{[]string{"C3", "C3"}, "C3", 0, 0, `several labels fit: "C3", "C3": "C3#1" is the first`},
		{nil, "C3", 0, 0, "not among"},
		{plain, "", 0, 0, "not among"},
	} {
		got, err := Find(tt.labels, tt.name)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: error %v, want %q", tt.name, err, tt.err)
		}
		if err == nil && (got.Signal != tt.signal || got.Reference != tt.reference) {
			t.Errorf("%q: %+v, want %d, %d", tt.name, got, tt.signal, tt.reference)
		}
	}
}

// TestFindTellsHow: the rule is told by which a channel was taken.
func TestFindTellsHow(t *testing.T) {
	labels := []string{"EEG C3-Ref", "EEG M2-Ref", "O1", "EEG Fpz-Cz", "T3"}
	for name, want := range map[string]Rule{"eeg fpz_cz": BySpelling, "Fpz-Cz": ByElectrode, "T7": ByElectrode, "C3-M2": ByDifference, "O1-M2": ByReference, "C3": ByReference} {
		if c, err := Find(labels, name); err != nil || c.By != want {
			t.Errorf("%s: %+v, %v, want %q", name, c, err, want)
		}
	}
}

// TestFindAmongMany: the time to find a channel does not grow with the square of their number, which a header claims.
func TestFindAmongMany(t *testing.T) {
	labels := slices.Repeat([]string{"C3-Ref", "M2-LE"}, 5000)
	begin := time.Now()
	if _, err := Find(labels, "C3-M2|EEG F4-M1"); err == nil {
		t.Error("signals of two references were taken for a difference")
	}
	if _, err := Find(labels, "C3"); err == nil || len(err.Error()) > 1000 {
		t.Errorf("error %v", err)
	}
	if took := time.Since(begin); took > 10*time.Second { // a fraction of a second; it was minutes
		t.Errorf("%v", took)
	}
}

func TestMicrovolts(t *testing.T) {
	for unit, want := range map[string]float64{"uV": 1, "\u00b5V": 1, "\u03bcV": 1, "\u0083\u00caV": 1, " microvolts ": 1, "nV": 1e-3, "mV": 1e3, "V": 1e6, "Volts": 1e6, "volt": 1e6} {
		if got, ok := Microvolts(unit); !ok || got != want {
			t.Errorf("%q: %g, %t, want %g", unit, got, ok, want)
		}
	}
	for _, unit := range []string{"", ".V", "?V", "degC", "%", "s", "Vs"} {
		if got, ok := Microvolts(unit); ok {
			t.Errorf("%q is %g microvolts", unit, got)
		}
	}
}

// recording is a source in memory; every call gets its own copy.
type recording []Channel

func (r recording) Labels() (out []string) {
	for _, c := range r {
		out = append(out, c.Label)
	}
	return out
}

var errBroken = errors.New("broken")

func (r recording) Channel(i int) (Channel, error) {
	c := r[i]
	if c.Label == "broken" {
		return c, errBroken
	}
	c.Pieces = nil
	for _, p := range r[i].Pieces {
		c.Pieces = append(c.Pieces, Piece{p.Start, append([]float64(nil), p.Samples...)})
	}
	return c, nil
}

// count returns n numbers from first on.
func count(first, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(first + i)
	}
	return x
}

// seconds is a recording of 1 Hz whose values are its seconds, in a unit of thousands of microvolts.
var seconds = recording{
	{Label: "whole", Unit: "mV", Rate: 1, Pieces: []Piece{{0, count(0, 200)}}},
	{Label: "gap", Unit: "uV", Rate: 1, Pieces: []Piece{{0, count(0, 70)}, {85, count(85, 115)}}}, // gap of 70 to 85
	{Label: "fast", Unit: "uV", Rate: 4, Pieces: []Piece{{0, make([]float64, 800)}}},
	{Label: "NaN", Unit: "uV", Rate: 1, Pieces: []Piece{{0, append(append(count(0, 40), math.NaN(), math.Inf(1)), count(42, 158)...)}}},
	{Label: "broken", Unit: "uV", Rate: 1, Pieces: nil},
	{Label: "warm", Unit: "degC", Rate: 1, Pieces: []Piece{{0, count(0, 200)}}},
	{Label: "rates", Unit: "uV", Rate: 0, Pieces: nil},
	{Label: "short", Unit: "uV", Rate: 1, Pieces: []Piece{{0, count(0, 29)}}},
}

func TestPrepareEpochs(t *testing.T) {
	for _, tt := range []struct {
		channels []string
		offset   float64
		gap      []bool
		first    float32 // of the last epoch of the first channel
	}{
		{[]string{"whole"}, 0, make([]bool, 6), 150e3},
		{[]string{"whole"}, 20, make([]bool, 6), 170e3},
		{[]string{"gap"}, 0, []bool{false, false, true, false, false, false}, 150},
		{[]string{"gap"}, 55, []bool{true, false, false, false}, 145},
		{[]string{"NaN"}, 0, []bool{false, true, false, false, false, false}, 150},
		{[]string{"whole", "gap", "NaN"}, 0, []bool{false, true, true, false, false, false}, 150e3},
	} {
		e, err := Prepare(seconds, tt.offset, Settings{Channels: tt.channels, Rate: 1})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.gap, e.Gap); d != "" || e.Count != len(tt.gap) || e.Samples != 30 {
			t.Errorf("%v at %g: %s", tt.channels, tt.offset, d)
		}
		last := e.Tensor(e.Count - 1)
		if got := last.Data.([]float32)[0]; got != tt.first || cmp.Diff([]int64{1, int64(len(tt.channels)), 30}, last.Shape) != "" {
			t.Errorf("%v at %g: the last epoch begins with %g, shape %v", tt.channels, tt.offset, got, last.Shape)
		}
		for i, gap := range e.Gap {
			if gap && e.Tensor(i).Data.([]float32)[1] != 0 {
				t.Errorf("%v: epoch %d has a gap and values", tt.channels, i)
			}
		}
	}
}

func TestPrepareErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		offset float64
		set    Settings
		err    string
	}{
		"none":     {0, Settings{Channels: []string{"C3"}, Rate: 1}, "not among"},
		"broken":   {0, Settings{Channels: []string{"broken"}, Rate: 1}, "broken"},
		"rate":     {0, Settings{Channels: []string{"rates"}, Rate: 1}, `channel "rates": rate 0 Hz`},
		"short":    {0, Settings{Channels: []string{"short"}, Rate: 1}, "no whole epoch"},
		"late":     {500, Settings{Channels: []string{"whole"}, Rate: 1}, "no whole epoch"},
		"offset":   {math.NaN(), Settings{Channels: []string{"whole"}, Rate: 1}, "from second NaN"},
		"nyquist":  {0, Settings{Channels: []string{"whole"}, Rate: 4, Band: dsp.Band{High: 1}}, "not below half the rate"},
		"settings": {0, Settings{Rate: 1}, "eeg: settings: 0 channels"},
		"ratio":    {0, Settings{Channels: []string{"whole"}, Rate: 12345.1, EpochSeconds: 10}, "ratio"},
	} {
		_, err := Prepare(seconds, tt.offset, tt.set)
		if err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: error %v, want %q", name, err, tt.err)
		}
	}
}

func TestSettings(t *testing.T) {
	good := Settings{Channels: []string{"C3"}, Rate: 100}
	for name, change := range map[string]func(*Settings){
		"rate":    func(s *Settings) { s.Rate = math.NaN() },
		"whole":   func(s *Settings) { s.Rate = 99.99 },
		"length":  func(s *Settings) { s.EpochSeconds = -1 },
		"huge":    func(s *Settings) { s.Rate = 1e9 },
		"band":    func(s *Settings) { s.Band = dsp.Band{Low: 5, High: 4} },
		"order":   func(s *Settings) { s.Band = dsp.Band{Low: 5, Order: 13} },
		"above":   func(s *Settings) { s.Band = dsp.Band{High: 51} },
		"scale":   func(s *Settings) { s.Mean, s.Std = []float64{0}, []float64{1} },
		"std":     func(s *Settings) { s.Standardise, s.Mean, s.Std = true, []float64{0}, []float64{0} },
		"unit":    func(s *Settings) { s.Unit = "furlong" },
		"lengths": func(s *Settings) { s.Standardise, s.Mean, s.Std = true, []float64{0}, nil },
	} {
		s := good
		change(&s)
		if err := s.Validate(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
}

func TestStandardise(t *testing.T) {
	e, err := Prepare(seconds, 0, Settings{Channels: []string{"warm", "fast"}, Rate: 1, Standardise: true})
	if err != nil {
		t.Fatal(err)
	}
	if e.Mean[0] != 99.5 || math.Abs(e.Std[0]-math.Sqrt((200*200-1)/12.0)) > 1e-9 {
		t.Errorf("mean %g, deviation %g", e.Mean[0], e.Std[0])
	}
	if len(e.Warnings) != 1 || !strings.Contains(e.Warnings[0], "no voltage") {
		t.Errorf("warnings %q", e.Warnings)
	}
	if d := cmp.Diff([]Fault{{Label: "fast", Flat: []int{0, 1, 2, 3, 4, 5}}}, e.Faults); d != "" {
		t.Error(d)
	}
	set := Settings{Channels: []string{"warm"}, Rate: 1, Standardise: true, Mean: []float64{10}, Std: []float64{2}}
	if e, err = Prepare(seconds, 0, set); err != nil || e.Data[0] != -5 || e.Data[14] != 2 {
		t.Errorf("given scale: %v, %v", e.Data[:15], err)
	}
}

// TestReference subtracts one channel from another, and refuses those that do not fit.
func TestReference(t *testing.T) {
	r := recording{{Label: "C3", Unit: "uV", Rate: 1, Pieces: []Piece{{0, count(7, 60)}}}, {Label: "M2", Unit: "uV", Rate: 1, Pieces: []Piece{{0, count(0, 60)}}}, {Label: "M1", Unit: "mV", Rate: 1, Pieces: []Piece{{0, count(0, 60)}}}}
	e, err := Prepare(r, 0, Settings{Channels: []string{"C3-A2"}, Rate: 1})
	if err != nil || e.Labels[0] != "C3 - M2" || e.Data[0] != 7 || e.Data[59] != 7 {
		t.Errorf("%+v, error %v", e, err)
	}
	if _, err := Prepare(r, 0, Settings{Channels: []string{"C3-M1"}, Rate: 1}); err == nil || !strings.Contains(err.Error(), "differ in rate") {
		t.Errorf("error %v", err)
	}
}

// TestFaults: what does not move or is saturated is found epoch by epoch, also in what is subtracted.
func TestFaults(t *testing.T) {
	dead := append(wave(60), make([]float64, 75)...)
	dead[70] = 0.2 // of the converter
	loud := slices.Repeat([]float64{-100, 3, 100, 4}, 34)
	r := recording{
		{Label: "C3", Unit: "uV", Rate: 1, Step: 0.1, Min: -100, Max: 100, Pieces: []Piece{{0, dead}}},
		{Label: "M2", Unit: "uV", Rate: 1, Step: 0.1, Min: -100, Max: 100, Pieces: []Piece{{0, loud[:135]}}},
	}
	for offset, want := range map[float64][]Fault{
		0:   {{Label: "C3", Flat: []int{2, 3}}, {Label: "M2", Clipped: []int{0, 1, 2, 3}}},
		45:  {{Label: "C3", Flat: []int{1, 2}}, {Label: "M2", Clipped: []int{0, 1, 2}}},
		100: {{Label: "C3", Flat: []int{0}}, {Label: "M2", Clipped: []int{0}}},
	} {
		e, err := Prepare(r, offset, Settings{Channels: []string{"C3-M2"}, Rate: 1})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, e.Faults); d != "" {
			t.Errorf("from %g: %s", offset, d)
		}
	}
}

// TestUnit: a unit that is none is what the settings say it is.
func TestUnit(t *testing.T) {
	r := recording{{Label: "C3", Unit: ".V", Rate: 1, Pieces: []Piece{{0, count(7, 60)}}}}
	for unit, want := range map[string]float32{"": 7, "uV": 7, "mV": 7000} {
		e, err := Prepare(r, 0, Settings{Channels: []string{"C3"}, Rate: 1, Unit: unit})
		if err != nil || e.Data[0] != want || (len(e.Warnings) == 0) != (unit != "") {
			t.Errorf("%q: %+v, %v", unit, e, err)
		}
	}
}

// TestAmplitude: what no sleeper gives is told with the unit that it may have, which a setting says for all signals that claim another.
func TestAmplitude(t *testing.T) {
	loud := func(times float64) []Piece {
		x := wave(3000)
		for i := range x {
			x[i] = 20 * times * math.Sin(float64(i))
		}
		return []Piece{{0, x}}
	}
	for _, c := range []struct {
		unit  string
		times float64
		say   string
		want  string
	}{
		{"uV", 1, "", ""},
		{"mV", 1e-3, "", ""},
		{"uV", 1e-3, "", `channel "C3": its typical amplitude is under 0.5 microvolts by the unit "uV", which is no sleeper's: if it is mV, --unit uV=mV says so`},
		{"µV", 1e-6, "", "if it is V, --unit uV=V says so"},
		{"mV", 1, "", `over 1000 microvolts by the unit "mV", which is no sleeper's: if it is uV, --unit mV=uV says so`},
		{"uV", 1e3, "", "if it is nV, --unit uV=nV says so"},
		{"uV", 1e-15, "", "if it has another unit, --unit uV=UNIT says which"},
		{".V", 1e3, "uV", "if it is nV, --unit nV says so"},
		{"uV", 1e-3, "uV=mV", ""},
		{"µV", 1e-3, "uV = mV", ""},
		{"mV", 1e-3, "uV=mV", ""}, // that of others
		{"x", 1e-3, "x=mV", ""},
	} {
		r := recording{{Label: "C3", Unit: c.unit, Rate: 100, Pieces: loud(c.times)}}
		e, err := Prepare(r, 0, Settings{Channels: []string{"C3"}, Rate: 100, Unit: c.say})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(e.Warnings, "; "); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%g of %s, said %q: %q, want %q", c.times, c.unit, c.say, got, c.want)
		}
		if peak := slices.Max(e.Data); c.want == "" && !(peak > 10 && peak < 30) {
			t.Errorf("%g of %s, said %q: %g microvolts", c.times, c.unit, c.say, peak)
		}
	}
	if err := (Settings{Channels: []string{"C3"}, Rate: 100, Unit: "uV=furlong"}).Validate(); err == nil || !strings.Contains(err.Error(), "as uV=mV what a header says and what it is") {
		t.Error(err)
	}
}

// wave is a signal of several frequencies.
func wave(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		t := float64(i)
		x[i] = math.Sin(0.3*t) + 0.5*math.Cos(1.7*t+1) + 0.01*t + float64(i*7919%101)/101
	}
	return x
}

// TestGapDoesNotRing shows that the filter sees each stretch alone: what follows a gap is the same whatever was before it.
func TestGapDoesNotRing(t *testing.T) {
	after := Piece{200, wave(6000)}
	set := Settings{Channels: []string{"C3"}, Rate: 50, Band: dsp.Band{Low: 0.5, High: 20}}
	var tails [][]float32
	for _, before := range [][]float64{make([]float64, 10000), wave(12000)} {
		e, err := Prepare(recording{{Label: "C3", Unit: "uV", Rate: 100, Pieces: []Piece{{0, before}, after}}}, 0, set)
		if err != nil {
			t.Fatal(err)
		}
		tails = append(tails, e.Data[7*e.Samples:]) // from second 210
	}
	if d := cmp.Diff(tails[0], tails[1]); d != "" || len(tails[0]) != 1500 {
		t.Errorf("%d values; %s", len(tails[0]), d)
	}
}
