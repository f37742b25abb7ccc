package image

import (
	goimage "image"
	"image/color"
)

// raster is a picture of [h, w, 3] bytes: red, green, blue, upright, of which views are cut.
type raster struct {
	pix  []uint8
	w, h int
}

// ColorModel, Bounds and At make a raster a picture like any other; this package reads rows.
func (r *raster) ColorModel() color.Model { return color.NRGBAModel }

func (r *raster) Bounds() goimage.Rectangle { return goimage.Rect(0, 0, r.w, r.h) }

func (r *raster) At(x, y int) color.Color {
	if !(goimage.Point{X: x, Y: y}).In(r.Bounds()) {
		return color.NRGBA{}
	}
	p := r.pix[3*(y*r.w+x):]
	return color.NRGBA{R: p[0], G: p[1], B: p[2], A: 255}
}

// reset makes the raster one of w x h pixels of arbitrary colours, in the memory that it has.
func (r *raster) reset(w, h int) { r.pix, r.w, r.h = resize(r.pix, 3*w*h), w, h }

// cut copies the w x h pixels whose upper left corner is at x, y. What lies beyond the raster is black.
func (r *raster) cut(dst []uint8, x, y, w, h int) {
	if x < 0 || y < 0 || x+w > r.w || y+h > r.h {
		clear(dst)
	}
	x0, x1 := max(x, 0), min(x+w, r.w)
	if x0 >= x1 {
		return
	}
	for row := max(y, 0); row < min(y+h, r.h); row++ {
		copy(dst[3*((row-y)*w+x0-x):], r.pix[3*(row*r.w+x0):3*(row*r.w+x1)])
	}
}

// mirror turns rows of w pixels left to right.
func mirror(pix []uint8, w int) {
	for ; len(pix) >= 3*w; pix = pix[3*w:] {
		for i, j := 0, 3*(w-1); i < j; i, j = i+3, j-3 {
			a, b := pix[i:i+3:i+3], pix[j:j+3:j+3]
			a[0], a[1], a[2], b[0], b[1], b[2] = b[0], b[1], b[2], a[0], a[1], a[2]
		}
	}
}
