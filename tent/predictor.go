package tent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/runtime"
)

// Options choose how a graph is run. The zero value does what the graph's file says.
type Options struct {
	Reset *Reset  // another policy than the file's
	Rate  float64 // another learning rate, > 0, for a graph that has one as input
	Input []int64 // sizes of one item where the graph leaves them open, as the length of texts; nil: as in the graph
}

// Predictor advances streams, each with parameters of its own, through a graph that [Build] made. Its methods may be called from any
// goroutine; calls wait for each other.
type Predictor struct {
	session  runtime.Session
	d        description
	reset    Reset
	source   []float32
	rate     float32
	mark     uint64 // of graph and source, for snapshots
	inputs   []int  // of the session: what each is, a role
	outputs  []int
	input    []int64 // sizes of one item
	inLen    int
	collapse float64 // nats

	mu    sync.Mutex
	lanes []*lane
	bound *binding // of the last run
}

// Roles of ports. Slots follow.
const (
	roleData = iota
	roleTheta
	roleRate
	roleStep
	rolePrediction
	roleBefore
	roleEntropy
	roleSlot
)

// Open opens a file that [Build] made, here or elsewhere.
func Open(e runtime.Engine, path string, cfg runtime.Config, o Options) (*Predictor, error) {
	s, err := e.OpenFile(path, cfg)
	if err != nil {
		return nil, err
	}
	p, err := New(s, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), s.Close())
	}
	return p, nil
}

// New returns a predictor on a session of a graph that [Build] made, whose metadata say what its ports are. The session must have one
// data input, in float32, of known sizes but for the batch; one for text is put behind an adapter before. The caller closes it, by
// [Predictor.Close] or itself.
func New(s runtime.Session, o Options) (*Predictor, error) {
	i, ok := s.(runtime.Inspector)
	if !ok {
		return nil, fmt.Errorf("tent: the session cannot tell what its file says")
	}
	return newPredictor(s, i.Metadata().Custom, o)
}

func newPredictor(s runtime.Session, custom map[string]string, o Options) (*Predictor, error) {
	d, source, reset, err := readDescription(custom)
	if err != nil {
		return nil, fmt.Errorf("tent: %w", err)
	}
	if o.Reset != nil {
		if err := o.Reset.Validate(); err != nil {
			return nil, err
		}
		reset = o.Reset.filled()
	}
	p := &Predictor{session: s, d: d, reset: reset, source: source, rate: float32(d.Rate), bound: &binding{}, input: o.Input}
	if o.Rate != 0 {
		if !(o.Rate > 0 && o.Rate <= maxRate) || d.Ports.Rate == "" {
			return nil, fmt.Errorf("tent: learning rate %v: want a positive one, and a graph that takes it", o.Rate)
		}
		p.rate = float32(o.Rate)
	}
	p.mark = fingerprint(custom)
	p.collapse = collapseBelow(reset, d.Classes)
	if err := p.match(); err != nil {
		return nil, fmt.Errorf("tent: %w", err)
	}
	return p, nil
}

// match finds what each port of the session is for, and checks its type and sizes.
func (p *Predictor) match() error {
	in, out, err := p.wanted()
	if err != nil {
		return err
	}
	for _, port := range p.session.Inputs() {
		is, ok := in[port.Name]
		if !ok {
			if is, err = p.takeData(port); err != nil {
				return err
			}
		} else if err := is.check(port); err != nil {
			return err
		}
		p.inputs = append(p.inputs, is.role)
	}
	for _, port := range p.session.Outputs() {
		is, ok := out[port.Name]
		if !ok {
			return fmt.Errorf("output %q is none that the metadata name", port.Name)
		}
		if err := is.check(port); err != nil {
			return err
		}
		p.outputs = append(p.outputs, is.role)
	}
	if len(p.inputs) != len(in)+1 || len(p.outputs) != len(out) || p.inLen == 0 {
		return fmt.Errorf("%d inputs and %d outputs: the metadata name %d, with one for data, and %d", len(p.inputs), len(p.outputs), len(in)+1, len(out))
	}
	return nil
}

