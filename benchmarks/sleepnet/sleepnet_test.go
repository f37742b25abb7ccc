package sleepnet

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// arrayFile is an array as a file of NumPy's.
func arrayFile(descr, shape string, elements any) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }\n", descr, shape)
	b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	out, err := binary.Append(append(b, header...), binary.LittleEndian, elements)
	if err != nil {
		panic(err)
	}
	return out
}

// night is a recording of an hour and a half awake, then sleep whose stages the features tell most of the time, then awake again.
func night(random *rand.Rand, sleep int) (x []float32, y []int8) {
	for i := range 180 + sleep + 70 {
		stage := 0
		if k := i - 180; k >= 0 && k < sleep {
			stage = 1 + k/20%4
		}
		y = append(y, int8(stage))
		for f := range features {
			v := random.NormFloat64()
			if f%5 == stage {
				v += 1.2
			}
			x = append(x, float32(3+2*v))
		}
	}
	return x, y
}

// nights writes an archive of two nights each of four people.
func nights(t *testing.T) string {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	archive, random := tar.NewWriter(z), rand.New(rand.NewPCG(1, 2))
	for k := range 8 {
		x, y := night(random, 160)
		var b bytes.Buffer
		file := zip.NewWriter(&b)
		for name, data := range map[string][]byte{"X.npy": arrayFile("<f4", fmt.Sprintf("%d, %d", len(y), features), x), "y.npy": arrayFile("|i1", fmt.Sprintf("%d,", len(y)), y)} {
			w, err := file.Create(name)
			if err == nil {
				_, err = w.Write(data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if err := archive.WriteHeader(&tar.Header{Name: fmt.Sprintf("SC4%02d%dE0.npz", k/2, 1+k%2), Size: int64(b.Len()), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write(b.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "nights.tar.gz")
	if err := os.WriteFile(name, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

var quick = Settings{Sides: 1, Epochs: 4, Folds: 2, Seeds: 2, Shuffles: 2}

// The study learns what there is to learn, and prints the same twice.
func TestStudy(t *testing.T) {
	s := quick
	s.Data = nights(t)
	r, err := measure(t.Context(), orttest.Engine(t), s)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.ordered[0].accuracy(); got < 0.6 {
		t.Errorf("accuracy %.3f", got)
	}
	if n := r.ordered[0].items(); n != 2*8*(60+160+60) || r.shuffled[0].items() != 2*n {
		t.Errorf("%d and %d epochs", n, r.shuffled[0].items())
	}
	if math.Abs(r.ordered[0].accuracy()-r.shuffled[0].accuracy()) > 1e-12 {
		t.Error("the order changed what the network says")
	}
	var first, again bytes.Buffer
	if err := report.WriteMarkdown(&first, []report.Section{{Tables: r.tables(s)}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"8 recordings of 4 people, 2240 epochs scored; 2 folds, mean of 2 seeds", "| in order, accuracy % ", "| shuffled, kappa ", "| SC403 "} {
		if !strings.Contains(first.String(), want) || strings.Contains(first.String(), "NaN") {
			t.Errorf("no %q in\n%s", want, &first)
		}
	}
	tables, err := Run(t.Context(), orttest.Engine(t), s)
	if err == nil {
		err = report.WriteMarkdown(&again, []report.Section{{Tables: tables}})
	}
	if err != nil || again.String() != first.String() {
		t.Errorf("%v, other tables:\n%s\n%s", err, &first, &again)
	}
}

// Nobody is in two parts of a fold, and everybody is in the test of one.
func TestFolds(t *testing.T) {
	var people []training.Group
	for i := range 10 {
		people = append(people, training.Group{Name: fmt.Sprint(i), Items: 1})
	}
	var tested []string
	for fold := range 5 {
		s := splitOf(people, 5, fold)
		if len(s.Train) != 7 || len(s.Validation) != 1 || len(s.Test) != 2 {
			t.Fatalf("%+v", s)
		}
		for _, p := range s.Test {
			tested = append(tested, p.Name)
		}
	}
	slices.Sort(tested)
	if len(slices.Compact(tested)) != 10 {
		t.Errorf("%v", tested)
	}
}

// A window is its epoch between its neighbours, at the ends the last one again, wherever the order has put the epoch.
func TestWindows(t *testing.T) {
	recordings, err := read(nights(t))
	if err != nil {
		t.Fatal(err)
	}
	d := dataOf(recordings, 1)
	people := d.Groups()[1:2]
	mixed := shuffled(d, people, 3)
	moved := 0
	for i, item := range mixed.Items {
		if item.Stream != d.Items[i].Stream {
			t.Fatalf("item %d is of %s, want %s", i, item.Stream, d.Items[i].Stream)
		}
		var epoch int
		if _, err := fmt.Sscan(item.Name, &epoch); err != nil {
			t.Fatal(err)
		}
		if item.Name != d.Items[i].Name {
			moved++
		}
		r := &recordings[slices.IndexFunc(recordings, func(r recording) bool { return r.name == item.Stream })]
		in, err := mixed.Store.Batch([]int{i}, nil)
		if err != nil {
			t.Fatal(err)
		}
		x, last := in[0].Data.([]float32), len(r.epochs)-1
		want := slices.Concat(r.epochs[max(epoch-1, 0)][:], r.epochs[epoch][:], r.epochs[min(epoch+1, last)][:])
		if !slices.Equal(x, want) || item.Class != r.stages[epoch] {
			t.Fatalf("item %d, epoch %d of %s: another window", i, epoch, item.Stream)
		}
	}
	if n := people[0].Items; moved < n*9/10 || moved > n {
		t.Errorf("%d items moved, of a person with %d", moved, n)
	}
}

// Kappa of a table is that of a textbook: Cohen (1960), 2 by 2.
func TestKappa(t *testing.T) {
	x := table{{20, 5}, {10, 15}}
	if math.Abs(x.accuracy()-0.7) > 1e-12 || math.Abs(x.kappa()-0.4) > 1e-12 {
		t.Errorf("accuracy %v, kappa %v", x.accuracy(), x.kappa())
	}
}

func TestRefusals(t *testing.T) {
	data := nights(t)
	for name, change := range map[string]func(*Settings){
		"no epoch":       func(s *Settings) { s.Epochs = 0 },
		"neighbours":     func(s *Settings) { s.Sides = 21 },
		"one fold":       func(s *Settings) { s.Folds = 1 },
		"too many folds": func(s *Settings) { s.Folds = 4 },
		"no draw":        func(s *Settings) { s.Shuffles = 0 },
		"no file":        func(s *Settings) { s.Data = filepath.Join(t.TempDir(), "none") },
		"no archive":     func(s *Settings) { s.Data = os.Args[0] },
	} {
		s := quick
		s.Data = data
		change(&s)
		if _, err := Run(t.Context(), nil, s); err == nil || !strings.HasPrefix(err.Error(), "sleepnet: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
