package weights

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Limits on one tensor. Frameworks stop at 8 to 64 sizes; a terabyte is more than any published weight.
const (
	maxRank  = 64
	maxBytes = 1 << 40
	// maxSpread bounds a view that is larger than its storage, as an expanded tensor with strides of 0 is: without a bound four bytes of
	// a file could ask for any amount of memory.
	maxSpread = 16 << 20
)

// Tensor is one named tensor of a file. Its elements stay in the file until they are asked for. A Tensor is not changed once it is
// made and may be used by several goroutines, as long as its File is open.
type Tensor struct {
	name  string
	dtype DType
	shape []int
	size  int64                  // bytes of all elements
	fill  func(dst []byte) error // writes all elements, row-major and little-endian, to dst of length size
}

// New returns a tensor of elements in memory: row-major, little-endian, retained and not copied. It is an error if data are not as
// long as type and shape say.
func New(name string, d DType, shape []int, data []byte) (*Tensor, error) {
	n, err := byteLen(d, shape)
	if err != nil {
		return nil, fmt.Errorf("models/weights: tensor %q: %w", name, err)
	}
	if n != int64(len(data)) {
		return nil, fmt.Errorf("models/weights: tensor %q: %s%v takes %d bytes, got %d", name, d, shape, n, len(data))
	}
	fill := func(dst []byte) error { copy(dst, data); return nil }
	return &Tensor{name, d, slices.Clone(shape), n, fill}, nil
}

// NewFloat32 is New for float32 values, which it copies.
func NewFloat32(name string, shape []int, values []float32) (*Tensor, error) {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = le.AppendUint32(data, math.Float32bits(v))
	}
	return New(name, F32, shape, data)
}

// Name returns the tensor's name in its file.
func (t *Tensor) Name() string { return t.name }

// DType returns the type of the elements as stored.
func (t *Tensor) DType() DType { return t.dtype }

// Shape returns a copy of the sizes; none is a scalar.
func (t *Tensor) Shape() []int { return slices.Clone(t.shape) }

// Len returns the number of elements.
func (t *Tensor) Len() int { return int(t.size) / t.dtype.Size() }

// Named returns the same tensor under another name.
func (t *Tensor) Named(name string) *Tensor {
	c := *t
	c.name = name
	return &c
}

// String returns name, type and shape, such as "fc.bias F32[10]".
func (t *Tensor) String() string { return fmt.Sprintf("%s %s%v", t.name, t.dtype, t.shape) }

// Bytes reads all elements: row-major, little-endian, whatever the file's own order is. The slice is the caller's.
func (t *Tensor) Bytes() ([]byte, error) {
	dst := make([]byte, t.size)
	if err := t.fill(dst); err != nil {
		return nil, fmt.Errorf("models/weights: tensor %q: %w", t.name, err)
	}
	return dst, nil
}

// Float32s reads all elements as float32. Bool, 8- and 16-bit types convert exactly (false is 0, true is 1); wider integers and
// float64 are rounded to nearest, and float64 beyond float32's range becomes an infinity.
func (t *Tensor) Float32s() ([]float32, error) {
	raw, err := t.Bytes()
	if err != nil {
		return nil, err
	}
	dst, conv, step := make([]float32, t.Len()), dtypes[t.dtype].float, t.dtype.Size()
	for i := range dst {
		dst[i] = conv(raw[i*step:])
	}
	return dst, nil
}

// byteLen returns the bytes that elements take, or an error if a size is negative or there are too many.
func byteLen(d DType, shape []int) (int64, error) {
	if !d.valid() {
		return 0, fmt.Errorf("no element type (%s)", d)
	}
	if len(shape) > maxRank {
		return 0, fmt.Errorf("%d sizes, more than %d", len(shape), maxRank)
	}
	n := int64(d.Size())
	for _, s := range shape {
		if s < 0 {
			return 0, fmt.Errorf("shape %v: a size is negative", shape)
		}
		// A size of 0 anywhere makes an empty tensor, but the others must still make sense.
		if s > 0 && n > maxBytes/int64(s) {
			return 0, fmt.Errorf("shape %v: more than %d bytes", shape, int64(maxBytes))
		}
		n *= int64(max(s, 1))
	}
	if slices.Contains(shape, 0) {
		return 0, nil
	}
	return n, nil
}

