package predict

import (
	"context"
	"fmt"
	"sync"

	"github.com/x448/float16"

	"github.com/oatta/oatta/runtime"
)

// Base runs a network on batches of ready inputs. Its predictions do not depend on the order of the inputs, so that a batch may
// hold inputs of several streams. It is safe for concurrent use.
type Base struct {
	session runtime.Session
	in, out runtime.Port
	at      int     // index of the output
	input   []int64 // shape of one input, without the batch
	output  []int64 // shape of one output, without the batch
	one     int     // numbers of one input
	classes int
	fixed   int       // batch size that the network insists on, 0: any
	runs    sync.Pool // of *run
}

// NewBase returns the predictor of a session with one input [N, input...], float32 or float16, whose output number out holds
// classes numbers an input.
func NewBase(session runtime.Session, input []int64, out, classes int) (*Base, error) {
	ins, outs := session.Inputs(), session.Outputs()
	if len(ins) != 1 || out < 0 || out >= len(outs) {
		return nil, fmt.Errorf("predict: the network has %d inputs and %d outputs: want one input, and an output number %d", len(ins), len(outs), out)
	}
	b := &Base{session: session, in: ins[0], out: outs[out], at: out, input: input, classes: classes}
	if !isFloat(b.in.Type) || !isFloat(b.out.Type) {
		return nil, fmt.Errorf("predict: the network maps %s to %s: want float32 or float16", b.in, b.out)
	}
	if len(b.in.Shape) != len(input)+1 || len(b.out.Shape) < 2 {
		return nil, fmt.Errorf("predict: the network maps %s to %s: want [N, %v] to [N, %d]", b.in, b.out, input, classes)
	}
	if b.output = outputShape(b.out.Shape[1:], classes); b.output == nil {
		return nil, fmt.Errorf("predict: output %s: want %d numbers an input", b.out, classes)
	}
	var err error
	if b.one, err = runtime.Elements(input); err != nil {
		return nil, fmt.Errorf("predict: input %s: %w", b.in, err)
	}
	b.fixed, err = fixedBatch(b.in)
	return b, err
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

// fixedBatch returns the batch size that a port insists on, or 0.
func fixedBatch(in runtime.Port) (int, error) {
	if in.Shape[0] > maxBatch {
		return 0, fmt.Errorf("predict: input %s: batches of %d are more than %d", in, in.Shape[0], maxBatch)
	}
	return int(max(in.Shape[0], 0)), nil
}

// InputLen returns the numbers of one input.
func (b *Base) InputLen() int { return b.one }

// Classes returns the numbers of one output.
func (b *Base) Classes() int { return b.classes }

// Close closes the session.
func (b *Base) Close() error { return b.session.Close() }

// Size returns the batch size to use where want is asked for: a network with a fixed batch size has the last word.
func (b *Base) Size(want int) int {
	if b.fixed > 0 {
		return b.fixed
	}
	return min(max(want, 1), maxBatch)
}

// Predict writes the network's raw outputs for the inputs src [n, InputLen] into dst [n, Classes]. Nothing here is random: seeds may
// be nil. More inputs than a run takes are run in parts. A network with a fixed batch size runs on all of its rows; those past the
// inputs are zeros, so that a network whose rows touch each other gives the same outputs whatever was there before.
func (b *Base) Predict(ctx context.Context, dst, src []float32, seeds []uint64) error {
	n := checkRows(b, dst, src, seeds)
	r, _ := b.runs.Get().(*run)
	if r == nil {
		r = b.newRun()
	}
	defer b.runs.Put(r)
	for size := b.Size(maxBatch); n > 0; n -= size {
		size = min(size, n)
		if err := b.part(ctx, r, dst[:size*b.classes], src[:size*b.one]); err != nil {
			return fmt.Errorf("predict: %w", err)
		}
		dst, src = dst[size*b.classes:], src[size*b.one:]
	}
	return nil
}

// run is the scratch memory of one run. The halves are nil for networks that compute in float32.
type run struct {
	in, out           []float32 // rows of a fixed batch that is not full
	halfIn, halfOut   []runtime.Half
	inShape, outShape []int64
	src               [1]runtime.Tensor
	dst               []runtime.Tensor
}

func (b *Base) newRun() *run {
	return &run{
		dst:     make([]runtime.Tensor, len(b.session.Outputs())),
		inShape: append([]int64{0}, b.input...), outShape: append([]int64{0}, b.output...),
	}
}

// part computes the outputs of as many inputs as one run takes.
func (b *Base) part(ctx context.Context, r *run, dst, src []float32) error {
	out, in := dst, src
	if rows := len(src) / b.one; rows < b.fixed {
		r.in, r.out = grow(r.in, b.fixed*b.one), grow(r.out, b.fixed*b.classes)
		clear(r.in[copy(r.in, src):])
		out, in = r.out, r.in
	}
	b.lay(r, out, in)
	err := b.session.Run(ctx, r.dst, r.src[:])
	if b.out.Type == runtime.Float16 {
		toFloats(out, r.halfOut)
	}
	if len(out) != len(dst) {
		copy(dst, out)
	}
	clear(r.dst) // what belongs to the caller, or was allocated for outputs that nobody reads, is not held
	r.src[0].Data = nil
	return err
}

// lay lays inputs and outputs of whole rows out for the session.
func (b *Base) lay(r *run, out, in []float32) {
	n := int64(len(in) / b.one)
	r.inShape[0], r.outShape[0] = n, n
	r.src[0].Shape, r.dst[b.at].Shape = r.inShape, r.outShape
	if b.in.Type == runtime.Float16 {
		r.halfIn = grow(r.halfIn, len(in))
		toHalves(r.halfIn, in)
		r.src[0].Data = r.halfIn
	} else {
		r.src[0].Data = in
	}
	if b.out.Type == runtime.Float16 {
		r.halfOut = grow(r.halfOut, len(out))
		r.dst[b.at].Data = r.halfOut
	} else {
		r.dst[b.at].Data = out
	}
}

func toHalves(dst []runtime.Half, src []float32) {
	for i, v := range src {
		dst[i] = float16.Fromfloat32(v)
	}
}

func toFloats(dst []float32, src []runtime.Half) {
	for i := range dst {
		dst[i] = src[i].Float32()
	}
}

// grow returns a slice of n elements, in the memory of s where that is enough. What they hold is undefined.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
