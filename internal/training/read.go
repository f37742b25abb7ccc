package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/pipeline"
)

// Reading says what the items of an input are.
type Reading struct {
	Noun     string
	Labels   []string
	Group    func(stream string) string // the person, camera or account of a stream
	Class    func(label string) int     // -1: none of the labels
	Progress func(done, total int)      // nil: nobody looks
}

// reader reads the items of an input into a store.
type reader struct {
	Reading
	data *Data
	mu   sync.Mutex
	done int
	bad  []badItem
}

type badItem struct {
	item int
	err  error
}

// newReader makes the items of an input. What could not even be listed comes last in it, and is no item here.
func newReader(in inputs.Input, load pipeline.Loader, r Reading) *reader {
	_, _, unread := in.Unread()
	all := in.Items()
	listed := all[:len(all)-unread]
	out := &reader{Reading: r, data: &Data{Noun: r.Noun, Labels: r.Labels, Items: make([]Item, len(listed))}}
	for i, item := range listed {
		class, label := -1, in.Label(i)
		if label != "" {
			class = r.Class(label)
		}
		switch {
		case label == "":
			out.data.Free++
		case class < 0:
			out.data.Other++
		}
		out.data.Items[i] = Item{Name: item.Name, Stream: item.Stream, Group: r.Group(item.Stream), Time: item.Time, Class: class}
	}
	nothing := make([]float32, sizeOf(in))
	for i := len(listed); i < len(all); i++ {
		err := load(nothing, i, 0)
		if err == nil {
			err = errors.New("it cannot be read")
		}
		out.data.Bad = append(out.data.Bad, Bad{all[i].Name, err.Error()})
	}
	return out
}

func sizeOf(in inputs.Input) int {
	n := 1
	for _, d := range in.Shape() {
		n *= int(d)
	}
	return n
}

// count tells how an item went.
func (r *reader) count(item int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.bad = append(r.bad, badItem{item, err})
	}
	if r.done++; r.Progress != nil {
		r.Progress(r.done, len(r.data.Items))
	}
}

// finish takes the bad items out of what has a class.
func (r *reader) finish(ctx context.Context, s Store) (*Data, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	slices.SortFunc(r.bad, func(a, b badItem) int { return cmp.Compare(a.item, b.item) })
	r.data.unread = map[int]bool{}
	for _, b := range r.bad {
		r.data.unread[b.item] = true
		r.data.Items[b.item].Class = -1
		r.data.Bad = append(r.data.Bad, Bad{r.data.Items[b.item].Name, b.err.Error()})
	}
	r.data.Store = s
	return r.data, nil
}

// errNotFinite is why an item is not trained on.
var errNotFinite = errors.New("holds a value that is no finite number")

// ReadWindows reads the windows of an input of signals. rate is that of the samples in Hz. Streams are read beside each other, the windows
// of one in their order.
func ReadWindows(ctx context.Context, in inputs.Input, rate float64, r Reading) (*Data, *Windows, error) {
	load, err := in.Loader(inputs.Views{}, goroutines())
	if err != nil {
		return nil, nil, err
	}
	out := newReader(in, load, r)
	shape := in.Shape()
	w := NewWindows(len(out.data.Items), int(shape[0]), int(shape[1]))
	var streams [][2]int
	_ = out.data.Streams(func(from, to int) error {
		streams = append(streams, [2]int{from, to})
		return nil
	})
	all := in.Items()
	forEach(len(streams), func() []float32 { return make([]float32, sizeOf(in)) }, func(window []float32, s int) {
		f := w.Filler()
		for i := streams[s][0]; i < streams[s][1] && ctx.Err() == nil; i++ {
			err := load(window, i, 0)
			if err == nil && !finite(window) {
				err = errNotFinite
			}
			if err == nil {
				f.Add(i, int64(math.Round(all[i].Offset*rate)), window)
			}
			out.count(i, err)
		}
	})
	d, err := out.finish(ctx, w)
	return d, w, err
}

// ReadTokens reads the ids of an input of texts, of which the network takes most tokens.
func ReadTokens(ctx context.Context, in inputs.Input, pad int64, names TokenInputs, r Reading) (*Data, *Tokens, error) {
	load, err := in.Loader(inputs.Views{}, 1)
	if err != nil {
		return nil, nil, err
	}
	out, most := newReader(in, load, r), sizeOf(in)
	t := NewTokens(len(out.data.Items), most, pad, names)
	forEach(len(out.data.Items), func() []float32 { return make([]float32, most) }, func(row []float32, i int) {
		if ctx.Err() != nil {
			return
		}
		err := load(row, i, 0)
		if err == nil {
			t.Set(i, idsOf(row))
		}
		out.count(i, err)
	})
	d, err := out.finish(ctx, t)
	return d, t, err
}

// idsOf reads a row of package inputs: ids, and behind them -1.
func idsOf(row []float32) []int32 {
	n := slices.IndexFunc(row, func(v float32) bool { return v < 0 })
	if n < 0 {
		n = len(row)
	}
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(row[i])
	}
	return ids
}

// ReadPixels decodes the pictures of an input whose network takes planes of values of 0 to 1, and holds as many as fit into room bytes.
func ReadPixels(ctx context.Context, in inputs.Input, room int64, r Reading) (*Data, *Pixels, error) {
	load, err := in.Loader(inputs.Views{}, 1)
	if err != nil {
		return nil, nil, err
	}
	shape := in.Shape()
	if len(shape) != 3 || shape[0] != 3 {
		return nil, nil, fmt.Errorf("training: pictures of shape %v, want planes [3, height, width]", shape)
	}
	out := newReader(in, load, r)
	p := NewPixels(len(out.data.Items), int(shape[1]), int(shape[2]), room, func(dst []float32, i int) error { return load(dst, i, 0) })
	forEach(len(out.data.Items), func() struct{} { return struct{}{} }, func(_ struct{}, i int) {
		if ctx.Err() == nil {
			out.count(i, p.Read(i))
		}
	})
	d, err := out.finish(ctx, p)
	return d, p, err
}
