package yasa

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// cell returns a feature by name.
func (t *Table) cell(tb testing.TB, epoch int, name string) float64 {
	tb.Helper()
	i := slices.Index(t.Names, name)
	if i < 0 {
		tb.Fatalf("no column %q", name)
	}
	return float64(t.Row(epoch)[i])
}

// A wave of 10 Hz has its power in alpha, at whatever rate it is recorded.
func TestAlphaWave(t *testing.T) {
	for _, rate := range []float64{100, 128, 200, 250, 256.5} {
		x := wave(int(rate*95), 10, rate)
		got, err := Features(Channels{EEG: x, EOG: x, EMG: x}, rate)
		if err != nil {
			t.Fatal(err)
		}
		if got.Epochs != 3 || len(got.Names) != 149 || len(got.Data) != 3*149 {
			t.Fatalf("%d epochs of %d columns, %d values", got.Epochs, len(got.Names), len(got.Data))
		}
		about(t, "alpha", got.cell(t, 1, "eeg_alpha"), 1, 0.01)
		about(t, "std", got.cell(t, 1, "eog_std"), 50/math.Sqrt2, 0.1)
		about(t, "abspow", got.cell(t, 1, "emg_abspow")*medianBias(segments), 1250, 3) // all segments are alike, so the median is the mean
		about(t, "nzc", got.cell(t, 1, "emg_nzc"), 600, 2)
		about(t, "hmob", got.cell(t, 1, "eeg_hmob"), 2*math.Sin(math.Pi*10/100), 1e-3)
		about(t, "kurt", got.cell(t, 1, "eeg_kurt"), -1.5, 1e-2)
		about(t, "time_hour", got.cell(t, 1, "time_hour"), 30./3600, 1e-7)
		about(t, "time_norm", got.cell(t, 2, "time_norm"), 1, 0)
	}
}

func TestErrors(t *testing.T) {
	good := noise(2 * epochSamples)
	with := func(v float64) []float64 {
		x := slices.Clone(good)
		x[77] = v
		return x
	}
	for _, c := range []struct {
		ch   Channels
		rate float64
		want string
	}{
		{Channels{}, 100, "no EEG"},
		{Channels{EOG: good}, 100, "no EEG"},
		{Channels{EEG: good}, math.NaN(), "rate of NaN Hz"},
		{Channels{EEG: good}, 80, "rate of 80 Hz"},
		{Channels{EEG: good}, math.Inf(1), "rate of +Inf Hz"},
		{Channels{EEG: good, EOG: good[1:]}, 100, "eog: 5999 samples, but 6000 of the EEG"},
		{Channels{EEG: good, EMG: []float64{}}, 100, "emg: 0 samples"},
		{Channels{EEG: good[:5999]}, 100, "59.99 seconds: want two epochs of 30"},
		{Channels{EEG: good}, 128, "46.88 seconds"},
		{Channels{EEG: with(math.NaN())}, 100, "eeg: sample 77 is NaN"},
		{Channels{EEG: good, EMG: with(math.Inf(-1))}, 100, "emg: sample 77 is -Inf"},
		{Channels{EEG: with(1e300)}, 100, "eeg: sample 77 is 1e+300"},
	} {
		_, err := Features(c.ch, c.rate)
		if err == nil || !strings.HasPrefix(err.Error(), "yasa: "+c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	for _, n := range []int{-1, 0, 2} {
		if _, err := Upsample(good[:3], n); err == nil {
			t.Errorf("no error of %d samples from 3", n)
		}
	}
	if _, err := Upsample(nil, 4); err == nil {
		t.Error("no error of no samples")
	}
}

// The largest values have finite features.
func TestLarge(t *testing.T) {
	x := noise(3 * epochSamples)
	for i := range x {
		x[i] *= 1e57
	}
	got, err := Features(Channels{EEG: x}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"eeg_kurt", "eeg_higuchi", "eeg_alpha", "eeg_hcomp", "eeg_skew_c7min_norm"} {
		if v := got.cell(t, 1, name); math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s is %g", name, v)
		}
	}
}

// Where a signal does not move, features are missing or 0, and the means are of the other epochs.
func TestFlat(t *testing.T) {
	x := noise(20 * epochSamples)
	clear(x[8*epochSamples : 11*epochSamples])
	got, err := Features(Channels{EEG: x, EMG: make([]float64, len(x))}, 100)
	if err != nil {
		t.Fatal(err)
	}
	about(t, "std", got.cell(t, 9, "eeg_std"), 0, 1e-9)
	for i := range got.Epochs {
		if v := got.cell(t, i, "eeg_std_c7min_norm"); math.IsNaN(v) {
			t.Errorf("mean of epoch %d is missing", i)
		}
	}
	for _, name := range []string{"emg_hmob", "emg_hmob_c7min_norm", "emg_skew", "emg_higuchi"} {
		if v := got.cell(t, 3, name); !math.IsNaN(v) {
			t.Errorf("%s of a signal that is 0: %g", name, v)
		}
	}
}