// wanted returns the ports that the metadata name, by name, but for the data.
func (p *Predictor) wanted() (in, out map[string]port, err error) {
	n, width := p.d.Ports, int64(len(p.source))
	in, out = map[string]port{}, map[string]port{}
	add := func(ports map[string]port, name string, is port) {
		if _, twice := ports[name]; twice {
			err = fmt.Errorf("the metadata name port %q twice", name)
		}
		ports[name] = is
	}
	add(in, n.Theta, port{roleTheta, runtime.Float32, width})
	add(out, n.NextTheta, port{roleTheta, runtime.Float32, width})
	add(out, n.Prediction, port{rolePrediction, runtime.Float32, int64(p.d.Classes)})
	add(out, n.Entropy, port{roleEntropy, runtime.Float32, 0})
	if n.Rate != "" {
		add(in, n.Rate, port{roleRate, runtime.Float32, 0})
	}
	if n.Step != "" {
		add(in, n.Step, port{roleStep, runtime.Int64, 1})
		add(out, n.NextStep, port{roleStep, runtime.Int64, 1})
	}
	if n.Before != "" {
		add(out, n.Before, port{roleBefore, runtime.Float32, int64(p.d.Classes)})
	}
	for i := range n.Slots {
		add(in, n.Slots[i], port{roleSlot + i, runtime.Float32, width})
		add(out, n.NextSlots[i], port{roleSlot + i, runtime.Float32, width})
	}
	return in, out, err
}

// port is what a port must be: rows of so many numbers, or with 0 a number for each row, without an axis of its own.
type port struct {
	role  int
	kind  runtime.DType
	width int64
}

func (is port) check(p runtime.Port) error {
	rank := 2
	if is.width == 0 {
		rank = 1
	}
	if p.Type != is.kind || len(p.Shape) != rank || rank == 2 && p.Shape[1] != is.width {
		return fmt.Errorf("port %v is not what the metadata say", p)
	}
	return nil
}

// takeData accepts the one input that is the network's.
func (p *Predictor) takeData(in runtime.Port) (port, error) {
	if p.inLen != 0 {
		return port{}, fmt.Errorf("more than one input for data, %q the second", in.Name)
	}
	if p.input == nil && len(in.Shape) > 1 {
		p.input = in.Shape[1:]
	}
	if in.Type != runtime.Float32 || len(in.Shape) < 2 || len(p.input) != len(in.Shape)-1 || slices.Contains(p.input, runtime.Dynamic) {
		return port{}, fmt.Errorf("input %v: want float32 of known sizes after the batch", in)
	}
	for i, d := range in.Shape[1:] {
		if d != runtime.Dynamic && d != p.input[i] {
			return port{}, fmt.Errorf("input %v: items of %v do not fit", in, p.input)
		}
	}
	if first := in.Shape[0]; first != runtime.Dynamic && first != 1 {
		return port{}, fmt.Errorf("input %v: a batch of %d is no stream's item", in, first)
	}
	n, err := runtime.Elements(p.input)
	if err != nil || n == 0 {
		return port{}, fmt.Errorf("input %v: %d numbers for each item (%v)", in, n, err)
	}
	p.inLen = n
	return port{role: roleData}, nil
}

// InputLen returns the numbers of one item.
func (p *Predictor) InputLen() int { return p.inLen }

// Classes returns the numbers of one prediction.
func (p *Predictor) Classes() int { return p.d.Classes }

// Kind says what a prediction holds.
func (p *Predictor) Kind() predict.Kind { return predict.Kind(p.d.Kind) }

// Reset returns the policy in force.
func (p *Predictor) Reset() Reset { return p.reset }

