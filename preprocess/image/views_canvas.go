package image

import (
	goimage "image"
	"math"
)

// detail is how much finer than the resized picture the canvas of zooming crops is, at most: where a camera has more, a crop
// of a quarter of the picture keeps every pixel that the network can see, and the work per view does not depend on the camera.
const detail = 2

// longest bounds the canvas of a very long picture, in sides of the crop: its middle is what views are cut from.
const longest = 4

// prepare makes the plain crop, s.crop, and what the other views are cut from, s.canvas.
func (v *Viewer) prepare(s *viewScratch, img goimage.Image, orientation int) error {
	s.crop = resize(s.crop, v.t.size())
	if v.recipe.from != resized {
		if err := v.t.crop(&s.scratch, s.crop, img, orientation); err != nil || v.recipe.from == cropped {
			return err
		}
	}
	w, h, orientation, err := v.t.upright(img, orientation)
	if err != nil {
		return err
	}
	p := v.plans.get(w, h)
	s.canvas.reset(p.width, p.height)
	s.render(s.canvas.pix, p, img, orientation)
	if v.recipe.from == resized {
		// The resized picture holds the plain crop. Rounding the two centres one after the other may not give the centre.
		rw, rh := resizedSize(v.t.settings, w, h)
		x := plainOffset(rw, p.width, v.t.settings.Width)
		y := plainOffset(rh, p.height, v.t.settings.Height)
		s.canvas.cut(s.crop, x, y, v.t.settings.Width, v.t.settings.Height)
	}
	return nil
}

// plainOffset returns where the plain crop begins in the canvas, which is itself a cut from the centre of size pixels.
func plainOffset(size, canvas, crop int) int {
	inPicture, _, pad := centre(size, crop)
	canvasFirst, _, canvasPad := centre(size, canvas)
	return inPicture - pad - (canvasFirst - canvasPad)
}

// canvasPlan plans the canvas of w x h pictures. It is at least as large as the crop.
func (v *Viewer) canvasPlan(w, h int) *plan {
	s := v.t.settings
	rw, rh := resizedSize(s, w, h)
	bound := longest * max(s.Width, s.Height, s.Resize)
	if v.recipe.from == detailed {
		rw, rh = detailedSize(s, w, h)
		bound *= detail
		return new(geometry).plan(s.Interpolation, w, h, rw, rh, min(rw, bound), min(rh, bound))
	}
	return new(geometry).plan(s.Interpolation, w, h, rw, rh, max(s.Width, min(rw, bound)), max(s.Height, min(rh, bound)))
}

// detailedSize returns the size of the picture from which zooming crops are cut: its own, unless that is more than they need.
func detailedSize(s Settings, w, h int) (int, int) {
	rw, rh := resizedSize(s, w, h)
	if s.Stretch {
		// The crops must be distorted as the plain view is.
		k := min(max(min(float64(w)/float64(rw), float64(h)/float64(rh)), 1), detail)
		return int(k * float64(rw)), int(k * float64(rh))
	}
	if s.Resize == 0 || min(w, h) <= detail*s.Resize {
		return w, h
	}
	s.Resize *= detail
	return resizedSize(s, w, h)
}

// zoomedSize returns the size to which Scales resizes the canvas: that of the resized picture, enlarged by k.
func (v *Viewer) zoomedSize(c *raster, k float64) (w, h int) {
	s := v.t.settings
	enlarge := func(n int) int { return int(math.RoundToEven(k * float64(n))) }
	switch {
	case s.Stretch:
		return enlarge(s.Width), enlarge(s.Height)
	case s.Resize == 0:
		return enlarge(c.w), enlarge(c.h)
	}
	s.Resize = enlarge(s.Resize)
	return resizedSize(s, c.w, c.h)
}
