package memo

import (
	"context"
	"fmt"

	"github.com/oatta/oatta/runtime"
)

// Predictor runs a MEMO graph. It keeps nothing from item to item: what an item gives does not depend on those before and beside it, bit
// for bit. It is safe for concurrent use.
type Predictor struct {
	session runtime.Session
	input   []int64 // of the session: [1+views, ...]
	inLen   int
	classes int
}

// Open opens a file that [Build] made, or any with the same inputs, output and metadata, and returns what was set as well. The session
// belongs to the predictor, which closes it.
func Open(e runtime.Engine, path string, cfg runtime.Config) (*Predictor, Settings, error) {
	session, err := e.OpenFile(path, cfg)
	if err != nil {
		return nil, Settings{}, fmt.Errorf("memo: %w", err)
	}
	p, s, err := read(session)
	if err != nil {
		_ = session.Close() // the first error counts
		return nil, s, err
	}
	return p, s, nil
}

// read checks a session against its metadata.
func read(session runtime.Session) (*Predictor, Settings, error) {
	i, ok := session.(runtime.Inspector)
	if !ok {
		return nil, Settings{}, fmt.Errorf("memo: the engine does not tell the metadata of a file")
	}
	s, err := FromMetadata(i.Metadata().Custom)
	if err != nil {
		return nil, s, err
	}
	p, err := New(session, nil, 0)
	if err == nil && p.Views() != s.Views {
		err = fmt.Errorf("memo: metadata of %d views, but input %s", s.Views, session.Inputs()[0])
	}
	return p, s, err
}

// New returns the predictor of a session of a MEMO graph, or of an adapter before one, whose first input is float32 [1+views, input...].
// input gives the sizes that the graph leaves open, as the length of texts, without the rows; nil takes the graph's. classes does the same
// for the output, of which the first is the prediction; 0 takes the graph's.
func New(session runtime.Session, input []int64, classes int) (*Predictor, error) {
	ins, outs := session.Inputs(), session.Outputs()
	if len(ins) != 1 || len(outs) < 1 || ins[0].Type != runtime.Float32 || outs[0].Type != runtime.Float32 {
		return nil, fmt.Errorf("memo: the graph maps %v to %v: want one float32 input, and a float32 output first", ins, outs)
	}
	in, out := ins[0], outs[0]
	if len(in.Shape) < 2 || in.Shape[0] < 2 || in.Shape[0] > MaxViews+1 || len(out.Shape) != 2 || out.Shape[0] > 1 {
		return nil, fmt.Errorf("memo: the graph maps %s to %s: want [1+views, ...] to [1, classes]", in, out)
	}
	p := &Predictor{session: session, classes: classes}
	p.input = append(p.input, in.Shape...)
	if input != nil {
		p.input = append(p.input[:1], input...)
	}
	if classes == 0 {
		p.classes = int(max(out.Shape[1], 0))
	}
	n, err := runtime.Elements(p.input)
	if err == nil {
		err = in.Check(runtime.Tensor{Shape: p.input, Data: make([]float32, n)})
	}
	if err != nil {
		return nil, fmt.Errorf("memo: input %s of size %v: %w", in, p.input, err)
	}
	if p.classes < 1 || out.Shape[1] >= 0 && out.Shape[1] != int64(p.classes) {
		return nil, fmt.Errorf("memo: output %s: want %d classes", out, classes)
	}
	p.inLen = n
	return p, nil
}

// Views returns the views of an item, beside the plain input.
func (p *Predictor) Views() int { return int(p.input[0]) - 1 }

// InputLen returns the numbers of one item: the plain input, then the views.
func (p *Predictor) InputLen() int { return p.inLen }

// Classes returns the numbers of one prediction.
func (p *Predictor) Classes() int { return p.classes }

// Size returns 1: each item has parameters of its own, so that items share nothing in a run, whose batch are an item's views.
func (p *Predictor) Size(int) int { return 1 }

// Predict writes what the network puts out for each item after its step, dst [n, classes], for src [n, InputLen]. A step that ran out of
// the numbers' range leaves NaN or infinity in its own item's row alone, which is for the reader of the row to refuse. Nothing is random
// here; seeds may be nil. Slices whose lengths contradict are a panic.
func (p *Predictor) Predict(ctx context.Context, dst, src []float32, _ []uint64) error {
	n := len(dst) / p.classes
	if len(dst) != n*p.classes || len(src) != n*p.inLen {
		panic(fmt.Sprintf("memo: %d numbers of output, %d of input: want %d and %d for each item", len(dst), len(src), p.classes, p.inLen))
	}
	outputs := make([]runtime.Tensor, len(p.session.Outputs()))
	shape := []int64{1, int64(p.classes)}
	for i := range n {
		clear(outputs) // the others are the engine's to allocate, and unused
		outputs[0] = runtime.Tensor{Shape: shape, Data: dst[i*p.classes : (i+1)*p.classes]}
		input := runtime.Tensor{Shape: p.input, Data: src[i*p.inLen : (i+1)*p.inLen]}
		if err := p.session.Run(ctx, outputs, []runtime.Tensor{input}); err != nil {
			return fmt.Errorf("memo: %w", err)
		}
	}
	return nil
}

// Close closes the session.
func (p *Predictor) Close() error { return p.session.Close() }
