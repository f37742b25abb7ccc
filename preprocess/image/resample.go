package image

// texel is one RGB pixel spread out for the horizontal pass: red in the low and green in the high half of rg, so that one
// 64-bit multiplication weighs both. Sums of a pass fit a signed half each, and unmix separates them again.
type texel struct{ rg, b int64 }

func mix(r, g, b uint8) texel { return texel{int64(r) | int64(g)<<32, int64(b)} }

// unmix returns the two signed halves of a sum of rg: a negative low half has borrowed one from the high half.
func unmix(rg int64) (r, g int32) {
	r = int32(rg)
	return r, int32((rg - int64(r)) >> 32)
}

// half is what a sum starts from, so that dropping the fractional bits rounds.
const half = 1 << (precision - 1)

// clip drops the fractional bits of a sum and clamps it to a byte, as Pillow's clip8 does.
func clip(sum int32) uint8 {
	v := sum >> precision
	if uint32(v) > 255 {
		v = ^(v >> 31) // 0 below the range, all ones above it
	}
	return uint8(v)
}

// across runs the horizontal pass over one row: dst receives 3 bytes for each output column.
func (t *taps) across(dst []uint8, row []texel) {
	for i, s := range t.spans {
		k := t.coeff[s.at : s.at+s.n]
		px := row[s.first : s.first+s.n]
		px = px[:len(k)] // one check here instead of one for each tap
		rg, b := int64(half|half<<32), int64(half)
		for j, c := range k {
			rg += int64(c) * px[j].rg
			b += int64(c) * px[j].b
		}
		r, g := unmix(rg)
		d := dst[3*i : 3*i+3 : 3*i+3]
		d[0], d[1], d[2] = clip(r), clip(g), clip(int32(b))
	}
}

// pack is across for a picture whose width does not change.
func pack(dst []uint8, row []texel) {
	for i, p := range row {
		d := dst[3*i : 3*i+3 : 3*i+3]
		r, g := unmix(p.rg)
		d[0], d[1], d[2] = uint8(r), uint8(g), uint8(p.b)
	}
}

// column is the vertical pass as a stream: source rows come in one after the other, each is added to the sums of the output
// rows that it takes part in. So memory does not depend on the picture's height, and a row is still in the cache when it is
// added.
type column struct {
	taps  *taps
	sums  []int32 // [output rows, width]
	width int     // bytes in a row
	open  int     // the first output row whose span has not ended
}

// start prepares for the rows of one picture. It reuses the memory of sums.
func (c *column) start(t *taps, width int) {
	n := len(t.spans) * width
	if cap(c.sums) < n {
		c.sums = make([]int32, n)
	}
	c.taps, c.width, c.open, c.sums = t, width, 0, c.sums[:n]
	for i := range c.sums {
		c.sums[i] = half
	}
}

// add takes source row y, counted from the first that is needed.
func (c *column) add(y int, row []uint8) {
	spans := c.taps.spans
	for c.open < len(spans) && spans[c.open].first+spans[c.open].n <= y {
		c.open++
	}
	for i := c.open; i < len(spans) && spans[i].first <= y; i++ {
		if j := y - spans[i].first; j < spans[i].n {
			accumulate(c.sums[i*c.width:(i+1)*c.width], row, c.taps.coeff[spans[i].at+j])
		}
	}
}

func accumulate(sums []int32, row []uint8, k int32) {
	row = row[:len(sums)]
	for i, v := range row {
		sums[i] += k * int32(v)
	}
}

// finish writes the output rows, clipped to bytes, each at stride bytes after the last.
func (c *column) finish(dst []uint8, stride int) {
	for y := range c.taps.spans {
		sums := c.sums[y*c.width : (y+1)*c.width]
		out := dst[y*stride:][:len(sums)]
		for i, v := range sums {
			out[i] = clip(v)
		}
	}
}
