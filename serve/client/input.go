package client

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Input is what a request gives a model: a row for each step of the stream. Make it with one of the functions of this package.
type Input struct {
	name, datatype string
	shape          []int64
	data           []byte
	err            error
}

// Probabilities are rows for the model `filter`: [rows, classes], each of sum 1.
func Probabilities(rows ...[]float64) Input {
	in := Input{name: "probs", datatype: "FP64", shape: []int64{int64(len(rows)), 0}}
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			in.err = fmt.Errorf("row %d has %d probabilities, row 0 has %d", i, len(row), len(rows[0]))
		}
		in.shape[1] = int64(len(row))
		for _, v := range row {
			in.data = binary.LittleEndian.AppendUint64(in.data, math.Float64bits(v))
		}
	}
	return in
}

// Images are encoded pictures, JPEG or PNG, for a model that takes pictures.
func Images(pictures ...[]byte) Input { return Encoded("image", pictures...) }

// Texts are for a model that takes text, in UTF-8.
func Texts(texts ...string) Input {
	items := make([][]byte, len(texts))
	for i, text := range texts {
		items[i] = []byte(text)
	}
	return Encoded("text", items...)
}

// Encoded are items of BYTES, by the name that the model's metadata have for them.
func Encoded(name string, items ...[]byte) Input {
	in := Input{name: name, datatype: "BYTES", shape: []int64{int64(len(items))}}
	for _, item := range items {
		in.data = binary.LittleEndian.AppendUint32(in.data, uint32(len(item)))
		in.data = append(in.data, item...)
	}
	return in
}

// Tensor is what a network takes, as the model's metadata say: its name, and values in row-major order, whose number is the product of the shape, rows
// first.
func Tensor(name string, values []float32, shape ...int64) Input {
	in := Input{name: name, datatype: "FP32", shape: shape, data: make([]byte, 0, 4*len(values))}
	if n, ok := elements(shape); !ok || n != len(values) {
		in.err = fmt.Errorf("%d values of a tensor of shape %v", len(values), shape)
	}
	for _, v := range values {
		in.data = binary.LittleEndian.AppendUint32(in.data, math.Float32bits(v))
	}
	return in
}

// elements is the product of the sides, as far as it is one of an answer or a request.
func elements(shape []int64) (int, bool) {
	n := int64(1)
	for _, side := range shape {
		if side < 0 || side > mostAnswer || n*side > mostAnswer {
			return 0, false
		}
		n *= side
	}
	return int(n), true
}
