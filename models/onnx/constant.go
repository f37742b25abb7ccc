package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// ReadTensor reads a file that holds one tensor, as the data of ONNX's operator tests are stored.
func ReadTensor(data []byte) (*graph.Tensor, error) {
	p := new(onnxpb.TensorProto)
	if err := proto.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("onnx: no tensor: %w", err)
	}
	t, err := (&reader{}).tensor(p)
	if err != nil {
		return nil, fmt.Errorf("onnx: tensor %q: %w", p.GetName(), err)
	}
	return t, nil
}

// tensor reads an initialiser. Raw data is shared, not copied; the typed fields of old exporters become raw data.
func (r *reader) tensor(p *onnxpb.TensorProto) (*graph.Tensor, error) {
	t, err := r.elements(p)
	if err != nil {
		return nil, err
	}
	rest := &onnxpb.TensorProto{DocString: p.DocString, MetadataProps: p.GetMetadataProps()}
	rest.ProtoReflect().SetUnknown(p.ProtoReflect().GetUnknown())
	if t.Keep == nil && proto.Size(rest) > 0 {
		t.Keep = rest
	}
	return t, nil
}

// named is tensor for attributes, where the name of a tensor means nothing but is kept.
func (r *reader) named(p *onnxpb.TensorProto) (*graph.Tensor, error) {
	t, err := r.tensor(p)
	if err != nil || p.Name == nil {
		return t, err
	}
	switch keep := t.Keep.(type) {
	case nil:
		t.Keep = &onnxpb.TensorProto{Name: p.Name}
	case *onnxpb.TensorProto:
		keep.Name = p.Name // made by tensor, or the message itself
	}
	return t, nil
}

func (r *reader) elements(p *onnxpb.TensorProto) (*graph.Tensor, error) {
	elem, dims := graph.DType(p.GetDataType()), p.GetDims()
	switch {
	case p.GetSegment() != nil:
		return nil, errors.New("the tensor is stored in segments")
	case isExternal(p):
		return r.external(p)
	case elem == graph.String:
		return graph.StringTensor(dims, texts(p.GetStringData()))
	case elem == graph.Undefined:
		return nil, errors.New("the tensor has no element type")
	case elem.Bits() == 0:
		return graph.ForeignTensor(elem, dims, p) // a type of a later version
	case p.RawData != nil:
		return graph.RawTensor(elem, dims, p.GetRawData())
	}
	return graph.RawTensor(elem, dims, typedData(elem, p))
}

// typedData encodes what old exporters put into fields of their own type. Which field holds which type is in the comments of
// TensorProto in ONNX's onnx.proto; types of 16 and 8 bits and less are in int32_data, the bits of float16 and not its value.
func typedData(elem graph.DType, p *onnxpb.TensorProto) []byte {
	raw := []byte{}
	switch elem {
	case graph.Float32, 14: // complex64 is pairs
		for _, v := range p.GetFloatData() {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
	case graph.Float64, 15:
		for _, v := range p.GetDoubleData() {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		}
	case graph.Int64:
		for _, v := range p.GetInt64Data() {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
		}
	case graph.Uint64:
		for _, v := range p.GetUint64Data() {
			raw = binary.LittleEndian.AppendUint64(raw, v)
		}
	case graph.Uint32:
		for _, v := range p.GetUint64Data() {
			raw = binary.LittleEndian.AppendUint32(raw, uint32(v))
		}
	default:
		for _, v := range p.GetInt32Data() {
			switch elem.Bits() {
			case 32:
				raw = binary.LittleEndian.AppendUint32(raw, uint32(v))
			case 16:
				raw = binary.LittleEndian.AppendUint16(raw, uint16(v))
			default: // 8 bits, and types of 4 and 2 bits packed into them
				raw = append(raw, byte(v))
			}
		}
	}
	return raw
}

// constant returns the tensor of a Constant node, nil for any other node and for constants that are to stay nodes: sparse ones, and
// those that take their value from an attribute of a function.
func (r *reader) constant(n *onnxpb.NodeProto) (*graph.Tensor, error) {
	if n.GetOpType() != "Constant" || domain(n.GetDomain()) != "" || len(n.GetOutput()) != 1 || n.GetOutput()[0] == "" ||
		len(n.GetAttribute()) != 1 || len(n.GetInput()) != 0 || n.GetAttribute()[0].GetRefAttrName() != "" {
		return nil, nil
	}
	a := n.GetAttribute()[0]
	switch a.GetName() {
	case "value":
		if a.GetT() == nil {
			return nil, errors.New("attribute value: no tensor")
		}
		return r.tensor(a.GetT())
	case "value_float":
		return graph.NewTensor([]float32{a.GetF()}), nil
	case "value_floats":
		return graph.NewTensor(a.GetFloats(), int64(len(a.GetFloats()))), nil
	case "value_int":
		return graph.NewTensor([]int64{a.GetI()}), nil
	case "value_ints":
		return graph.NewTensor(a.GetInts(), int64(len(a.GetInts()))), nil
	case "value_string":
		return graph.StringTensor(nil, []string{string(a.GetS())})
	case "value_strings":
		return graph.StringTensor([]int64{int64(len(a.GetStrings()))}, texts(a.GetStrings()))
	}
	return nil, nil
}

// message makes the message of a tensor without its elements.
func message(name string, t *graph.Tensor) *onnxpb.TensorProto {
	p := new(onnxpb.TensorProto)
	if rest, ok := t.Keep.(*onnxpb.TensorProto); ok {
		p = proto.CloneOf(rest)
	}
	if name != "" {
		p.Name = proto.String(name)
	}
	p.Dims, p.DataType = t.Dims(), proto.Int32(int32(t.Elem()))
	return p
}

// inline writes a tensor with its elements inside.
func (w *writer) inline(t *graph.Tensor) (*onnxpb.TensorProto, error) { return w.named("", t) }

func (w *writer) named(name string, t *graph.Tensor) (*onnxpb.TensorProto, error) {
	p := message(name, t)
	if t.Elem() == graph.String {
		p.StringData = blobs(t.Strings())
		return p, nil
	}
	if t.Elem().Bits() == 0 { // a type of a later version, kept whole
		return p, nil
	}
	raw, err := t.Bytes()
	if err != nil {
		return nil, fmt.Errorf("onnx: tensor %q: %w", name, err)
	}
	if raw == nil {
		raw = []byte{} // present, though empty
	}
	p.RawData = raw
	return p, nil
}
