package sleepnet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/runtime"
)

// stages are the classes, in the order of their numbers in the files.
var stages = []string{"W", "N1", "N2", "N3", "R"}

// place is an epoch of a recording.
type place struct {
	of    *recording
	epoch int
}

// windows show an epoch with as many neighbours on each side; beyond its ends a recording is as at its ends.
type windows struct {
	sides int
	at    []place // of the items
}

var _ training.Store = (*windows)(nil)

// dataOf returns the epochs of recordings as items, those of a recording in their order.
func dataOf(recordings []recording, sides int) *training.Data {
	w := &windows{sides: sides}
	d := &training.Data{Noun: "epoch", Labels: stages, Store: w}
	for k := range recordings {
		r := &recordings[k]
		for i, stage := range r.stages {
			d.Items = append(d.Items, training.Item{Name: fmt.Sprint(i), Stream: r.name, Group: r.person, Class: max(stage, -1)})
			w.at = append(w.at, place{r, i})
		}
	}
	return d
}

// Batch implements [training.Store]: float32 [items, (2 sides + 1) 72], the earliest epoch first. Epochs are never changed.
func (w *windows) Batch(items []int, _ func(item int) uint64) ([]runtime.Tensor, error) {
	width := (2*w.sides + 1) * features
	out := make([]float32, 0, len(items)*width)
	for _, i := range items {
		p := w.at[i]
		for e := p.epoch - w.sides; e <= p.epoch+w.sides; e++ {
			out = append(out, p.of.epochs[max(0, min(e, len(p.of.epochs)-1))][:]...)
		}
	}
	return []runtime.Tensor{runtime.TensorOf(out, int64(len(items)), int64(width))}, nil
}

// Changes implements [training.Store].
func (w *windows) Changes() bool { return false }

// Digest implements [training.Store].
func (w *windows) Digest(to io.Writer, item int) {
	p := w.at[item]
	_ = binary.Write(to, binary.LittleEndian, p.of.epochs[p.epoch][:]) // hashes do not fail
}

// shuffled returns the data with the epochs of each recording of some people among themselves in an order without meaning. What the network
// sees of an epoch stays as it was.
func shuffled(d *training.Data, people []training.Group, seed uint64) *training.Data {
	w := d.Store.(*windows)
	mixed := &windows{sides: w.sides, at: slices.Clone(w.at)}
	out := &training.Data{Noun: d.Noun, Labels: d.Labels, Items: slices.Clone(d.Items), Store: mixed}
	random := rand.New(rand.NewPCG(seed, 0))
	_ = out.Streams(func(from, to int) error { // the function does not fail
		if slices.ContainsFunc(people, func(g training.Group) bool { return g.Name == out.Items[from].Group }) {
			random.Shuffle(to-from, func(i, j int) {
				i, j = from+i, from+j
				out.Items[i], out.Items[j] = out.Items[j], out.Items[i]
				mixed.at[i], mixed.at[j] = mixed.at[j], mixed.at[i]
			})
		}
		return nil
	})
	return out
}
