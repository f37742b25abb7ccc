package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	goimage "image"
	"io"
	"strings"

	"github.com/disintegration/imaging"
	_ "golang.org/x/image/webp" // imaging registers all other formats

	"github.com/oatta/oatta/internal/exif"
	"github.com/oatta/oatta/preprocess/image/internal/camera"
	"github.com/oatta/oatta/preprocess/image/internal/jpeg"
)

// Meta is what a picture's header says.
type Meta struct {
	Format        Format
	Width, Height int // in pixels, as stored: orientation is not applied
	Orientation   int // EXIF's, 1 to 8; 1 where the file says nothing
}

// Decode decodes a picture within limits and returns it as it is stored, with its orientation in Meta. A GIF gives its first
// frame on its canvas. Alpha, where the format has it, is kept. Meta is filled as far as the header could be read, also
// beside an error. Of a damaged JPEG, the error may be a [DamagedError] that holds a picture.
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
	meta, _, err = header(data, l)
	if err != nil {
		return nil, meta, err
	}
	img, meta, err = body(new(camera.Decoder), data, meta)
	return img, meta, err
}

// body decodes what a header announces. The picture may be valid until the next use of d.
func body(d *camera.Decoder, data []byte, meta Meta) (goimage.Image, Meta, error) {
	img, err := pixels(d, data, meta.Format)
	var damaged *DamagedError
	if errors.As(err, &damaged) {
		img, err = damaged.Picture, nil
	}
	if err != nil {
		return nil, meta, err
	}
	if b := img.Bounds(); b.Dx() != meta.Width || b.Dy() != meta.Height {
		return nil, meta, fmt.Errorf("damaged %v: header says %d x %d pixels, decoded %d x %d",
			meta.Format, meta.Width, meta.Height, b.Dx(), b.Dy())
	}
	meta.Orientation = exif.Orientation(bytes.NewReader(data), int64(len(data)))
	if damaged != nil {
		damaged.Meta = meta
		return nil, meta, damaged
	}
	return img, meta, nil
}

// recovered is deferred where a file's bytes come in: no file may end the program, so what a decoder or a metadata reader
// panics with becomes that file's error.
func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("damaged picture: reading it panicked: %v", cause)
	}
}

// header recognises the format and reads and checks the size, without decoding. The cost is in bytes of memory.
func header(data []byte, l Limits) (meta Meta, cost int64, err error) {
	if err := l.checkBytes(int64(len(data))); err != nil {
		return Meta{}, 0, err
	}
	f, err := sniff(data)
	if err != nil {
		return Meta{}, 0, err
	}
	c, _, err := goimage.DecodeConfig(bytes.NewReader(data))
	if err != nil && f == JPEG {
		if other, failed := jpeg.Config(data); failed == nil {
			c, err = other, nil
		}
	}
	if err != nil {
		return Meta{Format: f}, 0, explain(f, data, err)
	}
	meta = Meta{Format: f, Width: c.Width, Height: c.Height, Orientation: 1}
	err = errors.Join(l.check(f, c), checkPlausible(f, c, len(data)), checkScans(f, data))
	return meta, costOf(f, c, data), err
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

// pixels decodes. Most JPEGs are of the kind that package camera takes; it gives the standard decoder's bits, and leaves it the rest.
func pixels(d *camera.Decoder, data []byte, f Format) (goimage.Image, error) {
	if f == JPEG {
		if img, ok := d.Decode(data); ok {
			return img, nil
		}
	}
	img, err := imaging.Decode(bytes.NewReader(data))
	if f == JPEG && truncated(err) && !bytes.HasSuffix(data, endOfImage) {
		// Cameras that lose power leave off the end marker; libjpeg supplies it, Go's decoder does not. Where coded data
		// are missing too, the second attempt fails as the first did.
		whole := io.MultiReader(bytes.NewReader(data), bytes.NewReader(endOfImage))
		if again, failed := imaging.Decode(whole); failed == nil {
			img, err = again, nil
		}
	}
	if err != nil && f == JPEG {
		return rescue(data, explain(f, data, err))
	}
	if err != nil {
		return nil, explain(f, data, err)
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

// explain says in the first words whether the file ends too early, is of a kind that is not read, or is wrong in itself.
func explain(f Format, data []byte, err error) error {
	kind := unsupportedKind(f, data)
	switch {
	case kind != "":
		return fmt.Errorf("unsupported %v: %s: %w", f, kind, err)
	case truncated(err):
		return fmt.Errorf("truncated %v: %w", f, err)
	case strings.Contains(err.Error(), "unsupported"):
		return fmt.Errorf("unsupported %v: %w", f, err)
	}
	return fmt.Errorf("damaged %v: %w", f, err)
}

// unsupportedKind knows files that decoders take for damaged, though they are whole and of a kind that they do not read.
func unsupportedKind(f Format, data []byte) string {
	const extended, animated = 12, 1 << 1 // where a WebP's first chunk is, and a flag in it
	switch {
	case f == WebP && len(data) > extended+8 && string(data[extended:][:4]) == "VP8X" && data[extended+8]&animated != 0:
		return "it is animated"
	case f == TIFF && planar(data):
		return "its colours lie in separate planes"
	}
	return ""
}

// planar reports whether the first directory of a TIFF has PlanarConfiguration 2 (TIFF 6.0, page 38).
func planar(data []byte) bool {
	const tag, entry = 284, 12
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 'M' {
		order = binary.BigEndian
	}
	if len(data) < 8 {
		return false
	}
	at := int64(order.Uint32(data[4:]))
	if at+2 > int64(len(data)) {
		return false
	}
	n := int64(order.Uint16(data[at:]))
	for e := at + 2; e < at+2+n*entry && e+entry <= int64(len(data)); e += entry {
		if order.Uint16(data[e:]) == tag {
			return order.Uint16(data[e+8:]) == 2
		}
	}
	return false
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
