package motion

import (
	"fmt"

	"github.com/oatta/oatta/runtime"
)

// Windows is a plain twin of a stream: a recording as a network takes it, all of it in memory.
type Windows struct {
	Plan     Plan
	Channels int
	Samples  int       // of a channel in a window
	Count    int       // windows, gaps included; window i begins at second Plan.Start + i Hop / Rate
	Gap      []bool    // [Count]: the window is not whole, and its values are zeros
	Label    []int     // [Count], index into Plan.Labels, NoLabel for none
	Data     []float32 // [Count, Channels, Samples]
}

// maxValues bounds Data: 16 GB.
const maxValues = 1 << 32

// Tensor returns window i as float32 [1, channels, samples], over the memory of Data.
func (w *Windows) Tensor(i int) runtime.Tensor {
	size := w.Channels * w.Samples
	return runtime.TensorOf(w.Data[i*size:(i+1)*size], 1, int64(w.Channels), int64(w.Samples))
}

// Prepare keeps all windows of a source, standardised by its own numbers if the settings say so and give none.
func Prepare(src Source, set Settings) (*Windows, error) {
	out := &Windows{Channels: len(set.Channels), Samples: set.Samples}
	s, err := each(src, set, true, func(w *Window) error { return out.add(w) })
	if err != nil {
		return nil, err
	}
	if out.Count == 0 {
		return nil, fmt.Errorf("motion: no window of %d samples at %v Hz is whole", set.Samples, set.Rate)
	}
	out.Plan.finish(s, src)
	if set.Standardise && set.Mean == nil {
		out.standardise()
	}
	return out, nil
}

// add appends a window, and the gaps before it.
func (w *Windows) add(next *Window) error {
	size := len(next.Data)
	if next.Index >= maxValues/int64(size) {
		return fmt.Errorf("motion: window %d is too far from the first to keep all in memory", next.Index)
	}
	for w.Count <= int(next.Index) {
		w.Gap, w.Label = append(w.Gap, true), append(w.Label, NoLabel)
		w.Data = append(w.Data, make([]float32, size)...)
		w.Count++
	}
	i := int(next.Index)
	w.Gap[i], w.Label[i] = false, next.Label
	copy(w.Data[i*size:], next.Data)
	w.Plan.Windows = append(w.Plan.Windows, Planned{next.Index, next.Start, int32(next.Label), float32(next.Purity)})
	return nil
}

func (w *Windows) standardise() {
	for i := range w.Count {
		if w.Gap[i] {
			continue
		}
		for c := range w.Channels {
			x := w.Data[(i*w.Channels+c)*w.Samples:][:w.Samples]
			for k, v := range x {
				x[k] = float32((float64(v) - w.Plan.Mean[c]) / w.Plan.Std[c])
			}
		}
	}
}
