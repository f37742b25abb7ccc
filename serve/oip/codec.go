package oip

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/serve/oip/pb"
)

// boundedCodec is protobuf whose requests are counted before they are decoded: an empty message is two bytes sent, and a hundred held.
type boundedCodec struct{}

// Name is that of protobuf, whose place the codec takes.
func (boundedCodec) Name() string { return "proto" }

func (boundedCodec) Marshal(message any) ([]byte, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("oip: %T is no message", message)
	}
	return proto.Marshal(m)
}

func (boundedCodec) Unmarshal(data []byte, message any) error {
	m, ok := message.(proto.Message)
	if !ok {
		return fmt.Errorf("oip: %T is no message", message)
	}
	if _, infer := message.(*pb.ModelInferRequest); infer {
		if err := checkMessage(data); err != nil {
			return err // connect-go makes it one of the request
		}
	}
	return proto.Unmarshal(data, m)
}

// The fields of a request that may occur often, with how often; those of inputs, and of their contents.
var requestFields = fields{
	4: {most: maxParameters},
	5: {most: maxTensors, inner: fields{4: {most: maxParameters}, 5: {most: 1, inner: fields{8: {most: maxElementsOfBytes}}}}},
	6: {most: maxTensors, inner: fields{2: {most: maxParameters}}},
	7: {most: maxTensors},
}

// maxElementsOfBytes bounds typed elements of BYTES: each takes 24 bytes, whatever it holds. Raw contents take four.
const maxElementsOfBytes = 1 << 20

type fields map[protowire.Number]field

type field struct {
	most  int
	inner fields
}

// checkMessage refuses a request with more parts than one may have. What is no message is left to the decoder.
func checkMessage(data []byte) error { return requestFields.check(data) }

func (f fields) check(data []byte) error {
	var counts [16]int
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return nil
		}
		data = data[n:]
		size := protowire.ConsumeFieldValue(number, kind, data)
		if size < 0 {
			return nil
		}
		part, known := f[number]
		if known && kind == protowire.BytesType {
			counts[number]++
			if counts[number] > part.most {
				return fmt.Errorf("more than %d of field %d", part.most, number)
			}
			inner, _ := protowire.ConsumeBytes(data)
			if err := part.inner.check(inner); err != nil {
				return err
			}
		}
		data = data[size:]
	}
	return nil
}
