package tent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/forms/formstest"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
	"github.com/oatta/oatta/tent"
)

// stepped advances lanes by the given items and returns the predictions.
func stepped(tb testing.TB, p *tent.Predictor, src []float32, lanes ...int) []float32 {
	tb.Helper()
	dst := make([]float32, len(lanes)*p.Classes())
	if err := p.Step(context.Background(), dst, src, lanes); err != nil {
		tb.Fatal(err)
	}
	return dst
}

var n = graph.Sym("N")

// lockstepSettings have steps large enough to be seen.
var lockstepSettings = []tent.Settings{
	{Rate: 0.1},
	{Rate: 0.1, Steps: 2, Optimizer: optim.Settings{Momentum: 0.9}, Reset: tent.Reset{Items: 3}},
	{Rate: 0.01, Before: true, Optimizer: optim.Settings{Method: optim.Adam}},
	{Rate: 0.1, Batch: 0.3, Reset: tent.Reset{When: tent.Item}},
	{Rate: 0.1, Batch: 1, RateInput: true},
}

// TestLockstep: streams that advance together, some of them at times and in other rows, are what each is alone.
func TestLockstep(t *testing.T) {
	for kind := range smallNets {
		for i, s := range lockstepSettings {
			if s.Batch > 0 && kind != "batch" {
				continue
			}
			t.Run(fmt.Sprint(kind, " ", i), func(t *testing.T) {
				m := build(t, smallNet(kind, n), s)
				if why := fileOf(t, m).OneLane; why != "" {
					t.Fatal(why)
				}
				compareLockstep(t, m, 1e-5)
			})
		}
	}
}

// turns say which streams advance in which rows; stream 3 begins late.
var turns = [][]int{{0, 1, 2}, {2, 0}, {1}, {3, 0, 1, 2}, {2, 3}, {0, 1, 2, 3}, {3, 2, 1, 0}}

func compareLockstep(t *testing.T, m *onnx.Model, tolerance float64) {
	together, alone := predictorOf(t, m, tent.Options{}), predictorOf(t, m, tent.Options{})
	for lane := range 4 {
		together.Begin(lane)
		alone.Begin(lane)
	}
	first := map[int][]float32{}
	moved := 0.0
	count := map[int]int{}
	for _, lanes := range turns {
		var src []float32
		for _, lane := range lanes {
			src = append(src, item(together, lane, count[lane]%2)...)
		}
		got := stepped(t, together, src, lanes...)
		for i, lane := range lanes {
			want := stepped(t, alone, item(alone, lane, count[lane]%2), lane)
			row := got[i*together.Classes() : (i+1)*together.Classes()]
			if d := farthest(row, want); !(d <= tolerance) {
				t.Errorf("stream %d, item %d: %v together, %v alone", lane, count[lane], row, want)
			}
			if count[lane] == 0 {
				first[lane] = want
			} else if count[lane] == 2 { // the first item again
				moved = max(moved, farthest(want, first[lane]))
			}
			count[lane]++
		}
	}
	if reset := together.Reset(); !(moved > 100*tolerance) && reset.When != tent.Item {
		t.Errorf("predictions moved by %v: too little to compare", moved)
	}
}

// TestRowsAreIndependent: at a fixed number of rows, a stream's predictions do not change by a bit with what its mates see.
func TestRowsAreIndependent(t *testing.T) {
	for kind := range smallNets {
		m := build(t, smallNet(kind, n), tent.Settings{Rate: 0.1})
		var results [2][]float32
		for try := range results {
			p := predictorOf(t, m, tent.Options{})
			for lane := range 3 {
				p.Begin(lane)
			}
			for at := range 5 {
				src := slices.Concat(item(p, 7+10*try, at), item(p, 1, at), item(p, 8+10*try, at))
				results[try] = append(results[try], stepped(t, p, src, 0, 1, 2)[smallClasses:2*smallClasses]...)
			}
		}
		if !slices.Equal(results[0], results[1]) {
			t.Errorf("%s: other mates, other predictions: %v", kind, results)
		}
	}
}

