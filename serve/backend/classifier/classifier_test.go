package classifier_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	goimage "image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/forms/formstest"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/backend"
	"github.com/oatta/oatta/serve/backend/classifier"
)

const cifar = "resnet20-cifar10"

func source(t testing.TB, name, how string, o classifier.Options) backend.Source {
	engine := orttest.Engine(t)
	o.Config.IntraThreads = 1
	return backend.Source{Name: name, Open: func(context.Context) (*backend.Opened, error) {
		m, err := models.Load(name)
		if err != nil {
			return nil, err
		}
		s, err := method.Default(how, m.Manifest)
		if err != nil {
			return nil, err
		}
		c, err := classifier.Open(engine, m, s, o)
		if err != nil {
			return nil, err
		}
		return &backend.Opened{Classes: len(m.Manifest.Labels), Labels: m.Manifest.Labels, Network: c}, nil
	}}
}

func mustServe(t testing.TB, sources ...backend.Source) *backend.Backend {
	t.Helper()
	b, err := backend.New(t.Context(), backend.Options{Models: sources})
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

// picture is a function of its number.
func picture(t testing.TB, i int) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(i), 5))
	img := goimage.NewNRGBA(goimage.Rect(0, 0, 40, 40))
	for y := range 40 {
		for x := range 40 {
			img.Set(x, y, color.NRGBA{uint8(r.IntN(60) + 4*x), uint8(r.IntN(60) + 4*y), uint8(40 * (i % 5)), 255})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func encoded(name string, items ...[]byte) serve.Tensor {
	t := serve.Tensor{Name: name, Type: serve.Bytes, Shape: []int64{int64(len(items))}}
	for _, item := range items {
		t.Data = append(binary.LittleEndian.AppendUint32(t.Data, uint32(len(item))), item...)
	}
	return t
}

func ask(model, stream string, in serve.Tensor) *serve.Request {
	return &serve.Request{Model: model, Sequence: serve.Sequence{ID: stream}, Inputs: []serve.Tensor{in}}
}

func mustInfer(t testing.TB, b *backend.Backend, r *serve.Request) (raw, adapted []float64) {
	t.Helper()
	a, err := b.Infer(t.Context(), r)
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	for _, o := range a.Outputs {
		var values []float64
		for data := o.Data; o.Type == "FP64" && len(data) > 0; data = data[8:] {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
		switch o.Name {
		case "raw":
			raw = values
		case "adapted":
			adapted = values
		}
	}
	return raw, adapted
}

func equal(t testing.TB, what string, got, want []float64, within float64) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= within) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

// Pictures as bytes give what their tensors give, and behind the filter what the filter makes of that.
func TestPictures(t *testing.T) {
	b := mustServe(t, source(t, cifar, method.Base, classifier.Options{Batch: 4}))
	m, err := models.Load(cifar)
	if err != nil {
		t.Fatal(err)
	}
	transform, err := m.Transform()
	if err != nil {
		t.Fatal(err)
	}
	described, err := b.Model(cifar, "")
	if err != nil || len(described.Inputs) != 2 || described.Inputs[0].Name != m.Manifest.Input.Name || described.Inputs[1].Type != serve.Bytes {
		t.Fatalf("%+v, %v", described, err)
	}
	f, err := adapt.New(10, adapt.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	one := make([]float32, 3*32*32)
	for i := range 6 {
		data := picture(t, i)
		raw, adapted := mustInfer(t, b, ask(cifar, "bytes", encoded("image", data)))
		if err := transform.Bytes(one, data); err != nil {
			t.Fatal(err)
		}
		in := serve.Tensor{Name: m.Manifest.Input.Name, Type: "FP32", Shape: []int64{1, 3, 32, 32}}
		for _, v := range one {
			in.Data = binary.LittleEndian.AppendUint32(in.Data, math.Float32bits(v))
		}
		other, _ := mustInfer(t, b, ask(cifar, "tensor", in))
		equal(t, "raw of tensor and bytes", other, raw, 0)
		want := make([]float64, 10)
		f.Step(want, raw)
		equal(t, "adapted", adapted, want, 0)
	}
	for what, in := range map[string]serve.Tensor{
		"no picture": encoded("image", []byte("no picture")), "other name": encoded("nosuch", picture(t, 1)),
		"other shape": {Name: m.Manifest.Input.Name, Type: "FP32", Shape: []int64{1, 3}, Data: make([]byte, 12)},
		"other type":  {Name: "image", Type: "FP32", Shape: []int64{1}, Data: make([]byte, 4)},
		"one is none": encoded("image", picture(t, 1), nil),
		"not finite":  {Name: m.Manifest.Input.Name, Type: "FP32", Shape: []int64{1, 3, 32, 32}, Data: bytes.Repeat([]byte{255}, 4*3*32*32)},
	} {
		_, err := b.Infer(t.Context(), ask(cifar, "bytes", in))
		var e *serve.Error
		if !errors.As(err, &e) || e.Code != serve.InvalidArgument {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Every predictor, many streams at once: in whatever batch a stream's items were, they give what they give alone.
func TestPredictorsInBatches(t *testing.T) {
	const items = 4
	for _, how := range method.Names() {
		streams := 6
		if how == method.Memo { // 33 views an item
			streams = 2
		}
		t.Run(how, func(t *testing.T) {
			b := mustServe(t, source(t, cifar, how, classifier.Options{Batch: 4, Config: runtime.Config{}}))
			want := make([][]float64, items)
			for i := range items {
				r := ask(cifar, "alone", encoded("image", picture(t, i)))
				r.Sequence.Start = i == 0
				want[i], _ = mustInfer(t, b, r)
			}
			var all sync.WaitGroup
			for s := range streams {
				all.Go(func() {
					for i := range items {
						raw, _ := mustInfer(t, b, ask(cifar, string(rune('a'+s)), encoded("image", picture(t, i))))
						equal(t, how, raw, want[i], 1e-4) // the engine's sums depend on the batch
					}
				})
			}
			all.Wait()
			var whole [][]byte
			for i := range items {
				whole = append(whole, picture(t, i))
			}
			r := ask(cifar, "a", encoded("image", whole...))
			r.Sequence.Start, r.Sequence.End = true, true
			raw, _ := mustInfer(t, b, r)
			for i := range items {
				equal(t, "one request of all rows", raw[10*i:10*(i+1)], want[i], 1e-4)
			}
		})
	}
}

// What a key names is not run again: a predictor that learns would learn twice.
func TestKeysBeforeTheNetwork(t *testing.T) {
	b := mustServe(t, source(t, cifar, method.Tent, classifier.Options{}))
	r := ask(cifar, "a", encoded("image", picture(t, 1)))
	r.Sequence.Key = "one"
	first, _ := mustInfer(t, b, r)
	for range 3 {
		raw, _ := mustInfer(t, b, r)
		equal(t, "again", raw, first, 0)
	}
	mustInfer(t, b, ask(cifar, "b", encoded("image", picture(t, 1))))
	x, _ := mustInfer(t, b, ask(cifar, "a", encoded("image", picture(t, 2))))
	y, _ := mustInfer(t, b, ask(cifar, "b", encoded("image", picture(t, 2))))
	equal(t, "the stream of the key and one without", x, y, 1e-5)
	s, err := b.Statistics(cifar, "")
	if err != nil || s[0].Executions != 4 {
		t.Errorf("%+v, %v: want 4 runs", s, err)
	}
	if q, c := s[0].Queue.Total, s[0].Compute.Total; q < 0 || q > time.Hour || c < 0 || c > time.Hour {
		t.Errorf("%v of waiting and %v of computing, with retries", q, c)
	}
}

// What a predictor has learned along a stream is forgotten with it.
func TestForgetWhatWasLearned(t *testing.T) {
	b := mustServe(t, source(t, cifar, method.Tent, classifier.Options{Batch: 2}))
	step := func(stream string, item int) []float64 {
		raw, _ := mustInfer(t, b, ask(cifar, stream, encoded("image", picture(t, item))))
		return raw
	}
	first := step("a", 1)
	for i := range 6 {
		step("a", i)
	}
	if slices.Equal(step("a", 1), first) {
		t.Fatal("nothing was learned")
	}
	forget := func() {
		t.Helper()
		if err := b.Forget(t.Context(), cifar, "", "a"); err != nil {
			t.Fatal(err)
		}
	}
	forget()
	equal(t, "in its lane", step("a", 1), first, 1e-9)
	for _, other := range []string{"b", "c", "d"} {
		step(other, 2)
	}
	forget()
	equal(t, "put away", step("a", 1), first, 1e-9)
}

func TestTextsAndSignals(t *testing.T) {
	const tweets, waist = "tweet-sentiment", "har-waist"
	b := mustServe(t, source(t, tweets, method.Base, classifier.Options{}), source(t, waist, method.Base, classifier.Options{}))
	good, _ := mustInfer(t, b, ask(tweets, "a", encoded("text", []byte("I love this, it is wonderful"))))
	bad, _ := mustInfer(t, b, ask(tweets, "b", encoded("text", []byte("this is awful and I hate it"))))
	if len(good) != 2 || good[1]-bad[1] < 0.3 {
		t.Errorf("%v of a friendly text, %v of another", good, bad)
	}
	_, err := b.Infer(t.Context(), ask(tweets, "a", encoded("text", []byte{0xff})))
	var e *serve.Error
	if !errors.As(err, &e) || e.Code != serve.InvalidArgument {
		t.Error(err)
	}
	m, err := b.Model(waist, "")
	if err != nil || len(m.Inputs) != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	shape, n := append([]int64{1}, m.Inputs[0].Shape[1:]...), int64(4)
	for _, side := range shape {
		n *= side
	}
	raw, _ := mustInfer(t, b, ask(waist, "a", serve.Tensor{Name: m.Inputs[0].Name, Type: "FP32", Shape: shape, Data: make([]byte, n)}))
	if len(raw) != len(m.Labels) {
		t.Errorf("%v", raw)
	}
}

// opened keeps the graphs that an engine opens.
type opened struct {
	runtime.Engine
	graphs [][]byte
}

func (o *opened) Open(model []byte, cfg runtime.Config) (runtime.Session, error) {
	o.graphs = append(o.graphs, bytes.Clone(model))
	return o.Engine.Open(model, cfg)
}

// Tent's graph is written for as many streams as a run may advance, and answers are those of a graph for one, to rounding.
func TestFormsOfTheBatch(t *testing.T) {
	like, err := models.Load(cifar)
	if err != nil {
		t.Fatal(err)
	}
	like.Manifest.SHA256, like.Manifest.Parameters = "", 0
	engine := &opened{Engine: orttest.Engine(t)}
	of := func(batch int) []float64 {
		return askedOfForms(t, engine, like.Manifest, classifier.Options{Config: runtime.Config{IntraThreads: 1}, Batch: batch})
	}
	alone, byDefault, more := of(1), of(0), of(formstest.Rows+1)
	equal(t, "in the default batch", byDefault, alone, 1e-5)
	equal(t, "in a larger batch", more, alone, 1e-5)
	var convolutions []int
	for _, data := range engine.graphs {
		m, err := onnx.Parse(data, "")
		if err != nil {
			t.Fatal(err)
		}
		convolutions = append(convolutions, formstest.Convolutions(m))
	}
	if c := convolutions; len(c) != 3 || c[1] >= c[0] || c[2] != c[1] {
		t.Errorf("convolutions %v: want fewer for %d streams and more than for one", c, formstest.Rows)
	}
}

// askedOfForms returns what Tent on a network whose forms depend on rows answers to two pictures of a stream.
func askedOfForms(t *testing.T, engine runtime.Engine, manifest models.Manifest, o classifier.Options) (out []float64) {
	t.Helper()
	m, err := models.New(formstest.Network(), manifest)
	if err != nil {
		t.Fatal(err)
	}
	s, err := method.Default(method.Tent, manifest)
	if err != nil {
		t.Fatal(err)
	}
	b := mustServe(t, backend.Source{Name: "wide", Open: func(context.Context) (*backend.Opened, error) {
		c, err := classifier.Open(engine, m, s, o)
		return &backend.Opened{Classes: formstest.Classes, Labels: manifest.Labels, Network: c}, err
	}})
	for i := range 2 {
		raw, _ := mustInfer(t, b, ask("wide", "a", encoded("image", picture(t, i))))
		out = append(out, raw...)
	}
	return out
}
