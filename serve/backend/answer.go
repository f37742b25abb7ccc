package backend

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/oatta/oatta/internal/frame"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/serve"
)

// The names of the outputs. Each has a row for a row of the input, in its order.
const (
	outAdapted = "adapted"       // [n, classes], the probabilities behind the filter
	outRaw     = "raw"           // [n, classes], those of the network; not of the filter alone, whose input they are
	outClass   = "class"         // [n], the most probable class behind the filter
	outRawOf   = "raw_class"     // [n], and before it
	outLabel   = "label"         // [n], the same two in words, where the classes have names
	outRawIn   = "raw_label"     //
	outGate    = "gate"          // [n], weight of what was learned of the stream, 0 to 1
	dropped    = "oatta_dropped" // parameter: the rows that were left out as late or double, counted from 0; such a row's adapted is its raw
)

// outputs are the ports of what an open model gives.
func (o *Opened) outputs() []serve.Port {
	k := int64(o.Classes)
	ports := []serve.Port{{Name: outAdapted, Type: "FP64", Shape: []int64{-1, k}}}
	if o.Network != nil {
		ports = append(ports, serve.Port{Name: outRaw, Type: "FP64", Shape: []int64{-1, k}})
	}
	rows := []int64{-1}
	ports = append(ports, serve.Port{Name: outClass, Type: "INT64", Shape: rows}, serve.Port{Name: outRawOf, Type: "INT64", Shape: rows})
	if len(o.Labels) > 0 {
		ports = append(ports, serve.Port{Name: outLabel, Type: serve.Bytes, Shape: rows}, serve.Port{Name: outRawIn, Type: serve.Bytes, Shape: rows})
	}
	return append(ports, serve.Port{Name: outGate, Type: "FP64", Shape: rows})
}

// found is what the filter made of the rows of a request.
type found struct {
	raw, adapted []float64 // [n, classes]
	gate         []float64 // [n]
	left         []int     // rows that were left out
}

// changed counts the rows whose class is another behind the filter.
func (f *found) changed(classes int) (n int) {
	for i := range f.gate {
		raw, _ := results.Top(f.raw[i*classes : (i+1)*classes])
		if is, _ := results.Top(f.adapted[i*classes : (i+1)*classes]); is != raw {
			n++
		}
	}
	return n
}

// tensors are the outputs of those names, or all, in the order of the ports.
func (o *Opened) tensors(f *found, names []string) (out []serve.Tensor) {
	n := len(f.gate)
	for _, p := range o.outputs() {
		if len(names) > 0 && !slices.Contains(names, p.Name) {
			continue
		}
		t := serve.Tensor{Name: p.Name, Type: p.Type, Shape: append([]int64{int64(n)}, p.Shape[1:]...)}
		switch p.Name {
		case outAdapted:
			t.Data = appendFloats(nil, f.adapted)
		case outRaw:
			t.Data = appendFloats(nil, f.raw)
		case outGate:
			t.Data = appendFloats(nil, f.gate)
		case outClass, outLabel:
			t.Data = o.classes(t.Type, f.adapted)
		case outRawOf, outRawIn:
			t.Data = o.classes(t.Type, f.raw)
		}
		out = append(out, t)
	}
	return out
}

// classes are the most probable class of every row, by number or name.
func (o *Opened) classes(as serve.DataType, probs []float64) (out []byte) {
	for at := 0; at < len(probs); at += o.Classes {
		class, _ := results.Top(probs[at : at+o.Classes])
		if as == serve.Bytes {
			out = binary.LittleEndian.AppendUint32(out, uint32(len(o.Labels[class])))
			out = append(out, o.Labels[class]...)
		} else {
			out = binary.LittleEndian.AppendUint64(out, uint64(class))
		}
	}
	return out
}

func appendFloats(dst []byte, values []float64) []byte {
	if dst == nil {
		dst = make([]byte, 0, 8*len(values))
	}
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
	}
	return dst
}

// answer is a response without what the request says itself: its id, and which outputs it wants.
type answer struct {
	version string
	left    string // value of the parameter dropped
	tensors []serve.Tensor
}

// answer holds the outputs of those names, or all.
func (o *Opened) answer(version string, f *found, names []string) answer {
	rows := make([]string, len(f.left))
	for i, row := range f.left {
		rows[i] = strconv.Itoa(row)
	}
	return answer{version, strings.Join(rows, ","), o.tensors(f, names)}
}

func (a *answer) encode() []byte {
	out := frame.Append(nil, a.version)
	out = frame.Append(out, a.left)
	out = binary.AppendUvarint(out, uint64(len(a.tensors)))
	for _, t := range a.tensors {
		out = frame.Append(out, t.Name)
		out = frame.Append(out, t.Type)
		out = binary.AppendUvarint(out, uint64(len(t.Shape)))
		for _, side := range t.Shape {
			out = binary.LittleEndian.AppendUint64(out, uint64(side))
		}
		out = frame.Append(out, t.Data)
	}
	return out
}

func decodeAnswer(data []byte) (a answer, err error) {
	r := frame.Reader{Data: data}
	a.version, a.left = string(r.Bytes()), string(r.Bytes())
	for range r.Number() {
		if r.Err != nil {
			break
		}
		t := serve.Tensor{Name: string(r.Bytes()), Type: serve.DataType(r.Bytes())}
		for range r.Number() {
			t.Shape = append(t.Shape, int64(r.Word()))
		}
		t.Data = r.Bytes()
		a.tensors = append(a.tensors, t)
	}
	return a, ended(&r, "answer")
}

// response is what the client gets. A retry may ask for other outputs than the request had.
func (a *answer) response(r *serve.Request) *serve.Response {
	out := &serve.Response{Model: r.Model, Version: a.version, ID: r.ID}
	if a.left != "" {
		out.Parameters = map[string]any{dropped: a.left}
	}
	for _, t := range a.tensors {
		if len(r.Outputs) == 0 {
			out.Outputs = append(out.Outputs, t)
		}
	}
	for _, name := range r.Outputs {
		for _, t := range a.tensors {
			if t.Name == name {
				out.Outputs = append(out.Outputs, t)
			}
		}
	}
	return out
}
