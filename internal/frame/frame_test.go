package frame

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"
)

func TestFields(t *testing.T) {
	data := Append([]byte{7}, "text")
	data = binary.LittleEndian.AppendUint64(data, 1<<63)
	data = binary.AppendUvarint(data, math.MaxUint64)
	data = Append(data, []byte(nil))
	r := Reader{Data: data}
	if b, s, w, v, e := r.Byte(), string(r.Bytes()), r.Word(), r.Uvarint(), r.Bytes(); b != 7 || s != "text" || w != 1<<63 || v != math.MaxUint64 || len(e) != 0 {
		t.Error(b, s, w, v, e)
	}
	if err := r.End(); err != nil {
		t.Error(err)
	}
	for n := range data {
		r := Reader{Data: data[:n]}
		r.Byte()
		r.Bytes()
		r.Word()
		r.Uvarint()
		r.Bytes()
		if err := r.End(); !errors.Is(err, ErrCut) {
			t.Errorf("%d of %d bytes: %v", n, len(data), err)
		}
	}
	r = Reader{Data: []byte{3, 2, 1}}
	if b, v, n := r.Bytes(), r.Uvarint(), r.Number(); b != nil || v != 0 || n != 0 || r.Err == nil {
		t.Errorf("behind a field that is cut short stood %v, %d and %d", b, v, n)
	}
	if r := (Reader{Data: []byte{1}}); r.End() == nil {
		t.Error("a byte too much was no error")
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte{3, 'a', 'b', 'c', 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := Reader{Data: data}
		for range 8 {
			if n := r.Number(); n > len(data) {
				t.Error(n)
			}
			r.Bytes()
			r.Word()
		}
		_ = r.End()
	})
}
