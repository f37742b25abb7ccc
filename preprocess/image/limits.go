package image

import (
	"fmt"
	goimage "image"
)

// Limits bound what decoding one picture may cost. A zero field means its default. They are checked against the file's
// header before anything is decoded.
type Limits struct {
	// MaxPixels is the largest width x height; the default is 134,217,728 (128 Mi), enough for the 108-megapixel sensors of
	// telephones and for medium format. Decoding needs 1 to 4 bytes of memory a pixel for most files, 8 with 16-bit samples (up to
	// 30 in a TIFF), 15 for a progressive JPEG with full chroma, and 12 more for JPEGs that the standard decoder refuses: 0.2 to
	// 4 GB at the limit. MaxMemory says how much all pictures that are decoded at once may take.
	MaxPixels int64

	// MaxSide is the longest side in pixels; the default is 65,535, JPEG's own limit. It bounds the work on pictures of few
	// pixels but extreme shape.
	MaxSide int

	// MaxBytes is the largest file; the default is 512 MiB, an uncompressed 16-bit RGB picture of 89 megapixels.
	MaxBytes int64

	// MaxMemory is how many bytes decoding may take, all concurrent callers of a [Transform] together; the default is 2 GiB.
	// What a picture will need is told from its header. Who would go beyond the limit waits, and a picture that needs more than that
	// goes alone. The files themselves are not counted: those over 64 MiB are read one after another. Nor is what each concurrent caller
	// keeps for its next picture: up to 32 MiB of a file, and as much of a picture.
	MaxMemory int64
}

// Validate reports the first limit that is negative.
func (l Limits) Validate() error {
	switch {
	case l.MaxPixels < 0:
		return fmt.Errorf("MaxPixels %d: want 0 (for the default) or more", l.MaxPixels)
	case l.MaxSide < 0:
		return fmt.Errorf("MaxSide %d: want 0 (for the default) or more", l.MaxSide)
	case l.MaxBytes < 0:
		return fmt.Errorf("MaxBytes %d: want 0 (for the default) or more", l.MaxBytes)
	case l.MaxMemory < 0:
		return fmt.Errorf("MaxMemory %d: want 0 (for the default) or more", l.MaxMemory)
	}
	return nil
}

func (l Limits) withDefaults() Limits {
	if l.MaxPixels == 0 {
		l.MaxPixels = 128 << 20
	}
	if l.MaxSide == 0 {
		l.MaxSide = 65535
	}
	if l.MaxBytes == 0 {
		l.MaxBytes = 512 << 20
	}
	if l.MaxMemory == 0 {
		l.MaxMemory = 2 << 30
	}
	return l
}

func (l Limits) checkBytes(n int64) error {
	if n > l.MaxBytes {
		return fmt.Errorf("file of %d bytes exceeds the limit of %d", n, l.MaxBytes)
	}
	return nil
}

// check compares a picture's header with the limits.
func (l Limits) check(f Format, c goimage.Config) error {
	pixels := int64(c.Width) * int64(c.Height)
	switch {
	case c.Width < 1 || c.Height < 1:
		return fmt.Errorf("%v of %d x %d pixels is empty", f, c.Width, c.Height)
	case c.Width > l.MaxSide || c.Height > l.MaxSide:
		return fmt.Errorf("%v of %d x %d pixels exceeds the limit of %d pixels a side", f, c.Width, c.Height, l.MaxSide)
	case pixels > l.MaxPixels:
		return fmt.Errorf("%v of %d x %d pixels exceeds the limit of %d pixels", f, c.Width, c.Height, l.MaxPixels)
	}
	return nil
}

// pixelsPerByte is how many pixels one byte of a file can code at the very best. A header that claims more than that of the
// whole file is refused before memory is set aside for its picture.
//
//   - JPEG: a Huffman code has at least one bit, and every block of 8 x 8 pixels has at least one.
//   - PNG: deflate gives at most 258 bytes for a match of two bits, and a byte holds at most 8 pixels.
//   - BMP: 8 pixels of one bit.
//
// The codes of the other formats have no useful bound.
var pixelsPerByte = map[Format]int64{JPEG: 8 * 64, PNG: 258 * 4 * 8, BMP: 8}

// checkPlausible reports a file that is too short for the picture that its header claims.
func checkPlausible(f Format, c goimage.Config, n int) error {
	if best := pixelsPerByte[f]; best > 0 && int64(c.Width)*int64(c.Height) > best*int64(n) {
		return fmt.Errorf("truncated %v: %d bytes cannot hold %d x %d pixels", f, n, c.Width, c.Height)
	}
	return nil
}
