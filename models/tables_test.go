package models

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

func TestTables(t *testing.T) {
	weight := func(name string, dims ...int64) *onnxpb.TensorProto {
		return &onnxpb.TensorProto{Name: proto.String(name), Dims: dims, DataType: proto.Int32(1)}
	}
	g := &onnxpb.GraphProto{Initializer: []*onnxpb.TensorProto{
		weight("bert.embeddings.word_embeddings.weight", 23, 8), weight("bert.embeddings.position_embeddings.weight", 16, 8),
		weight("other.weight", 5, 5), weight("flat.word_embeddings.weight", 7), weight("huge.position_embeddings.weight", 1<<40, 8),
	}}
	if got := tablesOf(g); got != (tables{pieces: 23, places: 16}) {
		t.Errorf("%+v, want 23 pieces and 16 places", got)
	}
	if got := tablesOf(nil); got != (tables{}) {
		t.Errorf("no graph: %+v", got)
	}
}
