package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
)

// Batch is some items with what they are to be classified as: by Labels or by Targets.
type Batch struct {
	Inputs  []runtime.Tensor // of the network, [N, ...]; they are only read
	Labels  []int            // N classes; -1 leaves an item out of the loss
	Targets []float32        // [N, K] probabilities, where an item is of several classes, as after mixup; nil: Labels
}

// Result is what a batch showed.
type Result struct {
	Loss  float64 // mean cross-entropy before the step, with weights and smoothing in [Trainer.Step]
	Norm  float64 // length of the gradient before it was clipped; 0 if no step was taken
	Right int     // items whose largest logit is of the class with the largest target
	Items int     // items with a target
	Moved bool    // parameters moved; false while batches are added up
}

// Trainer trains one network. Its methods are for one goroutine at a time.
type Trainer struct {
	p     *Program
	cells []*held

	step, gradient, apply, evaluate *runner

	targets runtime.Tensor
	labels  []int
	logits  runtime.Tensor
	masks   []runtime.Tensor
	rate    runtime.Tensor
	loss    runtime.Tensor
	norm    runtime.Tensor
	shapes  [][]int64

	steps   int64 // of the optimiser
	batches int64 // seen, for the masks
	pending int   // batches that are added up
}

// Open opens the graphs on an engine. The caller closes the trainer.
func (p *Program) Open(e runtime.Engine, cfg runtime.Config) (*Trainer, error) {
	t := &Trainer{p: p, rate: runtime.NewTensor[float32](1), loss: runtime.NewTensor[float32](), norm: runtime.NewTensor[float32]()}
	for _, c := range p.cells {
		t.cells = append(t.cells, newHeld(c))
	}
	t.masks = make([]runtime.Tensor, len(p.masks))
	t.shapes = make([][]int64, len(p.data))
	for _, g := range []struct {
		to    **runner
		model *onnx.Model
		plan  plan
	}{{&t.step, p.Step, p.plans.step}, {&t.gradient, p.Gradient, p.plans.gradient}, {&t.apply, p.Apply, p.plans.apply}, {&t.evaluate, p.Evaluate, p.plans.evaluate}} {
		if g.model == nil {
			continue
		}
		r, err := openRunner(e, g.model, g.plan, cfg)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("train: %w", err), t.Close())
		}
		*g.to = r
	}
	return t, nil
}

// Close frees the sessions. The parameters stay readable.
func (t *Trainer) Close() error {
	var all error
	for _, r := range []*runner{t.step, t.gradient, t.apply, t.evaluate} {
		if r != nil {
			all = errors.Join(all, r.session.Close())
		}
	}
	return all
}

// Steps returns how often the parameters moved.
func (t *Trainer) Steps() int64 { return t.steps }

// Step learns from a batch: it moves the parameters by the learning rate, or adds the gradient to those of batches before, until there are
// Settings.Accumulate of them. A batch that does not fit, a label that is no class, and a loss or gradient that is not finite are errors,
// which name the step and leave everything as it was; but batches that were added up to a gradient that is not finite are given up, and
// the next one begins a new sum.
func (t *Trainer) Step(ctx context.Context, b Batch, rate float64) (Result, error) {
	r, err := t.learn(ctx, b, rate)
	if err != nil {
		return Result{}, fmt.Errorf("train: step %d: %w", t.steps+1, err)
	}
	return r, nil
}

func (t *Trainer) learn(ctx context.Context, b Batch, rate float64) (Result, error) {
	if err := t.setRate(rate); err != nil {
		return Result{}, err
	}
	items, err := t.take(b)
	if err != nil {
		return Result{}, err
	}
	if items == 0 || t.weightless() {
		return Result{}, errors.New("no item of the batch has a target that counts")
	}
	if err := t.enough(t.shapes[0][0]); err != nil {
		return Result{}, err
	}
	t.draw()
	r := t.gradient
	if t.step != nil {
		r = t.step
	}
	if err := r.run(ctx, t, b.Inputs); err != nil {
		return Result{}, err
	}
	out := Result{Loss: float64(t.loss.Data.([]float32)[0]), Items: items, Right: t.right()}
	if !finite(out.Loss) {
		return Result{}, fmt.Errorf("the loss is %v: %w", out.Loss, ErrNotFinite)
	}
	if t.step != nil {
		return t.moved(out, r)
	}
	r.turn(t)
	t.batches++
	if t.pending++; t.pending < t.p.settings.Accumulate {
		return out, nil
	}
	out, err = t.applied(ctx, out)
	if t.pending > 0 { // interrupted: the batch has not been added either
		r.turn(t)
		t.batches--
		t.pending--
	}
	return out, err
}

