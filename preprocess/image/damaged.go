package image

import (
	goimage "image"

	"github.com/oatta/oatta/preprocess/image/internal/camera"
	"github.com/oatta/oatta/preprocess/image/internal/jpeg"
)

// DamagedError is the error of a damaged JPEG of which a picture can be made all the same: the one that libjpeg makes, and with it PIL
// where ImageFile.LOAD_TRUNCATED_IMAGES is set. What is missing is grey.
type DamagedError struct {
	Picture goimage.Image
	Meta    Meta
	Damage  string // in words, with how much is missing
	Err     error  // the standard decoder's
}

// Error returns the standard decoder's words.
func (e *DamagedError) Error() string { return e.Err.Error() }

// Unwrap returns the standard decoder's error.
func (e *DamagedError) Unwrap() error { return e.Err }

// rescue decodes a JPEG that the standard decoder has refused, for a cause: some are whole, and some others give a picture.
func rescue(data []byte, cause error) (goimage.Image, error) {
	p, err := jpeg.Decode(data)
	switch {
	case err != nil:
		return nil, cause
	case p.Damage != "":
		return nil, &DamagedError{Picture: p.Image, Damage: p.Damage, Err: cause}
	}
	return p.Image, nil
}

// decoded decodes the data of the file at path, "" if they are of none, and passes the picture on, within the memory that all callers
// share. It may be valid until the next use of d, and nobody may keep it without counting it.
func (t *Transform) decoded(d *camera.Decoder, path string, data []byte, use func(img goimage.Image, orientation int) error) (err error) {
	defer recovered(&err)
	meta, cost, err := header(data, t.limits)
	if err != nil {
		return err
	}
	defer t.memory.hold(cost)()
	img, meta, err := body(d, data, meta)
	if damaged, ok := err.(*DamagedError); ok && t.Salvage != nil && t.Salvage(path, damaged.Damage) {
		img, err = damaged.Picture, nil
	}
	if err != nil {
		return err
	}
	return use(img, meta.Orientation)
}
