package image

import (
	"fmt"
	goimage "image"
)

// Opened is a decoded picture, of which parts are cut to be transformed as pictures of their own: the boxes of a detector. It is safe
// for concurrent use.
type Opened struct {
	t           *Transform
	img         goimage.Image
	w, h        int // upright
	orientation int // that applies; 1 is none
}

// Open reads and decodes the picture at path, within the transform's limits.
func (t *Transform) Open(path string) (*Opened, error) {
	data, err := readFile(nil, path, t.limits)
	if err != nil {
		return nil, fmt.Errorf("preprocess/image: %w", err)
	}
	o, err := t.open(data)
	if err != nil {
		return nil, fmt.Errorf("preprocess/image: %s: %w", path, err)
	}
	return o, nil
}

func (t *Transform) open(data []byte) (o *Opened, err error) {
	img, meta, err := decode(data, t.limits)
	if err != nil {
		return nil, err
	}
	o = &Opened{t: t, img: img}
	o.w, o.h, o.orientation, err = t.upright(img, meta.Orientation)
	return o, err
}

// Size returns the size as the picture is shown: turned as EXIF says, unless the transform ignores that.
func (o *Opened) Size() (w, h int) { return o.w, o.h }

// Cut returns the pixels of r, counted from the upper left corner of the picture as it is shown. What it returns is upright and shares no
// memory with the picture: [Transform.Picture] and [Viewer.Picture] take it with orientation 1, and nothing beyond its edges shows in
// what they make of it. From equal pixels it is equal to crop after ImageOps.exif_transpose and convert("RGB") in PIL.
func (o *Opened) Cut(r goimage.Rectangle) (part goimage.Image, err error) {
	if whole := goimage.Rect(0, 0, o.w, o.h); r.Empty() || !r.In(whole) {
		return nil, fmt.Errorf("preprocess/image: part %v of a picture of %d x %d pixels: want one within it", r, o.w, o.h)
	}
	defer recovered(&err)
	s := o.t.scratch.Get().(*scratch)
	defer o.t.scratch.Put(s)
	src := source{img: o.img, x: r.Min.X, y: r.Min.Y}
	if o.orientation != 1 {
		src = s.orient(o.img, o.orientation, r)
	}
	s.begin(src.img)
	out := new(raster)
	out.reset(r.Dx(), r.Dy())
	s.texels = resize(s.texels, out.w)
	for y := range out.h {
		s.row(s.texels, src.img, src.x, src.y+y)
		pack(out.pix[3*y*out.w:][:3*out.w], s.texels)
	}
	return out, nil
}
