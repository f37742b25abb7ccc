package motion

import (
	"math"

	"github.com/oatta/oatta/runtime"
)

// Window is one input of a network.
type Window struct {
	Index    int64     // on the grid of windows; numbers that are missing are gaps
	Start    float64   // seconds since the start of the recording
	Label    int       // index into the labels of the source, or NoLabel
	Purity   float64   // share of the window that has the label of its majority
	Channels int       // that Data has
	Data     []float32 // [Channels, samples], the window's own
}

// NoLabel is the label of a window that has none, or none that is pure enough.
const NoLabel = -1

// Tensor returns the window as float32 [1, channels, samples], over the memory of Data.
func (w *Window) Tensor() runtime.Tensor {
	return runtime.TensorOf(w.Data, 1, int64(w.Channels), int64(len(w.Data)/w.Channels))
}

// assembler collects frames until they make a window.
type assembler struct {
	samples, hop int
	rate         float64
	purity       float64
	start        float64 // seconds of frame 0

	held    []*frames // stretches in which windows may be waiting; the last one grows
	free    []*frames
	index   int64     // next window
	moments []moments // of each channel
	counts  map[int32]int
}

func newAssembler(set Settings) *assembler {
	return &assembler{
		samples: set.Samples, hop: set.hop(), rate: set.Rate, purity: set.Purity,
		moments: make([]moments, len(set.Channels)), counts: map[int32]int{},
	}
}

// add implements sink.
func (a *assembler) add(f *frames) error {
	for c, v := range f.values {
		a.moments[c].add(v)
	}
	to := a.stretchOf(f)
	for c, v := range f.values {
		to.values[c] = append(to.values[c], v...)
	}
	to.labels = append(to.labels, f.labels...)
	return nil
}

// stretchOf returns the frames that f follows, or new ones.
func (a *assembler) stretchOf(f *frames) *frames {
	if n := len(a.held); n > 0 {
		if last := a.held[n-1]; last.first+int64(last.len()) == f.first {
			return last
		}
	}
	var s *frames
	if n := len(a.free); n > 0 {
		s, a.free = a.free[n-1], a.free[:n-1]
	} else {
		made := newFrames(len(f.values))
		s = &made
	}
	s.first = f.first
	a.held = append(a.held, s)
	return s
}

// end implements sink. A stretch is kept as long as windows may be waiting in it.
func (a *assembler) end() error { return nil }

// ready finds the next window that is whole, and returns where it begins in the first stretch held.
func (a *assembler) ready() (at int, ok bool) {
	hop := int64(a.hop)
	for len(a.held) > 0 {
		s := a.held[0]
		a.index = max(a.index, (s.first+hop-1)/hop)
		from := a.index*hop - s.first
		if from+int64(a.samples) <= int64(s.len()) {
			return int(from), true
		}
		if len(a.held) == 1 { // it may grow
			s.forget(from)
			return 0, false
		}
		s.clear()
		a.free = append(a.free, s)
		a.held = a.held[:copy(a.held, a.held[1:])]
	}
	return 0, false
}

// forget drops the first n frames, or all there are.
func (f *frames) forget(n int64) {
	n = min(n, int64(f.len()))
	if n < 1 {
		return
	}
	for c := range f.values {
		f.values[c] = drop(f.values[c], int(n))
	}
	f.labels = drop(f.labels, int(n))
	f.first += n
}

// fill fills a window with the frames from at on, and goes on to the next; data only if wanted.
func (a *assembler) fill(w *Window, at int, data bool) {
	s := a.held[0]
	w.Index, w.Channels = a.index, len(s.values)
	w.Start = a.start + float64(a.index*int64(a.hop))/a.rate
	w.Label, w.Purity = a.majority(s.labels[at : at+a.samples])
	a.index++
	if !data {
		return
	}
	w.Data = w.Data[:0]
	for _, x := range s.values {
		w.Data = append(w.Data, x[at:at+a.samples]...)
	}
}

// majority returns the label that most samples have, of several the first, and its share. No label is a label like others here.
func (a *assembler) majority(labels []int32) (int, float64) {
	clear(a.counts)
	for _, l := range labels {
		a.counts[max(l, NoLabel)]++
	}
	best, most := int32(NoLabel), 0
	for _, l := range labels {
		if l = max(l, NoLabel); a.counts[l] > most {
			best, most = l, a.counts[l]
		}
	}
	share := float64(most) / float64(len(labels))
	if share < a.purity {
		best = NoLabel
	}
	return int(best), share
}

// moments gathers mean and deviation as values come (Welford, in the form for blocks by Chan, Golub and LeVeque).
type moments struct {
	n, mean, squares float64
}

func (m *moments) add(x []float32) {
	if len(x) == 0 {
		return
	}
	n, sum, squares := float64(len(x)), 0.0, 0.0
	for _, v := range x {
		sum += float64(v)
	}
	mean := sum / n
	for _, v := range x {
		squares += (float64(v) - mean) * (float64(v) - mean)
	}
	d := mean - m.mean
	all := m.n + n
	m.squares += squares + d*d*m.n*n/all
	m.mean += d * n / all
	m.n = all
}

// std returns the standard deviation of the population, 1 for values that are all the same.
func (m *moments) std() float64 {
	if s := math.Sqrt(m.squares / max(1, m.n)); s > 0 {
		return s
	}
	return 1
}
