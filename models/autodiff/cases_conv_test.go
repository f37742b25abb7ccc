package autodiff_test

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// constantWeight makes a case whose weight is a constant: the rule may prepare it.
func constantWeight(op string, w input, attrs ...graph.Attr) func(builder, []graph.Value) graph.Value {
	return func(b builder, x []graph.Value) graph.Value {
		return b.Op(op, []graph.Value{x[0], b.weight(w)}, attrs...)
	}
}

func convCases() []testCase {
	var out []testCase
	for _, s := range []struct {
		name  string
		x, w  []int64
		attrs []graph.Attr
	}{
		{"2D", []int64{2, 2, 5, 6}, []int64{3, 2, 3, 2}, nil},
		{"2D pads", []int64{2, 2, 5, 5}, []int64{3, 2, 3, 3}, []graph.Attr{a("pads", []int{1, 1, 1, 1})}},
		{"2D asymmetric pads", []int64{1, 2, 5, 4}, []int64{2, 2, 3, 3}, []graph.Attr{a("pads", []int{0, 2, 1, 1})}},
		{"2D wide pads", []int64{1, 1, 3, 3}, []int64{2, 1, 2, 2}, []graph.Attr{a("pads", []int{2, 2, 2, 3})}},
		{"2D stride 2", []int64{2, 2, 6, 5}, []int64{3, 2, 3, 3}, []graph.Attr{a("strides", []int{2, 2}), a("pads", []int{1, 1, 1, 1})}},
		{"2D stride 3, a rest that no window reaches", []int64{1, 2, 9, 7}, []int64{2, 2, 2, 2}, []graph.Attr{a("strides", []int{3, 2})}},
		{"2D dilation", []int64{1, 2, 7, 6}, []int64{2, 2, 3, 2}, []graph.Attr{a("dilations", []int{2, 3}), a("pads", []int{2, 1, 2, 1})}},
		{"2D stride and dilation", []int64{1, 1, 9, 8}, []int64{2, 1, 3, 2}, []graph.Attr{a("dilations", []int{2, 2}), a("strides", []int{2, 3})}},
		{"2D groups", []int64{2, 4, 4, 4}, []int64{6, 2, 3, 3}, []graph.Attr{a("group", 2), a("pads", []int{1, 1, 1, 1})}},
		{"2D groups stride", []int64{2, 4, 5, 5}, []int64{6, 2, 3, 3}, []graph.Attr{a("group", 2), a("strides", []int{2, 2})}},
		{"2D depthwise", []int64{2, 3, 5, 5}, []int64{3, 1, 3, 3}, []graph.Attr{a("group", 3), a("pads", []int{1, 1, 1, 1})}},
		{"2D depthwise stride", []int64{2, 3, 5, 5}, []int64{3, 1, 3, 3}, []graph.Attr{a("group", 3), a("strides", []int{2, 2}), a("pads", []int{1, 1, 1, 1})}},
		{"2D depthwise, two outputs each", []int64{1, 2, 4, 4}, []int64{4, 1, 2, 2}, []graph.Attr{a("group", 2)}},
		{"2D 1x1", []int64{2, 3, 3, 3}, []int64{4, 3, 1, 1}, nil},
		{"2D 1x1 stride 2", []int64{2, 3, 5, 4}, []int64{4, 3, 1, 1}, []graph.Attr{a("strides", []int{2, 2})}},
		{"2D same upper", []int64{1, 2, 5, 6}, []int64{2, 2, 2, 3}, []graph.Attr{a("auto_pad", "SAME_UPPER")}},
		{"2D same lower stride", []int64{1, 2, 6, 6}, []int64{2, 2, 3, 3}, []graph.Attr{a("auto_pad", "SAME_LOWER"), a("strides", []int{2, 2})}},
		{"2D valid", []int64{1, 2, 5, 5}, []int64{2, 2, 3, 3}, []graph.Attr{a("auto_pad", "VALID"), a("kernel_shape", []int{3, 3})}},
		{"2D many channels", []int64{1, 65, 3, 3}, []int64{2, 65, 2, 2}, []graph.Attr{a("pads", []int{0, 1, 0, 0})}},
		{"1D", []int64{2, 2, 7}, []int64{3, 2, 3}, []graph.Attr{a("pads", []int{1, 1})}},
		{"1D causal", []int64{2, 2, 7}, []int64{3, 2, 3}, []graph.Attr{a("pads", []int{4, 0}), a("dilations", []int{2})}},
		{"1D stride", []int64{2, 2, 9}, []int64{3, 2, 4}, []graph.Attr{a("strides", []int{3}), a("pads", []int{2, 1})}},
		{"2D short products, even and odd", []int64{8, 8, 4, 5}, []int64{2, 8, 3, 3}, []graph.Attr{a("pads", []int{1, 1, 1, 1})}},
		{"2D short along one axis", []int64{8, 8, 2, 5}, []int64{2, 8, 3, 2}, []graph.Attr{a("pads", []int{1, 0, 1, 2}), a("dilations", []int{1, 2})}},
		{"2D short along the other", []int64{8, 8, 4, 3}, []int64{2, 8, 1, 3}, []graph.Attr{a("pads", []int{0, 1, 0, 1})}},
		{"1D short", []int64{8, 8, 6}, []int64{2, 8, 3}, []graph.Attr{a("pads", []int{1, 1})}},
		{"2D few places", []int64{8, 3, 4, 3}, []int64{5, 3, 3, 2}, []graph.Attr{a("pads", []int{1, 0, 1, 1})}},
		{"2D few places, stride, dilation and cut pads", []int64{8, 2, 7, 6}, []int64{3, 2, 2, 3}, []graph.Attr{a("pads", []int{-1, 1, 1, 0}), a("strides", []int{2, 3}), a("dilations", []int{2, 1})}},
		{"1D few places, a rest that no window reaches", []int64{8, 2, 9}, []int64{3, 2, 3}, []graph.Attr{a("strides", []int{4})}},
		{"1D few places 1x1 stride", []int64{8, 2, 9}, []int64{3, 2, 1}, []graph.Attr{a("strides", []int{2})}},
		{"1D groups", []int64{2, 4, 5}, []int64{6, 2, 2}, []graph.Attr{a("pads", []int{0, 1}), a("group", 2)}},
		{"3D", []int64{1, 2, 3, 4, 3}, []int64{2, 2, 2, 2, 2}, []graph.Attr{a("strides", []int{1, 2, 1})}},
	} {
		x, w, bias := std(s.x...), std(s.w...), std(s.w[0])
		_, same := find(s.attrs, "auto_pad")
		out = append(out,
			testCase{name: "Conv " + s.name, inputs: []input{x, w, bias}, build: with("Conv", s.attrs...), batch: true},
			testCase{name: "Conv with constant weight " + s.name, inputs: []input{x}, build: constantWeight("Conv", w, s.attrs...), open: !same})
	}
	out = append(out, testCase{
		name: "Conv dW with open sizes", inputs: []input{std(2, 2, 5, 6), std(3, 2, 3, 2)}, open: true,
		build: func(b builder, x []graph.Value) graph.Value {
			w := b.do("Reshape", []graph.Value{x[1], b.Ints(3, 2, 3, 2)})
			return b.do("Conv", []graph.Value{x[0], w}, a("strides", []int{2, 1}), a("pads", []int{1, 0, 0, 1}))
		},
	})
	return append(out, transposeCases()...)
}

