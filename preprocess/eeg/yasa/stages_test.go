package yasa_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/preprocess/eeg/yasa"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// classifier reads one of YASA's four, as ONNX.
func classifier(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(testdata.Shared(t, "models", "yasa", "yasa_"+name+".onnx.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return withoutLabels(t, b)
}

// withoutLabels makes of the output of labels, whose strings the engine does not take, a value in between: in the bytes of ONNX, field 12
// of the graph becomes field 13.
func withoutLabels(t *testing.T, model []byte) []byte {
	t.Helper()
	const output, value = "\x62\x13\x0a\x05label", "\x6a\x13\x0a\x05label"
	if n := bytes.Count(model, []byte(output)); n != 1 {
		t.Fatalf("%d outputs of labels", n)
	}
	return bytes.Replace(model, []byte(output), []byte(value), 1)
}

// stages returns the probabilities of a classifier for those columns of a table that it takes, [epochs, N1 N2 N3 R W].
func stages(t *testing.T, model []byte, table *yasa.Table, names []string) []float32 {
	t.Helper()
	in := make([]float32, 0, table.Epochs*len(names))
	for i := range table.Epochs {
		for _, name := range names {
			in = append(in, table.Row(i)[slices.Index(table.Names, name)])
		}
	}
	s, out := orttest.Open(t, model), make([]runtime.Tensor, 1)
	if err := s.Run(t.Context(), out, []runtime.Tensor{runtime.TensorOf(in, int64(table.Epochs), int64(len(names)))}); err != nil {
		t.Fatal(err)
	}
	p, err := runtime.DataOf[float32](out[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// YASA's classifiers take these features for their own: their probabilities are YASA's, and so are all stages. Only at the ends, where a
// crossing of zero is chance, do means of it lie apart.
func TestStages(t *testing.T) {
	testdata.Shared(t, "models", "yasa") // before the night, which takes seconds
	table := yasa.NightFeatures(t, yasa.Night(t))
	for name, with := range map[string][2]bool{"eeg": {false, false}, "eeg_eog": {true, false}, "eeg_emg": {false, true}, "eeg_eog_emg": {true, true}} {
		t.Run(name, func(t *testing.T) {
			got := stages(t, classifier(t, name), table, yasa.Names(with[0], with[1]))
			want := yasa.Golden(t, "probabilities_"+name) // [epochs, W N1 N2 N3 R]
			var middle, ends float64
			for i := range table.Epochs {
				g, w := wakeFirst(got[5*i:5*i+5]), want[5*i:5*i+5]
				if floats.MaxIdx(g) != floats.MaxIdx(w) {
					t.Errorf("epoch %d: %.4f, want %.4f", i, g, w)
				}
				if e := floats.Distance(g, w, math.Inf(1)); i < 8 || i >= table.Epochs-8 {
					ends = max(ends, e)
				} else {
					middle = max(middle, e)
				}
			}
			if !(middle < 1e-4 && ends < 0.1) {
				t.Errorf("probabilities within %.2g, at the ends %.2g", middle, ends)
			}
			t.Logf("probabilities within %.2g, at the ends %.2g", middle, ends)
		})
	}
}

// wakeFirst puts the classes of a model in the order of the goldens.
func wakeFirst(p []float32) []float64 {
	return []float64{float64(p[4]), float64(p[0]), float64(p[1]), float64(p[2]), float64(p[3])}
}
