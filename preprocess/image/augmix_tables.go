package image

// The operations that change each value by itself, as PIL.ImageOps computes them: one table a colour.

// histogram counts the values of each colour.
func histogram(pix []uint8) (n [3][256]int) {
	for ; len(pix) >= 3; pix = pix[3:] {
		n[0][pix[0]]++
		n[1][pix[1]]++
		n[2][pix[2]]++
	}
	return n
}

// look replaces each value by its table's.
func look(pix []uint8, lut *[3][256]uint8) {
	r, g, b := &lut[0], &lut[1], &lut[2]
	for ; len(pix) >= 3; pix = pix[3:] {
		pix[0], pix[1], pix[2] = r[pix[0]], g[pix[1]], b[pix[2]]
	}
}

// perValue is the table of a function, the same for all colours.
func perValue(f func(v int) int) (lut [3][256]uint8) {
	for v := range 256 {
		lut[0][v] = uint8(clamp8(f(v)))
	}
	lut[1], lut[2] = lut[0], lut[0]
	return lut
}

func clamp8(v int) int { return min(max(v, 0), 255) }

func solarized(v, threshold int) int {
	if v < threshold {
		return v
	}
	return 255 - v
}

// stretching is ImageOps.autocontrast: the darkest value of a colour becomes 0 and its lightest 255. A colour of one value
// stays.
func stretching(n [3][256]int) (lut [3][256]uint8) {
	for c := range lut {
		lo, hi := 0, 255
		for lo < 255 && n[c][lo] == 0 {
			lo++
		}
		for hi > 0 && n[c][hi] == 0 {
			hi--
		}
		scale, offset := 1.0, 0.0
		if hi > lo {
			scale = 255 / float64(hi-lo)
			offset = -float64(lo) * scale
		}
		for v := range lut[c] {
			lut[c][v] = uint8(clamp8(int(float64(float64(v)*scale) + offset)))
		}
	}
	return lut
}

// equalizing is ImageOps.equalize: a value becomes its rank, in steps of one 255th of the pixels that have not the lightest
// value. A colour of one value, or of too few pixels for a step, stays.
func equalizing(n [3][256]int) (lut [3][256]uint8) {
	for c := range lut {
		total, last := 0, 0
		for _, k := range n[c] {
			total += k
			if k != 0 {
				last = k
			}
		}
		step := (total - last) / 255
		rank := step / 2
		for v, k := range n[c] {
			if step == 0 {
				lut[c][v] = uint8(v)
				continue
			}
			lut[c][v] = uint8(min(rank/step, 255))
			rank += k
		}
	}
	return lut
}
