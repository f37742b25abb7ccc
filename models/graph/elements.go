package graph

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Float64s returns the elements of a tensor of floats, integers or bools as float64. Integers beyond 2^53 are rounded.
func (t *Tensor) Float64s() ([]float64, error) {
	if t.elem.IsInt() || t.elem == Bool {
		ints, err := t.Int64s()
		if err != nil {
			return nil, err
		}
		out := make([]float64, len(ints))
		for i, n := range ints {
			out[i] = float64(n)
			if t.elem == Uint64 {
				out[i] = float64(uint64(n))
			}
		}
		return out, nil
	}
	if !t.elem.IsFloat() {
		return nil, fmt.Errorf("elements of type %v are no numbers here", t.elem)
	}
	raw, err := t.Bytes()
	if err != nil {
		return nil, err
	}
	size := t.elem.Bits() / 8
	out := make([]float64, len(raw)/size)
	for i := range out {
		out[i] = decodeFloat(t.elem, raw[i*size:])
	}
	return out, nil
}

func decodeFloat(elem DType, b []byte) float64 {
	switch elem {
	case Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case Float16:
		return halfToFloat(binary.LittleEndian.Uint16(b))
	case BFloat16:
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

// halfToFloat decodes IEEE 754 binary16: 5 bits of exponent with bias 15, 10 of fraction.
func halfToFloat(h uint16) float64 {
	sign := 1.0
	if h>>15 != 0 {
		sign = -1
	}
	exponent, fraction := int(h>>10&0x1f), float64(h&0x3ff)
	switch {
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// Int64s returns the elements of a tensor of integers or bools. An element of uint64 keeps its bits.
func (t *Tensor) Int64s() ([]int64, error) {
	if !t.elem.IsInt() && t.elem != Bool {
		return nil, fmt.Errorf("elements are of type %v, not integers", t.elem)
	}
	raw, err := t.Bytes()
	if err != nil {
		return nil, err
	}
	size := t.elem.Bits() / 8
	out := make([]int64, len(raw)/size)
	for i := range out {
		out[i] = decodeInt(t.elem, raw[i*size:])
	}
	return out, nil
}

func decodeInt(elem DType, b []byte) int64 {
	switch elem {
	case Int64, Uint64:
		return int64(binary.LittleEndian.Uint64(b))
	case Int32:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	case Uint32:
		return int64(binary.LittleEndian.Uint32(b))
	case Int16:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case Uint16:
		return int64(binary.LittleEndian.Uint16(b))
	case Int8:
		return int64(int8(b[0]))
	}
	return int64(b[0]) // uint8, bool
}

// encodeAs rounds a number to a type: floats to nearest even, integers towards zero.
func encodeAs(elem DType, v float64) ([]byte, error) {
	switch elem {
	case Float64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)), nil
	case Float32:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v))), nil
	case Float16:
		return binary.LittleEndian.AppendUint16(nil, halfBits(v)), nil
	case BFloat16:
		bits := math.Float32bits(float32(v))
		if v != v {
			return []byte{0xc0, 0x7f}, nil
		}
		return binary.LittleEndian.AppendUint16(nil, uint16((bits+0x7fff+bits>>16&1)>>16)), nil
	case Bool:
		if v != 0 {
			v = 1
		}
	}
	if b := intBytes(elem, int64(v)); b != nil {
		return b, nil
	}
	return nil, fmt.Errorf("no number of type %v can be made", elem)
}

// intBytes encodes an integer or bool, keeping the low bits; nil for other types.
func intBytes(elem DType, n int64) []byte {
	switch elem {
	case Int64, Uint64:
		return binary.LittleEndian.AppendUint64(nil, uint64(n))
	case Int32, Uint32:
		return binary.LittleEndian.AppendUint32(nil, uint32(n))
	case Int16, Uint16:
		return binary.LittleEndian.AppendUint16(nil, uint16(n))
	case Int8, Uint8, Bool:
		return []byte{byte(n)}
	}
	return nil
}

// halfBits rounds to IEEE 754 binary16, to nearest even. Multiples of the smallest step of a binade are exact in float64, so
// RoundToEven rounds once.
func halfBits(v float64) uint16 {
	var sign uint16
	if math.Signbit(v) {
		sign = 0x8000
		v = -v
	}
	switch {
	case v != v:
		return sign | 0x7e00
	case v >= 65520: // halfway from the largest number to the next power of two
		return sign | 0x7c00
	case v < 0x1p-14:
		return sign | uint16(math.RoundToEven(v*0x1p24))
	}
	exponent := math.Ilogb(v)
	fraction := math.RoundToEven(math.Ldexp(v, 10-exponent)) // 1024 to 2048; 2048 carries into the exponent by itself
	return sign | uint16((exponent+14)<<10+int(fraction))
}
