package exif

import "io"

const (
	tagOrientation = 0x0112
	tagExifIFD     = 0x8769

	typeShort = 3
)

// Texts returns the texts of the tags of IFD0 and the Exif IFD that are wanted; of a tag in both, that of the Exif IFD. No EXIF and damaged
// EXIF give what there is of it, a damaged entry costs only itself, and the error is r's own. A few kilobytes are read.
func Texts(r io.ReaderAt, size int64, wanted func(tag uint16) bool) (map[uint16]string, error) {
	w := &window{r: r, size: size}
	tags := map[uint16]string{}
	if t, ifd0, ok := openTIFF(w); ok {
		if exif := t.texts(ifd0, wanted, tags); exif > 0 {
			t.texts(exif, wanted, tags)
		}
	}
	return tags, w.err
}

// texts adds the texts of one directory to tags and returns the offset of the Exif directory, 0 if it names none.
func (t tiff) texts(off int64, wanted func(tag uint16) bool, tags map[uint16]string) (exif int64) {
	t.ifd(off, func(tag uint16, e []byte) bool {
		switch {
		case tag == tagExifIFD:
			exif = int64(t.order.Uint32(e[8:]))
		case wanted(tag):
			if s := t.text(e); s != "" {
				tags[tag] = s
			}
		}
		return true
	})
	return exif
}

// Orientation returns the orientation of the main picture, 1 to 8; 1 where there is none or it cannot be read, since damaged metadata are
// no reason to refuse a picture whose pixels are whole. A thumbnail's, in IFD1, is not asked for.
func Orientation(r io.ReaderAt, size int64) int {
	found := 1
	t, ifd0, ok := openTIFF(&window{r: r, size: size})
	if !ok {
		return found
	}
	t.ifd(ifd0, func(tag uint16, e []byte) bool {
		if tag != tagOrientation {
			return true
		}
		v := int(t.order.Uint16(e[8:]))
		if t.order.Uint16(e[2:]) == typeShort && t.order.Uint32(e[4:]) == 1 && 1 <= v && v <= 8 {
			found = v
		}
		return false
	})
	return found
}
