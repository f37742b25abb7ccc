package oip

import (
	"encoding/binary"
	"math"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/oip/pb"
)

// question makes a question of a message.
func (c *call) question(r *pb.ModelInferRequest) (*question, error) {
	if err := c.may(r.ModelName, r.ModelVersion); err != nil {
		return nil, err
	}
	parameters, err := values(r.Parameters)
	if err != nil {
		return nil, err
	}
	q := &question{request: &serve.Request{
		Model: r.ModelName, Version: r.ModelVersion, ID: r.Id, Namespace: c.who.Namespace, Parameters: parameters,
	}}
	if err := q.common(c.header); err != nil {
		return nil, err
	}
	if _, err := flag(binaryParameter, parameters); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, out := range r.Outputs {
		if seen[out.GetName()] {
			return nil, invalid("output %.80q: asked for twice", out.GetName())
		}
		if err := unservedMessage(out.GetParameters()); err != nil {
			return nil, within("output", out.GetName(), err)
		}
		seen[out.GetName()] = true
		q.request.Outputs = append(q.request.Outputs, out.GetName())
	}
	if err := c.h.o.inputs(r, q.request); err != nil {
		return nil, err
	}
	return q, unique(q.request)
}

// values are parameters as package serve has them.
func values(from map[string]*pb.InferParameter) (map[string]any, error) {
	if len(from) == 0 {
		return nil, nil
	}
	out := make(map[string]any, len(from))
	for name, p := range from {
		switch v := p.GetParameterChoice().(type) {
		case *pb.InferParameter_BoolParam:
			out[name] = v.BoolParam
		case *pb.InferParameter_Int64Param:
			out[name] = v.Int64Param
		case *pb.InferParameter_Uint64Param:
			out[name] = v.Uint64Param
		case *pb.InferParameter_DoubleParam:
			out[name] = v.DoubleParam
		case *pb.InferParameter_StringParam:
			out[name] = v.StringParam
		default:
			return nil, invalid("parameter %.80q: no value", name)
		}
	}
	return out, nil
}

func unservedMessage(parameters map[string]*pb.InferParameter) error {
	plain, err := values(parameters)
	if err != nil {
		return err
	}
	return unserved(plain)
}

// inputs makes tensors of those of a message: all raw, or all typed.
func (o *Options) inputs(from *pb.ModelInferRequest, to *serve.Request) error {
	if len(from.Inputs) == 0 {
		return invalid("no inputs")
	}
	raw := from.RawInputContents
	if len(raw) > 0 && len(raw) != len(from.Inputs) {
		return invalid("%d raw contents for %d inputs", len(raw), len(from.Inputs))
	}
	for i, in := range from.Inputs {
		t := serve.Tensor{Name: in.GetName(), Type: serve.DataType(in.GetDatatype()), Shape: in.GetShape()}
		n, err := o.header(&t)
		if err == nil {
			err = unservedMessage(in.GetParameters())
		}
		switch {
		case err != nil:
		case len(raw) > 0 && in.GetContents() != nil:
			err = invalid("raw contents and typed ones: want one of them")
		case len(raw) > 0:
			t.Data = raw[i]
			err = checkBinary(t.Type, n, t.Data)
		default:
			t.Data, err = typed(t.Type, n, in.GetContents())
		}
		if err != nil {
			return within("input", t.Name, err)
		}
		to.Inputs = append(to.Inputs, t)
	}
	return nil
}

