package motion

import (
	"fmt"
	"math"

	"github.com/oatta/oatta/preprocess/dsp"
)

// band filters frames in blocks that overlap, so that what a block does not know of its neighbours has died away where it is used.
type band struct {
	filter dsp.Filter
	causal bool
	margin int // frames to each side of a block that are filtered with it and not used
	next   sink

	buf   frames // what is not yet passed on, and the margin before it
	left  int    // length of the margin before: 0 at the beginning of a stretch
	work  []float64
	out   frames
	short int // stretches that were too short to be filtered
}

// The margin is found with an impulse: where the response is below so much of its greatest value for good.
const (
	negligible = 1e-7
	maxMargin  = 1 << 18
)

func newBand(b dsp.Band, rate float64, channels int, next sink) (*band, error) {
	f, err := b.Design(rate)
	if err != nil {
		return nil, err
	}
	s := &band{filter: f, causal: b.Causal, next: next, buf: newFrames(channels), out: newFrames(channels)}
	if s.margin = marginOf(f); s.margin > maxMargin {
		return nil, fmt.Errorf("band %g to %g Hz at %g Hz: rings for more than %d samples", b.Low, b.High, rate, maxMargin)
	}
	return s, nil
}

// marginOf returns for how long a filter rings, maxMargin+1 if too long.
func marginOf(f dsp.Filter) int {
	for n := 1 << 10; n <= 2*maxMargin; n *= 2 {
		x := make([]float64, n)
		x[1] = 1 // the state of x[0], 0, is the steady one
		f.Forward(x)
		greatest, last := 0.0, 0
		for _, v := range x {
			greatest = max(greatest, math.Abs(v))
		}
		for i, v := range x {
			if math.Abs(v) > negligible*greatest {
				last = i
			}
		}
		if last < n/2 { // the second half has nothing: it is over
			return max(last, f.Edge()) + 1
		}
	}
	return maxMargin + 1
}

// block is how many frames are passed on at once: enough for the margins to be the lesser part of the work.
func (b *band) block() int { return max(4096, 4*b.margin) }

// add implements sink.
func (b *band) add(f *frames) error {
	if b.buf.len() == 0 {
		b.buf.first = f.first
	}
	for c, v := range f.values {
		b.buf.values[c] = append(b.buf.values[c], v...)
	}
	b.buf.labels = append(b.buf.labels, f.labels...)
	for b.buf.len() >= b.left+b.block()+b.margin {
		if err := b.pass(b.left + b.block()); err != nil {
			return err
		}
	}
	return nil
}

// end implements sink.
func (b *band) end() error {
	if !b.causal && b.buf.len() <= b.filter.Edge() {
		b.short++
	} else if err := b.pass(b.buf.len()); err != nil {
		return err
	}
	b.buf.clear()
	b.left = 0
	return b.next.end()
}

// pass filters what there is and passes frames left..to on.
func (b *band) pass(to int) error {
	b.out.clear()
	b.out.first = b.buf.first + int64(b.left)
	for c, x := range b.buf.values {
		b.work = b.work[:0]
		for _, v := range x {
			b.work = append(b.work, float64(v))
		}
		if b.causal {
			b.filter.Forward(b.work)
		} else if err := b.filter.Both(b.work); err != nil {
			return err
		}
		for _, v := range b.work[b.left:to] {
			b.out.values[c] = append(b.out.values[c], float32(v))
		}
	}
	b.out.labels = append(b.out.labels, b.buf.labels[b.left:to]...)
	b.keep(max(0, to-b.margin), to)
	return b.next.add(&b.out)
}

// keep drops what is before the margin of the next block, which begins at frame to.
func (b *band) keep(from, to int) {
	for c := range b.buf.values {
		b.buf.values[c] = drop(b.buf.values[c], from)
	}
	b.buf.labels = drop(b.buf.labels, from)
	b.buf.first += int64(from)
	b.left = to - from
}