// view is where a tensor's elements lie: in r from byte base, elements apart by strides. A nil stride is row-major order.
type view struct {
	r      io.ReaderAt
	base   int64 // byte of the first element
	stride []int // in elements, at least 0
	big    bool  // big-endian
}

// newViewed returns a tensor whose elements lie in a storage of limit bytes at v.base; it has checked that all of them do.
func newViewed(name string, d DType, shape []int, v view, limit int64) (*Tensor, error) {
	n, err := byteLen(d, shape)
	if err != nil {
		return nil, err
	}
	span, err := v.span(d, shape, n)
	if err != nil {
		return nil, err
	}
	if span > limit {
		return nil, fmt.Errorf("%s%v needs %d bytes, there are %d", d, shape, span, limit)
	}
	if n > max(limit, maxSpread) {
		return nil, fmt.Errorf("%s%v repeats a storage of %d bytes to %d, more than %d", d, shape, limit, n, maxSpread)
	}
	t := &Tensor{name: name, dtype: d, shape: slices.Clone(shape), size: n}
	t.fill = func(dst []byte) error { return v.fill(dst, d, t.shape, span) }
	return t, nil
}

// span returns the bytes from the first element to the end of the last.
func (v view) span(d DType, shape []int, n int64) (int64, error) {
	if v.stride == nil || n == 0 {
		return n, nil
	}
	if len(v.stride) != len(shape) {
		return 0, fmt.Errorf("shape %v has strides %v", shape, v.stride)
	}
	last := int64(0)
	for i, s := range v.stride {
		if s < 0 {
			return 0, fmt.Errorf("strides %v: one is negative", v.stride)
		}
		if steps := int64(shape[i] - 1); steps > 0 && int64(s) > maxBytes/steps {
			return 0, fmt.Errorf("strides %v of shape %v: more than %d bytes", v.stride, shape, int64(maxBytes))
		}
		last += int64(shape[i]-1) * int64(s)
	}
	return (last + 1) * int64(d.Size()), nil // at most maxRank * maxBytes * 8, far from overflow
}

// fill reads the elements into dst, in row-major order and little-endian.
func (v view) fill(dst []byte, d DType, shape []int, span int64) error {
	if len(dst) == 0 {
		return nil
	}
	if v.stride == nil || slices.Equal(v.stride, rowMajor(shape)) {
		if err := readFull(v.r, dst, v.base); err != nil {
			return err
		}
	} else {
		src := make([]byte, span)
		if err := readFull(v.r, src, v.base); err != nil {
			return err
		}
		gather(dst, src, shape, v.stride, d.Size())
	}
	if v.big {
		swap(dst, d.Size())
	}
	return nil
}

// readFull is ReadAt, whose io.EOF after the last byte is no error and whose others all are: io.ReadFull would drop a wrong checksum
// that came with the last byte.
func readFull(r io.ReaderAt, dst []byte, at int64) error {
	n, err := r.ReadAt(dst, at)
	switch {
	case n == len(dst) && errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}

// gather copies elements of size bytes from src to dst in row-major order, counting through shape like an odometer.
func gather(dst, src []byte, shape, stride []int, size int) {
	index, at := make([]int, len(shape)), 0
	for o := 0; o < len(dst); o += size {
		copy(dst[o:o+size], src[at*size:])
		for axis := len(shape) - 1; axis >= 0; axis-- {
			index[axis]++
			at += stride[axis]
			if index[axis] < shape[axis] {
				break
			}
			at -= index[axis] * stride[axis]
			index[axis] = 0
		}
	}
}

// swap turns the bytes of every element around.
func swap(b []byte, size int) {
	for ; len(b) >= size && size > 1; b = b[size:] {
		slices.Reverse(b[:size])
	}
}

// rowMajor returns the strides of elements that lie in order, as PyTorch states them.
func rowMajor(shape []int) []int {
	out, n := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		out[i] = n
		n *= max(shape[i], 1)
	}
	return out
}

// columnMajor returns the strides of Fortran order.
func columnMajor(shape []int) []int {
	out, n := make([]int, len(shape)), 1
	for i, s := range shape {
		out[i] = n
		n *= max(s, 1)
	}
	return out
}
