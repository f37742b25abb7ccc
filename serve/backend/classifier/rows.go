package classifier

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/preprocess/image"
	"github.com/oatta/oatta/serve"
)

// rows makes a network's rows of inputs: of tensors as the manifest describes them, where items need no views, and of what the manifest's
// preparation takes.
type rows struct {
	tensor  *serve.Port // nil: none
	encoded *serve.Port // of BYTES; nil: none
	load    func(dst []float32, item []byte, seed uint64) error
}

func rowsOf(m *models.Model, p *method.Predictor, o Options) (r rows, err error) {
	name, what := m.Manifest.Input.Name, "image"
	switch {
	case m.Manifest.Text != nil:
		what = "text"
		r.load, err = textRows(m, p)
	case m.Manifest.Signal != nil:
		name, what = m.Manifest.Signal.Name, ""
		if p.Views.Count > 0 {
			err = errors.New("views of signals are made while recordings are cut, and no recordings come here: want another predictor")
		}
	default:
		r.load, err = pictureRows(m.Manifest, p, o)
	}
	if what != "" {
		r.encoded = &serve.Port{Name: what, Type: serve.Bytes, Shape: []int64{-1}}
	}
	if m.Manifest.Text == nil && p.Views.Count == 0 {
		r.tensor = &serve.Port{Name: name, Type: "FP32", Shape: append([]int64{-1}, m.Manifest.Shape()...)}
		if name == what {
			r.encoded.Name += "_bytes"
		}
	}
	return r, err
}

func pictureRows(m models.Manifest, p *method.Predictor, o Options) (func([]float32, []byte, uint64) error, error) {
	limits := image.Limits{MaxPixels: o.MaxPixels}
	if limits.MaxPixels == 0 {
		limits.MaxPixels = maxPixels
	}
	t, err := image.New(m.Input.Settings(), limits)
	if err != nil || p.Views.Count == 0 {
		return func(dst []float32, item []byte, _ uint64) error { return t.Bytes(dst, item) }, err
	}
	set, err := image.ParseSet(p.Views.Set)
	if err != nil {
		return nil, err
	}
	v, err := t.NewViews(image.Views{Set: set, Augmented: p.Views.Count})
	return func(dst []float32, item []byte, seed uint64) error { return v.Bytes(dst, item, seed) }, err
}

func textRows(m *models.Model, p *method.Predictor) (func([]float32, []byte, uint64) error, error) {
	t, _, err := m.Tokenizer()
	if err != nil {
		return nil, err
	}
	load, err := inputs.TextRows(t, inputs.Views(p.Views))
	return func(dst []float32, item []byte, seed uint64) error {
		if !utf8.Valid(item) {
			return errors.New("not UTF-8")
		}
		load(dst, string(item), seed)
		return nil
	}, err
}

// ports describes the inputs.
func (r *rows) ports() (out []serve.Port) {
	for _, p := range []*serve.Port{r.tensor, r.encoded} {
		if p != nil {
			out = append(out, *p)
		}
	}
	return out
}

// read makes rows of length numbers.
func (r *rows) read(t *serve.Tensor, length int, seed uint64) ([]float32, int, error) {
	switch {
	case r.tensor != nil && t.Name == r.tensor.Name:
		return r.numbers(t)
	case r.encoded != nil && t.Name == r.encoded.Name:
		return r.items(t, length, seed)
	}
	names := make([]string, 0, 2)
	for _, p := range r.ports() {
		names = append(names, p.Name)
	}
	return nil, 0, serve.Errorf(serve.InvalidArgument, "input %q: want %s", t.Name, strings.Join(names, " or "))
}

func (r *rows) numbers(t *serve.Tensor) ([]float32, int, error) {
	want := r.tensor.Shape
	if t.Type != r.tensor.Type || len(t.Shape) != len(want) || !slices.Equal(t.Shape[1:], want[1:]) {
		return nil, 0, serve.Errorf(serve.InvalidArgument, "input %s of %s %v: want %s %v", t.Name, t.Type, t.Shape, r.tensor.Type, want)
	}
	out := make([]float32, len(t.Data)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:]))
		if math.IsNaN(float64(out[i])) || math.IsInf(float64(out[i]), 0) {
			return nil, 0, serve.Errorf(serve.InvalidArgument, "input %s: number %d is not finite", t.Name, i)
		}
	}
	return out, int(t.Shape[0]), nil
}

// mostRows bounds the numbers that the items of one request become: 256 MiB.
const mostRows = 1 << 26

func (r *rows) items(t *serve.Tensor, length int, seed uint64) ([]float32, int, error) {
	if t.Type != serve.Bytes || len(t.Shape) != 1 && (len(t.Shape) != 2 || t.Shape[1] != 1) {
		return nil, 0, serve.Errorf(serve.InvalidArgument, "input %s of %s %v: want BYTES [rows]", t.Name, t.Type, t.Shape)
	}
	n := int(t.Shape[0])
	if n > mostRows/length {
		return nil, 0, serve.Errorf(serve.TooLarge, "%d items of %d numbers each: ask for fewer at a time", n, length)
	}
	out, rest := make([]float32, n*length), t.Data
	for i := range n {
		size := binary.LittleEndian.Uint32(rest)
		item := rest[4 : 4+size]
		rest = rest[4+size:]
		if err := r.load(out[i*length:(i+1)*length], item, seedOf(seed, item)); err != nil {
			return nil, 0, serve.Errorf(serve.InvalidArgument, "item %d: %s", i, strings.TrimPrefix(err.Error(), "preprocess/image: "))
		}
	}
	return out, n, nil
}

// seedOf is that of an item: the same bytes have the same.
func seedOf(seed uint64, item []byte) uint64 {
	h := fnv.New64a()
	h.Write(binary.LittleEndian.AppendUint64(nil, seed))
	h.Write(item)
	return h.Sum64()
}

func floatBytes(values []float32) []byte {
	out := make([]byte, 0, 4*len(values))
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}
