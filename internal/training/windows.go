package training

import (
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/oatta/oatta/preprocess/augment"
	"github.com/oatta/oatta/runtime"
)

// Windows are windows of recordings, as views over stretches of samples: what overlaps is held once. Fill it with [Windows.Track], then
// say how windows are scaled and changed.
type Windows struct {
	channels, samples int
	places            []place // of each item; without a track where the item could not be read
	mean, scale       []float64

	views  augment.Views
	shift  int // largest move in time, in samples
	viewer *augment.Viewer
	work   sync.Pool // *windowWork
}

// place is where a window begins.
type place struct {
	track *track
	at    int
}

// track is samples that follow each other without a gap.
type track struct{ data [][]float32 } // [channels][samples]

// NewWindows returns windows [channels, samples] of so many items, none of them held yet.
func NewWindows(items, channels, samples int) *Windows {
	return &Windows{channels: channels, samples: samples, places: make([]place, items)}
}

// Filler fills in the windows of one stream, which must come in their order. Fillers of different streams may work at the same time.
type Filler struct {
	windows *Windows
	last    *track
	start   int64 // sample of the recording at which the last track begins
}

// Filler returns a filler for another stream.
func (w *Windows) Filler() *Filler { return &Filler{windows: w} }

// Add holds the window [channels, samples] of an item that begins at a sample of its recording. A window that overlaps the one before it, or
// follows it at once, must agree with it in the samples that they share: those are held already.
func (f *Filler) Add(item int, begin int64, window []float32) {
	w := f.windows
	if len(window) != w.channels*w.samples {
		panic(fmt.Sprintf("training: a window of %d numbers, want %d x %d", len(window), w.channels, w.samples))
	}
	length := int64(0)
	if f.last != nil {
		length = int64(len(f.last.data[0]))
	}
	if f.last == nil || begin < f.start || begin > f.start+length {
		f.last, f.start, length = &track{make([][]float32, w.channels)}, begin, 0
	}
	at := begin - f.start
	known := int(min(length-at, int64(w.samples)))
	for c := range w.channels {
		f.last.data[c] = append(f.last.data[c], window[c*w.samples+known:(c+1)*w.samples]...)
	}
	w.places[item] = place{f.last, int(at)}
}

// Bytes returns how much memory the samples take.
func (w *Windows) Bytes() (n int64) {
	seen := map[*track]bool{}
	for _, p := range w.places {
		if p.track != nil && !seen[p.track] {
			seen[p.track] = true
			n += int64(4 * w.channels * len(p.track.data[0]))
		}
	}
	return n
}

// plain copies the window that begins by samples later, as far as its track goes.
func (w *Windows) plain(dst []float32, item, by int) error {
	p := w.places[item]
	if p.track == nil {
		return fmt.Errorf("training: item %d is not held", item)
	}
	at := min(max(p.at+by, 0), len(p.track.data[0])-w.samples)
	for c, x := range p.track.data {
		copy(dst[c*w.samples:(c+1)*w.samples], x[at:])
	}
	return nil
}

// Moments returns mean and standard deviation of each channel over the windows of items; 1 for a channel that is flat.
func (w *Windows) Moments(items []int) (mean, std []float64) {
	mean, std = make([]float64, w.channels), make([]float64, w.channels)
	n := float64(len(items) * w.samples)
	w.each(items, func(c int, v float64) { mean[c] += v / n })
	w.each(items, func(c int, v float64) { std[c] += (v - mean[c]) * (v - mean[c]) / n })
	for c := range std {
		if std[c] = math.Sqrt(std[c]); !(std[c] > 1e-9) {
			std[c] = 1
		}
	}
	return mean, std
}

func (w *Windows) each(items []int, f func(channel int, v float64)) {
	for _, i := range items {
		p := w.places[i]
		for c, x := range p.track.data {
			for _, v := range x[p.at : p.at+w.samples] {
				f(c, float64(v))
			}
		}
	}
}

// Standardise makes every value v of a channel (v - mean) / std, after changes. Nil leaves values as they are.
func (w *Windows) Standardise(mean, std []float64) {
	w.mean, w.scale = mean, make([]float64, len(std))
	for c, s := range std {
		w.scale[c] = 1 / s // as package motion does
	}
}

// Change says how windows are changed where a seed asks for it. A shift shows what lies beside the window in its recording.
func (w *Windows) Change(v augment.Views) error {
	v.Augmented = 1
	w.shift = int(math.Round(v.Shift * float64(w.samples)))
	v.Shift = 0 // here there is more of the recording than a circle
	var err error
	w.views = v
	w.viewer, err = augment.New(v, w.channels, w.samples)
	return err
}

// windowWork is scratch space.
type windowWork struct{ plain, views []float32 }

// Batch implements [Store]: float32 [items, channels, samples].
func (w *Windows) Batch(items []int, seed func(item int) uint64) ([]runtime.Tensor, error) {
	one := w.channels * w.samples
	out := make([]float32, len(items)*one)
	for k, i := range items {
		dst := out[k*one : (k+1)*one]
		var err error
		if seed == nil || w.viewer == nil {
			err = w.plain(dst, i, 0)
		} else {
			err = w.changed(dst, i, seed(i))
		}
		if err != nil {
			return nil, err
		}
		w.standardise(dst)
	}
	return []runtime.Tensor{runtime.TensorOf(out, int64(len(items)), int64(w.channels), int64(w.samples))}, nil
}

// changed writes a window as a seed has it.
func (w *Windows) changed(dst []float32, item int, seed uint64) error {
	work, _ := w.work.Get().(*windowWork)
	if work == nil {
		work = &windowWork{make([]float32, w.channels*w.samples), make([]float32, w.viewer.Len())}
	}
	defer w.work.Put(work)
	by := 0
	if w.shift > 0 {
		by = generator(seed).IntN(2*w.shift+1) - w.shift
	}
	if err := w.plain(work.plain, item, by); err != nil {
		return err
	}
	w.viewer.Window(work.views, work.plain, seed)
	copy(dst, work.views[len(dst):]) // behind the plain view
	return nil
}

func (w *Windows) standardise(x []float32) {
	for c, scale := range w.scale {
		for i, v := range x[c*w.samples : (c+1)*w.samples] {
			x[c*w.samples+i] = float32((float64(v) - w.mean[c]) * scale)
		}
	}
}

// Changes implements [Store].
func (w *Windows) Changes() bool { return w.viewer != nil }

// Digest implements [Store].
func (w *Windows) Digest(to io.Writer, item int) {
	p := w.places[item]
	if p.track == nil {
		return
	}
	for _, x := range p.track.data {
		writeFloats(to, x[p.at:p.at+w.samples])
	}
}
