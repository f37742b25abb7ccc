package augment

import (
	"fmt"
	"math"
	"sync"

	"github.com/oatta/oatta/preprocess/internal/draw"
)

// Viewer writes the views of windows of one size. It is safe for concurrent use.
type Viewer struct {
	views             Views
	channels, samples int
	curves            curves
	scratch           sync.Pool // of *scratch
}

// scratch is the memory of one call.
type scratch struct {
	random    *draw.Source
	mean, std []float64 // of each channel in the window
	points    []float64 // of a curve
	silent    []bool    // channels
}

// New returns the viewer of windows [channels, samples].
func New(v Views, channels, samples int) (*Viewer, error) {
	if err := v.Validate(); err != nil {
		return nil, err
	}
	if err := v.fits(channels, samples); err != nil {
		return nil, fmt.Errorf("preprocess/augment: %w", err)
	}
	viewer := &Viewer{views: v, channels: channels, samples: samples}
	if v.Warp > 0 {
		var err error
		if viewer.curves, err = newCurves(samples, v.knots()+2); err != nil {
			return nil, fmt.Errorf("preprocess/augment: %w", err)
		}
	}
	viewer.scratch.New = func() any { return viewer.newScratch() }
	return viewer, nil
}

func (v *Viewer) newScratch() *scratch {
	return &scratch{
		random: draw.New(), mean: make([]float64, v.channels), std: make([]float64, v.channels),
		points: make([]float64, v.views.knots()+2), silent: make([]bool, v.channels),
	}
}

// Count returns the number of views, the plain one included.
func (v *Viewer) Count() int { return 1 + v.views.Augmented }

// Len returns the number of elements of all views.
func (v *Viewer) Len() int { return v.Count() * v.channels * v.samples }

// Window writes the views of src [channels, samples] into dst [Count, channels, samples]. The two must not overlap.
func (v *Viewer) Window(dst, src []float32, seed uint64) { v.Piece(dst, src, v.samples, 0, seed) }

// Piece writes the views of a window that is part of a longer piece [channels, length] and begins at sample at: views that are
// shifted show what lies beside the window, as far as the piece goes, and then its other end. The neighbourhood must be prepared as
// the window is.
func (v *Viewer) Piece(dst, piece []float32, length, at int, seed uint64) {
	if len(dst) != v.Len() || len(piece) != v.channels*length || at < 0 || at > length-v.samples {
		panic(fmt.Sprintf("preprocess/augment: %d numbers for %d views, of a piece of %d numbers, from %d of %d samples on: want %d, %d, within it",
			len(dst), v.Count(), len(piece), at, length, v.Len(), v.channels*length))
	}
	s := v.scratch.Get().(*scratch)
	defer v.scratch.Put(s)
	v.write(s, dst, piece, length, at, seed)
}

func (v *Viewer) write(s *scratch, dst, piece []float32, length, at int, seed uint64) {
	size := v.channels * v.samples
	plain := dst[:size]
	v.move(plain, piece, length, at, 0)
	v.measure(s, plain)
	for i := 1; i < v.Count(); i++ {
		s.random.View(seed, i)
		v.view(s, dst[i*size:][:size], piece, length, at)
	}
}

// view makes one augmented view. The changes that are off draw nothing.
func (v *Viewer) view(s *scratch, dst, piece []float32, length, at int) {
	set := v.views
	by := 0
	if most := share(set.Shift, v.samples); most > 0 {
		by = s.random.IntN(2*most+1) - most
	}
	v.move(dst, piece, length, at, by)
	if set.Rotate > 0 {
		for _, triple := range set.Triples {
			turn := rotation(s.random, set.Rotate*math.Pi/180)
			turn.apply(v.channel(dst, triple[0]), v.channel(dst, triple[1]), v.channel(dst, triple[2]))
		}
	}
	for c := range v.channels {
		v.amplify(s, v.channel(dst, c))
		v.jitter(s, v.channel(dst, c), set.Jitter*s.std[c])
	}
	v.silence(s, dst)
}

// channel returns channel c of a window.
func (v *Viewer) channel(window []float32, c int) []float32 {
	return window[c*v.samples : (c+1)*v.samples]
}

// measure finds mean and standard deviation of each channel, over the values that are finite, in two passes since the mean
// may be large.
func (v *Viewer) measure(s *scratch, window []float32) {
	for c := range v.channels {
		n, sum, squares := 0.0, 0.0, 0.0
		x := v.channel(window, c)
		for _, e := range x {
			if e-e == 0 {
				n++
				sum += float64(e)
			}
		}
		mean := 0.0
		if n > 0 {
			mean = sum / n
		}
		for _, e := range x {
			if e-e == 0 {
				squares += (float64(e) - mean) * (float64(e) - mean)
			}
		}
		s.mean[c], s.std[c] = mean, 0
		if n > 0 {
			s.std[c] = math.Sqrt(squares / n)
		}
	}
}
