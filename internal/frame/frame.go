package frame

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrCut is the error of bytes that end too early, or too late.
var ErrCut = errors.New("cut short or damaged")

// Append adds data behind their length, a uvarint.
func Append[T ~string | ~[]byte](dst []byte, data T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(data))), data...)
}

// Reader reads what was appended. After the end of the data it gives zeros, and an error.
type Reader struct {
	Data []byte // what is left
	Err  error
}

// Take returns the next n bytes, which are those of the data.
func (r *Reader) Take(n int) []byte {
	if r.Err != nil || n < 0 || n > len(r.Data) {
		r.Err = ErrCut
		return nil
	}
	out := r.Data[:n:n]
	r.Data = r.Data[n:]
	return out
}

// Byte returns one.
func (r *Reader) Byte() byte {
	if b := r.Take(1); r.Err == nil {
		return b[0]
	}
	return 0
}

// Word returns a number of 8 bytes, little-endian.
func (r *Reader) Word() uint64 {
	if b := r.Take(8); r.Err == nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Uvarint returns a number of any size.
func (r *Reader) Uvarint() uint64 {
	v, n := binary.Uvarint(r.Data)
	if r.Err != nil || n <= 0 {
		r.Err = ErrCut
		return 0
	}
	r.Take(n)
	return v
}

// Number returns a count of things of a byte or more each, which are to follow.
func (r *Reader) Number() int {
	v := r.Uvarint()
	if v > math.MaxInt || int(v) > len(r.Data) {
		r.Err = ErrCut
		return 0
	}
	return int(v)
}

// Bytes returns what Append added.
func (r *Reader) Bytes() []byte { return r.Take(r.Number()) }

// End tells whether all was read, and no more.
func (r *Reader) End() error {
	if r.Err == nil && len(r.Data) > 0 {
		r.Err = ErrCut
	}
	return r.Err
}
