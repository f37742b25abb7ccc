package image

import goimage "image"

// chroma holds one row of chroma while it is brought to the luma's resolution. Both chroma channels travel in one word,
// blue difference in the low and red difference in the high 16 bits: every sum below fits.
type chroma struct {
	near, far []uint32 // samples of the two rows around the pixel row, or their sums
	full      []uint32 // one for each pixel
}

// lanes selects the two bytes of a word.
const lanes = 0x00ff00ff

// both is v in both lanes.
func both(v uint32) uint32 { return v | v<<16 }

// row converts pixels from column x of row y.
func (c *chroma) row(dst []texel, m *goimage.YCbCr, x, y int) {
	luma := m.Y[y*m.YStride+x:][:len(dst)]
	convertJFIF(dst, luma, c.upsample(m, x, y, len(dst)))
}

// convertJFIF is libjpeg's YCbCr to RGB conversion (jdcolor.c): 16-bit fixed point, each term rounded.
func convertJFIF(dst []texel, luma []uint8, cc []uint32) {
	cc, dst = cc[:len(luma)], dst[:len(luma)]
	for i, l := range luma {
		cb, cr := int32(cc[i]&0xff)-128, int32(cc[i]>>16)-128
		r := int32(l) + (91881*cr+1<<15)>>16
		g := int32(l) + (-22554*cb-46802*cr+1<<15)>>16
		b := int32(l) + (116130*cb+1<<15)>>16
		if uint32(r|g|b) > 255 { // any of them negative or above 255
			r, g, b = clamp(r), clamp(g), clamp(b)
		}
		dst[i] = texel{int64(r) | int64(g)<<32, int64(b)}
	}
}

func clamp(v int32) int32 { return min(max(v, 0), 255) }

// upsample returns the chroma of n pixels from column x of row y. The rules are those of libjpeg-turbo's jdsample.c in its
// default ("fancy") mode: a triangle filter where chroma is halved, replication where it is quartered, and also where a
// horizontally halved plane is at most 2 samples wide.
func (c *chroma) upsample(m *goimage.YCbCr, x, y, n int) []uint32 {
	c.full = resize(c.full, n+2)
	h, v := ratio(m.SubsampleRatio)
	phase := m.Rect.Min.X%h != 0 || m.Rect.Min.Y%v != 0 // a sub-picture that cuts through a chroma sample
	wide := (m.Rect.Dx()+1)/2 > 2
	switch {
	case phase:
		return c.replicate(m, x, y, n, h)
	case h == 1 && v == 1:
		return c.load(c.full[:n], m, x, y)
	case h == 2 && v == 1 && wide:
		c.near = c.load(resize(c.near, n/2+4), m, x/2-1, y)
		return c.widen(c.near, x, n, both(1), both(2), 2)
	case h == 2 && v == 2 && wide:
		c.blend(m, x/2-1, y, n/2+4)
		return c.widen(c.near, x, n, both(8), both(7), 4)
	case h == 1 && v == 2:
		return c.heighten(m, x, y, n)
	}
	return c.replicate(m, x, y, n, h)
}

func ratio(r goimage.YCbCrSubsampleRatio) (h, v int) {
	switch r {
	case goimage.YCbCrSubsampleRatio422:
		return 2, 1
	case goimage.YCbCrSubsampleRatio420:
		return 2, 2
	case goimage.YCbCrSubsampleRatio440:
		return 1, 2
	case goimage.YCbCrSubsampleRatio411:
		return 4, 1
	case goimage.YCbCrSubsampleRatio410:
		return 4, 2
	}
	return 1, 1
}

// load reads chroma row y from sample x on, as many samples as dst holds. Samples outside the picture, left, right, above
// and below, repeat its edge; a decoder's padding beyond the edge is not looked at.
func (c *chroma) load(dst []uint32, m *goimage.YCbCr, x, y int) []uint32 {
	h, v := ratio(m.SubsampleRatio)
	w, rows := (m.Rect.Dx()+h-1)/h, (m.Rect.Dy()+v-1)/v
	at := m.COffset(m.Rect.Min.X, m.Rect.Min.Y) + min(max(y, 0), rows-1)*m.CStride
	cb, cr := m.Cb[at:at+w], m.Cr[at:at+w]
	before := min(max(-x, 0), len(dst))
	after := max(before, min(len(dst), w-x))
	for i := range dst[:before] {
		dst[i] = uint32(cb[0]) | uint32(cr[0])<<16
	}
	if before < after {
		cb, cr := cb[x+before:x+after], cr[x+before:x+after]
		inner := dst[before:after]
		done := 0
		if wide {
			done = packWide(inner, cb, cr)
		}
		for i := done; i < len(inner); i++ {
			inner[i] = uint32(cb[i]) | uint32(cr[i])<<16
		}
	}
	for i := after; i < len(dst); i++ {
		dst[i] = uint32(cb[w-1]) | uint32(cr[w-1])<<16
	}
	return dst
}

// around returns the chroma row that pixel row y lies in and the other one that it lies next to.
func around(y int) (near, far int) {
	near = y / 2
	return near, near - 1 + 2*(y%2)
}

// blend leaves in near the sum of 3 parts of the nearer and 1 part of the farther chroma row: n samples from x on.
func (c *chroma) blend(m *goimage.YCbCr, x, y, n int) {
	near, far := around(y)
	c.near = c.load(resize(c.near, n), m, x, near)
	c.far = c.load(resize(c.far, n), m, x, far)
	sum, other := c.near, c.far[:len(c.near)]
	done := 0
	if wide {
		done = blendWide(sum, other)
	}
	for i := done; i < len(sum); i++ {
		sum[i] = 3*sum[i] + other[i]
	}
}

// widen doubles samples horizontally: each pixel takes 3 parts of its own sample and 1 part of the one on its other side.
// samples[0] is the one before column x's own. Left and right pixels round differently, so that errors do not add up.
func (c *chroma) widen(samples []uint32, x, n int, left, right uint32, shift int) []uint32 {
	odd := x % 2
	out := c.full[:(n+odd+1)&^1]
	done := 0
	if wide {
		done = widenWide(out, samples, left, right, shift)
	}
	before, own := samples[done], samples[done+1]
	after := samples[2:][:len(out)/2]
	for i := done; i < len(after); i++ {
		next := after[i]
		p := out[2*i : 2*i+2 : 2*i+2]
		p[0] = (3*own + before + left) >> (shift & 31) & lanes
		p[1] = (3*own + next + right) >> (shift & 31) & lanes
		before, own = own, next
	}
	return out[odd : odd+n]
}

// heighten doubles samples vertically: 3 parts of the nearer row and 1 of the farther, rounded differently above and below.
func (c *chroma) heighten(m *goimage.YCbCr, x, y, n int) []uint32 {
	c.blend(m, x, y, n)
	bias := both(uint32(1 + y%2))
	for i, v := range c.near {
		c.near[i] = (v + bias) >> 2 & lanes
	}
	return c.near
}

// replicate gives each pixel the sample that it lies in.
func (c *chroma) replicate(m *goimage.YCbCr, x, y, n, h int) []uint32 {
	out := c.full[:n]
	row := m.COffset(m.Rect.Min.X, m.Rect.Min.Y+y)
	first := m.Rect.Min.X / h
	for i := range out {
		at := row + (m.Rect.Min.X+x+i)/h - first
		out[i] = uint32(m.Cb[at]) | uint32(m.Cr[at])<<16
	}
	return out
}
