package backend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/serve"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stores are the two kinds of state, for tests of what both promise.
func stores(t *testing.T, f func(t *testing.T, o Options)) {
	t.Run("memory", func(t *testing.T) { f(t, Options{}) })
	t.Run("file", func(t *testing.T) { f(t, Options{File: inFolder(t.TempDir())}) })
	t.Run("sealed", func(t *testing.T) {
		f(t, Options{File: inFolder(t.TempDir()), Key: bytes.Repeat([]byte{7}, 32), Memory: 1 << 19}) // ten filters in memory
	})
	t.Run("jetstream", func(t *testing.T) { f(t, inJetStream(t)) })
}

func TestStreamsAreStepped(t *testing.T) {
	stores(t, func(t *testing.T, o Options) {
		b := mustNew(t, o)
		rows := track(0, 12)
		want := plain(t, rows...)
		var got []float64
		for _, q := range rows {
			got = append(got, mustInfer(t, b, ask("a", q))...)
			mustInfer(t, b, ask("b", prediction(99))) // another stream in between
		}
		same(t, "one row a request", got, want)
		same(t, "all rows in one request", mustInfer(t, b, ask("c", rows...)), want)
		same(t, "a request without a stream", mustInfer(t, b, ask("", rows...)), want)
		same(t, "and again", mustInfer(t, b, ask("", rows...)), want)
		r := ask("a", rows...)
		r.Sequence.Start = true
		same(t, "START", mustInfer(t, b, r), want)
		r = ask("a", rows[0])
		r.Namespace = "other"
		same(t, "another namespace", mustInfer(t, b, r), want[:classes])
		r = ask("a", rows[1])
		r.Sequence.End = true
		mustInfer(t, b, r)
		same(t, "after END", mustInfer(t, b, ask("a", rows...)), want)
		single := ask("d", rows[0])
		single.Inputs[0].Type, single.Inputs[0].Data = "FP32", nil
		for _, v := range rows[0] {
			bits := math.Float32bits(float32(v))
			single.Inputs[0].Data = append(single.Inputs[0].Data, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
		}
		if got := mustInfer(t, b, single); math.Abs(got[0]-want[0]) > 1e-6 {
			t.Errorf("FP32: %v, want about %v", got, want[:classes])
		}
	})
}

func TestOutputs(t *testing.T) {
	s := filterOf(2)
	open := s.Open
	s.Open = func(ctx context.Context) (*Opened, error) {
		o, err := open(ctx)
		o.Labels = []string{"deer", "fox"}
		return o, err
	}
	b := mustNew(t, Options{Models: []Source{s}})
	a, err := b.Infer(t.Context(), ask("a", []float64{0.2, 0.8}))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, o := range a.Outputs {
		names = append(names, o.Name)
		if o.Name == outLabel && string(o.Data) != "\x03\x00\x00\x00fox" {
			t.Errorf("label %q", o.Data)
		}
		if o.Name == outClass && string(o.Data) != "\x01\x00\x00\x00\x00\x00\x00\x00" {
			t.Errorf("class %q", o.Data)
		}
	}
	if got := strings.Join(names, " "); got != "adapted class raw_class label raw_label gate" {
		t.Errorf("outputs %s", got)
	}
	r := ask("a", []float64{0.2, 0.8})
	r.Outputs = []string{outGate, outAdapted}
	if a, err = b.Infer(t.Context(), r); err != nil || len(a.Outputs) != 2 || a.Outputs[0].Name != outGate {
		t.Errorf("%v, %v", a, err)
	}
	m, err := b.Model("filter", "")
	if err != nil || m.Inputs[0].Name != inProbs || len(m.Outputs) != 6 || m.Versions[0] != "1" || !b.Ready() {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestWhatIsRefusedIsNoStep(t *testing.T) {
	stores(t, func(t *testing.T, o Options) {
		o.Limits = Limits{Rows: 20, Streams: 1000}
		b := mustNew(t, o)
		rows := track(0, 12)
		bad := map[string]*serve.Request{
			"NaN":              ask("a", prediction(1), []float64{math.NaN(), 0, 0, 1}),
			"negative":         ask("a", []float64{-1, 1, 1, 0}),
			"sum":              ask("a", []float64{1, 1, 1, 1}),
			"width":            ask("a", []float64{0.5, 0.5}),
			"too many rows":    ask("a", track(0, 21)...),
			"two inputs":       ask("a", prediction(1)),
			"unknown output":   ask("a", prediction(1)),
			"times":            ask("a", prediction(1)),
			"type":             ask("a", prediction(1)),
			"long id":          ask(strings.Repeat("x", maxID+1), prediction(1)),
			"slash":            ask("a", prediction(1)),
			"key, no sequence": ask("", prediction(1)),
			"no rows":          ask("a", prediction(1)),
		}
		bad["two inputs"].Inputs = append(bad["two inputs"].Inputs, input(prediction(1)))
		bad["unknown output"].Outputs = []string{"nosuch"}
		bad["times"].Sequence.Times = make([]time.Time, 2)
		bad["type"].Inputs[0].Type = "INT64"
		bad["slash"].Namespace = "a/b"
		bad["key, no sequence"].Sequence.Key = "k"
		bad["no rows"].Inputs[0].Shape[0], bad["no rows"].Inputs[0].Data = 0, nil
		mustInfer(t, b, ask("a", rows[:6]...))
		for name, r := range bad {
			_, err := b.Infer(t.Context(), r)
			refused(t, name, err, serve.InvalidArgument)
		}
		same(t, "after all that", mustInfer(t, b, ask("a", rows[6:]...)), plain(t, rows...)[6*classes:])
		r := ask("a", rows[0])
		r.Model = "nosuch"
		_, err := b.Infer(t.Context(), r)
		refused(t, "unknown model", err, serve.NotFound)
		r.Model, r.Version = "filter", "7"
		_, err = b.Infer(t.Context(), r)
		refused(t, "unknown version", err, serve.NotFound)
		if _, err := b.Show(t.Context(), "filter", "", "a"); err != nil {
			t.Error(err)
		}
		list, err := b.List(t.Context(), "filter", "", "", 10)
		if err != nil || len(list) != 1 {
			t.Errorf("a refused request made a stream: %v, %v", list, err)
		}
	})
}

func TestManyStreamsAtOnce(t *testing.T) {
	stores(t, func(t *testing.T, o Options) {
		b := mustNew(t, o)
		var all sync.WaitGroup
		for s := range 32 {
			rows := track(1000*s, 30)
			want := plain(t, rows...)
			all.Go(func() {
				var got []float64
				for _, q := range rows {
					a, err := b.Infer(t.Context(), ask(streamID(s), q))
					if err != nil {
						t.Error(err)
						return
					}
					got = append(got, output(a, outAdapted)...)
				}
				same(t, streamID(s), got, want)
			})
		}
		all.Wait()
		s, err := b.Statistics("filter", "")
		if err != nil || s[0].Inferences != 32*30 || s[0].Success.Count != 32*30 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

func TestStateSurvives(t *testing.T) {
	for _, key := range [][]byte{nil, bytes.Repeat([]byte{7}, 32)} {
		o := Options{File: inFolder(t.TempDir()), Key: key}
		rows := track(0, 30)
		want := plain(t, rows...)
		var got []float64
		for at := 0; at < 30; at += 10 {
			b := mustNew(t, o)
			for _, q := range rows[at : at+10] {
				got = append(got, mustInfer(t, b, ask("a", q))...)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			_, err := b.Infer(t.Context(), ask("a", rows[0]))
			refused(t, "after Close", err, serve.Unavailable)
		}
		same(t, "over restarts", got, want)
	}
}

func TestKeysAreAnsweredOnce(t *testing.T) {
	stores(t, func(t *testing.T, o Options) {
		o.Limits.Keys = 4
		b := mustNew(t, o)
		rows := track(0, 8)
		want := plain(t, rows...)
		keyed := func(i int) *serve.Request {
			r := ask("a", rows[i])
			r.Sequence.Key = fmt.Sprint("item ", i)
			return r
		}
		again := func(i int) {
			t.Helper()
			same(t, fmt.Sprint("again ", i), mustInfer(t, b, keyed(i)), want[i*classes:(i+1)*classes])
		}
		for i := range rows {
			again(i)
			again(i)
			if i >= 3 {
				again(i - 3)
			}
		}
		if o.File != nil {
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			b = mustNew(t, o)
		}
		for i := 4; i < 8; i++ {
			again(i)
		}
		other := keyed(7)
		other.Inputs = []serve.Tensor{input(prediction(50))}
		_, err := b.Infer(t.Context(), other)
		refused(t, "another request with the key", err, serve.Conflict)
		big := ask("a", track(0, 1000)...)
		big.Sequence.Key = "big"
		_, err = b.Infer(t.Context(), big)
		refused(t, "an answer that cannot be kept", err, serve.TooLarge)

		end := keyed(0)
		end.Sequence.Key, end.Sequence.End = "end", true
		last := mustInfer(t, b, end)
		if _, err := b.Show(t.Context(), "filter", "", "a"); err == nil {
			t.Error("END left the stream")
		}
		if o.File != nil {
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			b = mustNew(t, o)
		}
		same(t, "END again", mustInfer(t, b, end), last)
		if _, err := b.Show(t.Context(), "filter", "", "a"); err == nil {
			t.Error("END again made a stream")
		}
	})
}

func TestOperations(t *testing.T) {
	stores(t, func(t *testing.T, o Options) {
		b := mustNew(t, o)
		ctx := t.Context()
		for i := range 5 {
			mustInfer(t, b, ask(fmt.Sprint(i), track(i, 3)...))
		}
		r := ask("9", prediction(1))
		r.Namespace = "clinic"
		mustInfer(t, b, r)
		ids := func(namespace, after string, limit int) string {
			list, err := b.List(ctx, "filter", namespace, after, limit)
			if err != nil {
				t.Fatal(err)
			}
			out := ""
			for _, s := range list {
				out += s.ID + " "
			}
			return out
		}
		if a, b, c := ids("", "", 3), ids("", "2", 10), ids("clinic", "", 10); a != "0 1 2 " || b != "3 4 " || c != "9 " {
			t.Errorf("lists %q, %q, %q", a, b, c)
		}
		info, err := b.Show(ctx, "filter", "", "3")
		if err != nil || info.Items != 3 || info.Bytes < 1000 || time.Since(info.Last) > time.Minute {
			t.Errorf("%+v, %v", info, err)
		}
		var snapshot bytes.Buffer
		if err := b.Export(ctx, "filter", "", "3", &snapshot); err != nil {
			t.Fatal(err)
		}
		refused(t, "import over a stream", b.Import(ctx, "filter", "", "4", snapshot.Bytes()), serve.Conflict)
		refused(t, "import of nonsense", b.Import(ctx, "filter", "", "new", []byte("x")), serve.InvalidArgument)
		if err := b.Import(ctx, "filter", "", "copy", snapshot.Bytes()); err != nil {
			t.Fatal(err)
		}
		same(t, "a copy goes on as the stream", mustInfer(t, b, ask("copy", prediction(8))), mustInfer(t, b, ask("3", prediction(8))))
		if err := b.Forget(ctx, "filter", "", "3"); err != nil {
			t.Fatal(err)
		}
		refused(t, "forgotten", b.Forget(ctx, "filter", "", "3"), serve.NotFound)
		refused(t, "another's stream", b.Forget(ctx, "filter", "", "9"), serve.NotFound)
		same(t, "a forgotten stream begins anew", mustInfer(t, b, ask("3", prediction(8))), plain(t, prediction(8)))
	})
}

func TestIdleStreamsAreForgotten(t *testing.T) {
	stores(t, func(t *testing.T, o Options) {
		o.Limits.Forget = 200 * time.Millisecond
		b, began := mustNew(t, o), time.Now()
		mustInfer(t, b, ask("idle", prediction(1)))
		var snapshot bytes.Buffer
		if err := errors.Join(b.Export(t.Context(), "filter", "", "idle", &snapshot), b.Import(t.Context(), "filter", "", "imported", snapshot.Bytes())); err != nil {
			t.Fatal(err)
		}
		gone := func() bool {
			mustInfer(t, b, ask("busy", prediction(1)))
			_, err := b.Show(t.Context(), "filter", "", "idle")
			_, imported := b.Show(t.Context(), "filter", "", "imported")
			return err != nil && imported != nil
		}
		if gone() && time.Since(began) < o.Limits.Forget {
			t.Error("forgotten at once")
		}
		waitFor(t, gone)
		if _, err := b.Show(t.Context(), "filter", "", "busy"); err != nil {
			t.Error(err)
		}
	})
}

// A predictor that is sure of everything, and contradicts itself, is told once.
func TestStarvationIsTold(t *testing.T) {
	var log bytes.Buffer
	b := mustNew(t, Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Models: []Source{{Name: "filter", Open: func(context.Context) (*Opened, error) {
		return &Opened{Classes: classes, Filter: adapt.Settings{Gate: adapt.GateOff}}, nil
	}}}})
	registry := prometheus.NewRegistry()
	if err := b.Register(registry); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for at := 0; at < 12_000; at += 1000 {
		var rows [][]float64
		for i := range 1000 {
			class := (at + i) / 50 % classes
			if r.IntN(3) == 0 {
				class = r.IntN(classes)
			}
			q := []float64{1e-6, 1e-6, 1e-6, 1e-6}
			q[class] = 1 - 3e-6
			rows = append(rows, q)
		}
		mustInfer(t, b, ask("a", rows...))
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("told %d times: %s", n, &log)
	}
	found, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range found {
		m := f.GetMetric()[0]
		values[f.GetName()] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
	}
	if values["oatta_starved"] != 1 || values["oatta_streams"] != 1 || values["oatta_items_total"] != 12_000 {
		t.Errorf("%v", values)
	}
}

// What was not asked for is not made; a request with a key keeps all, for a retry that asks for something else.
func TestOutputsAskedFor(t *testing.T) {
	o := &Opened{Classes: 2, Labels: []string{"a", "b"}}
	f := &found{raw: []float64{0.2, 0.8}, adapted: []float64{0.6, 0.4}, gate: []float64{0.5}}
	all := o.answer("1", f, nil)
	if len(all.tensors) != len(o.outputs()) {
		t.Errorf("%d outputs, want all %d", len(all.tensors), len(o.outputs()))
	}
	asked := o.answer("1", f, []string{outLabel, outGate})
	if len(asked.tensors) != 2 || asked.tensors[0].Name != outLabel || string(asked.tensors[0].Data) != "\x01\x00\x00\x00a" || asked.tensors[1].Name != outGate {
		t.Errorf("%+v", asked.tensors)
	}
	b := mustNew(t, Options{})
	first, again := ask("s", prediction(1)), ask("s", prediction(1))
	first.Sequence.Key, again.Sequence.Key = "x", "x"
	first.Outputs, again.Outputs = []string{outGate}, []string{outAdapted}
	mustInfer(t, b, first)
	same(t, "a retry that asks for something else", mustInfer(t, b, again), plain(t, prediction(1)))
}