// setRate takes a learning rate.
func (t *Trainer) setRate(rate float64) error {
	if !(rate >= 0 && rate < 1e9) {
		return fmt.Errorf("rate %v: want 0 to 1e9", rate)
	}
	t.rate.Data.([]float32)[0] = float32(rate)
	return nil
}

// Flush moves the parameters by what was added up so far, as at the end of an epoch; without any it does nothing.
func (t *Trainer) Flush(ctx context.Context, rate float64) (Result, error) {
	if t.pending == 0 {
		return Result{}, nil
	}
	var r Result
	err := t.setRate(rate)
	if err == nil {
		r, err = t.applied(ctx, Result{})
	}
	if err != nil {
		return Result{}, fmt.Errorf("train: step %d: %w", t.steps+1, err)
	}
	return r, nil
}

// applied moves by the sum of gradients, and begins another. One that is not finite is given up; one that the context interrupts stays.
func (t *Trainer) applied(ctx context.Context, out Result) (Result, error) {
	err := t.apply.run(ctx, t, nil)
	if err == nil {
		out, err = t.moved(out, t.apply)
	}
	if ctx.Err() == nil {
		t.clearSum()
	}
	return out, err
}

func (t *Trainer) clearSum() {
	t.pending = 0
	for _, c := range t.cells {
		if c.kind == cellSum || c.kind == cellTotal {
			clear(c.floats())
		}
	}
}

// moved accepts what a step wrote.
func (t *Trainer) moved(out Result, r *runner) (Result, error) {
	out.Norm = float64(t.norm.Data.([]float32)[0])
	if !finite(out.Norm) {
		return Result{}, fmt.Errorf("the length of the gradient is %v: %w", out.Norm, ErrNotFinite)
	}
	r.turn(t)
	t.steps++
	if r == t.step {
		t.batches++
	}
	out.Moved = true
	return out, nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Evaluate classifies a batch with running statistics and without dropout. Its loss is the plain mean cross-entropy, without weights and
// smoothing, of the items that have a target; a batch may do without. logits, if it is not nil, gets the N*K numbers, and must hold as many.
func (t *Trainer) Evaluate(ctx context.Context, b Batch, logits []float32) (Result, error) {
	items, err := t.take(b)
	if err != nil {
		return Result{}, fmt.Errorf("train: %w", err)
	}
	if err := t.evaluate.run(ctx, t, b.Inputs); err != nil {
		return Result{}, fmt.Errorf("train: %w", err)
	}
	if got := t.logits.Data.([]float32); logits != nil {
		if len(logits) != len(got) {
			panic(fmt.Sprintf("train: %d logits for %d", len(logits), len(got)))
		}
		copy(logits, got)
	}
	return Result{Loss: t.crossEntropy(), Right: t.right(), Items: items}, nil
}

// enough refuses a batch of which a normalisation would see one number per channel, which has no deviation.
func (t *Trainer) enough(rows int64) error {
	for _, l := range t.p.smallest {
		if rows < 2 && l.places == 1 {
			return fmt.Errorf("batch of %d: %s has one number per channel then, which has no deviation", rows, l.name)
		}
	}
	return nil
}

// draw fills the masks of the batch that comes.
func (t *Trainer) draw() {
	for i, m := range t.p.masks {
		var buffer [8]int64
		shape := buffer[:0]
		for _, e := range m.sizes {
			shape = append(shape, e.size(t.shapes))
		}
		sized(&t.masks[i], shape)
		dropout.FillMask(t.masks[i].Data.([]float32), m.p, t.p.settings.Seed, i, int(t.batches))
	}
}

// sized makes a tensor of float32 one of a shape, in the memory that it has if that is enough.
func sized(t *runtime.Tensor, shape []int64) {
	n := 1
	for _, d := range shape {
		n *= int(d)
	}
	switch data, _ := t.Data.([]float32); {
	case data == nil || cap(data) < n:
		t.Data = make([]float32, n)
	case len(data) != n: // else it stays, since a slice in an interface is allocated
		t.Data = data[:n]
	}
	t.Shape = append(t.Shape[:0], shape...)
}
