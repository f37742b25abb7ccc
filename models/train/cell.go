package train

import (
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/runtime"
)

// kind says what a port of a graph is for.
type kind uint8

const (
	isData kind = iota
	isMask
	isTargets
	isRate
	isLogits
	isLoss
	isNorm
	isCell
)

// port is one input or output: which of its kind.
type port struct {
	kind  kind
	index int
}

// plan says what the inputs and outputs of a graph are, in order.
type plan struct{ in, out []port }

// plans are those of the graphs of a program.
type plans struct{ step, gradient, apply, evaluate plan }

// cell is a tensor that one run hands to the next.
type cell struct {
	name    string
	kind    cellKind
	group   int // of the parameters that it goes with
	elem    graph.DType
	length  int
	initial []float32 // nil: zeros
}

type cellKind uint8

const (
	cellTheta cellKind = iota
	cellRunning
	cellStep
	cellSlot
	cellSum
	cellTotal
)

// held is a cell of a trainer: what holds now, and what a run writes.
type held struct {
	cell
	both [2]runtime.Tensor
	now  int
}

func newHeld(c cell) *held {
	h := &held{cell: c}
	for i := range h.both {
		if c.elem == graph.Int64 {
			h.both[i] = runtime.NewTensor[int64](int64(c.length))
			continue
		}
		h.both[i] = runtime.NewTensor[float32](int64(c.length))
	}
	if c.initial != nil {
		copy(h.floats(), c.initial)
	}
	return h
}

func (h *held) current() runtime.Tensor { return h.both[h.now] }
func (h *held) next() runtime.Tensor    { return h.both[1-h.now] }
func (h *held) turn()                   { h.now = 1 - h.now }
func (h *held) floats() []float32       { return h.current().Data.([]float32) }
func (h *held) ints() []int64           { return h.current().Data.([]int64) }
