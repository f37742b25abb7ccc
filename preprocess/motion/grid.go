package motion

import "math"

// frames are some values on the grid, without a gap between them.
type frames struct {
	first  int64       // number of the first on the grid
	values [][]float32 // [channels][n]
	labels []int32     // [n]
}

func newFrames(channels int) frames { return frames{values: make([][]float32, channels)} }

func (f *frames) len() int { return len(f.labels) }

func (f *frames) clear() {
	for c := range f.values {
		f.values[c] = f.values[c][:0]
	}
	f.labels = f.labels[:0]
}

// sink takes frames, whose memory stays the giver's, and hears of the end of a stretch.
type sink interface {
	add(f *frames) error
	end() error
}

// grid interpolates a stretch at the times of the grid.
type grid struct {
	kernel kernel
	from   float64 // Hz, of the source
	to     float64 // Hz, of the grid
	next   sink

	origin float64 // time of frame 0: of the first sample of the recording
	set    bool    // origin is known
	times  []float64
	values [][]float32 // [channels][samples], those of the ends repeated beyond them
	labels []int32
	row    []float32
	k      int     // sample at the time of the next frame or the last before it
	m      int64   // next frame
	limit  float64 // time from which on there are no frames, once the stretch has ended
	out    frames
}

func newGrid(k kernel, from, to float64, channels int, next sink) *grid {
	return &grid{kernel: k, from: from, to: to, next: next, values: make([][]float32, channels), row: make([]float32, channels), out: newFrames(channels)}
}

func (g *grid) channels() int { return len(g.values) }

// begin begins a stretch with its first sample, and with copies of it before.
func (g *grid) begin(t float64, row []float32, label int32) {
	if !g.set {
		g.origin, g.set = t, true
	}
	g.times, g.labels = g.times[:0], g.labels[:0]
	for c := range g.values {
		g.values[c] = g.values[c][:0]
	}
	for i := g.kernel.half; i >= 0; i-- {
		g.put(t-float64(i)/g.from, row, label)
	}
	g.k = g.kernel.half
	g.m = int64(math.Ceil((t-g.origin)*g.to - exact))
}

func (g *grid) put(t float64, row []float32, label int32) {
	g.times, g.labels = append(g.times, t), append(g.labels, label)
	for c, v := range row {
		g.values[c] = append(g.values[c], v)
	}
}

// add adds a sample, and before it, if some are missing, a straight line.
func (g *grid) add(t float64, row []float32, label int32) {
	n := len(g.times) - 1
	last, lastLabel := g.times[n], g.labels[n]
	if t <= last { // two lines that do not quite meet
		t = last + 1e-3/g.from
	}
	missing := int(math.Round((t-last)*g.from)) - 1
	for i := 1; i <= missing; i++ {
		part := float64(i) / float64(missing+1)
		for c := range g.row {
			a := g.values[c][n]
			g.row[c] = a + float32(part)*(row[c]-a)
		}
		l := lastLabel
		if part > 0.5 {
			l = label
		}
		g.put(last+part*(t-last), g.row, l)
	}
	g.put(t, row, label)
}

// end passes on the rest of the stretch: up to one sample's length behind the last one.
func (g *grid) end() error {
	n := len(g.times) - 1
	t, label := g.times[n], g.labels[n]
	for c := range g.row {
		g.row[c] = g.values[c][n]
	}
	for i := 1; i <= g.kernel.half+1; i++ {
		g.put(t+float64(i)/g.from, g.row, label)
	}
	g.limit = t + 1/g.from
	if err := g.produce(true); err != nil {
		return err
	}
	return g.next.end()
}

// outFrames is how many frames are passed on at once.
const outFrames = 1024

// produce passes on the frames for which all samples are there.
func (g *grid) produce(last bool) error {
	for {
		g.out.first = g.m
		for g.out.len() < outFrames && g.frame(last) {
			g.m++
		}
		if g.out.len() == 0 {
			g.forget()
			return nil
		}
		err := g.next.add(&g.out)
		g.out.clear()
		if err != nil {
			return err
		}
	}
}

// frame appends the next frame to out, unless it is still or no longer to be had.
func (g *grid) frame(last bool) bool {
	t := g.origin + float64(g.m)/g.to
	slack := exact / g.to / float64(g.kernel.phases)
	if last && t >= g.limit-slack {
		return false
	}
	for g.k+1 < len(g.times) && g.times[g.k+1] <= t+slack {
		g.k++
	}
	if g.k+g.kernel.half >= len(g.times) {
		return false
	}
	f := min(1, max(0, (t-g.times[g.k])/(g.times[g.k+1]-g.times[g.k])))
	for c, x := range g.values {
		g.out.values[c] = append(g.out.values[c], g.kernel.at(x, g.k, f))
	}
	label := g.labels[g.k]
	if f > 0.5 {
		label = g.labels[g.k+1]
	}
	g.out.labels = append(g.out.labels, label)
	return true
}

// forget drops samples that no frame needs any more, now and then.
func (g *grid) forget() {
	n := g.k - g.kernel.half
	if n < len(g.times)/2 || n < 1 {
		return
	}
	g.times, g.labels = drop(g.times, n), drop(g.labels, n)
	for c := range g.values {
		g.values[c] = drop(g.values[c], n)
	}
	g.k -= n
}

// drop removes the first n of x, in its own memory.
func drop[T any](x []T, n int) []T { return x[:copy(x, x[n:])] }
