package image

import (
	goimage "image"
	"image/color"
)

// begin prepares for reading rows of img.
func (s *scratch) begin(img goimage.Image) {
	m, ok := img.(*goimage.Paletted)
	if !ok {
		return
	}
	// Indices that the palette lacks are black: a decoder should have refused them, and a picture must not be able to panic.
	clear(s.palette[:])
	for i, c := range m.Palette[:min(len(m.Palette), 256)] {
		s.palette[i] = straight(c)
	}
}

// row writes the pixels from column x of row y, counted from the picture's upper left corner, as PIL's convert("RGB") gives
// them: alpha is dropped and the colours under it stay, 16-bit samples keep their high byte.
func (s *scratch) row(dst []texel, img goimage.Image, x, y int) {
	switch m := img.(type) {
	case *goimage.YCbCr:
		s.chroma.row(dst, m, x, y)
	case *studioPicture:
		s.chroma.studioRow(dst, &m.YCbCr, x, y)
	case *raster:
		rgbRow(dst, m.pix[3*(y*m.w+x):])
	case *goimage.Gray:
		grayRow(dst, m.Pix[y*m.Stride+x:], 1)
	case *goimage.Gray16:
		grayRow(dst, m.Pix[y*m.Stride+2*x:], 2)
	case *goimage.NRGBA:
		nrgbaRow(dst, m.Pix[y*m.Stride+4*x:])
	case *goimage.NRGBA64:
		nrgba64Row(dst, m.Pix[y*m.Stride+8*x:])
	case *goimage.RGBA:
		rgbaRow(dst, m.Pix[y*m.Stride+4*x:])
	case *goimage.CMYK:
		cmykRow(dst, m.Pix[y*m.Stride+4*x:])
	case *goimage.Paletted:
		for i, v := range m.Pix[y*m.Stride+x:][:len(dst)] {
			dst[i] = s.palette[v]
		}
	default:
		b := img.Bounds()
		for i := range dst {
			dst[i] = straight(img.At(b.Min.X+x+i, b.Min.Y+y))
		}
	}
}

// straight returns a colour without its alpha: Go's colours are premultiplied, PIL's are not.
func straight(c color.Color) texel {
	if n, ok := c.(color.NRGBA); ok {
		return mix(n.R, n.G, n.B)
	}
	r, g, b, a := c.RGBA() // 16 bits each
	if a == 0 {
		return texel{}
	}
	undo := func(v uint32) uint8 { return uint8(min(v*0xffff/a, 0xffff) >> 8) }
	return mix(undo(r), undo(g), undo(b))
}

// grayRow reads samples that are step bytes apart, of which the first byte counts.
func grayRow(dst []texel, pix []uint8, step int) {
	const spread = 1 | 1<<32
	for i := range dst {
		v := int64(pix[i*step])
		dst[i] = texel{v * spread, v}
	}
}

func rgbRow(dst []texel, pix []uint8) {
	for i := range dst {
		p := pix[3*i : 3*i+3 : 3*i+3]
		dst[i] = mix(p[0], p[1], p[2])
	}
}

func nrgbaRow(dst []texel, pix []uint8) {
	for i := range dst {
		p := pix[4*i : 4*i+4 : 4*i+4]
		dst[i] = mix(p[0], p[1], p[2])
	}
}

func nrgba64Row(dst []texel, pix []uint8) {
	for i := range dst {
		p := pix[8*i : 8*i+8 : 8*i+8]
		dst[i] = mix(p[0], p[2], p[4])
	}
}

// rgbaRow undoes the premultiplication as PIL does for TIFF's associated alpha: truncated, clipped, black where nothing
// covers.
func rgbaRow(dst []texel, pix []uint8) {
	for i := range dst {
		p := pix[4*i : 4*i+4 : 4*i+4]
		switch a := uint32(p[3]); a {
		case 255:
			dst[i] = mix(p[0], p[1], p[2])
		case 0:
			dst[i] = texel{}
		default:
			undo := func(v uint8) uint8 { return uint8(min(uint32(v)*255/a, 255)) }
			dst[i] = mix(undo(p[0]), undo(p[1]), undo(p[2]))
		}
	}
}

// cmykRow is PIL's conversion: each ink takes its share from what black leaves, rounded.
func cmykRow(dst []texel, pix []uint8) {
	for i := range dst {
		p := pix[4*i : 4*i+4 : 4*i+4]
		left := 255 - uint32(p[3])
		ink := func(v uint8) uint8 {
			t := uint32(v)*left + 128
			return uint8(left - (t+t>>8)>>8) // never negative: the product is at most left
		}
		dst[i] = mix(ink(p[0]), ink(p[1]), ink(p[2]))
	}
}
