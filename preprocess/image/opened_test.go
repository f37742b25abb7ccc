package image

import (
	"bytes"
	goimage "image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// cutOut is the plain twin of Cut: the rectangle of the whole upright picture's bytes.
func cutOut(rgb []byte, w int, r goimage.Rectangle) (out []byte) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		out = append(out, rgb[3*(y*w+r.Min.X):3*(y*w+r.Max.X)]...)
	}
	return out
}

// Of every kind of picture that is decoded here, in all orientations, a part has the bytes that the whole has there.
func TestCutIsAPartOfTheWhole(t *testing.T) {
	entries, err := os.ReadDir("testdata/pictures")
	if err != nil {
		t.Fatal(err)
	}
	tr := must(New(Settings{Height: 8, Width: 8}, Limits{}))
	cuts := 0
	for _, e := range entries {
		img, _, err := Decode(picture(t, e.Name()), Limits{})
		if err != nil {
			continue // one that is there to fail
		}
		for orientation := 1; orientation <= 8; orientation++ {
			o := &Opened{t: tr, img: img}
			o.w, o.h, o.orientation, _ = tr.upright(img, orientation)
			rgb := whole(t, img, orientation)
			for _, r := range []goimage.Rectangle{
				goimage.Rect(0, 0, o.w, o.h), goimage.Rect(o.w-1, o.h-1, o.w, o.h), goimage.Rect(o.w/3, o.h/4, o.w/3+o.w/2+1, o.h/4+o.h/2+1),
			} {
				r = r.Intersect(goimage.Rect(0, 0, o.w, o.h))
				part, err := o.Cut(r)
				if err != nil || part.Bounds().Dx() != r.Dx() || !bytes.Equal(part.(*raster).pix, cutOut(rgb, o.w, r)) {
					t.Errorf("%s, orientation %d, %v: differs from the whole (%v)", e.Name(), orientation, r, err)
				}
				cuts++
			}
		}
	}
	if cuts < 100 {
		t.Errorf("%d cuts were compared", cuts)
	}
}

// A part goes through the transform and its views as a picture of these pixels does: nothing beyond its edges is seen.
func TestPartIsAPicture(t *testing.T) {
	img := pseudoPixels("part", 60, 40)
	tr := must(New(Settings{Resize: 20, Height: 16, Width: 16, Std: [3]float64{1, 1, 1}}, Limits{}))
	o := &Opened{t: tr, img: img, w: 60, h: 40, orientation: 1}
	r := goimage.Rect(7, 5, 37, 31)
	part, err := o.Cut(r)
	if err != nil {
		t.Fatal(err)
	}
	alone := goimage.NewNRGBA(goimage.Rect(0, 0, r.Dx(), r.Dy()))
	for y := range r.Dy() {
		for x := range r.Dx() {
			alone.Set(x, y, img.At(img.Bounds().Min.X+r.Min.X+x, img.Bounds().Min.Y+r.Min.Y+y))
		}
	}
	v, err := tr.NewViews(Views{Set: MemoImageNet, Augmented: 5})
	if err != nil {
		t.Fatal(err)
	}
	a, b := make([]float32, v.Len()), make([]float32, v.Len())
	if err := v.Picture(a, part, 1, 3); err != nil {
		t.Fatal(err)
	}
	if err := v.Picture(b, alone, 1, 3); err != nil || !slices.Equal(a, b) {
		t.Errorf("the views differ (%v)", err)
	}
	if err := tr.Picture(b[:tr.size()], part, 1); err != nil || !slices.Equal(a[:tr.size()], b[:tr.size()]) {
		t.Errorf("the plain view differs (%v)", err)
	}
}

func TestOpen(t *testing.T) {
	tr := must(New(Settings{Height: 8, Width: 8}, Limits{}))
	bad := filepath.Join(t.TempDir(), "x.jpg")
	write(t, bad, []byte("no picture"))
	if _, err := tr.Open(bad); err == nil || !strings.Contains(err.Error(), bad+": ") {
		t.Errorf("no picture: %v", err)
	}
	if _, err := tr.Open(bad + "x"); err == nil {
		t.Error("no file: no error")
	}
	o := &Opened{t: tr, img: pseudoPixels("open", 9, 5), w: 9, h: 5, orientation: 1}
	for _, r := range []goimage.Rectangle{{}, goimage.Rect(0, 0, 10, 5), goimage.Rect(-1, 0, 5, 5), goimage.Rect(3, 3, 3, 4)} {
		if _, err := o.Cut(r); err == nil || !strings.Contains(err.Error(), "9 x 5") {
			t.Errorf("%v: %v", r, err)
		}
	}
	broken := &Opened{t: tr, img: lying{}, w: 9, h: 9, orientation: 1}
	if _, err := broken.Cut(goimage.Rect(0, 0, 9, 9)); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a picture that panics: %v", err)
	}
}