// TestFormsOfRows: a graph in forms for many rows has streams be what they are in the plain forms and alone, to rounding, in runs of any
// number, and at a fixed one whatever their mates see.
func TestFormsOfRows(t *testing.T) {
	plain, formed := build(t, formstest.Network(), tent.Settings{Rate: 0.01}), build(t, formstest.Network(), tent.Settings{Rate: 0.01, Rows: formstest.Rows})
	if a, b := formstest.Convolutions(plain), formstest.Convolutions(formed); b >= a {
		t.Fatalf("%d convolutions with rows known, %d without", b, a)
	}
	compareLockstep(t, formed, 1e-5)
	var results [3][]float32
	for try, m := range []*onnx.Model{plain, formed, formed} {
		p, lanes := predictorOf(t, m, tent.Options{}), []int{0, 1, 2, 3}
		for _, lane := range lanes {
			p.Begin(lane)
		}
		for at := range 5 {
			src := item(p, 1, at)
			for mate := range lanes[1:] {
				src = append(src, item(p, 20*try+mate, at)...)
			}
			results[try] = append(results[try], stepped(t, p, src, lanes...)[:formstest.Classes]...)
		}
	}
	if d := farthest(results[0], results[1]); !(d <= 1e-5) || d == 0 {
		t.Errorf("the forms differ by %v: %v, %v", d, results[0], results[1])
	}
	if !slices.Equal(results[1], results[2]) {
		t.Errorf("other mates, other predictions: %v, %v", results[1], results[2])
	}
}

// TestRepeats: the same stream gives the same bits, in another lane, after another stream, in another session, and continued from a
// snapshot; parameters never pass from one to the next.
func TestRepeats(t *testing.T) {
	for _, o := range []optim.Settings{{}, {Momentum: 0.9}, {Method: optim.Adam}} {
		m := build(t, smallNet("batch", n), tent.Settings{Rate: 0.05, Optimizer: o, Reset: tent.Reset{Items: 7}})
		run := func(p *tent.Predictor, lane, stream, from, to int) (out []float32) {
			for at := from; at < to; at++ {
				out = append(out, stepped(t, p, item(p, stream, at), lane)...)
			}
			return out
		}
		p := predictorOf(t, m, tent.Options{})
		p.Begin(0)
		want := run(p, 0, 1, 0, 10)
		p.Begin(0)
		run(p, 0, 2, 0, 5)
		p.Begin(0)
		p.Begin(4)
		again, elsewhere := run(p, 0, 1, 0, 10), run(p, 4, 1, 0, 10)
		if !slices.Equal(want, again) || !slices.Equal(want, elsewhere) {
			t.Errorf("%+v: the stream repeats differently", o)
		}
		p.Begin(1)
		head := run(p, 1, 1, 0, 6)
		state := p.Snapshot(1)
		run(p, 1, 2, 0, 3)
		other := predictorOf(t, m, tent.Options{})
		if err := other.Restore(9, state); err != nil {
			t.Fatal(err)
		}
		if err := p.Restore(1, state); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(other.Snapshot(9), state) {
			t.Errorf("%+v: a snapshot of what was restored differs", o)
		}
		for _, tail := range [][]float32{run(p, 1, 1, 6, 10), run(other, 9, 1, 6, 10)} {
			if !slices.Equal(append(slices.Clone(head), tail...), want) {
				t.Errorf("%+v: a restored stream continues differently", o)
			}
		}
	}
}

// TestNotFinite: a row that cannot adapt says so and keeps its parameters; its mates go on as without it.
func TestNotFinite(t *testing.T) {
	m := build(t, smallNet("batch", n), tent.Settings{Rate: 0.1, Optimizer: optim.Settings{Method: optim.Adam}})
	p := predictorOf(t, m, tent.Options{})
	for lane := range 3 {
		p.Begin(lane)
	}
	all := func(at int) []float32 { return slices.Concat(item(p, 0, at), item(p, 1, at), item(p, 2, at)) }
	stepped(t, p, all(0), 0, 1, 2)
	before := [][]byte{p.Snapshot(0), p.Snapshot(1), p.Snapshot(2)}
	want := stepped(t, p, all(1), 0, 1, 2)
	after := [][]byte{p.Snapshot(0), p.Snapshot(1), p.Snapshot(2)}
	for lane, state := range before {
		if err := p.Restore(lane, state); err != nil {
			t.Fatal(err)
		}
	}
	src := all(1)
	src[p.InputLen()] = float32(math.NaN())
	dst := make([]float32, 3*p.Classes())
	err := p.Step(context.Background(), dst, src, []int{0, 1, 2})
	var rows tent.RowErrors
	if !errors.As(err, &rows) || len(rows) != 1 || rows[0].Row != 1 || rows[0].Lane != 1 || !errors.Is(err, tent.ErrNotFinite) {
		t.Fatalf("error %v, want one of row 1", err)
	}
	k := p.Classes()
	if !slices.Equal(dst[:k], want[:k]) || !slices.Equal(dst[2*k:], want[2*k:]) {
		t.Errorf("predictions %v, want %v but for row 1", dst, want)
	}
	if !bytes.Equal(p.Snapshot(0), after[0]) || !bytes.Equal(p.Snapshot(2), after[2]) {
		t.Error("the mates did not advance as without it")
	}
	kept := stepped(t, p, item(p, 1, 1), 1) // as if the bad item had not been
	if d := farthest(kept, want[k:2*k]); !(d <= 1e-5) {
		t.Errorf("afterwards %v, want %v", kept, want[k:2*k])
	}
}

