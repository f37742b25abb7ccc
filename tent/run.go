package tent

import (
	"context"
	"fmt"

	"github.com/oatta/oatta/runtime"
)

// binding is the tensors of a run of so many rows. Another number of rows gets other tensors over the same memory, which grows to what
// the most rows so far needed: streams come and go.
type binding struct {
	rows     int
	src, dst []runtime.Tensor
	in, out  map[int][]float32 // by role, what is in src and dst; data has the caller's
	step     []int64
	nextStep []int64
	data     int // its place in src
}

func (p *Predictor) binding(rows int) *binding {
	old := p.bound
	if old.rows == rows {
		return old
	}
	b := &binding{rows: rows, in: map[int][]float32{}, out: map[int][]float32{}}
	for i, port := range p.session.Inputs() {
		shape := sized(port.Shape, rows)
		switch role := p.inputs[i]; role {
		case roleData:
			b.data = i
			b.src = append(b.src, runtime.Tensor{Shape: append([]int64{int64(rows)}, p.input...)})
		case roleStep:
			b.step = reuse(old.step, rows)
			b.src = append(b.src, runtime.TensorOf(b.step, shape...))
		case roleRate:
			b.src = append(b.src, runtime.TensorOf([]float32{p.rate}, 1))
		default:
			b.in[role] = reuse(old.in[role], rows*len(p.source))
			b.src = append(b.src, runtime.TensorOf(b.in[role], shape...))
		}
	}
	for i, port := range p.session.Outputs() {
		role, shape := p.outputs[i], sized(port.Shape, rows)
		if role == roleStep {
			b.nextStep = reuse(old.nextStep, rows)
			b.dst = append(b.dst, runtime.TensorOf(b.nextStep, shape...))
			continue
		}
		width := 1
		if len(shape) == 2 {
			width = int(shape[1])
		}
		b.out[role] = reuse(old.out[role], rows*width)
		b.dst = append(b.dst, runtime.TensorOf(b.out[role], shape...))
	}
	p.bound = b
	return b
}

// reuse returns n elements, in the memory of old if that has as many.
func reuse[T any](old []T, n int) []T {
	if cap(old) >= n {
		return old[:n]
	}
	return make([]T, n)
}

// sized returns a port's shape for a number of rows.
func sized(shape []int64, rows int) []int64 {
	out := append([]int64{}, shape...)
	out[0] = int64(rows)
	return out
}

// run advances lanes in one run of the graph. first is the row of the call that the first of them is.
func (p *Predictor) run(ctx context.Context, dst, src []float32, lanes []int, first int, bad *RowErrors) error {
	b := p.binding(len(lanes))
	for i, n := range lanes {
		l := p.lanes[n]
		if l.due {
			l.toSource(p.source)
		}
		p.load(b, i, l)
	}
	b.src[b.data].Data = src
	err := p.session.Run(ctx, b.dst, b.src)
	b.src[b.data].Data = nil // the caller's again
	if err != nil {
		return fmt.Errorf("tent: %w", err)
	}
	for i, n := range lanes {
		l := p.lanes[n]
		prediction := row(b.out[rolePrediction], i, p.d.Classes)
		if !p.take(b, i, l) {
			*bad = append(*bad, RowError{Row: first + i, Lane: n, Err: ErrNotFinite})
			if before := b.out[roleBefore]; before != nil {
				prediction = row(before, i, p.d.Classes)
			}
		}
		copy(row(dst, i, p.d.Classes), prediction)
		l.note(p.reset, float64(b.out[roleEntropy][i]), p.collapse)
	}
	return nil
}

func row(v []float32, i, width int) []float32 { return v[i*width : (i+1)*width] }

// load puts what a lane carries into row i.
func (p *Predictor) load(b *binding, i int, l *lane) {
	copy(row(b.in[roleTheta], i, len(l.theta)), l.theta)
	for k, s := range l.slots {
		copy(row(b.in[roleSlot+k], i, len(s)), s)
	}
	if b.step != nil {
		b.step[i] = l.step
	}
}

// take moves a lane to what came out in row i, if that is finite, the prediction included.
func (p *Predictor) take(b *binding, i int, l *lane) bool {
	next := row(b.out[roleTheta], i, len(l.theta))
	if !allFinite(next) || !allFinite(row(b.out[rolePrediction], i, p.d.Classes)) {
		return false
	}
	for k, s := range l.slots {
		if !allFinite(row(b.out[roleSlot+k], i, len(s))) {
			return false
		}
	}
	copy(l.theta, next)
	for k, s := range l.slots {
		copy(s, row(b.out[roleSlot+k], i, len(s)))
	}
	if b.nextStep != nil {
		l.step = b.nextStep[i]
	}
	return true
}
