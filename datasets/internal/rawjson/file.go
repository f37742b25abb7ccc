package rawjson

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/oatta/oatta/datasets/internal/plainjson"
)

// File is the text of a file, whose byte order mark and whose NaN and Infinity, which Python writes, do not disturb. Each of these numbers
// is scanned as null, an unknown value, and stays in the file as it is.
type File struct {
	text  []byte
	skip  int            // bytes of a byte order mark
	plain plainjson.Text // of the text behind it, which is what is scanned
	edits []edit
}

// edit replaces a piece of the text.
type edit struct {
	start, end int
	by         []byte
}

// ByteOrderMark may begin a text in UTF-8.
var ByteOrderMark = []byte("\xef\xbb\xbf")

// NewFile returns the file of a text.
func NewFile(text []byte) *File {
	rest := bytes.TrimPrefix(text, ByteOrderMark)
	return &File{text: text, skip: len(text) - len(rest), plain: plainjson.New(rest)}
}

// Note says of which values JSON does not know, for people; "" if there are none.
func (f *File) Note() string { return plainjson.Note(f.plain.Unknown) }

// Scan walks the members of the object that the file is. member must consume the value.
func (f *File) Scan(member func(s *Scanner, name []byte) error) error {
	s := NewScanner()
	s.place = func(at int) string { return fmt.Sprintf("byte %d (line %d)", f.offset(at), f.line(at)) }
	s.Reset(f.plain.Text)
	if err := s.Object(func(name []byte) error { return member(s, name) }); err != nil {
		return err
	}
	return s.Finish()
}

// Line is the line in which a value begins, from 1.
func (f *File) Line(v Value) int { return f.line(v.At) }

func (f *File) line(at int) int { return 1 + bytes.Count(f.plain.Text[:at], []byte("\n")) }

// offset returns where a place of the scanned text is in the file.
func (f *File) offset(at int) int { return f.plain.Offset(at) + f.skip }

// Original returns a value as it stands in the file.
func (f *File) Original(v Value) []byte { return f.text[f.offset(v.At):f.offset(v.End())] }

// Put replaces the value of a name in an object, or adds it behind another.
func (f *File) Put(in Object, name string, by []byte, behind Value) {
	if old := in.Value(name); old.There() {
		f.edits = append(f.edits, edit{f.offset(old.At), f.offset(old.End()), by})
		return
	}
	end := f.offset(behind.End())
	by = append(append(AppendString([]byte(", "), name), ": "...), by...)
	f.edits = append(f.edits, edit{end, end, by})
}

// WriteTo implements [io.WriterTo]: the file with all that was put.
func (f *File) WriteTo(w io.Writer) (n int64, err error) {
	// By their ends, as a field may be added exactly where another ends.
	slices.SortStableFunc(f.edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	from := 0
	write := func(b []byte) {
		if err == nil {
			var k int
			k, err = w.Write(b)
			n += int64(k)
		}
	}
	for _, e := range f.edits {
		write(f.text[from:e.start])
		write(e.by)
		from = e.end
	}
	write(f.text[from:])
	return n, err
}
