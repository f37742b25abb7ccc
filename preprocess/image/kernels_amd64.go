package image

import "golang.org/x/sys/cpu"

// wide tells that the processor and the system have AVX2. The kernels in kernels_amd64.s do what the loops beside them do, to the bit: sums are of
// integers.
var wide = cpu.X86.HasAVX2

// sumStep is how many bytes of a row sumRows takes at a time, and the least that a row may have.
const sumStep = 16

// acrossWide is taps.across. The row has a pixel more than the pass reads.
func acrossWide(dst []uint8, row []pixel, t *taps) {
	if len(t.spans) == 0 {
		return
	}
	last := t.spans[len(t.spans)-1]
	_, _ = row[last.first+last.n], dst[3*len(t.spans)-1]
	acrossPairs(&dst[0], &row[0], &t.spans[0], len(t.spans), &t.coeff[0])
}

// convertWide is convertJFIF.
func convertWide(dst []pixel, luma []uint8, cc []uint32) {
	const step = 8
	n := len(dst)
	if n < step {
		var one [step]texel
		convertJFIF(one[:n], luma, cc)
		for i := range dst {
			dst[i] = one[i].pixel()
		}
		return
	}
	_, _ = luma[n-1], cc[n-1]
	convertEights(&dst[0], &luma[0], &cc[0], n)
}

// sumRows is the vertical sum of one output row: of the rows that begin where it is said, each with its weight.
func sumRows(dst, rows []uint8, where []int, weights []int32) {
	if len(where) == 0 {
		clear(dst)
		return
	}
	_ = weights[len(where)-1]
	sumSixteens(&dst[0], &rows[0], &where[0], &weights[0], len(where), len(dst))
}

//go:noescape
func acrossPairs(dst *uint8, row *pixel, spans *span, n int, coeff *int32)

//go:noescape
func convertEights(dst *pixel, luma *uint8, cc *uint32, n int)

//go:noescape
func sumSixteens(dst, rows *uint8, where *int, weights *int32, count, width int)

// packWide is the packing of load: blue differences in the lower halves, red ones in the upper. It returns how many it has done.
func packWide(dst []uint32, cb, cr []uint8) int {
	n := len(dst) &^ 7
	if n > 0 {
		_, _ = cb[n-1], cr[n-1]
		packEights(&dst[0], &cb[0], &cr[0], n)
	}
	return n
}

// blendWide adds the farther to three times the nearer, and returns how many it has done.
func blendWide(near, far []uint32) int {
	n := len(near) &^ 7
	if n > 0 {
		_ = far[n-1]
		blendEights(&near[0], &far[0], n)
	}
	return n
}

// widenWide is the loop of widen over pairs, and returns how many it has done.
func widenWide(out, samples []uint32, left, right uint32, shift int) int {
	n := len(out) / 2 &^ 7
	if n > 0 {
		_ = samples[n+1]
		widenEights(&out[0], &samples[0], n, left, right, shift)
	}
	return n
}

//go:noescape
func packEights(dst *uint32, cb, cr *uint8, n int)

//go:noescape
func blendEights(near, far *uint32, n int)

//go:noescape
func widenEights(dst, samples *uint32, n int, left, right uint32, shift int)
