package benchmarks

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// npyFile makes a file of version 1 around a header; the data are 2 x 3 numbers.
func npyFile(header string) string {
	b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	b = append(b, header...)
	for _, v := range []float32{1, 2, 3, 4, 5, -0.5} {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	return string(b)
}

const npyHeader = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n"

func TestReadNPY(t *testing.T) {
	good := npyFile(npyHeader)
	rows, err := ReadNPY(strings.NewReader(good))
	if err != nil || fmt.Sprint(rows) != "[[1 2 3] [4 5 -0.5]]" {
		t.Errorf("%v, %v", rows, err)
	}
	// Version 2 has four bytes for the length of the header.
	two := slices.Concat([]byte("\x93NUMPY\x02\x00"), binary.LittleEndian.AppendUint32(nil, uint32(len(npyHeader))), []byte(good)[10:])
	if again, err := ReadNPY(bytes.NewReader(two)); err != nil || fmt.Sprint(again) != fmt.Sprint(rows) {
		t.Errorf("version 2: %v, %v", again, err)
	}
	for name, file := range map[string]string{
		"empty":      "",
		"no array":   "P" + good,
		"cut header": good[:30],
		"cut data":   good[:len(good)-1],
		"more data":  good + "1234",
		"doubles":    npyFile(strings.Replace(npyHeader, "<f4", "<f8", 1)),
		"order":      npyFile(strings.Replace(npyHeader, "False", "True", 1)),
		"one axis":   npyFile(strings.Replace(npyHeader, "(2, 3)", "(6,)", 1)),
		"no columns": npyFile(strings.Replace(npyHeader, "(2, 3)", "(6, 0)", 1)),
		"huge":       npyFile(strings.Replace(npyHeader, "(2, 3)", "(4611686018427387904, 4)", 1)),
		"too huge":   npyFile(strings.Replace(npyHeader, "(2, 3)", "(99999999999999999999, 4)", 1)),
	} {
		if _, err := ReadNPY(strings.NewReader(file)); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
}

func FuzzReadNPY(f *testing.F) {
	f.Add([]byte(npyFile(npyHeader)))
	f.Add([]byte(npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }")))
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, err := ReadNPY(bytes.NewReader(b))
		if err == nil && len(rows) > len(b) {
			t.Errorf("%d rows out of %d bytes", len(rows), len(b))
		}
	})
}

func TestNewPredictionsRefuses(t *testing.T) {
	nan := float32(0)
	nan /= nan
	for name, try := range map[string]struct {
		logits [][]float32
		truth  []int
	}{
		"nothing":     {nil, nil},
		"few labels":  {[][]float32{{1, 2}, {1, 2}}, []int{1}},
		"ragged":      {[][]float32{{1, 2}, {1}}, []int{1, 0}},
		"no class":    {[][]float32{{1, 2}}, []int{2}},
		"not numbers": {[][]float32{{1, nan}}, []int{1}},
	} {
		if _, err := NewPredictions(name, try.logits, try.truth); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
}

func TestTempered(t *testing.T) {
	p := &Predictions{Q: [][]float64{{0.8, 0.2}}, Prior: []float64{0.5, 0.5}}
	near(t, "at 1", p.Tempered(1)[0][0], 0.8)
	near(t, "at 2", p.Tempered(2)[0][0], 2./3)
	p.Prior = []float64{0.8, 0.2}
	near(t, "over the prior", p.Tempered(1)[0][0], 0.5)
}
