package image

import (
	"bytes"
	"errors"
	"fmt"
)

// Format is a picture file format. The file's content decides, not its name.
type Format uint8

// The formats that can be read.
const (
	Unknown Format = iota
	JPEG
	PNG
	GIF
	BMP
	TIFF
	WebP
)

var formatNames = []string{"unknown format", "JPEG", "PNG", "GIF", "BMP", "TIFF", "WebP"}

// String returns the format's usual name, such as "JPEG".
func (f Format) String() string { return nameOf(formatNames, int(f)) }

// magics are the first bytes of each format; ? stands for any byte.
var magics = []struct {
	prefix string
	format Format
}{
	{"\xff\xd8", JPEG},
	{"\x89PNG\r\n\x1a\n", PNG},
	{"GIF87a", GIF},
	{"GIF89a", GIF},
	{"BM????\x00\x00\x00\x00", BMP},
	{"II\x2a\x00", TIFF},
	{"MM\x00\x2a", TIFF},
	{"RIFF????WEBPVP8", WebP},
}

// sniff recognises the format by the first bytes.
func sniff(data []byte) (Format, error) {
	if len(data) == 0 {
		return Unknown, errors.New("empty file")
	}
	for _, m := range magics {
		if matches(data, m.prefix) {
			return m.format, nil
		}
	}
	start := data[:min(len(data), 16)]
	if len(bytes.Trim(data, "\x00")) == 0 {
		return Unknown, fmt.Errorf("not a picture: %d zero bytes", len(data))
	}
	return Unknown, fmt.Errorf("not a picture: starts with %q", start)
}

func matches(data []byte, prefix string) bool {
	if len(data) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if prefix[i] != '?' && prefix[i] != data[i] {
			return false
		}
	}
	return true
}
