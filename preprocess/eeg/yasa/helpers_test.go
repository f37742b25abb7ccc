package yasa

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// The goldens are what YASA 0.8.1 and MNE 1.13.2 compute on the night SC4001 of Sleep-EDF.

// golden reads float32, compressed.
func golden(tb testing.TB, name string) []float64 {
	tb.Helper()
	f, err := os.Open(testdata.Shared(tb, "reference", "yasa", name+".f32.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	out := make([]float64, len(b)/4)
	for i := range out {
		out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return out
}

type columns struct {
	Names []string `json:"feature_names"`
}

// index says what is in the goldens.
type index struct {
	EEG       columns `json:"eeg"`
	EEGEOG    columns `json:"eeg_eog"`
	EEGEMG    columns `json:"eeg_emg"`
	EEGEOGEMG columns `json:"eeg_eog_emg"`
	FIR       struct {
		Taps []float64 `json:"taps"`
	} `json:"fir"`
}

func readIndex(tb testing.TB) (out index) {
	tb.Helper()
	b, err := os.ReadFile(testdata.Shared(tb, "reference", "yasa", "index.json"))
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func noise(n int) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n)
	for i := range x {
		x[i] = 20 * r.NormFloat64()
	}
	return x
}

// wave is a sine of that frequency in Hz.
func wave(n int, hz, rate float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 50 * math.Sin(2*math.Pi*hz*float64(i)/rate)
	}
	return x
}

func about(t *testing.T, what string, got, want, most float64) {
	t.Helper()
	if !(math.Abs(got-want) <= most) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// near compares within a distance, in microvolts.
func near(t *testing.T, what string, got, want []float64, most float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	worst := 0.0
	for i := range got {
		e := math.Abs(got[i] - want[i])
		if !(e <= most) {
			t.Fatalf("%s: value %d is %g, want %g", what, i, got[i], want[i])
		}
		worst = max(worst, e)
	}
	t.Logf("%s: within %.2g", what, worst)
}
