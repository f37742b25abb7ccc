package onnx

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// chain makes a graph that passes x through operators, each with a constant if it has one: "Div 255", "Transpose", "Sub 1 2 3".
func chain(ops ...[]any) *onnxpb.GraphProto {
	g := &onnxpb.GraphProto{}
	at := "x"
	for i, op := range ops {
		n := &onnxpb.NodeProto{OpType: proto.String(op[0].(string)), Input: []string{at}, Output: []string{fmt.Sprint("v", i)}}
		if len(op) > 1 {
			t := &onnxpb.TensorProto{Name: proto.String(fmt.Sprint("c", i)), DataType: proto.Int32(1), Dims: []int64{int64(len(op) - 1), 1, 1}}
			for _, v := range op[1:] {
				t.FloatData = append(t.FloatData, float32(v.(float64)))
			}
			if i%2 == 0 {
				g.Initializer = append(g.Initializer, t)
			} else {
				g.Node = append(g.Node, &onnxpb.NodeProto{OpType: proto.String("Constant"), Output: []string{t.GetName()}, Attribute: []*onnxpb.AttributeProto{{Name: proto.String("value"), T: t}}})
			}
			n.Input = append(n.Input, t.GetName())
		}
		g.Node = append(g.Node, n)
		at = n.GetOutput()[0]
	}
	return g
}

func TestScaling(t *testing.T) {
	for want, g := range map[string]*onnxpb.GraphProto{
		"{[1] [0]}":                   chain([]any{"Conv"}),
		"{[0.25] [0]}":                chain([]any{"Div", 4.0}, []any{"Transpose"}, []any{"Conv"}),
		"{[0.5] [-1]}":                chain([]any{"Mul", 0.5}, []any{"Sub", 1.0}, []any{"Conv"}, []any{"Mul", 9.0}),
		"{[0.5] [1]}":                 chain([]any{"Cast"}, []any{"Add", 2.0}, []any{"Div", 2.0}),
		"{[0.5 0.25 2] [-1 -0.5 -8]}": chain([]any{"Sub", 2.0, 2.0, 4.0}, []any{"Div", 2.0, 4.0, 0.5}),
		"{[2 4] [0 0]}":               chain([]any{"Mul", 2.0, 4.0}, []any{"Mul", 1.0, 2.0, 3.0}), // one that does not fit
		"{[3] [0]}":                   chain([]any{"Mul", 3.0}, []any{"Div", 0.0}),
	} {
		got := scaling(g, "x")
		if fmt.Sprint(got) != want {
			t.Errorf("%v, want %s", got, want)
		}
		if got.Scales() != (want != "{[1] [0]}") {
			t.Errorf("%v: Scales %t", got, got.Scales())
		}
	}
	g := chain([]any{"Sub", 2.0})
	n := g.GetNode()[0]
	n.Input[0], n.Input[1] = n.Input[1], n.Input[0]
	if got := fmt.Sprint(scaling(g, "x")); got != "{[-1] [2]}" {
		t.Error("2 - x:", got)
	}
	g = chain([]any{"Div", 2.0}, []any{"Mul", 3.0})
	g.Node = append(g.Node, &onnxpb.NodeProto{OpType: proto.String("Conv"), Input: []string{"v0"}, Output: []string{"w"}})
	if got := fmt.Sprint(scaling(g, "x")); got != "{[0.5] [0]}" {
		t.Error("two users:", got)
	}
}
