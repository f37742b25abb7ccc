package client

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// answerBody is the JSON of an answer, behind which the data of the outputs follow.
type answerBody struct {
	Model      string `json:"model_name"`
	Version    string `json:"model_version"`
	Parameters struct {
		Dropped string `json:"oatta_dropped"`
	} `json:"parameters"`
	Outputs []tensorBody `json:"outputs"`
}

func decodeAnswer(r *reply) (*Answer, error) {
	length, err := strconv.ParseUint(r.header.Get(lengthHeader), 10, 62)
	if err != nil || length > uint64(len(r.body)) {
		return nil, fmt.Errorf("header %s: %.20q of %d bytes: not the answer of an oatta serve", lengthHeader, r.header.Get(lengthHeader), len(r.body))
	}
	var body answerBody
	if err := json.Unmarshal(r.body[:length], &body); err != nil {
		return nil, err
	}
	a := &Answer{Model: body.Model, Version: body.Version}
	data := r.body[length:]
	for i := range body.Outputs {
		t := &body.Outputs[i]
		size := t.Parameters[sizeParameter]
		if size < 0 || size > int64(len(data)) {
			return nil, fmt.Errorf("output %.80q: %d bytes, but %d follow", t.Name, size, len(data))
		}
		if err := a.take(t, data[:size]); err != nil {
			return nil, fmt.Errorf("output %.80q: %w", t.Name, err)
		}
		data = data[size:]
	}
	if body.Parameters.Dropped != "" {
		for text := range strings.SplitSeq(body.Parameters.Dropped, ",") {
			row, err := strconv.Atoi(text)
			if err != nil {
				return nil, fmt.Errorf("rows that were left out: %.40q", text)
			}
			a.Dropped = append(a.Dropped, row)
		}
	}
	return a, nil
}

// take reads an output into its place. One of an unknown name is left out: later servers may have more.
func (a *Answer) take(t *tensorBody, data []byte) (err error) {
	switch t.Name {
	case "adapted":
		a.Adapted, err = matrix(t, data)
	case "raw":
		a.Raw, err = matrix(t, data)
	case "class":
		a.Class, err = integers(t, data)
	case "raw_class":
		a.RawClass, err = integers(t, data)
	case "label":
		a.Label, err = words(t, data)
	case "raw_label":
		a.RawLabel, err = words(t, data)
	case "gate":
		a.Gate, err = floats(t, data)
	}
	return err
}

var errForm = errors.New("shape, type and data do not agree")

// expect holds a tensor to a type, a number of sides and, unless it is 0, the bytes of an element.
func expect(t *tensorBody, data []byte, datatype string, sides, size int) (n int, err error) {
	n, ok := elements(t.Shape)
	if !ok || t.Datatype != datatype || len(t.Shape) != sides || size > 0 && n*size != len(data) || n > len(data) {
		return 0, errForm
	}
	return n, nil
}

func numbers(data []byte) []float64 {
	out := make([]float64, len(data)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return out
}

func matrix(t *tensorBody, data []byte) (rows [][]float64, err error) {
	if _, err := expect(t, data, "FP64", 2, 8); err != nil {
		return nil, err
	}
	all, k := numbers(data), int(t.Shape[1])
	for at := 0; at < len(all); at += k {
		rows = append(rows, all[at:at+k:at+k])
	}
	return rows, nil
}

func floats(t *tensorBody, data []byte) ([]float64, error) {
	_, err := expect(t, data, "FP64", 1, 8)
	return numbers(data), err
}

func integers(t *tensorBody, data []byte) ([]int, error) {
	n, err := expect(t, data, "INT64", 1, 8)
	out := make([]int, n)
	for i := range out {
		out[i] = int(int64(binary.LittleEndian.Uint64(data[8*i:])))
	}
	return out, err
}

func words(t *tensorBody, data []byte) ([]string, error) {
	n, err := expect(t, data, "BYTES", 1, 0)
	if err != nil {
		return nil, err
	}
	out := make([]string, n)
	for i := range out {
		if len(data) < 4 {
			return nil, errForm
		}
		size := binary.LittleEndian.Uint32(data)
		if data = data[4:]; uint64(size) > uint64(len(data)) {
			return nil, errForm
		}
		out[i], data = string(data[:size]), data[size:]
	}
	return out, nil
}
