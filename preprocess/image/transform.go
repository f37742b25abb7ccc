package image

import (
	"fmt"
	goimage "image"
	"sync"
)

// Transform turns pictures into tensors as one fixed set of settings asks. It is safe for concurrent use.
type Transform struct {
	// Salvage, which may be set before first use, is asked about each damaged JPEG of which a picture could be made, with its path ("" for
	// bytes) and what is wrong with it: true takes that picture, false leaves it an error, as where Salvage is nil. It is called by
	// concurrent callers, and once for each time that a file is read.
	Salvage func(path, damage string) bool

	settings Settings
	limits   Limits
	tables   [3][256]float32 // by colour: the tensor's value of each byte
	plans    planCache
	scratch  sync.Pool // of *scratch
	memory   *memory
}

// New returns the transform of settings s. The limits apply to File and Bytes.
func New(s Settings, l Limits) (*Transform, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("preprocess/image: settings: %w", err)
	}
	if err := l.Validate(); err != nil {
		return nil, fmt.Errorf("preprocess/image: limits: %w", err)
	}
	t := &Transform{settings: s, limits: l.withDefaults(), tables: normalisation(s)}
	t.memory = newMemory(t.limits.MaxMemory)
	t.plans.make = func(w, h int) *plan { return newPlan(s, w, h) }
	t.scratch.New = func() any { return new(scratch) }
	return t, nil
}

// Shape returns the tensor's shape without the batch: [3 height width], or [height width 3] in NHWC layout.
func (t *Transform) Shape() []int64 {
	h, w := int64(t.settings.Height), int64(t.settings.Width)
	if t.settings.Layout == NHWC {
		return []int64{h, w, 3}
	}
	return []int64{3, h, w}
}

// size is the number of elements of the tensor, which is the number of bytes of the crop too.
func (t *Transform) size() int { return 3 * t.settings.Height * t.settings.Width }

// File reads, decodes and transforms the picture at path into dst, which has as many elements as Shape says.
func (t *Transform) File(dst []float32, path string) error {
	t.checkLength(len(dst))
	s := t.scratch.Get().(*scratch)
	defer t.scratch.Put(s)
	data, done, err := t.readFile(s.file, path)
	if err != nil {
		return fmt.Errorf("preprocess/image: %w", err)
	}
	defer done()
	s.keepFile(data)
	if err := t.bytes(s, dst, path, data); err != nil {
		return fmt.Errorf("preprocess/image: %s: %w", path, err)
	}
	return nil
}

// Bytes decodes and transforms the picture in data into dst, which has as many elements as Shape says.
func (t *Transform) Bytes(dst []float32, data []byte) error {
	t.checkLength(len(dst))
	s := t.scratch.Get().(*scratch)
	defer t.scratch.Put(s)
	if err := t.bytes(s, dst, "", data); err != nil {
		return fmt.Errorf("preprocess/image: %w", err)
	}
	return nil
}

func (t *Transform) bytes(s *scratch, dst []float32, path string, data []byte) error {
	defer s.camera.Trim()
	return t.decoded(&s.camera, path, data, func(img goimage.Image, orientation int) error { return t.picture(s, dst, img, orientation) })
}

// Picture transforms a decoded picture into dst, which has as many elements as Shape says. The orientation is EXIF's, 1 to
// 8, as Decode reports it; any other value counts as 1, as it does for PIL.
func (t *Transform) Picture(dst []float32, img goimage.Image, orientation int) error {
	t.checkLength(len(dst))
	s := t.scratch.Get().(*scratch)
	defer t.scratch.Put(s)
	if err := t.picture(s, dst, img, orientation); err != nil {
		return fmt.Errorf("preprocess/image: %w", err)
	}
	return nil
}

func (t *Transform) picture(s *scratch, dst []float32, img goimage.Image, orientation int) error {
	s.crop = resize(s.crop, t.size())
	if err := t.crop(s, s.crop, img, orientation); err != nil {
		return err
	}
	t.normalise(dst, s.crop)
	return nil
}

// Pixels transforms a decoded picture up to the crop, before scaling and normalising: dst receives [height, width, 3] bytes,
// red, green, blue whatever the settings say about order and layout. Orientation is as for Picture.
func (t *Transform) Pixels(dst []uint8, img goimage.Image, orientation int) error {
	t.checkLength(len(dst))
	s := t.scratch.Get().(*scratch)
	defer t.scratch.Put(s)
	if err := t.crop(s, dst, img, orientation); err != nil {
		return fmt.Errorf("preprocess/image: %w", err)
	}
	return nil
}

// checkLength panics for a destination of the wrong length: it is the caller who allocates it.
func (t *Transform) checkLength(n int) {
	if n != t.size() {
		panic(fmt.Sprintf("preprocess/image: destination of %d elements, want %d", n, t.size()))
	}
}

// crop orients, resizes and crops.
func (t *Transform) crop(s *scratch, dst []uint8, img goimage.Image, orientation int) error {
	w, h, orientation, err := t.upright(img, orientation)
	if err != nil {
		return err
	}
	s.render(dst, t.plans.get(w, h), img, orientation)
	return nil
}

// upright returns the size of a picture after orientation, and the orientation that applies, where 1 is none.
func (t *Transform) upright(img goimage.Image, orientation int) (w, h, applied int, err error) {
	b := img.Bounds()
	if b.Empty() {
		return 0, 0, 0, fmt.Errorf("picture of %d x %d pixels is empty", b.Dx(), b.Dy())
	}
	if t.settings.IgnoreOrientation || orientation < 2 || orientation > 8 {
		orientation = 1
	}
	w, h = orientedSize(orientation, b.Dx(), b.Dy())
	return w, h, orientation, nil
}

// render makes the crop of a plan for the size of the upright picture.
func (s *scratch) render(dst []uint8, p *plan, img goimage.Image, orientation int) {
	src := source{img: img, x: p.x0, y: p.y0}
	if orientation != 1 {
		src = s.orient(img, orientation, goimage.Rect(p.x0, p.y0, p.x1, p.y1))
	}
	s.begin(src.img)
	s.draw(dst, p, src)
}

// draw makes the crop of a plan from a source that begins at the plan's rectangle.
func (s *scratch) draw(dst []uint8, p *plan, src source) {
	if p.cols < p.width || p.rows < p.height {
		clear(dst) // the margins are black
	}
	stride := 3 * p.width
	s.run(p, src, dst[p.top*stride+3*p.left:], stride)
}
