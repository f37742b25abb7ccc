package image

import (
	"bytes"
	"errors"
	"fmt"
	goimage "image"
	"io"
	"strings"

	"github.com/disintegration/imaging"
	_ "golang.org/x/image/webp" // imaging registers all other formats

	"github.com/oatta/oatta/internal/exif"
)

// Meta is what a picture's header says.
type Meta struct {
	Format        Format
	Width, Height int // in pixels, as stored: orientation is not applied
	Orientation   int // EXIF's, 1 to 8; 1 where the file says nothing
}

// Decode decodes a picture within limits and returns it as it is stored, with its orientation in Meta. A GIF gives its first
// frame on its canvas. Alpha, where the format has it, is kept. Meta is filled as far as the header could be read, also
// beside an error.
//
// The picture of a lossy WebP file is of a type of this package, since none of Go's describes its colours.
func Decode(data []byte, l Limits) (goimage.Image, Meta, error) {
	if err := l.Validate(); err != nil {
		return nil, Meta{}, fmt.Errorf("preprocess/image: limits: %w", err)
	}
	img, meta, err := decode(data, l.withDefaults())
	if err != nil {
		return nil, meta, fmt.Errorf("preprocess/image: %w", err)
	}
	return img, meta, nil
}

func decode(data []byte, l Limits) (img goimage.Image, meta Meta, err error) {
	defer recovered(&err)
	if meta, err = header(data, l); err != nil {
		return nil, meta, err
	}
	if img, err = pixels(data, meta.Format); err != nil {
		return nil, meta, err
	}
	if b := img.Bounds(); b.Dx() != meta.Width || b.Dy() != meta.Height {
		return nil, meta, fmt.Errorf("damaged %v: header says %d x %d pixels, decoded %d x %d",
			meta.Format, meta.Width, meta.Height, b.Dx(), b.Dy())
	}
	meta.Orientation = exif.Orientation(bytes.NewReader(data), int64(len(data)))
	return img, meta, nil
}

// recovered is deferred where a file's bytes come in: no file may end the program, so what a decoder or a metadata reader
// panics with becomes that file's error.
func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("damaged picture: reading it panicked: %v", cause)
	}
}

// header recognises the format and reads and checks the size, without decoding.
func header(data []byte, l Limits) (Meta, error) {
	if err := l.checkBytes(int64(len(data))); err != nil {
		return Meta{}, err
	}
	f, err := sniff(data)
	if err != nil {
		return Meta{}, err
	}
	c, _, err := goimage.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return Meta{Format: f}, explain(f, err)
	}
	meta := Meta{Format: f, Width: c.Width, Height: c.Height, Orientation: 1}
	return meta, errors.Join(l.check(f, c), checkPlausible(f, c, len(data)), checkScans(f, data))
}

// maxScans bounds the scans of a progressive JPEG. Encoders write about ten; a hostile file of a few bytes a scan could
// otherwise ask for hours of work.
const maxScans = 500

var startOfScan = []byte{0xff, 0xda} // in coded data 0xff is always followed by 0

func checkScans(f Format, data []byte) error {
	if f != JPEG {
		return nil
	}
	if n := bytes.Count(data, startOfScan); n > maxScans {
		return fmt.Errorf("damaged JPEG: %d scans, more than %d", n, maxScans)
	}
	return nil
}

// pixels decodes.
func pixels(data []byte, f Format) (goimage.Image, error) {
	img, err := imaging.Decode(bytes.NewReader(data))
	if f == JPEG && truncated(err) && !bytes.HasSuffix(data, endOfImage) {
		// Cameras that lose power leave off the end marker; libjpeg supplies it, Go's decoder does not. Where coded data
		// are missing too, the second attempt fails as the first did.
		whole := io.MultiReader(bytes.NewReader(data), bytes.NewReader(endOfImage))
		if again, failed := imaging.Decode(whole); failed == nil {
			img, err = again, nil
		}
	}
	if err != nil {
		return nil, explain(f, err)
	}
	switch m := img.(type) {
	case *goimage.Paletted:
		if f == GIF {
			return compose(m, data)
		}
	case *goimage.YCbCr:
		if f == WebP {
			return &studioPicture{*m}, nil
		}
	case *goimage.NYCbCrA:
		return &studioPicture{m.YCbCr}, nil
	}
	return img, nil
}

var endOfImage = []byte{0xff, 0xd9}

// explain says in the first words whether the file ends too early or is wrong in itself.
func explain(f Format, err error) error {
	switch {
	case truncated(err):
		return fmt.Errorf("truncated %v: %w", f, err)
	case strings.Contains(err.Error(), "unsupported"):
		return fmt.Errorf("unsupported %v: %w", f, err)
	}
	return fmt.Errorf("damaged %v: %w", f, err)
}

// truncated reports whether err is of a file that ends too early. Some decoders give the cause as text only.
func truncated(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || strings.HasSuffix(text, "EOF") ||
		strings.Contains(text, "not enough") || strings.Contains(text, "short Huffman data")
}
