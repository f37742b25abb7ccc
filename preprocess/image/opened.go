package image

import (
	"fmt"
	goimage "image"

	"github.com/oatta/oatta/preprocess/image/internal/camera"
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
	data, done, err := t.readFile(nil, path)
	if err != nil {
		return nil, fmt.Errorf("preprocess/image: %w", err)
	}
	defer done()
	o, err := t.open(path, data)
	if err != nil {
		return nil, fmt.Errorf("preprocess/image: %s: %w", path, err)
	}
	return o, nil
}

func (t *Transform) open(path string, data []byte) (*Opened, error) {
	o := &Opened{t: t}
	err := t.decoded(new(camera.Decoder), path, data, func(img goimage.Image, orientation int) (err error) {
		o.img = img
		o.w, o.h, o.orientation, err = t.upright(img, orientation)
		return err
	})
	return o, err
}

// Bytes is about how much memory the picture takes.
func (o *Opened) Bytes() int64 {
	n := 4 * int64(o.w) * int64(o.h)
	switch o.img.(type) {
	case *goimage.NRGBA64, *goimage.RGBA64:
		return 2 * n
	}
	return n
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
