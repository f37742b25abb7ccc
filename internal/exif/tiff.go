package exif

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

// Limits of what is read. Real files stay far below.
const (
	maxSegments = 1 << 14 // JPEG segments or chunks of PNG and WebP looked at; a PNG of 128 MB in chunks of 8 KiB has so many
	maxTags     = 1 << 12 // tags of one IFD
	maxText     = 64      // bytes of a text
	windowSize  = 8 << 10 // bytes read at once
)

// window reads small pieces of a file through one buffer, since the tags of a picture lie close together.
type window struct {
	r    io.ReaderAt
	size int64
	buf  []byte
	off  int64 // of buf in the file
	err  error // first error of r, which ends all reading
}

// at returns n bytes at an offset, valid until the next call, or false where the file does not have them.
func (w *window) at(off int64, n int) ([]byte, bool) {
	if off < 0 || n < 0 || off > w.size-int64(n) || w.err != nil {
		return nil, false
	}
	if off < w.off || off+int64(n) > w.off+int64(len(w.buf)) {
		if !w.fill(off, n) {
			return nil, false
		}
	}
	i := off - w.off
	return w.buf[i : i+int64(n)], true
}

// fill moves the window so that it begins at an offset.
func (w *window) fill(off int64, n int) bool {
	if cap(w.buf) < max(n, windowSize) {
		w.buf = make([]byte, max(n, windowSize))
	}
	w.buf, w.off = w.buf[:cap(w.buf)], off
	got, err := w.r.ReadAt(w.buf, off)
	w.buf = w.buf[:max(got, 0)]
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return w.err == nil && got >= n // a file that was cut since its size was taken ends early
}

// findTIFF returns where the TIFF structure that holds the Exif tags begins and ends, going by the content rather than by the name.
func findTIFF(w *window) (base, end int64, ok bool) {
	head, ok := w.at(0, 12)
	if !ok {
		return 0, 0, false
	}
	switch {
	case head[0] == 0xff && head[1] == 0xd8:
		return findInJPEG(w)
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return findInChunks(w, 8, "eXIf", binary.BigEndian, 4)
	case bytes.HasPrefix(head, []byte("RIFF")) && string(head[8:]) == "WEBP":
		return findInChunks(w, 12, "EXIF", binary.LittleEndian, 0)
	}
	return 0, w.size, isTIFF(head)
}

// isTIFF knows both byte orders; BigTIFF (43 in the place of 42) is not read.
func isTIFF(b []byte) bool {
	return bytes.HasPrefix(b, []byte("II*\x00")) || bytes.HasPrefix(b, []byte("MM\x00*"))
}

// findInJPEG walks the segments up to the scan: 0xff, marker, big-endian length that counts itself.
func findInJPEG(w *window) (base, end int64, ok bool) {
	off := int64(2)
	for range maxSegments {
		b, ok := w.at(off, 10)
		if !ok || b[0] != 0xff {
			return 0, 0, false
		}
		marker, length := b[1], int64(binary.BigEndian.Uint16(b[2:]))
		switch {
		case marker == 0xff: // padding before a marker
			off++
			continue
		case marker == 0xda || marker == 0xd9 || length < 2: // the scan begins, the picture ends, nonsense
			return 0, 0, false
		case marker == 0xe1 && string(b[4:10]) == "Exif\x00\x00":
			return off + 10, min(off+2+length, w.size), true
		}
		off += 2 + length
	}
	return 0, 0, false
}

// findInChunks walks the chunks of PNG (length, type, data, 4 bytes of checksum) or of RIFF (type, length, data, padded to even).
func findInChunks(w *window, off int64, want string, order binary.ByteOrder, trailer int64) (base, end int64, ok bool) {
	for range maxSegments {
		b, ok := w.at(off, 8)
		if !ok {
			return 0, 0, false
		}
		kind, length := string(b[:4]), int64(order.Uint32(b[4:]))
		if trailer > 0 { // PNG
			kind, length = string(b[4:]), int64(order.Uint32(b))
		}
		if kind == want {
			return tiffInChunk(w, off+8, min(off+8+length, w.size))
		}
		off += 8 + length + trailer
		if trailer == 0 {
			off += length & 1
		}
	}
	return 0, 0, false
}

// tiffInChunk skips the JPEG prefix that some writers put into chunks too.
func tiffInChunk(w *window, base, end int64) (int64, int64, bool) {
	if b, ok := w.at(base, 6); ok && string(b) == "Exif\x00\x00" {
		base += 6
	}
	return base, end, base < end
}

// tiff is a TIFF structure in a file; offsets in it count from base.
type tiff struct {
	w         *window
	base, end int64
	order     binary.ByteOrder
}

// openTIFF reads the head of the structure and returns the offset of its first directory.
func openTIFF(w *window) (t tiff, ifd0 int64, ok bool) {
	base, end, ok := findTIFF(w)
	if !ok {
		return t, 0, false
	}
	t = tiff{w: w, base: base, end: end, order: binary.LittleEndian}
	head, ok := t.at(0, 8)
	if !ok || !isTIFF(head) {
		return t, 0, false
	}
	if head[0] == 'M' {
		t.order = binary.BigEndian
	}
	return t, int64(t.order.Uint32(head[4:])), true
}

// at returns bytes of the structure, and none of what follows it in the file.
func (t tiff) at(off int64, n int) ([]byte, bool) {
	if off > t.end-t.base-int64(n) {
		return nil, false
	}
	return t.w.at(t.base+off, n)
}

// ifd passes the entries of one directory to visit until that has enough. An entry is 12 bytes: tag, type, count of values, and the value
// itself if it fits in 4 bytes, else its offset. It is valid until something else is read.
func (t tiff) ifd(off int64, visit func(tag uint16, entry []byte) (more bool)) {
	b, ok := t.at(off, 2)
	if !ok {
		return
	}
	n := min(int(t.order.Uint16(b)), maxTags)
	for i := range n {
		e, ok := t.at(off+2+12*int64(i), 12)
		if !ok || !visit(t.order.Uint16(e), e) {
			return
		}
	}
}

// text returns the value of an entry of type ASCII (2), UNDEFINED (7, which some cameras write) or UTF-8 (129, Exif 3.0), up to its NUL.
func (t tiff) text(e []byte) string {
	kind, n := t.order.Uint16(e[2:]), t.order.Uint32(e[4:])
	if kind != 2 && kind != 7 && kind != 129 || n > maxText {
		return ""
	}
	b := e[8:]
	if n > 4 {
		var ok bool
		if b, ok = t.at(int64(t.order.Uint32(e[8:])), int(n)); !ok {
			return ""
		}
	}
	s, _, _ := strings.Cut(string(b[:n]), "\x00")
	return strings.TrimSpace(s)
}
