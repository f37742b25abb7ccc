package datasets

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bep/imagemeta"

	"github.com/oatta/oatta/internal/testdata"
)

// exifText is what EXIFTime reads, as a line of a transcript.
func exifText(tb testing.TB, b []byte) string {
	tb.Helper()
	t, zoned, err := exifTime(bytes.NewReader(b), int64(len(b)))
	must(tb, err)
	return strings.TrimSpace(timeText(Picture{Time: t, Zoned: zoned}))
}

func TestEXIFTags(t *testing.T) {
	for _, c := range []struct {
		name       string
		ifd0, exif []tag
		want       string
	}{
		{name: "none"},
		{"original", nil, []tag{{id: tagDateTimeOriginal, text: "2009:04:21 00:40:00"}}, "2009-04-21 00:40:00"},
		{
			"original comes first",
			[]tag{{id: tagDateTime, text: "2020:01:01 00:00:00"}},
			[]tag{{id: tagDateTimeDigitized, text: "2019:01:01 00:00:00"}, {id: tagDateTimeOriginal, text: "2018:01:01 00:00:00"}},
			"2018-01-01 00:00:00",
		},
		{
			"a blank original gives way",
			[]tag{{id: tagDateTime, text: "2020:01:01 00:00:00"}},
			[]tag{{id: tagDateTimeDigitized, text: "2019:01:01 00:00:00"}, {id: tagDateTimeOriginal, text: "0000:00:00 00:00:00"}},
			"2019-01-01 00:00:00",
		},
		{"only the file's", []tag{{id: tagDateTime, text: "2020:01:01 00:00:00"}, {id: tagSubSec, text: "5"}}, nil, "2020-01-01 00:00:00.5"},
		{"spaces for blank", nil, []tag{{id: tagDateTimeOriginal, text: "    :  :     :  :  "}}, ""},
		{"no such day", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:30 00:00:00"}}, ""},
		{"no such hour", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:03 25:00:00"}}, ""},
		{"hour 24", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:03 24:00:05"}}, "2023-02-04 00:00:05"},
		{"hour 24 of the year's end", nil, []tag{{id: tagDateTimeOriginal, text: "2023:12:31 24:00:00"}}, "2024-01-01 00:00:00"},
		{"no such minute of hour 24", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:03 24:60:00"}}, ""},
		{"ISO with offset", nil, []tag{{id: tagDateTimeOriginal, text: "2024-05-01T10:00:02.669+09:00"}}, "2024-05-01 10:00:02.669 +09:00"},
		{"ISO in UTC", nil, []tag{{id: tagDateTimeOriginal, text: "2024-05-01T10:00:02Z"}}, "2024-05-01 10:00:02 +00:00"},
		{"ISO, whose offset and fraction count", nil, []tag{
			{id: tagDateTimeOriginal, text: "2024-05-01T10:00:02.5-03:00"}, {id: tagSubSecOriginal, text: "25"}, {id: tagOffsetOriginal, text: "+01:00"},
		}, "2024-05-01 10:00:02.5 -03:00"},
		{"ISO without offset", nil, []tag{{id: tagDateTimeOriginal, text: "2024-05-01T10:00:02.669"}, {id: tagOffsetOriginal, text: "+01:00"}}, "2024-05-01 10:00:02.669 +01:00"},
		{"ISO with an offset that no place has", nil, []tag{{id: tagDateTimeOriginal, text: "2024-05-01T10:00:02+39:00"}}, ""},
		{"short", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:03"}}, ""},
		{"dashes", nil, []tag{{id: tagDateTimeOriginal, text: "2023-02-03T04:05:06"}}, "2023-02-03 04:05:06"},
		{"slashes", nil, []tag{{id: tagDateTimeOriginal, text: "2023/02/03 04:05:06 "}}, "2023-02-03 04:05:06"},
		{"undefined type", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:03 04:05:06", kind: 7}}, "2023-02-03 04:05:06"},
		{"UTF-8 type", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:03 04:05:06", kind: 129}}, "2023-02-03 04:05:06"},
		{"a type of the future", []tag{{id: 0x0100, text: "?", kind: 99}}, []tag{{id: tagDateTimeOriginal, text: "2023:02:03 04:05:06"}}, "2023-02-03 04:05:06"},
		{"fraction with zeros", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:03 04:05:06"}, {id: tagSubSecOriginal, text: "057"}}, "2023-02-03 04:05:06.057"},
		{"fraction", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:03 04:05:06"}, {id: tagSubSecOriginal, text: "57 "}}, "2023-02-03 04:05:06.57"},
		{"long fraction", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:03 04:05:06"}, {id: tagSubSecOriginal, text: "1234567891234"}}, "2023-02-03 04:05:06.123456789"},
		{"offset", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:03 04:05:06"}, {id: tagOffsetOriginal, text: "+02:00"}}, "2023-02-03 04:05:06 +02:00"},
		{"offset of UTC", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:03 04:05:06"}, {id: tagOffsetOriginal, text: "Z"}}, "2023-02-03 04:05:06 +00:00"},
		{"wild offset", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:03 04:05:06"}, {id: tagOffsetOriginal, text: "+15:00"}}, "2023-02-03 04:05:06"},
		{"offset of another", nil, []tag{{id: tagDateTimeOriginal, text: "2023:02:03 04:05:06"}, {id: tagOffset, text: "+02:00"}}, "2023-02-03 04:05:06"},
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			if got := exifText(t, []byte(jpegWith(tiffBytes(order, c.ifd0, c.exif)))); got != c.want {
				t.Errorf("%s, %v: got %q, want %q", c.name, order, got, c.want)
			}
		}
	}
}

// containers wraps the Exif bytes as each format does.
func containers(exif []byte) map[string]string {
	pngChunk := func(kind string, data []byte) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(len(data)))) + kind + string(data) + "\x00\x00\x00\x00"
	}
	riffChunk := func(kind string, data []byte) string {
		pad := strings.Repeat("\x00", len(data)%2)
		return kind + string(binary.LittleEndian.AppendUint32(nil, uint32(len(data)))) + string(data) + pad
	}
	webp := "RIFF\x00\x00\x00\x00WEBP" + riffChunk("VP8X", append([]byte{8}, make([]byte, 9)...)) + riffChunk("VP8L", make([]byte, 7))
	return map[string]string{
		"JPEG":           jpegWith(exif),
		"padded JPEG":    strings.Replace(jpegWith(exif), "\xff\xe1", "\xff\xff\xff\xe1", 1),
		"PNG":            "\x89PNG\r\n\x1a\n" + pngChunk("IHDR", make([]byte, 13)) + pngChunk("IDAT", make([]byte, 9000)) + pngChunk("eXIf", exif) + pngChunk("IEND", nil),
		"WebP":           webp + riffChunk("EXIF", exif),
		"WebP with Exif": webp + riffChunk("EXIF", append([]byte("Exif\x00\x00"), exif...)),
		"TIFF":           string(exif),
	}
}

func TestEXIFContainers(t *testing.T) {
	exif := tiffBytes(binary.BigEndian, []tag{{id: 0x010f, text: "RECONYX"}}, []tag{{id: tagDateTimeOriginal, text: "2021:04:11 20:43:09"}})
	for name, file := range containers(exif) {
		if got := exifText(t, []byte(file)); got != "2021-04-11 20:43:09" {
			t.Errorf("%s: got %q", name, got)
		}
		// Cut anywhere it is a time or none, never a panic, and the error of a damaged file is no error.
		for n := range len(file) {
			if got := exifText(t, []byte(file[:n])); got != "" && got != "2021-04-11 20:43:09" {
				t.Fatalf("%s cut to %d bytes: got %q", name, n, got)
			}
		}
	}
	for _, file := range []string{"", "GIF89a", "BM", "text in a file of a picture", "\xff\xd8\xff\xe1", "\xff\xd8\xff\xe1\x00\x00Exif\x00\x00II*\x00"} {
		if got := exifText(t, []byte(file)); got != "" {
			t.Errorf("%q: got %q", file, got)
		}
	}
}

type failingReader struct{ err error }

func (f failingReader) ReadAt([]byte, int64) (int, error) { return 0, f.err }

func TestEXIFReadError(t *testing.T) {
	broken := errors.New("disk on fire")
	if _, _, err := exifTime(failingReader{broken}, 1000); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the reader", err)
	}
	if _, _, err := exifTime(failingReader{io.EOF}, 1000); err != nil {
		t.Errorf("a file that has become shorter: %v", err)
	}
}

// countingReader counts bytes read.
type countingReader struct {
	io.ReaderAt
	n int
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.n += n
	return n, err
}

func TestEXIFReadsLittle(t *testing.T) {
	file := at("2021:04:11 20:43:09") + strings.Repeat("scan data", 1<<20)
	r := &countingReader{ReaderAt: strings.NewReader(file)}
	if _, _, err := exifTime(r, int64(len(file))); err != nil || r.n > 16<<10 {
		t.Errorf("read %d bytes of %d (%v)", r.n, len(file), err)
	}
}

// pillow returns what Pillow read of the pictures, from testdata/exif_times.py.
func pillow(t *testing.T) map[string][]string {
	b, err := os.ReadFile("testdata/exif_times.tsv")
	must(t, err)
	out := map[string][]string{}
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		out[cells[0]] = cells[1:]
	}
	return out
}

// Real pictures: the same as Pillow, and as imagemeta, on every one.
func TestEXIFRealPictures(t *testing.T) {
	root := testdata.Shared(t, "data", "cameratrap", "images")
	l, err := List(context.Background(), root, Options{})
	must(t, err)
	expected := pillow(t)
	if len(l.Pictures) != len(expected) {
		t.Errorf("%d pictures, Pillow had %d", len(l.Pictures), len(expected))
	}
	timed := 0
	for _, p := range l.Pictures {
		cells := expected[p.Name]
		got := ""
		if !p.Time.IsZero() {
			got = p.Time.Format("2006:01:02 15:04:05")
			timed++
		}
		if got != cells[0] {
			t.Errorf("%s: got %q, Pillow %q", p.Name, got, cells[0])
		}
		if other := imagemetaTime(t, p.Path); other != got {
			t.Errorf("%s: got %q, imagemeta %q", p.Name, got, other)
		}
	}
	if timed != 162 {
		t.Errorf("%d pictures with a time, want those of camtrapR, 162", timed)
	}
}

// imagemetaTime is the time that another implementation reads.
func imagemetaTime(t *testing.T, path string) string {
	f, err := os.Open(filepath.Clean(path))
	must(t, err)
	defer f.Close()
	out := ""
	_, err = imagemeta.Decode(imagemeta.Options{
		R: f, ImageFormat: imagemeta.JPEG, Sources: imagemeta.EXIF,
		HandleTag: func(ti imagemeta.TagInfo) error {
			if ti.Tag == "DateTimeOriginal" {
				out, _ = ti.Value.(string)
			}
			return nil
		},
	})
	must(t, err)
	return out
}

func FuzzEXIFTime(f *testing.F) {
	exif := tiffBytes(binary.LittleEndian,
		[]tag{{id: tagDateTime, text: "2020:01:01 00:00:00"}},
		[]tag{{id: tagDateTimeOriginal, text: "2021:04:11 20:43:09"}, {id: tagSubSecOriginal, text: "057"}, {id: tagOffsetOriginal, text: "+02:00"}})
	for _, file := range containers(exif) {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		at, zoned, err := exifTime(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Errorf("an error although the reader has none: %v", err)
		}
		if at.IsZero() && zoned || !at.IsZero() && (at.Year() < 1 || at.Year() > 9999) {
			t.Errorf("time %v, zoned %v", at, zoned)
		}
		_, offset := at.Zone()
		if !zoned && offset != 0 || offset > 14*3600 || offset < -14*3600 {
			t.Errorf("offset %v, zoned %v", time.Duration(offset)*time.Second, zoned)
		}
	})
}

func BenchmarkEXIFTime(b *testing.B) {
	file := strings.NewReader(at("2021:04:11 20:43:09", "057", "+02:00"))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := exifTime(file, file.Size()); err != nil {
			b.Fatal(err)
		}
	}
}

// Pictures that users met.
func TestEXIFCases(t *testing.T) {
	for name, want := range map[string]string{"exif_24h.jpg": "2024-05-02 00:00:05", "exif_iso_offset.jpg": "2024-05-01 10:00:02.669 +09:00"} {
		data, err := os.ReadFile("testdata/cases/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if got := exifText(t, data); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
