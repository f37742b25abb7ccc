package image

import (
	goimage "image"
	"image/color"
)

// studioPicture is the picture of a lossy WebP file: YCbCr like a JPEG's, but of BT.601 in studio range (luma 16 to 235),
// which Go's YCbCr type does not say. Taken for a JPEG's, its blacks would be grey and its whites dull.
type studioPicture struct{ goimage.YCbCr }

// ColorModel and At make the type a right picture for whoever treats it as a plain image.Image; this package reads rows.
func (p *studioPicture) ColorModel() color.Model { return color.NRGBAModel }

func (p *studioPicture) At(x, y int) color.Color {
	if !(goimage.Point{X: x, Y: y}).In(p.Rect) {
		return color.NRGBA{}
	}
	var c chroma
	var px [1]texel
	c.studioRow(px[:], &p.YCbCr, x-p.Rect.Min.X, y-p.Rect.Min.Y)
	r, g := unmix(px[0].rg)
	return color.NRGBA{R: uint8(r), G: uint8(g), B: uint8(px[0].b), A: 255}
}

// SubImage keeps the embedded method from returning a picture in the wrong colours.
func (p *studioPicture) SubImage(r goimage.Rectangle) goimage.Image {
	return &studioPicture{*p.YCbCr.SubImage(r).(*goimage.YCbCr)}
}

// studioRow converts pixels from column x of row y as libwebp does: chroma, halved both ways in every WebP file, is
// upsampled by weights 9, 3, 3, 1 in the integer steps of its upsampling.c, and converted by those of its yuv.h.
func (c *chroma) studioRow(dst []texel, m *goimage.YCbCr, x, y int) {
	n := len(dst)
	near, far := around(y)
	c.near = c.load(resize(c.near, n/2+4), m, x/2-1, near)
	c.far = c.load(resize(c.far, n/2+4), m, x/2-1, far)
	c.full = resize(c.full, n+2)
	odd := x % 2
	out := c.full[:(n+odd+1)&^1]
	for i := range len(out) / 2 {
		out[2*i] = studioBlend(c.near[i+1], c.near[i], c.far[i+1], c.far[i])
		out[2*i+1] = studioBlend(c.near[i+1], c.near[i+2], c.far[i+1], c.far[i+2])
	}
	convertStudio(dst, m.Y[y*m.YStride+x:], out[odd:])
}

// studioBlend weighs a pixel's own sample, its horizontal and vertical neighbours and the diagonal one.
func studioBlend(own, beside, across, diagonal uint32) uint32 {
	mean := own + 3*(beside+across) + diagonal + both(8)
	return (mean>>3&0x01ff01ff + own) >> 1 & lanes
}

func convertStudio(dst []texel, luma []uint8, cc []uint32) {
	for i := range dst {
		l, u, v := int32(luma[i]), int32(cc[i]&0xff), int32(cc[i]>>16)
		l = l * 19077 >> 8
		r := l + v*26149>>8 - 14234
		g := l - u*6419>>8 - v*13320>>8 + 8708
		b := l + u*33050>>8 - 17685
		dst[i] = mix(uint8(clamp(r>>6)), uint8(clamp(g>>6)), uint8(clamp(b>>6)))
	}
}
