package image

import (
	"bytes"
	"encoding/binary"

	"github.com/bep/imagemeta"
)

var metaFormats = map[Format]imagemeta.ImageFormat{
	JPEG: imagemeta.JPEG,
	PNG:  imagemeta.PNG,
	TIFF: imagemeta.TIFF,
	WebP: imagemeta.TIFF, // what webpEXIF returns
}

// orientation returns EXIF's orientation, 1 to 8, of the main picture; 1 where there is none or it cannot be read, since
// damaged metadata are no reason to refuse a picture whose pixels are whole.
func orientation(data []byte, f Format) int {
	format, ok := metaFormats[f]
	if !ok {
		return 1
	}
	if f == WebP {
		data = webpEXIF(data)
	}
	found := 1
	_, _ = imagemeta.Decode(imagemeta.Options{
		R:           bytes.NewReader(data),
		ImageFormat: format,
		Sources:     imagemeta.EXIF,
		ShouldHandleTag: func(t imagemeta.TagInfo) bool {
			return t.Tag == "Orientation" && t.Namespace == "IFD0" // not the thumbnail's, in IFD1
		},
		HandleTag: func(t imagemeta.TagInfo) error {
			if v, ok := t.Value.(uint16); ok && 1 <= v && v <= 8 {
				found = int(v)
			}
			return imagemeta.ErrStopWalking
		},
	})
	return found
}

// webpEXIF returns the payload of a WebP file's EXIF chunk, which is a TIFF file without pictures; nil if there is none.
// imagemeta's own reader loses its way after a chunk of odd length: it does not skip the byte that follows it.
func webpEXIF(data []byte) []byte {
	const riff, chunk = 12, 8 // lengths of the file's and of a chunk's header
	data = data[min(riff, len(data)):]
	for len(data) >= chunk {
		size := int64(binary.LittleEndian.Uint32(data[4:]))
		body := data[chunk:]
		if size > int64(len(body)) {
			return nil
		}
		if string(data[:4]) == "EXIF" {
			return bytes.TrimPrefix(body[:size], []byte("Exif\x00\x00")) // some writers keep JPEG's prefix
		}
		data = body[min(size+size%2, int64(len(body))):]
	}
	return nil
}