// TestRate: a rate that is an input can be chosen, a constant one cannot.
func TestRate(t *testing.T) {
	m := build(t, smallNet("batch", n), tent.Settings{Rate: 0.1, RateInput: true})
	slow, fast := predictorOf(t, m, tent.Options{}), predictorOf(t, m, tent.Options{Rate: 0.5})
	constant := build(t, smallNet("batch", n), tent.Settings{Rate: 0.5})
	want := predictorOf(t, constant, tent.Options{})
	var got [3][]float32
	for i, p := range []*tent.Predictor{slow, fast, want} {
		p.Begin(0)
		got[i] = stepped(t, p, item(p, 0, 0), 0)
	}
	if !slices.Equal(got[1], got[2]) || slices.Equal(got[0], got[1]) {
		t.Errorf("at rates 0.1, 0.5 and a constant 0.5: %v", got)
	}
	if _, err := tent.New(open(t, constant), tent.Options{Rate: 1}); err == nil {
		t.Error("a rate was taken by a graph without that input")
	}
}

// TestStreamsOfOne: a network that was exported for one row advances one stream at a time, and says why.
func TestStreamsOfOne(t *testing.T) {
	fixed := smallNet("batch", graph.N(1))
	g := fixed.Graph
	logits := g.Outputs()[0]
	g.SetOutputs()
	g.Rename(logits, "inner")
	g.Output("logits", g.Op("Reshape", []graph.Value{logits, g.Ints(1, smallClasses)}))
	m := build(t, fixed, tent.Settings{Rate: 0.1})
	p := predictorOf(t, m, tent.Options{})
	if p.Lanes(8) != 1 || p.OneLane() == "" {
		t.Errorf("%d lanes, because %q", p.Lanes(8), p.OneLane())
	}
	open := predictorOf(t, build(t, smallNet("batch", n), tent.Settings{Rate: 0.1}), tent.Options{})
	if open.Lanes(8) != 8 || open.OneLane() != "" {
		t.Errorf("%d lanes, because %q", open.Lanes(8), open.OneLane())
	}
	for lane := range 2 {
		p.Begin(lane)
		open.Begin(lane)
	}
	for at := range 4 { // rows one after the other
		src := slices.Concat(item(p, 0, at), item(p, 1, at))
		got, want := stepped(t, p, src, 1, 0), stepped(t, open, src, 1, 0)
		if d := farthest(got, want); !(d <= 1e-5) {
			t.Errorf("item %d: %v in turn, %v together", at, got, want)
		}
	}
	if m := build(t, smallNet("batch", graph.N(1)), tent.Settings{}); fileOf(t, m).OneLane != "" {
		t.Errorf("a batch of one that nothing insists on: %s", fileOf(t, m).OneLane)
	}
	if _, err := tent.Build(smallNet("batch", graph.N(4)), tent.Settings{}); err == nil || !strings.Contains(err.Error(), "batches of 4") {
		t.Errorf("a batch of four: %v", err)
	}
}

// TestOpen: a graph works from its file, and files that are none are refused.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "tent.onnx")
	m := build(t, smallNet("layer", n), tent.Settings{Rate: 0.1, Reset: tent.Reset{When: tent.Collapse}})
	if err := m.Save(good, onnx.SaveSettings{}); err != nil {
		t.Fatal(err)
	}
	p, err := tent.Open(orttest.Engine(t), good, runtime.Config{IntraThreads: 1}, tent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.Begin(0)
	stepped(t, p, item(p, 0, 0), 0)
	if p.Reset().When != tent.Collapse || p.Kind() != "logits" || p.Parameters() != 16 {
		t.Errorf("reset %v, kind %s, %d parameters", p.Reset(), p.Kind(), p.Parameters())
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(dir, "plain.onnx")
	if err := smallNet("layer", n).Save(plain, onnx.SaveSettings{}); err != nil {
		t.Fatal(err)
	}
	if _, err := tent.Open(orttest.Engine(t), plain, runtime.Config{}, tent.Options{}); err == nil || !strings.Contains(err.Error(), "oatta models export --graph tent") {
		t.Errorf("a plain network: %v", err)
	}
	for key, value := range map[string]string{
		"oatta.tent": "{", "oatta.tent.source": "AAAA", "oatta.graph": "memo",
	} {
		bad := m.Clone()
		bad.SetMeta(key, value)
		if _, err := tent.New(open(t, bad), tent.Options{}); err == nil {
			t.Errorf("%s = %q was taken", key, value)
		}
	}
}