func find(attrs []graph.Attr, name string) (graph.Attr, bool) {
	i := slices.IndexFunc(attrs, func(a graph.Attr) bool { return a.Name == name })
	if i < 0 {
		return graph.Attr{}, false
	}
	return attrs[i], true
}

func transposeCases() []testCase {
	var out []testCase
	for _, s := range []struct {
		name  string
		x, w  []int64
		attrs []graph.Attr
		m     int64
	}{
		{"2D", []int64{2, 2, 3, 4}, []int64{2, 3, 3, 2}, nil, 3},
		{"2D stride pads", []int64{2, 2, 3, 3}, []int64{2, 3, 3, 3}, []graph.Attr{a("strides", []int{2, 2}), a("pads", []int{1, 0, 1, 1})}, 3},
		{"2D output padding", []int64{1, 2, 3, 3}, []int64{2, 2, 3, 3}, []graph.Attr{a("strides", []int{2, 3}), a("output_padding", []int{1, 2})}, 2},
		{"2D dilation", []int64{1, 2, 3, 3}, []int64{2, 2, 2, 2}, []graph.Attr{a("dilations", []int{2, 2}), a("pads", []int{1, 1, 1, 1})}, 2},
		{"2D groups", []int64{2, 4, 3, 3}, []int64{4, 3, 2, 2}, []graph.Attr{a("group", 2), a("strides", []int{2, 2})}, 6},
		{"2D output shape", []int64{1, 2, 3, 3}, []int64{2, 2, 3, 3}, []graph.Attr{a("strides", []int{2, 2}), a("output_shape", []int{5, 5})}, 2},
		{"1D", []int64{2, 2, 5}, []int64{2, 3, 3}, []graph.Attr{a("strides", []int{2}), a("pads", []int{1, 1})}, 3},
	} {
		out = append(out, testCase{name: "ConvTranspose " + s.name, inputs: []input{std(s.x...), std(s.w...), std(s.m)}, build: with("ConvTranspose", s.attrs...)})
	}
	return out
}

