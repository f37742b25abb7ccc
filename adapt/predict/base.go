package predict

import (
	"context"
	"fmt"

	"github.com/x448/float16"

	"github.com/oatta/oatta/runtime"
)

// Base runs a network on batches of ready inputs. Its predictions do not depend on the order of the inputs, so that a batch may
// hold inputs of several streams. It is safe for concurrent use if every call has its own [Batch].
type Base struct {
	session runtime.Session
	in, out runtime.Port
	at      int     // index of the output
	input   []int64 // shape of one input, without the batch
	output  []int64 // shape of one output, without the batch
	classes int
	fixed   int // batch size that the network insists on, 0: any
}

// NewBase returns the predictor of a session with one input [N, input...], float32 or float16, whose output number out holds
// classes numbers an input.
func NewBase(session runtime.Session, input []int64, out, classes int) (*Base, error) {
	ins, outs := session.Inputs(), session.Outputs()
	if len(ins) != 1 || out < 0 || out >= len(outs) {
		return nil, fmt.Errorf("adapt/predict: the network has %d inputs and %d outputs: want one input, and an output number %d", len(ins), len(outs), out)
	}
	b := &Base{session: session, in: ins[0], out: outs[out], at: out, input: input, classes: classes}
	if !isFloat(b.in.Type) || !isFloat(b.out.Type) {
		return nil, fmt.Errorf("adapt/predict: the network maps %s to %s: want float32 or float16", b.in, b.out)
	}
	if len(b.in.Shape) != len(input)+1 || len(b.out.Shape) < 2 {
		return nil, fmt.Errorf("adapt/predict: the network maps %s to %s: want [N, %v] to [N, %d]", b.in, b.out, input, classes)
	}
	if b.output = outputShape(b.out.Shape[1:], classes); b.output == nil {
		return nil, fmt.Errorf("adapt/predict: output %s: want %d numbers an input", b.out, classes)
	}
	fixed := max(b.in.Shape[0], 0)
	if fixed > maxBatch {
		return nil, fmt.Errorf("adapt/predict: input %s: batches of %d are more than %d", b.in, fixed, maxBatch)
	}
	b.fixed = int(fixed)
	return b, nil
}

func isFloat(t runtime.DType) bool { return t == runtime.Float32 || t == runtime.Float16 }

// outputShape fills the one size that may be left open, as in [classes] or [classes, 1, 1]; nil if classes do not fit.
func outputShape(port []int64, classes int) []int64 {
	shape, open, rest := make([]int64, len(port)), -1, int64(1)
	for i, d := range port {
		shape[i] = d
		switch {
		case d >= 0:
			rest *= d
		case open >= 0:
			return nil
		default:
			open = i
		}
	}
	if open >= 0 && rest > 0 {
		shape[open] = int64(classes) / rest
		rest *= shape[open]
	}
	if rest != int64(classes) {
		return nil
	}
	return shape
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
	inputs  []float32 // [size, ...]
	outputs []float32 // [size, classes]
	halfIn  []runtime.Half
	halfOut []runtime.Half // for networks that compute in float16; nil for others
	size    int
	one     int // elements of one input
	base    *Base
	src     [1]runtime.Tensor
	dst     []runtime.Tensor

	inShape, outShape []int64 // of the current run
}

// NewBatch allocates for runs of up to size inputs.
func (b *Base) NewBatch(size int) *Batch {
	one, err := runtime.Elements(b.input)
	if err != nil {
		panic("adapt/predict: " + err.Error())
	}
	x := &Batch{
		inputs: make([]float32, size*one), outputs: make([]float32, size*b.classes), size: size, one: one, base: b,
		dst:     make([]runtime.Tensor, len(b.session.Outputs())),
		inShape: append([]int64{0}, b.input...), outShape: append([]int64{0}, b.output...),
	}
	if b.in.Type == runtime.Float16 {
		x.halfIn = make([]runtime.Half, len(x.inputs))
	}
	if b.out.Type == runtime.Float16 {
		x.halfOut = make([]runtime.Half, len(x.outputs))
	}
	return x
}

// Input returns the memory of input i.
func (x *Batch) Input(i int) []float32 { return x.inputs[i*x.one : (i+1)*x.one] }

// Output returns the raw output [classes] of input i.
func (x *Batch) Output(i int) []float32 {
	return x.outputs[i*x.base.classes : (i+1)*x.base.classes]
}

// Run computes the outputs of the first n inputs. A network with a fixed batch size runs on all of its rows; those past n are zeros,
// so that a network whose rows touch each other gives the same outputs whatever was there before.
func (x *Batch) Run(ctx context.Context, n int) error {
	if n < 1 || n > x.size {
		panic(fmt.Sprintf("adapt/predict: run of %d inputs in a batch of %d", n, x.size))
	}
	if x.base.fixed > 0 {
		clear(x.inputs[n*x.one:])
		n = x.base.fixed
	}
	x.tensors(n)
	if err := x.base.session.Run(ctx, x.dst, x.src[:]); err != nil {
		return fmt.Errorf("adapt/predict: %w", err)
	}
	for i, v := range x.halfOut {
		x.outputs[i] = v.Float32()
	}
	return nil
}

// tensors lays the first n inputs and outputs out for the session.
func (x *Batch) tensors(n int) {
	b := x.base
	x.inShape[0], x.outShape[0] = int64(n), int64(n)
	x.src[0] = runtime.Tensor{Shape: x.inShape, Data: x.inputs[:n*x.one]}
	if x.halfIn != nil {
		half := x.halfIn[:n*x.one]
		for i := range half {
			half[i] = float16.Fromfloat32(x.inputs[i])
		}
		x.src[0].Data = half
	}
	for i := range x.dst {
		x.dst[i] = runtime.Tensor{} // the other outputs are the engine's to allocate, and unused
	}
	x.dst[b.at] = runtime.Tensor{Shape: x.outShape, Data: x.outputs[:n*b.classes]}
	if x.halfOut != nil {
		x.dst[b.at].Data = x.halfOut[:n*b.classes]
	}
}
