package image

import (
	"math"
	"strconv"
)

// affine says where pixels come from: the centre x, y of a pixel has the colour of the source at
// a[0] x + a[1] y + a[2], a[3] x + a[4] y + a[5], as Image.transform has it.
type affine [6]float64

// affine returns the transform of an operation on a w x h picture. It is none for the operations that move nothing, whether by
// kind or for want of an amount.
func (o operation) affine(w, h int) (a affine, moves bool) {
	k := o.amount
	if k == 0 {
		return a, false
	}
	switch o.kind {
	case rotate:
		return rotation(int(k), w, h), true
	case shearX:
		return affine{1, k, 0, 0, 1, 0}, true
	case shearY:
		return affine{1, 0, 0, k, 1, 0}, true
	case translateX:
		return affine{1, 0, k, 0, 1, 0}, true
	case translateY:
		return affine{1, 0, 0, 0, 1, k}, true
	}
	return a, false
}

// rotation is the matrix of Image.rotate about the picture's centre.
func rotation(degrees, w, h int) affine {
	sin, cos := turns[max(degrees, -degrees)][0], turns[max(degrees, -degrees)][1]
	if degrees > 0 {
		sin = -sin // the matrix leads back from the turned picture
	}
	cx, cy := float64(w)/2, float64(h)/2
	a := affine{cos, sin, 0, -sin, cos, 0}
	a[2] = float64(cos*-cx) + float64(sin*-cy) + cx
	a[5] = float64(-sin*-cx) + float64(cos*-cy) + cy
	return a
}

// turns holds sine and cosine of 0 to 30 degrees, rounded to 15 decimals, which is what Pillow does and hides the last bit in
// which mathematical libraries differ.
var turns = func() (t [31][2]float64) {
	for d := range t {
		sin, cos := math.Sincos(float64(d) * (math.Pi / 180))
		t[d] = [2]float64{decimals15(sin), decimals15(cos)}
	}
	return t
}()

func decimals15(v float64) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', 15, 64), 64)
	if err != nil {
		panic(err) // of a number that was just formatted
	}
	return v
}

// draw fills dst from src by bilinear interpolation, as Pillow does it in double precision: each pixel centre that comes from
// beyond src gets the fill colour, whatever lies beyond the edge pixels counts as they do, and results are truncated. The
// products are converted lest a processor fuse them with the sums.
func (a affine) draw(dst, src *raster, fill [3]uint8) {
	w, h := float64(src.w), float64(src.h)
	out := dst.pix
	for row := range dst.h {
		y := float64(row) + 0.5
		for col := range dst.w {
			x := float64(col) + 0.5
			sx := float64(a[0]*x) + float64(a[1]*y) + a[2]
			sy := float64(a[3]*x) + float64(a[4]*y) + a[5]
			p := out[:3:3]
			out = out[3:]
			if sx < 0 || sx >= w || sy < 0 || sy >= h {
				p[0], p[1], p[2] = fill[0], fill[1], fill[2]
				continue
			}
			src.between(p, sx-0.5, sy-0.5)
		}
	}
}

// between interpolates at x, y, at most half a pixel outside the pixels' centres.
func (r *raster) between(p []uint8, x, y float64) {
	ix, iy := floor(x), floor(y)
	dx, dy := x-float64(ix), y-float64(iy)
	x0, x1 := 3*max(ix, 0), 3*min(ix+1, r.w-1)
	upper := r.pix[3*max(iy, 0)*r.w:]
	lower := r.pix[3*min(iy+1, r.h-1)*r.w:]
	a, b := upper[x0:x0+3:x0+3], upper[x1:x1+3:x1+3]
	c, d := lower[x0:x0+3:x0+3], lower[x1:x1+3:x1+3]
	switch { // the first two cases give what the last would
	case dy == 0: // moves along rows
		for i := range 3 {
			p[i] = whole8(lerp(float64(a[i]), float64(b[i]), dx))
		}
	case dx == 0: // moves along columns
		for i := range 3 {
			p[i] = whole8(lerp(float64(a[i]), float64(c[i]), dy))
		}
	default:
		for i := range 3 {
			u := lerp(float64(a[i]), float64(b[i]), dx)
			l := lerp(float64(c[i]), float64(d[i]), dx)
			p[i] = whole8(lerp(u, l, dy))
		}
	}
}

// whole8 drops the fraction, as a cast in C does.
func whole8(v float64) uint8 { return uint8(int32(v)) }

// floor is for numbers from -1 on.
func floor(v float64) int {
	if v < 0 {
		return -1
	}
	return int(v)
}

func lerp(a, b, t float64) float64 { return a + float64((b-a)*t) }