// Parameters returns the number of parameters of each stream.
func (p *Predictor) Parameters() int { return len(p.source) }

// Lanes returns how many streams one run may advance where want is asked for: one, if the graph is for a single stream or the policy
// lets parameters pass from stream to stream, and else any number.
func (p *Predictor) Lanes(want int) int {
	if p.d.Lanes == 1 || p.reset.When == Never {
		return 1
	}
	return max(want, 1)
}

// OneLane says why there is one lane though the graph was asked for any number; "" if that is not so.
func (p *Predictor) OneLane() string { return p.d.OneLane }

// Close closes the session.
func (p *Predictor) Close() error { return p.session.Close() }

// Begin gives a lane to a new stream, which starts with the source's parameters. Under [Never] it does so only the first time. Lanes are
// numbered from 0; their memory is a few times that of the parameters, and is kept for the next stream.
func (p *Predictor) Begin(lane int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if lane < 0 {
		panic(fmt.Sprintf("tent: lane %d", lane))
	}
	for len(p.lanes) <= lane {
		p.lanes = append(p.lanes, nil)
	}
	switch l := p.lanes[lane]; {
	case l == nil:
		p.lanes[lane] = p.newLane()
	case p.reset.When != Never:
		l.begin(p.source)
	}
}

// Step predicts row i of src [n, InputLen] with the parameters of lanes[i], writes it to row i of dst [n, Classes], and moves the
// parameters. The lanes, all begun, are all different. Slices of other lengths and lanes that are not begun are the caller's bug, and
// panic.
//
// A row whose new parameters or prediction are not all finite keeps the parameters that it had; its prediction is that before the step
// where the graph has one. The error then is a [RowErrors], and all other rows are as if nothing had been. After any other error no lane
// has moved; of a graph for one stream, which takes lanes one after another, the first may have.
func (p *Predictor) Step(ctx context.Context, dst, src []float32, lanes []int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.checkStep(dst, src, lanes)
	most := len(lanes)
	if p.d.Lanes == 1 {
		most = 1
	}
	var bad RowErrors
	for at := 0; at < len(lanes); at += most {
		end := min(at+most, len(lanes))
		k := p.d.Classes
		err := p.run(ctx, dst[at*k:end*k], src[at*p.inLen:end*p.inLen], lanes[at:end], at, &bad)
		if err != nil {
			return err
		}
	}
	if len(bad) > 0 {
		return bad
	}
	return nil
}

func (p *Predictor) checkStep(dst, src []float32, lanes []int) {
	n := len(lanes)
	if len(dst) != n*p.d.Classes || len(src) != n*p.inLen {
		panic(fmt.Sprintf("tent: %d numbers of output, %d of input for %d rows: want %d and %d each", len(dst), len(src), n, p.d.Classes, p.inLen))
	}
	for i, lane := range lanes {
		if lane < 0 || lane >= len(p.lanes) || p.lanes[lane] == nil {
			panic(fmt.Sprintf("tent: lane %d has not begun", lane))
		}
		if slices.Contains(lanes[:i], lane) {
			panic(fmt.Sprintf("tent: lane %d is in two rows", lane))
		}
	}
}

// RowErrors lists the rows of a step that could not adapt.
type RowErrors []RowError

// RowError is one of them.
type RowError struct {
	Row, Lane int
	Err       error
}

// ErrNotFinite is why a row could not adapt.
var ErrNotFinite = errors.New("the step is not finite: the stream keeps the parameters that it had")

// Error names the rows.
func (e RowErrors) Error() string {
	var b strings.Builder
	for i, r := range e {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "tent: row %d (lane %d): %v", r.Row, r.Lane, r.Err)
	}
	return b.String()
}

// Unwrap lets errors.Is look into the rows.
func (e RowErrors) Unwrap() []error {
	out := make([]error, len(e))
	for i, r := range e {
		out[i] = r.Err
	}
	return out
}
