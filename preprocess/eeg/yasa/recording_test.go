package yasa

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// A stretch behind a gap has the measures that it has by itself; what the gap touches is marked, and the means leave it out.
func TestGaps(t *testing.T) {
	const gapFrom, gapTo = 7*epochSamples + 900, 9 * epochSamples
	x := noise(20 * epochSamples)
	whole, err := Features(Channels{EEG: x[gapTo:]}, 100)
	if err != nil {
		t.Fatal(err)
	}
	r := Recording{EEG: Signal{100, []Piece{{0, x[:gapFrom]}, {gapTo / 100., x[gapTo:]}}}}
	got, err := r.Features(20)
	if err != nil {
		t.Fatal(err)
	}
	for i, gap := range got.Gap {
		if gap != (i == 7 || i == 8) {
			t.Errorf("epoch %d: gap %t", i, gap)
		}
		about(t, "time", got.cell(t, i, "time_norm"), float64(i)/19, 1e-7)
		if v := got.cell(t, i, "eeg_std_c7min_norm"); math.IsNaN(v) {
			t.Errorf("mean of epoch %d is missing", i)
		}
	}
	for _, name := range []string{"eeg_std", "eeg_alpha", "eeg_higuchi", "eeg_iqr"} {
		for i := range whole.Epochs {
			about(t, name, got.cell(t, 9+i, name), whole.cell(t, i, name), 0)
		}
	}
	// A channel that lacks other epochs.
	r.EMG = &Signal{100, []Piece{{-12.5, x[:10*epochSamples]}, {1e6, x}}}
	if got, err = r.Features(20); err != nil {
		t.Fatal(err)
	}
	if want := append(slices.Repeat([]bool{false}, 7), slices.Repeat([]bool{true}, 2)...); !slices.Equal(got.Gap[:9], want) || slices.Contains(got.Gap[9:], false) {
		t.Errorf("gaps of either: %v", got.Gap)
	}
}

// Channels of other rates are brought to 100 Hz each.
func TestRates(t *testing.T) {
	envelope := Signal{1, []Piece{{0, wave(600, 0.01, 1)}}}
	r := Recording{EEG: Signal{256, []Piece{{0, wave(256*600, 10, 256)}}}, EOG: &Signal{50, []Piece{{0, wave(50*600, 5, 50)}}}, EMG: &envelope}
	got, err := r.Features(20)
	if err != nil || slices.Contains(got.Gap, true) || len(got.Names) != 149 {
		t.Fatalf("%v, %v, %d columns", err, got.Gap, len(got.Names))
	}
	about(t, "alpha", got.cell(t, 9, "eeg_alpha"), 1, 0.01)
	about(t, "zero crossings", got.cell(t, 9, "eog_nzc"), 300, 2)
}

func TestRecordingErrors(t *testing.T) {
	good := Signal{100, []Piece{{0, noise(2 * epochSamples)}}}
	for want, c := range map[string]struct {
		r      Recording
		epochs int
	}{
		"1 epochs: want 2":                  {Recording{EEG: good}, 1},
		"99999999 epochs":                   {Recording{EEG: good}, 99999999},
		"eeg: rate of 80 Hz: want over 80":  {Recording{EEG: Signal{80, good.Pieces}}, 2},
		"eeg: rate of NaN Hz":               {Recording{EEG: Signal{math.NaN(), good.Pieces}}, 2},
		"eog: rate of 0 Hz":                 {Recording{EEG: good, EOG: &Signal{}}, 2},
		"eeg: piece 0 begins at second NaN": {Recording{EEG: Signal{100, []Piece{{math.NaN(), good.Pieces[0].Samples}}}}, 2},
		"emg: a piece without samples":      {Recording{EEG: good, EMG: &Signal{100, []Piece{{}}}}, 2},
		"eeg: sample 1 is NaN":              {Recording{EEG: Signal{100, []Piece{{0, []float64{1, math.NaN()}}}}}, 2},
	} {
		if _, err := c.r.Features(c.epochs); err == nil || !strings.HasPrefix(err.Error(), "yasa: "+want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// Nothing of the EEG is there: all is gap.
	if got, err := (Recording{EEG: Signal{Rate: 100}}).Features(3); err != nil || slices.Contains(got.Gap, false) {
		t.Errorf("%v, %v", got, err)
	}
}
