package predict

import (
	"context"
	"fmt"

	"github.com/oatta/oatta/runtime"
)

// Base runs a network on batches of ready inputs. Its predictions do not depend on the order of the inputs, so that a batch may
// hold inputs of several streams. It is safe for concurrent use if every call has its own [Batch].
type Base struct {
	session runtime.Session
	input   []int64 // shape of one input, without the batch
	classes int
	fixed   int // batch size that the network insists on, 0: any
}

// NewBase returns the predictor of a session with one input [N, ...] and whose first output is [N, classes].
func NewBase(session runtime.Session, input []int64, classes int) (*Base, error) {
	ins, outs := session.Inputs(), session.Outputs()
	if len(ins) != 1 || len(outs) == 0 {
		return nil, fmt.Errorf("adapt/predict: the network has %d inputs and %d outputs: want one input and at least one output", len(ins), len(outs))
	}
	if ins[0].Type != runtime.Float32 || outs[0].Type != runtime.Float32 {
		return nil, fmt.Errorf("adapt/predict: the network maps %s to %s: want float32 to float32", ins[0], outs[0])
	}
	if len(ins[0].Shape) != len(input)+1 || len(outs[0].Shape) != 2 {
		return nil, fmt.Errorf("adapt/predict: the network maps %s to %s: want [N, %v] to [N, %d]", ins[0], outs[0], input, classes)
	}
	fixed := max(ins[0].Shape[0], 0)
	if fixed > maxBatch {
		return nil, fmt.Errorf("adapt/predict: input %s: batches of %d are more than %d", ins[0], fixed, maxBatch)
	}
	return &Base{session: session, input: input, classes: classes, fixed: int(fixed)}, nil
}

// maxBatch bounds the inputs of one run.
const maxBatch = 4096

// Size returns the batch size to use where want is asked for: a network with a fixed batch size has the last word.
func (b *Base) Size(want int) int {
	if b.fixed > 0 {
		return b.fixed
	}
	return min(max(want, 1), maxBatch)
}

// Batch holds the tensors of one run, to be used again and again.
type Batch struct {
	Inputs  []float32 // [size, ...]
	Outputs []float32 // [size, classes]
	size    int
	one     int // elements of one input
	base    *Base
	src     [1]runtime.Tensor
	dst     []runtime.Tensor
}

// NewBatch allocates for runs of up to size inputs.
func (b *Base) NewBatch(size int) *Batch {
	one, err := runtime.Elements(b.input)
	if err != nil {
		panic("adapt/predict: " + err.Error())
	}
	return &Batch{
		Inputs: make([]float32, size*one), Outputs: make([]float32, size*b.classes), size: size, one: one, base: b,
		dst: make([]runtime.Tensor, len(b.session.Outputs())),
	}
}

// Input returns the memory of input i.
func (x *Batch) Input(i int) []float32 { return x.Inputs[i*x.one : (i+1)*x.one] }

// Output returns the raw output [classes] of input i.
func (x *Batch) Output(i int) []float32 {
	return x.Outputs[i*x.base.classes : (i+1)*x.base.classes]
}

// Run computes the outputs of the first n inputs. A network with a fixed batch size runs on all of its rows; those past n hold
// whatever they held before and their outputs mean nothing.
func (x *Batch) Run(ctx context.Context, n int) error {
	if n < 1 || n > x.size {
		panic(fmt.Sprintf("adapt/predict: run of %d inputs in a batch of %d", n, x.size))
	}
	b := x.base
	if b.fixed > 0 {
		n = b.fixed
	}
	x.src[0] = runtime.TensorOf(x.Inputs[:n*x.one], append([]int64{int64(n)}, b.input...)...)
	x.dst[0] = runtime.TensorOf(x.Outputs[:n*b.classes], int64(n), int64(b.classes))
	for i := 1; i < len(x.dst); i++ {
		x.dst[i] = runtime.Tensor{} // a further output is the engine's to allocate, and unused
	}
	if err := b.session.Run(ctx, x.dst, x.src[:]); err != nil {
		return fmt.Errorf("adapt/predict: %w", err)
	}
	return nil
}
