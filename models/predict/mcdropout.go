package predict

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/runtime"
)

// MCDropoutSettings say how [MCDropout] draws. The zero value does what the graph's file says.
type MCDropoutSettings struct {
	Passes int     // 1 to dropout.MaxPasses; 0: as noted in the file, 30 mostly
	P      float64 // probability of dropping an element, between 0 and 1; 0: as noted in the file for each dropout
	// MaskNumbers bounds the elements of all masks of one run, so that many passes, or dropout on large tensors, run in parts:
	// 1 to 2^30; 0 is 2^22. One pass of one item always runs.
	MaskNumbers int
}

// Validate reports a setting out of range.
func (s MCDropoutSettings) Validate() error {
	if s.Passes < 0 || s.Passes > dropout.MaxPasses {
		return fmt.Errorf("predict: %d passes: want 1 to %d", s.Passes, dropout.MaxPasses)
	}
	if s.P != 0 && !(s.P > 0 && s.P < 1) {
		return fmt.Errorf("predict: dropout with probability %g: want one between 0 and 1", s.P)
	}
	if s.MaskNumbers < 0 || s.MaskNumbers > 1<<30 {
		return fmt.Errorf("predict: %d elements of masks: want 1 to %d", s.MaskNumbers, 1<<30)
	}
	return nil
}

const defaultMaskNumbers = 1 << 22

// MCDropout is Monte Carlo dropout: the mean of the class probabilities over passes with random masks, so that its Kind is
// Probabilities. It runs a graph that models/dropout made, in which the passes share what lies before the first dropout. The masks of an
// item depend on its seed alone: whatever its neighbours, its masks are the same bits. It is safe for concurrent use.
type MCDropout struct {
	session runtime.Session
	in      runtime.Port
	input   []int64
	one     int
	classes int
	at      int // index of the output of probabilities
	masks   []maskInput
	passes  int
	step    int       // passes of one run
	items   int       // items of one run
	runs    sync.Pool // of *mcRun
}

// maskInput is one input of masks.
type maskInput struct {
	features []int64
	one      int // elements of one mask
	p        float64
}

// mcRun is the scratch memory of one run.
type mcRun struct {
	half  []runtime.Half
	masks [][]float32
	part  []float32 // probabilities of a part of the passes
	sum   []float64
	src   []runtime.Tensor
	dst   []runtime.Tensor
}

// NewMCDropout returns Monte Carlo dropout on a session of a graph that dropout.Build made, which the metadata of its file must say. Its
// first input takes items of the given shape.
func NewMCDropout(session runtime.Session, input []int64, classes int, s MCDropoutSettings) (*MCDropout, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	inspector, ok := session.(runtime.Inspector)
	if !ok {
		return nil, errors.New("predict: the session does not tell the metadata of its file, which say what its masks are")
	}
	spec, err := dropout.Open(inspector.Metadata().Custom)
	if err != nil {
		return nil, fmt.Errorf("predict: %w", err)
	}
	d := &MCDropout{session: session, input: input, classes: classes, passes: s.Passes}
	if d.passes == 0 {
		d.passes = spec.Passes
	}
	if err := d.ports(spec, s.P); err != nil {
		return nil, err
	}
	return d, d.parts(s.MaskNumbers)
}

// ports finds inputs and outputs of the graph.
func (d *MCDropout) ports(spec dropout.Spec, p float64) (err error) {
	ins, outs := d.session.Inputs(), d.session.Outputs()
	if len(ins) != 1+len(spec.Masks) {
		return fmt.Errorf("predict: the network has %d inputs: want one, and %d of masks", len(ins), len(spec.Masks))
	}
	d.in = ins[0]
	if !isFloat(d.in.Type) || len(d.in.Shape) != len(d.input)+1 || d.in.Shape[0] >= 0 {
		return fmt.Errorf("predict: input %s: want float32 or float16, [N, %v] with a batch of any size", d.in, d.input)
	}
	if d.one, err = runtime.Elements(d.input); err != nil {
		return fmt.Errorf("predict: input %s: %w", d.in, err)
	}
	for i, m := range spec.Masks {
		mask, err := newMaskInput(ins[1+i], m, p)
		if err != nil {
			return err
		}
		d.masks = append(d.masks, mask)
	}
	d.at = slices.IndexFunc(outs, func(o runtime.Port) bool { return o.Name == spec.Probability })
	if d.at < 0 || outs[d.at].Type != runtime.Float32 || len(outs[d.at].Shape) != 2 || outputShape(outs[d.at].Shape[1:], d.classes) == nil {
		return fmt.Errorf("predict: outputs %v: want %q float32 [N, %d]", outs, spec.Probability, d.classes)
	}
	return nil
}