func poolCases() []testCase {
	window := func(k, s int, more ...graph.Attr) []graph.Attr {
		return append([]graph.Attr{a("kernel_shape", []int{k, k}), a("strides", []int{s, s})}, more...)
	}
	pads := a("pads", []int{1, 1, 1, 1})
	x := std(2, 2, 5, 6)
	out := []testCase{
		{name: "MaxPool 2", inputs: one(x), build: with("MaxPool", window(2, 2)...), open: true},
		{name: "MaxPool 3 stride 2, overlapping", inputs: one(x), build: with("MaxPool", window(3, 2, pads)...), open: true},
		{name: "MaxPool ceil", inputs: one(x), build: with("MaxPool", window(2, 2, a("ceil_mode", 1))...)},
		{name: "MaxPool dilated", inputs: one(x), build: with("MaxPool", window(2, 1, a("dilations", []int{2, 2}))...)},
		{name: "MaxPool same", inputs: one(x), build: with("MaxPool", window(3, 2, a("auto_pad", "SAME_UPPER"))...)},
		{name: "MaxPool 1D", inputs: one(std(2, 3, 7)), build: with("MaxPool", a("kernel_shape", []int{3}), a("strides", []int{2}), a("pads", []int{1, 1})), open: true},
		{name: "AveragePool 2", inputs: one(x), build: with("AveragePool", window(2, 2)...), open: true},
		{name: "AveragePool overlapping", inputs: one(x), build: with("AveragePool", window(3, 1)...), open: true},
		{name: "AveragePool pads not counted", inputs: one(x), build: with("AveragePool", window(3, 2, pads)...), batch: true},
		{name: "AveragePool pads counted", inputs: one(x), build: with("AveragePool", window(3, 2, pads, a("count_include_pad", 1))...), open: true},
		{name: "AveragePool ceil", inputs: one(x), build: with("AveragePool", window(2, 2, a("ceil_mode", 1))...), batch: true},
		{name: "AveragePool same lower", inputs: one(x), build: with("AveragePool", window(2, 2, a("auto_pad", "SAME_LOWER"))...), batch: true},
		{name: "AveragePool 1D", inputs: one(std(2, 3, 7)), build: with("AveragePool", a("kernel_shape", []int{3}), a("strides", []int{2})), open: true},
		{name: "GlobalAveragePool", inputs: one(x), build: with("GlobalAveragePool"), open: true},
		{name: "GlobalAveragePool 1D", inputs: one(std(2, 3, 4)), build: with("GlobalAveragePool"), open: true},
		{name: "GlobalMaxPool", inputs: one(x), build: with("GlobalMaxPool"), open: true},
	}
	return append(out, resizeCases()...)
}

func resizeCases() []testCase {
	var out []testCase
	sized := func(sizes []int64, attrs ...graph.Attr) func(builder, []graph.Value) graph.Value {
		return func(b builder, x []graph.Value) graph.Value {
			return b.do("Resize", []graph.Value{x[0], graph.None, graph.None, b.Ints(sizes...)}, attrs...)
		}
	}
	scaled := func(scales []float32, attrs ...graph.Attr) func(builder, []graph.Value) graph.Value {
		return func(b builder, x []graph.Value) graph.Value {
			s := b.Const("scales", graph.NewTensor(scales, int64(len(scales))))
			return b.do("Resize", []graph.Value{x[0], graph.None, s}, attrs...)
		}
	}
	for _, mode := range []string{"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"} {
		for _, kind := range []string{"linear", "nearest"} {
			attrs := []graph.Attr{a("mode", kind), a("coordinate_transformation_mode", mode)}
			out = append(out,
				testCase{name: "Resize up " + kind + " " + mode, inputs: one(std(2, 1, 3, 4)), build: sized([]int64{2, 1, 5, 9}, attrs...)},
				testCase{name: "Resize down " + kind + " " + mode, inputs: one(std(1, 2, 6, 5)), build: sized([]int64{1, 2, 4, 5}, attrs...)})
		}
	}
	for _, round := range []string{"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"} {
		out = append(out, testCase{
			name: "Resize nearest " + round, inputs: one(std(1, 1, 3, 3)),
			build: scaled([]float32{1, 1, 2, 2}, a("nearest_mode", round), a("coordinate_transformation_mode", "asymmetric")),
		})
	}
	return append(
		out,
		testCase{name: "Resize by scales", inputs: one(std(1, 1, 4, 3)), build: scaled([]float32{1, 1, 1.3, 2}, a("mode", "linear"))},
		testCase{name: "Resize 1D", inputs: one(std(2, 2, 4)), build: sized([]int64{2, 2, 7}, a("mode", "linear"))},
	)
}
