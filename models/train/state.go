package train

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/weights"
)

// Names of the state: a prefix before the network's own names for a tensor, or a number.
const (
	ofModel     = "model."     // parameters and running statistics
	ofOptimizer = "optimizer." // the optimiser's slots, as optimizer.m.fc.weight
	ofGradient  = "gradient."  // of batches that are added up
	nameStep    = "optimizer.step"
	nameTotal   = "gradient.total"
	nameCounts  = "train.counts" // steps, batches, and batches that are added up
)

// State returns everything that a step changes, in copies: parameters and running statistics as "model.NAME", what the optimiser keeps as
// "optimizer.SLOT.NAME", all in the network's shapes, and counts. models/weights writes it.
func (t *Trainer) State() ([]*weights.Tensor, error) {
	var out []*weights.Tensor
	err := t.each(func(name string, dims []int, floats []float32, ints []int64) error {
		var w *weights.Tensor
		var err error
		if ints != nil {
			w, err = weights.New(name, weights.I64, dims, encodeInts(ints))
		} else {
			w, err = weights.NewFloat32(name, dims, floats)
		}
		out = append(out, w)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return out, nil
}

// Restore takes back what [Trainer.State] returned, of this or another trainer of the same program. It must be complete; else the error
// says what is missing, unexpected or of another shape, and nothing has changed.
func (t *Trainer) Restore(state []*weights.Tensor) error {
	given := map[string]*weights.Tensor{}
	for _, w := range state {
		if given[w.Name()] != nil {
			return fmt.Errorf("train: restore: two tensors are named %q", w.Name())
		}
		given[w.Name()] = w
	}
	var copies []func()
	var faults []string
	counts := make([]int64, 3)
	err := t.eachWith(counts, func(name string, dims []int, floats []float32, ints []int64) error {
		w := given[name]
		delete(given, name)
		wanted := weights.F32
		if ints != nil {
			wanted = weights.I64
		}
		switch {
		case w == nil:
			faults = append(faults, name+" is missing")
			return nil
		case w.DType() != wanted || !slices.Equal(w.Shape(), dims):
			faults = append(faults, fmt.Sprintf("%v: want %v%v", w, wanted, dims))
			return nil
		}
		raw, err := w.Bytes()
		if err != nil {
			return err
		}
		copies = append(copies, func() { decode(raw, floats, ints) })
		return nil
	})
	if err != nil {
		return fmt.Errorf("train: restore: %w", err)
	}
	for _, w := range state {
		if given[w.Name()] != nil {
			faults = append(faults, w.Name()+" is not expected")
		}
	}
	if len(faults) > 0 {
		if n := len(faults); n > 5 {
			faults = append(faults[:5], fmt.Sprintf("and %d more", n-5))
		}
		return fmt.Errorf("train: restore: %s", strings.Join(faults, "; "))
	}
	for _, c := range copies {
		c()
	}
	t.steps, t.batches, t.pending = counts[0], counts[1], int(counts[2])
	return nil
}

// each calls f for every tensor of the state.
func (t *Trainer) each(f func(name string, dims []int, floats []float32, ints []int64) error) error {
	return t.eachWith([]int64{t.steps, t.batches, int64(t.pending)}, f)
}

func (t *Trainer) eachWith(counts []int64, f func(name string, dims []int, floats []float32, ints []int64) error) error {
	if err := f(nameCounts, []int{len(counts)}, nil, counts); err != nil {
		return err
	}
	for _, c := range t.cells {
		var err error
		switch c.kind {
		case cellTheta:
			err = t.parts(ofModel, t.p.Parameters, c.group, c, f)
		case cellRunning:
			err = t.parts(ofModel, t.p.Statistics, 0, c, f)
		case cellSlot:
			slot, _, _ := strings.Cut(c.name, "_")
			err = t.parts(ofOptimizer+slot+".", t.p.Parameters, c.group, c, f)
		case cellSum:
			err = t.parts(ofGradient, t.p.Parameters, c.group, c, f)
		case cellStep:
			err = f(nameStep, []int{1}, nil, c.ints())
		case cellTotal:
			err = f(nameTotal, []int{1}, c.floats(), nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parts calls f for the tensors of a vector.
func (t *Trainer) parts(prefix string, parts []Part, group int, c *held, f func(string, []int, []float32, []int64) error) error {
	for _, p := range parts {
		if t.p.cells[p.cell].group != group {
			continue
		}
		dims := make([]int, len(p.Dims))
		for i, d := range p.Dims {
			dims[i] = int(d)
		}
		if err := f(prefix+p.Name, dims, c.floats()[p.offset:p.offset+p.length()], nil); err != nil {
			return err
		}
	}
	return nil
}

func encodeInts(values []int64) []byte {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return raw
}

func decode(raw []byte, floats []float32, ints []int64) {
	for i := range ints {
		ints[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	for i := range floats {
		floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
}

// Export returns the network as it was given to [Build], with all its outputs and names, and the parameters and running statistics that
// hold now.
func (t *Trainer) Export() (*onnx.Model, error) {
	out := t.p.base.Clone()
	g := out.Graph
	for _, p := range slices.Concat(t.p.Parameters, t.p.Statistics) {
		with := graph.NewTensor(t.cells[p.cell].floats()[p.offset:p.offset+p.length()], p.Dims...)
		replace(g, p.value, with)
	}
	if err := g.Err(); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return out, nil
}
