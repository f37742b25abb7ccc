package image

import (
	goimage "image"

	"github.com/disintegration/imaging"
)

// orientedSize returns the size of a w x h picture after its orientation is applied: 5 to 8 swap the sides.
func orientedSize(orientation, w, h int) (int, int) {
	if 5 <= orientation && orientation <= 8 {
		return h, w
	}
	return w, h
}

// orient turns the part of img that lies in rectangle r after orientation, which is 2 to 8.
//
// The pixels are unpacked by this package's own rows before imaging turns them, for two reasons: imaging would convert YCbCr
// without chroma upsampling, and it reads pictures in goroutines of its own, where the panic that a malformed picture causes
// (CVE-2023-36308) cannot be recovered. An NRGBA picture made here cannot cause one.
func (s *scratch) orient(img goimage.Image, orientation int, r goimage.Rectangle) source {
	b := img.Bounds()
	from := sourceRect(orientation, b.Dx(), b.Dy(), r)
	s.begin(img)
	turned := Turn(s.unpack(img, from), orientation)
	if cap(s.packed.Pix) > maxKept {
		s.packed.Pix = nil // imaging has copied the pixels
	}
	return source{img: turned}
}

// Turn applies EXIF's orientations, 1 to 8, as PIL.ImageOps.exif_transpose does; what is none of them changes nothing.
func Turn(m *goimage.NRGBA, orientation int) *goimage.NRGBA {
	switch orientation {
	case 2:
		return imaging.FlipH(m)
	case 3:
		return imaging.Rotate180(m)
	case 4:
		return imaging.FlipV(m)
	case 5:
		return imaging.Transpose(m)
	case 6:
		return imaging.Rotate270(m)
	case 7:
		return imaging.Transverse(m)
	case 8:
		return imaging.Rotate90(m)
	}
	return m
}

// sourceRect returns the rectangle of the stored w x h picture that becomes r when the orientation is applied.
func sourceRect(orientation, w, h int, r goimage.Rectangle) goimage.Rectangle {
	if 5 <= orientation {
		r = goimage.Rect(r.Min.Y, r.Min.X, r.Max.Y, r.Max.X)
	}
	switch orientation {
	case 2, 3, 7, 8: // stored right to left
		r.Min.X, r.Max.X = w-r.Max.X, w-r.Min.X
	}
	switch orientation {
	case 3, 4, 6, 7: // stored bottom to top
		r.Min.Y, r.Max.Y = h-r.Max.Y, h-r.Min.Y
	}
	return r
}

// unpack returns the pixels of rectangle r, counted from the picture's upper left corner. The result is valid until the next
// call.
func (s *scratch) unpack(img goimage.Image, r goimage.Rectangle) *goimage.NRGBA {
	w, h := r.Dx(), r.Dy()
	s.texels = resize(s.texels, w)
	m := &s.packed
	m.Pix, m.Stride, m.Rect = resize(m.Pix, 4*w*h), 4*w, goimage.Rect(0, 0, w, h)
	for y := range h {
		s.row(s.texels, img, r.Min.X, r.Min.Y+y)
		out := m.Pix[y*m.Stride:][:4*w]
		for i, t := range s.texels {
			p := out[4*i : 4*i+4 : 4*i+4]
			r, g := unmix(t.rg)
			p[0], p[1], p[2], p[3] = uint8(r), uint8(g), uint8(t.b), 255
		}
	}
	return m
}
