package image

import "sync"

// plan is the geometry of the transform for pictures of one size, after orientation: which source pixels the crop needs and
// how they become its pixels.
type plan struct {
	x0, x1, y0, y1 int // the source rectangle that the crop needs, half open
	width, height  int // of the crop
	left, top      int // where the picture begins in the crop: above 0 only where the picture is smaller than the crop
	cols, rows     int // how much of the crop the picture fills

	// The two passes; source positions count from x0 and y0. A pass is nil where the size does not change: Pillow does not
	// run it then.
	horizontal, vertical *taps
}

func newPlan(s Settings, w, h int) *plan {
	rw, rh := resizedSize(s, w, h)
	return new(geometry).plan(s.Interpolation, w, h, rw, rh, s.Width, s.Height)
}

// geometry is the memory of a plan and of its two passes.
type geometry struct {
	p    plan
	x, y taps
}

// plan plans the cut of width x height from the centre of a w x h picture that is resized to rw x rh. The plan is valid until
// the next call.
func (t *geometry) plan(by Interpolation, w, h, rw, rh, width, height int) *plan {
	p := &t.p
	*p = plan{width: width, height: height}
	p.horizontal, p.x0, p.x1, p.left, p.cols = t.x.axis(w, rw, width, by)
	p.vertical, p.y0, p.y1, p.top, p.rows = t.y.axis(h, rh, height, by)
	return p
}

// axis plans one axis: src pixels, resized, of which crop pixels are cut. It returns the pass, the source range [lo, hi)
// that it reads, and the range of the crop [pad, pad+count) that it writes.
func (t *taps) axis(src, resized, crop int, by Interpolation) (pass *taps, lo, hi, pad, count int) {
	first, count, pad := centre(resized, crop)
	if resized == src {
		return nil, first, first + count, pad, count
	}
	t.set(src, resized, first, count, by)
	lo, hi = t.extent()
	t.shift(lo)
	return t, lo, hi, pad, count
}

// resizedSize returns the size after torchvision's Resize.
func resizedSize(s Settings, w, h int) (rw, rh int) {
	switch {
	case s.Stretch:
		return s.Width, s.Height
	case s.Resize == 0:
		return w, h
	case w <= h:
		return s.Resize, longSide(s.Resize, h, w)
	default:
		return longSide(s.Resize, w, h), s.Resize
	}
}

// longSide is int(size * long / short), which Python divides in double precision.
func longSide(size, long, short int) int { return int(float64(size*long) / float64(short)) }

// centre returns the part of size pixels that a centre crop of crop pixels keeps, and the padding before it where the crop is
// the larger. torchvision rounds a half to the even neighbour when it cuts, and downwards when it pads.
func centre(size, crop int) (first, count, pad int) {
	if crop > size {
		return 0, size, (crop - size) / 2
	}
	spare := size - crop
	first = spare / 2
	if spare%2 == 1 {
		first += first % 2
	}
	return first, crop, 0
}

// planCache holds the plans of the picture sizes seen last. A stream's pictures mostly have one size, so it is small, and it
// is emptied rather than aged when many sizes come.
type planCache struct {
	mu    sync.Mutex
	plans map[[2]int]*plan
	make  func(w, h int) *plan
}

const cachedPlans = 32

func (c *planCache) get(w, h int) *plan {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := [2]int{w, h}
	p := c.plans[key]
	if p == nil {
		if len(c.plans) >= cachedPlans || c.plans == nil {
			c.plans = make(map[[2]int]*plan, cachedPlans)
		}
		p = c.make(w, h)
		c.plans[key] = p
	}
	return p
}
