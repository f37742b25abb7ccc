package yasa

import (
	"encoding/binary"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// night reads SC4001, of which the layout is known: 2,650 records of 30 seconds, three signals of 100 Hz and four of 1 Hz.
func night(tb testing.TB) Channels {
	tb.Helper()
	const header, signals, records, recordSamples = 256 * 8, 7, 2650, 3*3000 + 4*30
	b, err := os.ReadFile(testdata.Asset(tb, "sleep-psg", "SC4001E0-PSG.edf"))
	if err != nil || len(b) < header+2*records*recordSamples {
		tb.Fatalf("%d bytes, %v", len(b), err)
	}
	read := func(label string, at, n int, low, high, digitalLow, digitalHigh float64) (out []float64) {
		if !strings.Contains(string(b[256:256+16*signals]), label) {
			tb.Fatalf("no channel %q", label)
		}
		for r := range records {
			for i := range n {
				d := int16(binary.LittleEndian.Uint16(b[header+2*(r*recordSamples+at+i):]))
				out = append(out, low+(float64(d)-digitalLow)*(high-low)/(digitalHigh-digitalLow))
			}
		}
		return out
	}
	ch := Channels{EEG: read("EEG Fpz-Cz", 0, 3000, -192, 192, -2048, 2047), EOG: read("EOG horizontal", 6000, 3000, -1009, 1009, -2048, 2047)}
	if ch.EMG, err = Upsample(read("EMG submental", 9030, 30, -5, 5, -2500, 2500), len(ch.EEG)); err != nil {
		tb.Fatal(err)
	}
	return ch
}

var nightTable struct {
	once  sync.Once
	table *Table
	err   error
}

// nightFeatures computes the table of the night, which takes seconds, once for all tests.
func nightFeatures(tb testing.TB, ch Channels) *Table {
	tb.Helper()
	n := &nightTable
	n.once.Do(func() { n.table, n.err = Features(ch, 100) })
	if n.err != nil {
		tb.Fatal(n.err)
	}
	return n.table
}

func TestNight(t *testing.T) {
	ch := night(t)
	t.Run("signals", func(t *testing.T) { checkSignals(t, ch) })
	t.Run("features", func(t *testing.T) {
		want := golden(t, "features_eeg_eog_emg")
		checkTable(t, nightFeatures(t, ch), want)
	})
}

// checkSignals compares stretches of raw and filtered signals, [channels, samples].
func checkSignals(t *testing.T, ch Channels) {
	raw, filtered, first := golden(t, "raw_epochs_1000_1002"), golden(t, "filtered_epochs_1000_1002"), golden(t, "filtered_first_two_epochs")
	for i, c := range ch.recording(100).present() {
		samples := c.Pieces[0].Samples
		const at, n, n2 = 1000 * epochSamples, 3 * epochSamples, 2 * epochSamples
		near(t, c.kind.String()+" raw", samples[at:at+n], raw[i*n:(i+1)*n], 1e-4)
		y := bandPass(samples)
		near(t, c.kind.String()+" filtered", y[at:at+n], filtered[i*n:(i+1)*n], 1e-4)
		near(t, c.kind.String()+" filtered, first", y[:n2], first[i*n2:(i+1)*n2], 1e-4)
	}
}

// checkTable compares columns within 1e-4 of the value. 1e-9 is for values that are 0 but for the rounding of the means.
//
// Of crossings of zero the first and the last epoch may have one more or less, as doc.go tells. So their means are not those of the table,
// but those of the golden's own crossings.
func checkTable(t *testing.T, got *Table, want []float64) {
	t.Helper()
	if len(got.Data) != len(want) || len(want) != got.Epochs*len(got.Names) {
		t.Fatalf("%d epochs, %d values, want %d", got.Epochs, len(got.Data), len(want))
	}
	worst := 0.0
	for c, name := range got.Names {
		g, w := make([]float64, got.Epochs), make([]float64, got.Epochs)
		crossings := make([]float64, got.Epochs) // for the means, of which the column before is the measure
		for i := range g {
			g[i], w[i] = float64(got.Row(i)[c]), want[i*len(got.Names)+c]
			if measure := slices.Index(got.Names, name[:3]+"_nzc"); measure >= 0 {
				crossings[i] = want[i*len(got.Names)+measure]
			}
		}
		switch name[3:] {
		case "_nzc":
			about(t, name+" at the beginning", g[0], w[0], 1)
			about(t, name+" at the end", g[len(g)-1], w[len(w)-1], 1)
			g, w = g[1:len(g)-1], w[1:len(w)-1]
		case "_nzc_c7min_norm":
			g = robustScale(triangularMean(crossings))
		case "_nzc_p2min_norm":
			g = robustScale(pastMean(crossings))
		}
		worst = max(worst, furthest(t, name, g, w))
	}
	t.Logf("%d columns, %d epochs: within %.2g of the value", len(got.Names), got.Epochs, worst)
}

func furthest(t *testing.T, name string, got, want []float64) (worst float64) {
	t.Helper()
	for i, w := range want {
		e := math.Abs(got[i] - w)
		if !(e <= 1e-4*math.Abs(w)+1e-9) {
			t.Fatalf("%s: value %d is %g, want %g", name, i, got[i], w)
		}
		if math.Abs(w) > 1e-6 {
			worst = max(worst, e/math.Abs(w))
		}
	}
	return worst
}

// Ten epochs of the EEG at 128 Hz.
func TestGoldenResampled(t *testing.T) {
	x := golden(t, "resample_128hz_10_epochs")
	near(t, "resampled", resample(x, 100, 128), golden(t, "resample_128hz_back_to_100"), 1e-4)
	got, err := Features(Channels{EEG: x}, 128)
	if err != nil {
		t.Fatal(err)
	}
	checkTable(t, got, golden(t, "resample_128hz_features"))
}

// BenchmarkNight is of 22 hours of three channels.
func BenchmarkNight(b *testing.B) {
	ch := Channels{EEG: noise(2650 * epochSamples), EOG: noise(2650 * epochSamples), EMG: noise(2650 * epochSamples)}
	slices.Reverse(ch.EOG)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Features(ch, 100); err != nil {
			b.Fatal(err)
		}
	}
}
