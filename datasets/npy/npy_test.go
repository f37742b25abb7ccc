package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/npy"
	"github.com/oatta/oatta/internal/testdata"
)

// file makes a file of version 1 around a header.
func file(header string, elements ...byte) string {
	b := binary.LittleEndian.AppendUint16([]byte(npy.Magic+"\x01\x00"), uint16(len(header)))
	return string(append(append(b, header...), elements...))
}

func header(descr, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
}

func TestRead(t *testing.T) {
	one := file(header("<u2", "(2, 1, 3)"), 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 0, 1)
	h := header("<u2", "(2L, 1L, 3L)")
	two := slices.Concat([]byte(npy.Magic+"\x02\x00"), binary.LittleEndian.AppendUint32(nil, uint32(len(h))), []byte(h), []byte(one)[len(one)-12:])
	for _, b := range [][]byte{[]byte(one), two} {
		a, err := Read(bytes.NewReader(b), 12)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Ints()
		if err != nil || a.Type != "<u2" || !slices.Equal(a.Shape, []int{2, 1, 3}) || !slices.Equal(got, []int{1, 2, 3, 4, 5, 256}) {
			t.Errorf("%s%v %v, %v", a.Type, a.Shape, got, err)
		}
		if _, err := a.Float32s(); err == nil {
			t.Error("integers passed as floats")
		}
	}
}

// Each type of integer reads a pattern with the highest bit set.
func TestInts(t *testing.T) {
	for descr, want := range map[string]int{
		"|b1": 1, "|u1": 254, "|i1": -2, "<u2": 65534, "<i2": -2, "<u4": 1<<32 - 2, "<i4": -2, "<i8": -2,
	} {
		elements := slices.Repeat([]byte{0xff}, sizes[descr])
		elements[0] = 0xfe
		if descr == "|b1" {
			elements[0] = 1
		}
		a, err := Read(strings.NewReader(file(header(descr, "(1,)"), elements...)), 100)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := a.Ints(); err != nil || got[0] != want {
			t.Errorf("%s: %v, %v", descr, got, err)
		}
	}
	a, err := Read(strings.NewReader(file(header("<u8", "()"), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)), 100)
	if err != nil || a.Len() != 1 {
		t.Fatalf("a number alone: %v", err)
	}
	if _, err := a.Ints(); err == nil {
		t.Error("2^64-1 passed as int")
	}
}

func TestReadRefuses(t *testing.T) {
	good := file(header("<f4", "(2, 1)"), 0, 0, 128, 63, 0, 0, 0, 64)
	a, err := Read(strings.NewReader(good), 8)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := a.Float32s(); err != nil || !slices.Equal(v, []float32{1, 2}) {
		t.Errorf("floats %v, %v", v, err)
	}
	if _, err := a.Ints(); err == nil {
		t.Error("floats passed as integers")
	}
	for name, b := range map[string]string{
		"empty":      "",
		"no array":   "P" + good,
		"cut header": good[:30],
		"cut":        good[:len(good)-1],
		"more":       good + "1",
		"big-endian": file(header(">f4", "(1,)"), 1, 2, 3, 4),
		"objects":    file(header("|O", "(1,)"), 1),
		"column":     strings.Replace(good, "False", "True ", 1),
		"no shape":   strings.Replace(good, "shape", "Shape", 1),
		"negative":   file(header("<f4", "(-1, 2)")),
		"huge":       file(header("<f4", "(4611686018427387904, 4)")),
		"too huge":   file(header("<f4", "(99999999999999999999, 4)")),
		"axes":       file(header("|u1", "("+strings.Repeat("1, ", 33)+")"), 1),
		"limit":      file(header("|u1", "(9,)"), 1, 2, 3, 4, 5, 6, 7, 8, 9),
	} {
		if _, err := Read(strings.NewReader(b), 8); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
}

// NumPy wrote these itself.
func TestReadReal(t *testing.T) {
	a := readShared(t)
	labels, err := a.Ints()
	if err != nil || a.Type != "<i4" || !slices.Equal(a.Shape, []int{2000}) || slices.Min(labels) != 0 || slices.Max(labels) != 9 {
		t.Errorf("%s%v from %d to %d, %v", a.Type, a.Shape, slices.Min(labels), slices.Max(labels), err)
	}
}

func readShared(t *testing.T) *Array {
	b, err := os.ReadFile(testdata.Shared(t, "data", "cifar10", "cifar10.1_v6_labels.npy"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := Read(bytes.NewReader(b), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(file(header("<f4", "(2, 1)"), 0, 0, 128, 63, 0, 0, 0, 64)))
	f.Add([]byte(file(header("|u1", "(0, 3)"))))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := Read(bytes.NewReader(b), 1<<20)
		if err != nil {
			return
		}
		if len(a.Data) > len(b) {
			t.Errorf("%d bytes of elements out of %d", len(a.Data), len(b))
		}
		n := 1
		for _, axis := range a.Shape {
			n *= axis
		}
		if n != a.Len() {
			t.Errorf("shape %v, but %d elements", a.Shape, a.Len())
		}
	})
}
