package image

import "math"

func (v *Viewer) same(s *viewScratch, _ int) { copy(s.view, s.crop) }

func (v *Viewer) flipped(s *viewScratch, _ int) {
	copy(s.view, s.crop)
	mirror(s.view, v.t.settings.Width)
}

// randomCrop is torchvision's RandomCrop of the resized picture in its padding, and RandomHorizontalFlip.
func (v *Viewer) randomCrop(s *viewScratch, _ int) {
	w, h, pad := v.t.settings.Width, v.t.settings.Height, v.views.Padding
	y := s.random.IntN(s.canvas.h+2*pad-h+1) - pad
	x := s.random.IntN(s.canvas.w+2*pad-w+1) - pad
	s.canvas.cut(s.view, x, y, w, h)
	s.coin(w)
}

// coin mirrors half of the views.
func (s *viewScratch) coin(w int) {
	if s.random.Coin() {
		mirror(s.view, w)
	}
}

// corner is one of TenCrop's views but the centre: 1 to 4 are the corners, row by row, 5 to 8 the same mirrored, 9 is the
// centre mirrored.
func (v *Viewer) corner(s *viewScratch, view int) {
	w, h := v.t.settings.Width, v.t.settings.Height
	if i := view - 1; i < 8 {
		s.canvas.cut(s.view, i%2*(s.canvas.w-w), i/2%2*(s.canvas.h-h), w, h)
	} else {
		copy(s.view, s.crop)
	}
	if view > 4 {
		mirror(s.view, w)
	}
}

// scaled is one of Scales' views: 1 is the plain view mirrored, 2 and 3 the first enlargement and its mirror image, and so on
// in steps of equal ratio.
func (v *Viewer) scaled(s *viewScratch, view int) {
	steps := max(v.views.Augmented/2, 1)
	set := v.t.settings
	if view == 1 {
		copy(s.view, s.crop)
	} else {
		w, h := v.zoomedSize(&s.canvas, math.Pow(v.views.Zoom, float64(view/2)/float64(steps)))
		s.zoom(s.cut.plan(set.Interpolation, s.canvas.w, s.canvas.h, w, h, set.Width, set.Height), 0, 0)
	}
	if view%2 == 1 {
		mirror(s.view, set.Width)
	}
}

// zoom draws the view that a plan makes of the canvas from x, y on.
func (s *viewScratch) zoom(p *plan, x, y int) {
	s.draw(s.view, p, source{img: &s.canvas, x: x + p.x0, y: y + p.y0})
}

// randomResizedCrop is torchvision's RandomResizedCrop, with the transform's interpolation, and RandomHorizontalFlip. The crop
// is cut before it is resized, so nothing beyond its edges shows.
func (v *Viewer) randomResizedCrop(s *viewScratch, _ int) {
	set := v.t.settings
	x, y, w, h := v.randomRect(s)
	s.zoom(s.cut.plan(set.Interpolation, w, h, set.Width, set.Height, set.Width, set.Height), x, y)
	s.coin(set.Width)
}

// The aspects that torchvision's RandomResizedCrop allows.
const minAspect, maxAspect = 3.0 / 4, 4.0 / 3

// randomRect is RandomResizedCrop.get_params: ten tries to find a rectangle that fits, then the largest in the centre.
func (v *Viewer) randomRect(s *viewScratch) (x, y, w, h int) {
	width, height := s.canvas.w, s.canvas.h
	for range 10 {
		area := float64(width*height) * s.random.Between(v.views.Area[0], v.views.Area[1])
		aspect := math.Exp(s.random.Between(math.Log(minAspect), math.Log(maxAspect)))
		w = int(math.RoundToEven(math.Sqrt(area * aspect)))
		h = int(math.RoundToEven(math.Sqrt(area / aspect)))
		if 0 < w && w <= width && 0 < h && h <= height {
			y = s.random.IntN(height - h + 1)
			x = s.random.IntN(width - w + 1)
			return x, y, w, h
		}
	}
	w, h = width, height
	switch ratio := float64(width) / float64(height); {
	case ratio < minAspect:
		h = max(int(math.RoundToEven(float64(w)/minAspect)), 1)
	case ratio > maxAspect:
		w = max(int(math.RoundToEven(float64(h)*maxAspect)), 1)
	}
	return (width - w) / 2, (height - h) / 2, w, h
}
