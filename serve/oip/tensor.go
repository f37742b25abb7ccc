package oip

import (
	"encoding/binary"

	"github.com/oatta/oatta/serve"
)

// What a request may have of each, whatever its size: they bound what decoding allocates for a byte.
const (
	maxTensors    = 256
	maxParameters = 256
	maxSides      = 32
)

// invalid is the error of a request that cannot be taken as it is.
func invalid(format string, args ...any) error {
	return serve.Errorf(serve.InvalidArgument, format, args...)
}

// known tells whether a name is a type of the protocol.
func known(t serve.DataType) bool { return t == serve.Bytes || t.Size() > 0 }

// elements returns the number of elements of a tensor of that shape.
func (o *Options) elements(shape []int64) (int, error) {
	if len(shape) > maxSides {
		return 0, invalid("shape: %d sides: at most %d", len(shape), maxSides)
	}
	n := int64(1)
	for _, side := range shape {
		if side < 0 {
			return 0, invalid("shape %v: a side is negative", shape)
		}
		// Both factors are at most MaxElements, an int of a slice's length, so the product is checked before it can wrap.
		if side > int64(o.MaxElements) || side > 0 && n > int64(o.MaxElements)/side {
			return 0, serve.Errorf(serve.TooLarge, "shape %v: more than %d elements", shape, o.MaxElements)
		}
		n *= side
	}
	return int(n), nil
}

// checkBinary refuses data that are not n elements of a type.
func checkBinary(t serve.DataType, n int, data []byte) error {
	if t == serve.Bytes {
		return checkBytes(n, data)
	}
	if len(data) != n*t.Size() {
		return invalid("shape and data disagree: %d bytes, want %d for %d elements of %s", len(data), n*t.Size(), n, t)
	}
	return nil
}

// checkBytes refuses data that are not n elements, each behind its length.
func checkBytes(n int, data []byte) error {
	count := 0
	for rest := data; len(rest) > 0; count++ {
		if len(rest) < 4 {
			return invalid("element %d: cut within its length", count)
		}
		size := binary.LittleEndian.Uint32(rest)
		rest = rest[4:]
		if uint64(size) > uint64(len(rest)) {
			return invalid("element %d: %d bytes, but %d follow", count, size, len(rest))
		}
		rest = rest[size:]
	}
	if count != n {
		return invalid("shape and data disagree: %d elements, want %d", count, n)
	}
	return nil
}

// appendBytes appends an element of type BYTES.
func appendBytes[T ~string | ~[]byte](dst []byte, element T) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(element))), element...)
}
