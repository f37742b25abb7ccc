package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// file makes the beginning of a file.
func file(version byte, header string) string {
	b := append([]byte(Magic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return string(b) + header
}

func TestReadHeader(t *testing.T) {
	for text, want := range map[string]Header{
		file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }  \n"): {"<f4", false, []int{2, 1}, 72},
		file(2, `{"shape":(3L,),'fortran_order':True,'descr':'|b1'}`):              {"|b1", true, []int{3}, 62},
		file(3, "{'descr': '>i8', 'fortran_order': False, 'shape': ()}"):           {">i8", false, []int{}, 65},
	} {
		r := strings.NewReader(text + "elements")
		h, err := ReadHeader(r, r.Size())
		if err != nil || fmt.Sprint(h) != fmt.Sprint(want) || h.Size != int64(len(text)) {
			t.Errorf("%q: %+v, %v; want %+v", text, h, err, want)
		}
		if rest, _ := io.ReadAll(r); string(rest) != "elements" {
			t.Errorf("%q: the elements begin at %q", text, rest)
		}
	}
}

func TestReadHeaderRefuses(t *testing.T) {
	good := "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }"
	for text, want := range map[string]string{
		"":                                  "0 bytes are no npy file",
		"P" + file(1, good):                 "no npy file",
		file(4, good):                       "npy version 4",
		file(1, good)[:40]:                  "npy header of 59 bytes",
		file(2, strings.Repeat(" ", 70000)): "npy header of 70000 bytes",
		file(1, strings.Replace(good, "descr", "type", 1)):                             "an unknown key",
		file(1, strings.Replace(good, "'<f4'", "[('a')]", 1)):                          "records are not read",
		file(1, strings.Replace(good, "False", "0", 1)):                                "want False",
		file(1, strings.Replace(good, "(2, 1)", "(-1,)", 1)):                           "a shape is some numbers",
		file(1, strings.Replace(good, "(2, 1)", "(2 1)", 1)):                           "a comma is missing in the shape",
		file(1, strings.Replace(good, "(2, 1)", "("+strings.Repeat("1, ", 65)+")", 1)): "a shape is some numbers",
		file(1, good+"x"): "want descr, fortran_order and shape, and nothing else",
		file(1, strings.Replace(good, "'shape'", "'descr'", 1)): "a key stands twice",
	} {
		if h, err := ReadHeader(strings.NewReader(text), int64(len(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100q: %+v, %v, want %q", text, h, err, want)
		}
	}
	if _, err := ReadHeader(strings.NewReader(file(1, good)[:40]), math.MaxInt64); err == nil {
		t.Error("a stream that is cut: no error")
	}
}

func FuzzReadHeader(f *testing.F) {
	f.Add([]byte(file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }")))
	f.Add([]byte(file(2, `{"shape":(3L,),'fortran_order':True,'descr':'|b1'}`)))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := ReadHeader(strings.NewReader(string(b)), int64(len(b)))
		if err != nil {
			return
		}
		if h.Size > int64(len(b)) || len(h.Shape) > MaxAxes || slices.ContainsFunc(h.Shape, func(n int) bool { return n < 0 }) {
			t.Errorf("%q: %+v", b, h)
		}
	})
}
