package camera

// The factors of the transform of Loeffler, Ligtenberg and Moschytz (ICASSP 1989), scaled and rounded as image/jpeg has them: the cosine of a
// rotation, its sine less the cosine, and both together. All rotations are by negative angles.
const (
	rowCos6, rowLess6, rowMore6 = 70936, -171254 - 70936, 70936 - 171254 // 2^18/sqrt 2
	rowRoot                     = 181                                    // 2^8/sqrt 2
	colCos6, colLess6, colMore6 = 1108, -2676 - 1108, 1108 - 2676        // 2^12/sqrt 2
	colRoot                     = 11585                                  // 2^14/sqrt 2
	cos3, less3, more3          = 3406, -2276 - 3406, 3406 - 2276        // 2^12
	cos1, less1, more1          = 4017, -799 - 4017, 4017 - 799          // 2^12
)

// inverse transforms the block, of which last is the place of the last coefficient in the zigzag, into eight rows of dst, and clears it. Its
// integers are those of image/jpeg, overflow included.
func (d *Decoder) inverse(dst []uint8, stride, last int) {
	switch {
	case last == 0:
		fill(dst, stride, level((d.block[0]<<17+1<<19)>>2>>18))
		d.block[0] = 0
	case wide:
		inverseWide(&dst[0], stride, &d.block)
	default:
		inverse(dst, stride, &d.block)
	}
}

// level is a sample: 128 and more, clipped.
func level(v int32) uint8 { return uint8(min(max(v, -128), 127) + 128) }

func fill(dst []uint8, stride int, v uint8) {
	for y := range 8 {
		row := dst[y*stride:][:8]
		for x := range row {
			row[x] = v
		}
	}
}

// rotate is three multiplications for four.
func rotate(x, y, cos, less, more int32) (int32, int32) {
	sum := cos * (x + y)
	return sum + less*y, sum - more*x
}

// inverse transforms rows, then columns. The block is stored column by column.
func inverse(dst []uint8, stride int, b *[64]int32) {
	for y := range 8 {
		inverseRow(b, y)
	}
	for x := range 8 {
		inverseColumn(dst[x:], stride, (*[8]int32)(b[8*x:]))
	}
	clear(b[:])
}

func inverseRow(b *[64]int32, y int) {
	x0, x7, x2, x5, x1, x6, x3, x4 := b[y], b[8+y], b[16+y], b[24+y], b[32+y], b[40+y], b[48+y], b[56+y]
	if x1|x2|x3|x4|x5|x6|x7 == 0 {
		for i := y; i < 64; i += 8 {
			b[i] = x0 << 17
		}
		return
	}
	x0, x1 = x0<<17, x1<<17
	x0, x1 = x0+x1, x0-x1
	x2, x3 = rotate(x2, x3, rowCos6, rowLess6, rowMore6)
	x1, x2 = x1+x2, x1-x2
	x0, x3 = x0+x3, x0-x3

	x4, x7 = x4<<7, x7<<7
	x7, x4 = x7+x4, x7-x4
	x5, x6 = x5*rowRoot, x6*rowRoot
	x7, x5 = x7+x5, x7-x5
	x4, x6 = x4+x6, x4-x6
	x4, x7 = rotate(x4>>2, x7>>2, cos3, less3, more3)
	x5, x6 = rotate(x5>>2, x6>>2, cos1, less1, more1)

	b[y], b[8+y], b[16+y], b[24+y] = x0+x7, x1+x6, x2+x5, x3+x4
	b[32+y], b[40+y], b[48+y], b[56+y] = x3-x4, x2-x5, x1-x6, x0-x7
}

func inverseColumn(dst []uint8, stride int, c *[8]int32) {
	x0, x7, x2, x5, x1, x6, x3, x4 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
	x0 += 1 << 19 // a half
	x0, x1 = (x0+x1)>>2, (x0-x1)>>2
	x2, x3 = rotate(x2>>13, x3>>13, colCos6, colLess6, colMore6)
	x1, x2 = x1+x2, x1-x2
	x0, x3 = x0+x3, x0-x3

	x7, x4 = x7+x4, x7-x4
	x5, x6 = (x5>>13)*colRoot, (x6>>13)*colRoot
	x7, x5 = x7+x5, x7-x5
	x4, x6 = x4+x6, x4-x6
	x4, x7 = rotate(x4>>14, x7>>14, cos3, less3, more3)
	x5, x6 = rotate(x5>>14, x6>>14, cos1, less1, more1)

	for i, v := range [8]int32{x0 + x7, x1 + x6, x2 + x5, x3 + x4, x3 - x4, x2 - x5, x1 - x6, x0 - x7} {
		dst[i*stride] = level(v >> 18)
	}
}
