package image

import goimage "image"

// pixel is an RGB pixel for the kernels: red in the lowest byte, then green and blue; the uppermost byte may be anything.
type pixel uint32

// pixelRow is row for the kernels.
func (s *scratch) pixelRow(dst []pixel, img goimage.Image, x, y int) {
	if m, ok := img.(*goimage.YCbCr); ok {
		luma := m.Y[y*m.YStride+x:][:len(dst)]
		convertWide(dst, luma, s.chroma.upsample(m, x, y, len(dst)))
		return
	}
	s.row(s.texels[:len(dst)], img, x, y)
	for i, t := range s.texels[:len(dst)] {
		dst[i] = t.pixel()
	}
}

func (t texel) pixel() pixel {
	r, g := unmix(t.rg)
	return pixel(r) | pixel(g)<<8 | pixel(t.b)<<16
}
