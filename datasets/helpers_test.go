package datasets

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/internal/testdata"
)

var update = flag.Bool("update", false, "write the goldens under testdata instead of comparing")

// tree makes a folder, "top", of files from paths to contents; a path that ends in a slash is an empty folder.
func tree(tb testing.TB, files map[string]string) string {
	tb.Helper()
	root := filepath.Join(tb.TempDir(), "top")
	must(tb, os.Mkdir(root, 0o755))
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			must(tb, os.MkdirAll(path, 0o755))
			continue
		}
		must(tb, os.MkdirAll(filepath.Dir(path), 0o755))
		must(tb, os.WriteFile(path, []byte(content), 0o644))
	}
	return root
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// list lists a folder with options, and returns the transcript of it.
func list(tb testing.TB, root string, opt Options) string {
	tb.Helper()
	l, err := List(context.Background(), root, opt)
	return transcript(l, err)
}

// transcript prints a listing as a reviewer wants to read it, without the name of the temporary folder.
func transcript(l *Listing, err error) string {
	var b strings.Builder
	if l != nil {
		for _, s := range l.Streams() {
			fmt.Fprintf(&b, "stream %s\n", message.Show(s.Name))
			for _, p := range s.Pictures {
				fmt.Fprintf(&b, "  %s%s%s\n", message.Show(p.Name), timeText(p), suffix(" = ", p.Label))
			}
		}
		for _, f := range l.Failures {
			fmt.Fprintf(&b, "failure %s: %s\n", message.Show(f.Name), f.Reason)
		}
		for _, ext := range slices.Sorted(maps.Keys(l.Ignored)) {
			fmt.Fprintf(&b, "ignored %s: %d\n", ext, l.Ignored[ext])
		}
		for _, w := range l.Warnings {
			fmt.Fprintf(&b, "warning %s\n", w)
		}
	}
	if err != nil {
		fmt.Fprintf(&b, "error %v\n", err)
	}
	return b.String()
}

func timeText(p Picture) string {
	if p.Time.IsZero() {
		return ""
	}
	layout := " 2006-01-02 15:04:05.999999999"
	if p.Zoned {
		layout += " -07:00"
	}
	return p.Time.Format(layout) + " " + p.TimeFrom
}

func suffix(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// withoutRoot is a text in which ROOT stands for a folder, and slashes in the paths below it.
func withoutRoot(text, root string) string {
	if root == "" {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, root+string(filepath.Separator), "ROOT/"), root, "ROOT")
}

// want compares a transcript, leaving out the name of a temporary folder.
func want(tb testing.TB, got, root, expected string) {
	tb.Helper()
	got = testdata.Plain(withoutRoot(got, root))
	if diff := cmp.Diff(strings.TrimLeft(expected, "\n"), got); diff != "" {
		tb.Errorf("transcript differs (-want +got):\n%s\ngot:\n%s", diff, got)
	}
}

// golden compares a transcript with a file under testdata.
func golden(tb testing.TB, name, got string) {
	tb.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must(tb, os.WriteFile(path, []byte(got), 0o644))
	}
	expected, err := os.ReadFile(path)
	must(tb, err)
	if diff := cmp.Diff(string(expected), got); diff != "" {
		tb.Errorf("%s differs (-want +got):\n%s", name, diff)
	}
}

// tag is a text tag of a made-up TIFF structure. kind 0 is ASCII.
type tag struct {
	id   uint16
	text string
	kind uint16
}

// tiffBytes makes a TIFF structure: IFD0 with some tags and the Exif IFD with others. Every text ends in NUL, as the standard has it.
func tiffBytes(order binary.AppendByteOrder, ifd0, exif []tag) []byte {
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	data := 8 + 2 + 12*(len(ifd0)+1) + 4 + 2 + 12*len(exif) + 4 // where the texts begin
	var texts []byte
	entry := func(t tag) {
		text := t.text + "\x00"
		kind := t.kind
		if kind == 0 {
			kind = 2
		}
		b = order.AppendUint16(b, t.id)
		b = order.AppendUint16(b, kind)
		b = order.AppendUint32(b, uint32(len(text)))
		if len(text) <= 4 {
			b = append(b, (text + "\x00\x00\x00\x00")[:4]...)
			return
		}
		b = order.AppendUint32(b, uint32(data+len(texts)))
		texts = append(texts, text...)
	}
	b = order.AppendUint16(b, uint16(len(ifd0)+1))
	for _, t := range ifd0 {
		entry(t)
	}
	b = order.AppendUint16(b, 0x8769) // the Exif IFD
	b = order.AppendUint16(b, 4)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint32(b, uint32(8+2+12*(len(ifd0)+1)+4))
	b = order.AppendUint32(b, 0) // no further IFD
	b = order.AppendUint16(b, uint16(len(exif)))
	for _, t := range exif {
		entry(t)
	}
	b = order.AppendUint32(b, 0)
	return append(b, texts...)
}

// jpegWith makes the beginning of a JPEG with a JFIF segment and these Exif bytes.
func jpegWith(exif []byte) string {
	var b bytes.Buffer
	b.WriteString("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")
	if exif != nil {
		b.WriteString("\xff\xe1")
		b.Write(binary.BigEndian.AppendUint16(nil, uint16(2+6+len(exif))))
		b.WriteString("Exif\x00\x00")
		b.Write(exif)
	}
	b.WriteString("\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00")
	return b.String()
}

// at makes a JPEG that was taken at a time, with or without fraction and offset.
func at(stamp string, more ...string) string {
	exif := []tag{{id: tagDateTimeOriginal, text: stamp}}
	for i, id := range []uint16{tagSubSecOriginal, tagOffsetOriginal} {
		if i < len(more) && more[i] != "" {
			exif = append(exif, tag{id: id, text: more[i]})
		}
	}
	return jpegWith(tiffBytes(binary.LittleEndian, nil, exif))
}

// plainJPEG has no Exif.
var plainJPEG = jpegWith(nil)
