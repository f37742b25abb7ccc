package backend

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/jetstore"
	"github.com/oatta/oatta/serve/natsserver/natstest"
	"github.com/oatta/oatta/serve/servetest"
)

const classes = 4

// filterOf is a source of predictions of so many classes under the gate auto.
func filterOf(classes int) Source {
	return Source{Name: "filter", Open: func(context.Context) (*Opened, error) { return &Opened{Classes: classes}, nil }}
}

func inFolder(dir string) func(string) string {
	return func(model string) string { return filepath.Join(dir, model+".state") }
}

func mustNew(t testing.TB, o Options) *Backend {
	t.Helper()
	if o.Models == nil {
		o.Models = []Source{filterOf(classes)}
	}
	b, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// prediction is a function of its number.
func prediction(item int) []float64 { return predictionOf(item, classes) }

func predictionOf(item, classes int) []float64 {
	return servetest.Prediction(rand.New(rand.NewPCG(uint64(item), 41)), classes)
}

func input(rows ...[]float64) serve.Tensor {
	t := serve.Tensor{Name: inProbs, Type: "FP64", Shape: []int64{int64(len(rows)), int64(len(rows[0]))}}
	for _, q := range rows {
		t.Data = appendFloats(t.Data, q)
	}
	return t
}

// ask makes a request of a stream.
func ask(stream string, rows ...[]float64) *serve.Request {
	return &serve.Request{Model: "filter", Sequence: serve.Sequence{ID: stream}, Inputs: []serve.Tensor{input(rows...)}}
}

func numbers(data []byte) (out []float64) {
	for ; len(data) > 0; data = data[8:] {
		out = append(out, math.Float64frombits(binary.LittleEndian.Uint64(data)))
	}
	return out
}

func output(r *serve.Response, name string) []float64 {
	for _, t := range r.Outputs {
		if t.Name == name {
			return numbers(t.Data)
		}
	}
	return nil
}

func mustInfer(t testing.TB, b *Backend, r *serve.Request) []float64 {
	t.Helper()
	a, err := b.Infer(t.Context(), r)
	if err != nil {
		t.Fatalf("stream %s: %v", r.Sequence.ID, err)
	}
	return output(a, outAdapted)
}

// refused asserts an error of a code.
func refused(t testing.TB, what string, err error, code serve.Code) {
	t.Helper()
	var e *serve.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("%s: %v, want code %d", what, err, code)
	}
}

// plain steps a filter in process.
func plain(t testing.TB, rows ...[]float64) (out []float64) {
	t.Helper()
	f, err := adapt.New(len(rows[0]), adapt.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range rows {
		dst := make([]float64, len(q))
		f.Step(dst, q)
		out = append(out, dst...)
	}
	return out
}

func same(t testing.TB, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

func track(from, n int) (rows [][]float64) {
	for i := range n {
		rows = append(rows, prediction(from+i))
	}
	return rows
}

func streamID(i int) string { return fmt.Sprint("camera ", i) }

// inJetStream keeps streams in a NATS server of their own.
func inJetStream(t testing.TB) Options { return inSealedJetStream(t, nil) }

func inSealedJetStream(t testing.TB, key []byte) Options {
	t.Helper()
	g, err := jetstore.New(natstest.Connect(t), jetstore.Options{Shards: 1, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return Options{Key: key, Open: func(ctx context.Context, model string, shard int, o state.Options) (Store, error) {
		return g.Open(ctx, model, shard, o)
	}}
}