func newMaskInput(port runtime.Port, m dropout.Mask, p float64) (maskInput, error) {
	out := maskInput{p: m.P}
	if p != 0 {
		out.p = p
	}
	if port.Name != m.Input || port.Type != runtime.Float32 || len(port.Shape) < 2 || port.Shape[0] >= 0 || port.Shape[1] >= 0 {
		return out, fmt.Errorf("predict: input %s: want masks %q float32 [N, passes, features...] with any N and passes", port, m.Input)
	}
	out.features = port.Shape[2:]
	var err error
	if out.one, err = runtime.Elements(out.features); err != nil {
		return out, fmt.Errorf("predict: masks %s of dropout %q: their sizes depend on the input: build the graph for inputs of one size, or with dropout elsewhere", port, m.Node)
	}
	return out, nil
}

// parts chooses how many passes, and of how many items, are one run. Neither depends on how many items are given, so that the passes
// of an item are always added up in the same order.
func (d *MCDropout) parts(bound int) error {
	if bound == 0 {
		bound = defaultMaskNumbers
	}
	pass := 0
	for _, m := range d.masks {
		pass += m.one
	}
	if pass > 1<<30 {
		return fmt.Errorf("predict: the masks of one pass have %d elements: more than %d", pass, 1<<30)
	}
	pass = max(pass, 1)
	d.step = min(max(bound/pass, 1), d.passes)
	d.items = min(max(bound/(pass*d.step), 1), maxBatch)
	return nil
}

// InputLen returns the numbers of one input.
func (d *MCDropout) InputLen() int { return d.one }

// Classes returns the numbers of one output.
func (d *MCDropout) Classes() int { return d.classes }

// Kind returns Probabilities.
func (d *MCDropout) Kind() Kind { return Probabilities }

// Passes returns how many passes each item gets.
func (d *MCDropout) Passes() int { return d.passes }

// Size returns the items of one run where want is asked for.
func (d *MCDropout) Size(want int) int { return min(max(want, 1), d.items) }

// Predict writes the mean probabilities of n items into dst [n, Classes]. It panics without a seed for each item.
func (d *MCDropout) Predict(ctx context.Context, dst, src []float32, seeds []uint64) error {
	n := checkRows(d, dst, src, seeds)
	if seeds == nil && n > 0 {
		panic("predict: Monte Carlo dropout without seeds")
	}
	r, _ := d.runs.Get().(*mcRun)
	if r == nil {
		r = d.newRun()
	}
	defer d.runs.Put(r)
	for from := 0; from < n; from += d.items {
		to := min(from+d.items, n)
		if err := d.predict(ctx, r, dst[from*d.classes:to*d.classes], src[from*d.one:to*d.one], seeds[from:to]); err != nil {
			return fmt.Errorf("predict: %w", err)
		}
	}
	return nil
}

func (d *MCDropout) newRun() *mcRun {
	return &mcRun{masks: make([][]float32, len(d.masks)), src: make([]runtime.Tensor, 1+len(d.masks)), dst: make([]runtime.Tensor, len(d.session.Outputs()))}
}

// predict computes all passes of as many items as one run takes.
func (d *MCDropout) predict(ctx context.Context, r *mcRun, dst, src []float32, seeds []uint64) error {
	defer func() { clear(r.dst); r.src[0] = runtime.Tensor{} }() // nothing of the caller's is held
	d.lay(r, src)
	if d.step == d.passes {
		return d.run(ctx, r, dst, seeds, 0, d.passes)
	}
	r.part, r.sum = grow(r.part, len(dst)), grow(r.sum, len(dst))
	clear(r.sum)
	for from := 0; from < d.passes; from += d.step {
		to := min(from+d.step, d.passes)
		if err := d.run(ctx, r, r.part, seeds, from, to); err != nil {
			return err
		}
		for i, v := range r.part {
			r.sum[i] += float64(v) * float64(to-from)
		}
	}
	for i, v := range r.sum {
		dst[i] = float32(v / float64(d.passes))
	}
	return nil
}

// lay lays the items out for the session.
func (d *MCDropout) lay(r *mcRun, src []float32) {
	r.src[0] = runtime.Tensor{Shape: append([]int64{int64(len(src) / d.one)}, d.input...), Data: src}
	if d.in.Type == runtime.Float16 {
		r.half = grow(r.half, len(src))
		toHalves(r.half, src)
		r.src[0].Data = r.half
	}
}

// run computes the mean over the passes [from, to).
func (d *MCDropout) run(ctx context.Context, r *mcRun, dst []float32, seeds []uint64, from, to int) error {
	n, count := len(seeds), to-from
	for j, m := range d.masks {
		r.masks[j] = grow(r.masks[j], n*count*m.one)
		for i, seed := range seeds {
			for t := range count {
				at := (i*count + t) * m.one
				dropout.FillMask(r.masks[j][at:at+m.one], m.p, seed, j, from+t)
			}
		}
		r.src[1+j] = runtime.Tensor{Shape: append([]int64{int64(n), int64(count)}, m.features...), Data: r.masks[j]}
	}
	clear(r.dst)
	r.dst[d.at] = runtime.Tensor{Shape: []int64{int64(n), int64(d.classes)}, Data: dst}
	return d.session.Run(ctx, r.dst, r.src)
}
