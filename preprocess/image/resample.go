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

// column is the vertical pass as a stream: source rows come in one after the other, and an output row is written as soon as the last row of
// its span is there. Only as many rows are kept as a span has, so that memory does not depend on the picture's height and the rows are
// still in the cache.
type column struct {
	taps  *taps
	rows  []uint8 // [kept, width]: source row y is at y modulo kept
	kept  int     // the longest span
	width int     // bytes in a row
	next  int     // the first output row that is not written
	sums  []int32 // of an output row
	where []int   // of the rows of a span
}

// start prepares for the rows of one picture. It reuses the memory of the last one.
func (c *column) start(t *taps, width int) {
	c.taps, c.width, c.next, c.kept = t, width, 0, 1
	for _, s := range t.spans {
		c.kept = max(c.kept, s.n)
	}
	c.rows, c.sums = resize(c.rows, c.kept*width), resize(c.sums, width)
}

// row is where source row y, counted from the first that is needed, is to be written.
func (c *column) row(y int) []uint8 { return c.rows[y%c.kept*c.width:][:c.width] }

// took writes the output rows that source row y completes, each at stride bytes after the last.
func (c *column) took(y int, dst []uint8, stride int) {
	for ; c.next < len(c.taps.spans); c.next++ {
		s := c.taps.spans[c.next]
		if s.first+s.n-1 > y {
			return
		}
		c.sum(dst[c.next*stride:][:c.width], s)
	}
}

// sum writes one output row, clipped to bytes.
func (c *column) sum(dst []uint8, s span) {
	k := c.taps.coeff[s.at : s.at+s.n]
	if wide && c.width >= sumStep {
		c.where = resize(c.where, s.n)
		for j := range c.where {
			c.where[j] = (s.first + j) % c.kept * c.width
		}
		sumRows(dst, c.rows, c.where, k)
		return
	}
	for i := range c.sums {
		c.sums[i] = half
	}
	for j, weight := range k {
		accumulate(c.sums, c.row(s.first+j), weight)
	}
	for i, v := range c.sums {
		dst[i] = clip(v)
	}
}

func accumulate(sums []int32, row []uint8, k int32) {
	row = row[:len(sums)]
	for i, v := range row {
		sums[i] += k * int32(v)
	}
}
