package image

import (
	goimage "image"

	"github.com/oatta/oatta/preprocess/image/internal/camera"
)

// scratch is the memory of one call, kept between calls in a pool.
type scratch struct {
	file    []byte
	camera  camera.Decoder
	crop    []uint8
	texels  []texel // one source row, only the columns that the crop needs
	pixels  []pixel // that row for the kernels, and one that is not looked at
	column  column
	palette [256]texel    // of a paletted picture
	chroma  chroma        // of a YCbCr picture
	packed  goimage.NRGBA // of a picture that has to be turned
}

// maxKept is the largest buffer of a file or of an unpacked picture, in bytes, that stays in the pool.
const maxKept = 32 << 20

func (s *scratch) keepFile(data []byte) {
	if cap(data) <= maxKept {
		s.file = data[:0]
	}
}

// resize returns a slice of n elements, in the memory of old if that is large enough. Its contents are arbitrary.
func resize[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	return old[:n]
}

// source is a picture and the place in it, counted from its upper left corner, where the crop's rectangle begins.
type source struct {
	img  goimage.Image
	x, y int
}

// run sends the rows of the plan's rectangle through both passes. dst begins at the picture's first pixel in the crop.
func (s *scratch) run(p *plan, src source, dst []uint8, stride int) {
	width := 3 * p.cols
	s.texels, s.pixels = resize(s.texels, p.x1-p.x0), resize(s.pixels, p.x1-p.x0+1)
	if p.vertical == nil {
		for y := range p.y1 - p.y0 {
			s.across(dst[y*stride:][:width], p.horizontal, src, y)
		}
		return
	}
	s.column.start(p.vertical, width)
	for y := range p.y1 - p.y0 {
		s.across(s.column.row(y), p.horizontal, src, y)
		s.column.took(y, dst, stride)
	}
}

// across writes row y of a source after the horizontal pass, which is nil where the width does not change.
func (s *scratch) across(dst []uint8, pass *taps, src source, y int) {
	switch {
	case pass == nil:
		s.row(s.texels, src.img, src.x, src.y+y)
		pack(dst, s.texels)
	case wide:
		s.pixelRow(s.pixels[:len(s.texels)], src.img, src.x, src.y+y)
		acrossWide(dst, s.pixels, pass)
	default:
		s.row(s.texels, src.img, src.x, src.y+y)
		pass.across(dst, s.texels)
	}
}
