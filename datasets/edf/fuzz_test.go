package edf

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"
)

// FuzzOpen reads all that a file gives, in both ways, which must agree on the samples. Nothing may panic.
func FuzzOpen(f *testing.F) {
	f.Add(gappy())
	f.Add(build("\xffBIOSEMI", "BDF+C", "-1", "0.5", 2, []sample{ramp(), ramp(), ramp()}))
	var b bytes.Buffer
	if err := WriteAnnotations(&b, AnnotationFile{Start: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), Annotations: []Annotation{{Onset: 30, Duration: 30, Text: "Sleep stage W"}}}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := Open("fuzz", bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		for i := range file.Header().Signals {
			_, _ = file.Span(i, -1, 1e9)
			_ = file.Physical(make([]float64, file.Samples(i)), i, 0)
		}
		if _, _, err := file.Annotations(); err != nil {
			t.Error(err)
		}
		compareStream(t, file, b)
	})
}

func compareStream(t *testing.T, file *File, b []byte) {
	if file.Header().bytes != int64(256*(1+len(file.Header().Signals))) {
		return // a stream cannot know a longer header
	}
	d, err := NewDecoder(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var rec Record
	records := int64(0)
	for ; ; records++ {
		if err := d.Next(&rec); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for i, got := range rec.Digital {
			want := make([]int32, len(got))
			if err := file.Digital(want, i, records*int64(len(got))); err != nil || !bytes.Equal(asBytes(got), asBytes(want)) {
				t.Fatalf("record %d, signal %d: %v, want %v, error %v", records, i, got, want, err)
			}
		}
	}
	if records != file.Header().Records {
		t.Errorf("%d records from the stream, %d from the file", records, file.Header().Records)
	}
}

func asBytes(v []int32) (b []byte) {
	for _, x := range v {
		b = append(b, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return b
}
