package image

import (
	"fmt"
	goimage "image"
	"sync"

	"github.com/oatta/oatta/preprocess/internal/draw"
)

// Viewer writes several views of a picture, each as its Transform would: [views, input...], the plain one first, equal to the
// Transform's to the bit. What is random in view i depends on the seed and on i alone, not on how many views there are. It is
// safe for concurrent use.
type Viewer struct {
	t       *Transform
	views   Views
	recipe  recipe
	plans   planCache // of the canvas
	scratch sync.Pool // of *viewScratch
}

// viewScratch is the memory of one call.
type viewScratch struct {
	scratch
	canvas raster // that crops are cut from
	view   []uint8
	cut    geometry
	mixer  mixer
	random *draw.Source
}

// NewViews returns a viewer of the transform.
func (t *Transform) NewViews(v Views) (*Viewer, error) {
	err := v.Validate()
	if err == nil {
		err = v.suits(t.settings)
	}
	if err != nil {
		return nil, fmt.Errorf("preprocess/image: views: %w", err)
	}
	viewer := &Viewer{t: t, views: v.withDefaults(t.settings), recipe: recipes[v.Set]}
	viewer.plans.make = viewer.canvasPlan
	viewer.scratch.New = func() any { return &viewScratch{random: draw.New()} }
	return viewer, nil
}

// Count returns the number of views, the plain one included.
func (v *Viewer) Count() int { return 1 + v.views.Augmented }

// Len returns the number of elements of all views: Count times those of the Transform's shape.
func (v *Viewer) Len() int { return v.Count() * v.t.size() }

// File reads and decodes the picture at path and writes its views into dst, which has Len elements.
func (v *Viewer) File(dst []float32, path string, seed uint64) error {
	v.checkLength(len(dst))
	s := v.scratch.Get().(*viewScratch)
	defer v.scratch.Put(s)
	data, done, err := v.t.readFile(s.file, path)
	if err != nil {
		return fmt.Errorf("preprocess/image: %w", err)
	}
	defer done()
	s.keepFile(data)
	if err := v.bytes(s, dst, path, data, seed); err != nil {
		return fmt.Errorf("preprocess/image: %s: %w", path, err)
	}
	return nil
}

// Bytes decodes the picture in data and writes its views into dst, which has Len elements.
func (v *Viewer) Bytes(dst []float32, data []byte, seed uint64) error {
	v.checkLength(len(dst))
	s := v.scratch.Get().(*viewScratch)
	defer v.scratch.Put(s)
	if err := v.bytes(s, dst, "", data, seed); err != nil {
		return fmt.Errorf("preprocess/image: %w", err)
	}
	return nil
}

func (v *Viewer) bytes(s *viewScratch, dst []float32, path string, data []byte, seed uint64) error {
	defer s.camera.Trim()
	return v.t.decoded(&s.camera, path, data, func(img goimage.Image, orientation int) error { return v.picture(s, dst, img, orientation, seed) })
}

// Picture writes the views of a decoded picture into dst, which has Len elements. The orientation is as for
// Transform.Picture.
func (v *Viewer) Picture(dst []float32, img goimage.Image, orientation int, seed uint64) error {
	v.checkLength(len(dst))
	s := v.scratch.Get().(*viewScratch)
	defer v.scratch.Put(s)
	if err := v.picture(s, dst, img, orientation, seed); err != nil {
		return fmt.Errorf("preprocess/image: %w", err)
	}
	return nil
}

// checkLength panics for a destination of the wrong length: it is the caller who allocates it.
func (v *Viewer) checkLength(n int) {
	if n != v.Len() {
		panic(fmt.Sprintf("preprocess/image: destination of %d elements, want %d for %d views", n, v.Len(), v.Count()))
	}
}

func (v *Viewer) picture(s *viewScratch, dst []float32, img goimage.Image, orientation int, seed uint64) error {
	if err := v.prepare(s, img, orientation); err != nil {
		return err
	}
	size := v.t.size()
	s.view = resize(s.view, size)
	v.t.normalise(dst[:size], s.crop)
	for i := 1; i < v.Count(); i++ {
		s.random.View(seed, i)
		v.recipe.crop(v, s, i)
		if to := dst[i*size : (i+1)*size]; v.recipe.mixed {
			v.augmix(s, to)
		} else {
			v.t.normalise(to, s.view)
		}
	}
	return nil
}
