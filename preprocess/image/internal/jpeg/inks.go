package jpeg

import goimage "image"

// inks makes a picture of four planes. They are the complements of the inks, as Adobe's programs write them and PIL reads all files, whoever
// wrote them. By libjpeg's rule the first three are luma and chroma where Adobe's mark says so, or names a transform that is not known.
func (d *decoder) inks(planes [][]uint8) *goimage.CMYK {
	m := goimage.NewCMYK(goimage.Rect(0, 0, d.width, d.height))
	converted := d.adobe && d.transform != 0
	for i, k := range planes[3] {
		c, y, b := planes[0][i], planes[1][i], planes[2][i]
		if converted {
			c, y, b = rgb(c, y, b)
			c, y, b = 255-c, 255-y, 255-b // libjpeg's step from RGB to inks
		}
		copy(m.Pix[4*i:], []uint8{255 - c, 255 - y, 255 - b, 255 - k})
	}
	return m
}

// The factors of JFIF's colours, in units of 2^-16.
const (
	fixRed, fixGreenOfCb, fixGreenOfCr, fixBlue = 91881, 22554, 46802, 116130
	half                                        = 1 << 15
)

// rgb converts one sample as libjpeg does, rounded.
func rgb(y, cb, cr uint8) (r, g, b uint8) {
	luma, u, v := int32(y), int32(cb)-128, int32(cr)-128
	clip := func(v int32) uint8 { return uint8(min(max(v, 0), 255)) }
	return clip(luma + (fixRed*v+half)>>16), clip(luma + (half-fixGreenOfCb*u-fixGreenOfCr*v)>>16), clip(luma + (fixBlue*u+half)>>16)
}
