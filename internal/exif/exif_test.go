package exif

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bep/imagemeta"

	"github.com/oatta/oatta/internal/testdata"
)

// entry is a tag of a TIFF structure whose value fits into the entry.
type entry struct {
	tag, kind uint16
	count     uint32
	value     uint16
}

// structure makes a TIFF structure of one directory.
func structure(order binary.AppendByteOrder, mark string, entries ...entry) string {
	b := append([]byte(mark), 0, 0)
	order.(binary.ByteOrder).PutUint16(b[2:], 42)
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, uint16(len(entries)))
	for _, e := range entries {
		b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, e.tag), e.kind), e.count)
		b = order.AppendUint16(order.AppendUint16(b, e.value), 0)
	}
	return string(order.AppendUint32(b, 0))
}

func little(entries ...entry) string { return structure(binary.LittleEndian, "II", entries...) }

func jpeg(tiff string) string {
	b := binary.BigEndian.AppendUint16([]byte("\xff\xd8\xff\xe1"), uint16(len(tiff)+8))
	return string(b) + "Exif\x00\x00" + tiff + "\xff\xda"
}

func webp(chunks ...string) string {
	body := "WEBP"
	for i := 0; i < len(chunks); i += 2 {
		body += chunks[i] + string(binary.LittleEndian.AppendUint32(nil, uint32(len(chunks[i+1])))) + chunks[i+1]
		body += strings.Repeat("\x00", len(chunks[i+1])%2)
	}
	return "RIFF" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(body)))) + body
}

func orientationOf(text string) int { return Orientation(strings.NewReader(text), int64(len(text))) }

func TestOrientation(t *testing.T) {
	six := entry{tagOrientation, typeShort, 1, 6}
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"JPEG":                             {jpeg(little(six)), 6},
		"big-endian":                       {jpeg(structure(binary.BigEndian, "MM", six)), 6},
		"TIFF":                             {little(six), 6},
		"PNG":                              {"\x89PNG\r\n\x1a\n\x00\x00\x00\x01tEXtx1234" + "\x00\x00\x00\x1aeXIf" + little(six), 6},
		"WebP, behind a chunk of odd size": {webp("VP8 ", "odd", "EXIF", little(six)), 6},
		"WebP with the prefix of JPEG":     {webp("VP8 ", "even", "EXIF", "Exif\x00\x00"+little(six)), 6},
		"behind a type that is not known":  {jpeg(little(entry{0x0100, 99, 1, 1}, six)), 6},
		"the first counts":                 {jpeg(little(entry{tagOrientation, typeShort, 1, 9}, six)), 1},
		"of another type":                  {jpeg(little(entry{tagOrientation, 4, 1, 6})), 1},
		"several":                          {jpeg(little(entry{tagOrientation, typeShort, 2, 6})), 1},
		"0":                                {jpeg(little(entry{tagOrientation, typeShort, 1, 0})), 1},
		"none":                             {jpeg(little()), 1},
		"no picture":                       {"GIF89a" + strings.Repeat("x", 40), 1},
		"cut":                              {jpeg(little(six))[:30], 1},
		"nothing":                          {"", 1},
	} {
		if got := orientationOf(c.text); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// Pictures that other programs wrote: the same as imagemeta, where it reads the format.
func TestOrientationAsImagemeta(t *testing.T) {
	formats := map[string]imagemeta.ImageFormat{".jpg": imagemeta.JPEG, ".png": imagemeta.PNG, ".tif": imagemeta.TIFF}
	paths, err := filepath.Glob(filepath.Join(testdata.Root(), "preprocess", "image", "testdata", "pictures", "*"))
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d pictures, %v", len(paths), err)
	}
	turned := 0
	for _, path := range paths {
		format, ok := formats[filepath.Ext(path)]
		if !ok {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := 1
		_, _ = imagemeta.Decode(imagemeta.Options{
			R: bytes.NewReader(data), ImageFormat: format, Sources: imagemeta.EXIF,
			ShouldHandleTag: func(tag imagemeta.TagInfo) bool { return tag.Tag == "Orientation" && tag.Namespace == "IFD0" },
			HandleTag: func(tag imagemeta.TagInfo) error {
				if v, ok := tag.Value.(uint16); ok && 1 <= v && v <= 8 {
					want = int(v)
				}
				return imagemeta.ErrStopWalking
			},
		})
		if got := orientationOf(string(data)); got != want {
			t.Errorf("%s: %d, imagemeta %d", filepath.Base(path), got, want)
		}
		if want > 1 {
			turned++
		}
	}
	if turned < 8 {
		t.Errorf("only %d pictures are turned", turned)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(jpeg(little(entry{tagOrientation, typeShort, 1, 6}))))
	f.Add([]byte(webp("VP8 ", "odd", "EXIF", little())))
	f.Add([]byte(structure(binary.BigEndian, "MM", entry{tagExifIFD, 4, 1, 8})))
	f.Fuzz(func(t *testing.T, b []byte) {
		if o := Orientation(bytes.NewReader(b), int64(len(b))); o < 1 || o > 8 {
			t.Errorf("orientation %d", o)
		}
		tags, err := Texts(bytes.NewReader(b), int64(len(b)), func(uint16) bool { return true })
		if err != nil {
			t.Error(err)
		}
		for tag, text := range tags {
			if text == "" || len(text) > maxText {
				t.Errorf("tag %#x: %q", tag, text)
			}
		}
	})
}
