package motion

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// read is all of a recording in memory.
type read struct {
	times  []float64
	values [][]float32 // [samples][channels]
	labels []int32
}

// readAll reads a recording in pieces of an odd size.
func readAll(r *Recording) (out read, err error) {
	defer r.Close() // Windows removes no open file
	c := len(r.Header().Channels)
	times, values, labels := make([]float64, 119), make([]float32, 119*c), make([]int32, 119)
	for {
		n, err := r.Read(times, values, labels)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out.times = append(out.times, times[:n]...)
		out.labels = append(out.labels, labels[:n]...)
		for i := range n {
			out.values = append(out.values, append([]float32(nil), values[i*c:(i+1)*c]...))
		}
	}
}

func mustRead(t *testing.T, r *Recording, err error) read {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out, err := readAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// peer is what another program read; see testdata/golden.py.
type peer struct {
	N       int
	Times   []float64 // every 7th
	Values  [][]float64
	Sums    []float64
	Start   string
	Columns []string
	Rate    float64
	Error   string
}

// deviation is how far the two may be apart: values, and times in seconds.
type deviation struct{ value, time float64 }

// TestAsPeers compares samples and times with actipy and pygt3x. actipy cuts times to milliseconds. Where more is allowed the case says why.
func TestAsPeers(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Actipy, Pygt3x map[string]peer }
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	same := deviation{1e-7, 0.0011}
	for _, tt := range []struct {
		file           string
		actipy, pygt3x deviation // the zero one: not compared
	}{
		// actipy lets each block run at the nominal rate until its own stamp, here a block ends where the next one begins: 0.4 % of a block.
		{"ax3_packed.cwa", deviation{1e-7, 0.012}, deviation{}},
		// actipy knows no fractions of a second, whose offset is then up to a sample off.
		{"ax3_wide.cwa", deviation{1e-7, 0.021}, deviation{}},
		{"ax6.cwa", same, deviation{}},
		{"ax9.cwa", same, deviation{}},
		{"packed30.gt3x", same, deviation{1e-6, 1e-5}},
		// Halves of a thousandth: away from zero here, as in the description; up in actipy, to even where numpy rounds for pygt3x.
		{"wide100.gt3x", deviation{0.0011, 0.0011}, deviation{0.0011, 1e-5}},
		// actipy does not round samples of the old format, whose description asks for it.
		{"nhanes.gt3x", deviation{0.00051, 0.0011}, deviation{}},
	} {
		r, err := Open(filepath.Join("testdata", tt.file), Options{})
		got := mustRead(t, r, err)
		golden.Actipy[tt.file].compare(t, "actipy", r, got, tt.actipy)
		if tt.pygt3x != (deviation{}) {
			golden.Pygt3x[tt.file].compare(t, "pygt3x", r, got, tt.pygt3x)
		}
	}
}

func (p peer) compare(t *testing.T, name string, r *Recording, got read, most deviation) {
	t.Helper()
	what := r.Header().Name + ", " + name
	if p.Error != "" || p.N != len(got.times) {
		t.Fatalf("%s: %d samples, want %d, error %q", what, len(got.times), p.N, p.Error)
	}
	if p.Start != "" {
		start, err := time.Parse("2006-01-02T15:04:05.999999999", p.Start)
		if off := r.Header().Start.Sub(start); err != nil || off.Abs().Seconds() > most.time || r.Header().Rate != p.Rate {
			t.Errorf("%s: start %v, want %v; rate %v, want %v", what, r.Header().Start, start, r.Header().Rate, p.Rate)
		}
	}
	for i, want := range p.Values {
		at := 7 * i
		if off := math.Abs(got.times[at] - p.Times[i]); off > most.time {
			t.Fatalf("%s: sample %d at %v, want %v", what, at, got.times[at], p.Times[i])
		}
		for c, w := range want {
			if g := float64(got.values[at][c]); math.Abs(g-w) > most.value*(1+math.Abs(w)) {
				t.Fatalf("%s: sample %d, channel %d: %v, want %v", what, at, c, g, w)
			}
		}
	}
	for c, want := range p.Sums {
		sum := 0.0
		for _, v := range got.values {
			sum += float64(v[c])
		}
		if math.Abs(sum-want) > most.value*float64(p.N)+1e-3 {
			t.Errorf("%s: sum of channel %d is %v, want %v", what, c, sum, want)
		}
	}
}