// typed returns the n elements of typed contents as bytes.
func typed(t serve.DataType, n int, c *pb.InferTensorContents) ([]byte, error) {
	counts := map[string]int{
		"bool": len(c.GetBoolContents()), "int": len(c.GetIntContents()), "int64": len(c.GetInt64Contents()), "uint": len(c.GetUintContents()),
		"uint64": len(c.GetUint64Contents()), "fp32": len(c.GetFp32Contents()), "fp64": len(c.GetFp64Contents()), "bytes": len(c.GetBytesContents()),
	}
	want, ok := contentsOf[t]
	if !ok {
		return nil, invalid("%s has no typed contents: send it as raw ones", t)
	}
	for field, count := range counts {
		if field != want && count > 0 {
			return nil, invalid("%s_contents for %s: want %s_contents", field, t, want)
		}
	}
	if counts[want] != n {
		return nil, invalid("shape and data disagree: %d elements, want %d", counts[want], n)
	}
	return packed(t, n, c)
}

// contentsOf names the field of typed contents for each type.
var contentsOf = map[serve.DataType]string{
	"BOOL": "bool", "INT8": "int", "INT16": "int", "INT32": "int", "INT64": "int64", "UINT8": "uint", "UINT16": "uint", "UINT32": "uint",
	"UINT64": "uint64", "FP32": "fp32", "FP64": "fp64", serve.Bytes: "bytes",
}

func packed(t serve.DataType, n int, c *pb.InferTensorContents) ([]byte, error) {
	size := t.Size()
	dst := make([]byte, 0, n*max(1, size))
	for _, v := range c.GetBoolContents() {
		bit := byte(0)
		if v {
			bit = 1
		}
		dst = append(dst, bit)
	}
	for _, v := range c.GetIntContents() {
		if unused := 32 - 8*size; v<<unused>>unused != v {
			return nil, invalid("%d is no %s", v, t)
		}
		dst = appendUint(dst, uint64(v), size)
	}
	for _, v := range c.GetUintContents() {
		if unused := 32 - 8*size; v<<unused>>unused != v {
			return nil, invalid("%d is no %s", v, t)
		}
		dst = appendUint(dst, uint64(v), size)
	}
	for _, v := range c.GetInt64Contents() {
		dst = appendUint(dst, uint64(v), size)
	}
	for _, v := range c.GetUint64Contents() {
		dst = appendUint(dst, v, size)
	}
	for _, v := range c.GetFp32Contents() {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
	}
	for _, v := range c.GetFp64Contents() {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
	}
	for _, v := range c.GetBytesContents() {
		dst = appendBytes(dst, v)
	}
	return dst, nil
}

// reply is a response as a message. Outputs are raw, as Triton has them.
func reply(r *serve.Response) *pb.ModelInferResponse {
	out := &pb.ModelInferResponse{ModelName: r.Model, ModelVersion: r.Version, Id: r.ID, Parameters: messages(r.Parameters)}
	for i := range r.Outputs {
		t := &r.Outputs[i]
		out.Outputs = append(out.Outputs, &pb.ModelInferResponse_InferOutputTensor{Name: t.Name, Datatype: string(t.Type), Shape: t.Shape})
		out.RawOutputContents = append(out.RawOutputContents, t.Data)
	}
	return out
}

// messages are parameters as gRPC has them. What package serve does not know as a parameter is left out.
func messages(from map[string]any) map[string]*pb.InferParameter {
	if len(from) == 0 {
		return nil
	}
	out := make(map[string]*pb.InferParameter, len(from))
	for name, value := range from {
		switch v := value.(type) {
		case bool:
			out[name] = &pb.InferParameter{ParameterChoice: &pb.InferParameter_BoolParam{BoolParam: v}}
		case int64:
			out[name] = &pb.InferParameter{ParameterChoice: &pb.InferParameter_Int64Param{Int64Param: v}}
		case uint64:
			out[name] = &pb.InferParameter{ParameterChoice: &pb.InferParameter_Uint64Param{Uint64Param: v}}
		case float64:
			out[name] = &pb.InferParameter{ParameterChoice: &pb.InferParameter_DoubleParam{DoubleParam: v}}
		case string:
			out[name] = &pb.InferParameter{ParameterChoice: &pb.InferParameter_StringParam{StringParam: v}}
		}
	}
	return out
}
