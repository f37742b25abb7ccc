package autodiff_test

import (
	"math"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

func normCases() []testCase {
	var out []testCase
	positive := in(0.4, 2, 3)
	for name, x := range map[string]input{"2D": std(2, 3, 2, 3), "1D": std(2, 3, 4), "0D": std(4, 3)} {
		out = append(out,
			testCase{name: "BatchNormalization, all inputs " + name, inputs: []input{x, std(3), std(3), std(3), positive}, build: with("BatchNormalization"), open: true},
			testCase{
				name: "BatchNormalization in training " + name, inputs: []input{x, std(3), std(3)}, build: trainingNorm(0.9), open: true,
				engine: "the engine refuses training_mode for a graph that is not for training",
			},
			testCase{
				name: "BatchNormalization in training without momentum " + name, inputs: []input{x, std(3), std(3)}, build: trainingNorm(0), open: true,
				engine: "the engine refuses training_mode for a graph that is not for training",
			})
	}
	slices.SortFunc(out, func(a, b testCase) int { return cmpString(a.name, b.name) })
	x := std(2, 4, 3)
	return append(
		out,
		testCase{name: "BatchNormalization, statistics of the batch and the source blended", inputs: []input{std(2, 3, 2, 3), std(3), std(3)}, build: blendedNorm, open: true},
		testCase{name: "BatchNormalization, a scale per row", inputs: []input{std(2, 3, 2, 2), std(2, 3), std(2, 3)}, build: rowNorm},
		testCase{name: "LayerNormalization", inputs: []input{x, std(3), std(3)}, build: with("LayerNormalization"), open: true},
		testCase{name: "LayerNormalization kept in its own precision", inputs: []input{x, std(3), std(3)}, build: func(b builder, x []graph.Value) graph.Value {
			return b.do("LayerNormalization", x, a("stash_type", b.elem), a("epsilon", 1e-3))
		}, batch: true},
		testCase{name: "LayerNormalization over two axes", inputs: []input{x, std(4, 3)}, build: func(b builder, x []graph.Value) graph.Value {
			return b.do("LayerNormalization", x, a("axis", 1), a("stash_type", b.elem))
		}},
		testCase{name: "LayerNormalization, scale stretched", inputs: []input{x, std(3), std(1)}, build: with("LayerNormalization", a("axis", 1)), engine: "the engine wants a whole bias"},
		testCase{name: "RMSNormalization", inputs: []input{x, std(3)}, build: with("RMSNormalization"), opset: 23, engine: "new in operator set 23"},
		testCase{name: "InstanceNormalization", inputs: []input{x, std(4), std(4)}, build: with("InstanceNormalization"), open: true},
		testCase{name: "InstanceNormalization 2D", inputs: []input{std(2, 2, 2, 3), std(2), std(2)}, build: with("InstanceNormalization", a("epsilon", 0.1))},
		testCase{name: "GroupNormalization", inputs: []input{std(2, 4, 2, 2), std(4), std(4)}, build: with("GroupNormalization", a("num_groups", 2)), opset: 21, open: true},
		testCase{name: "LpNormalization", inputs: one(x), build: with("LpNormalization", a("axis", 1))},
		testCase{name: "LpNormalization 1", inputs: one(x), build: with("LpNormalization", a("p", 1)), engine: "the engine computes another norm for p = 1 of negative numbers"},
		testCase{name: "MeanVarianceNormalization", inputs: one(std(2, 2, 2, 3)), build: with("MeanVarianceNormalization"), open: true},
		testCase{name: "MeanVarianceNormalization axes", inputs: one(x), build: with("MeanVarianceNormalization", a("axes", []int{1, 2}))},
		testCase{name: "Softmax", inputs: one(x), build: with("Softmax"), open: true},
		testCase{name: "Softmax axis 1", inputs: one(x), build: with("Softmax", a("axis", 1)), open: true},
		testCase{name: "LogSoftmax", inputs: one(x), build: with("LogSoftmax"), open: true},
		testCase{name: "LogSoftmax axis 0", inputs: one(x), build: with("LogSoftmax", a("axis", 0)), open: true},
	)
}

// trainingNorm returns the normalised values of a BatchNormalization that takes its statistics from the batch.
func trainingNorm(momentum float64) func(b builder, x []graph.Value) graph.Value {
	return func(b builder, x []graph.Value) graph.Value {
		zero, one := b.floats([]float64{0, 0, 0}, 3), b.floats([]float64{1, 1, 1}, 3)
		n := graph.Node{Op: "BatchNormalization", Inputs: append(slices.Clone(x), zero, one), Attrs: []graph.Attr{a("training_mode", 1), a("momentum", momentum)}}
		return b.Append(n, "y", "mean", "var").Outputs[0]
	}
}

// blendedNorm computes mean and variance as a sixteenth of the batch's and the rest of the source's.
func blendedNorm(b builder, x []graph.Value) graph.Value {
	over := b.Ints(0, 2, 3)
	mix := func(v graph.Value, source []float64) graph.Value {
		part := b.do("Mul", []graph.Value{v, b.Scalar(b.elem, 1.0/16)})
		return b.do("Add", []graph.Value{part, b.floats(source, 3)})
	}
	mean := b.do("ReduceMean", []graph.Value{x[0], over})
	centred := b.do("Sub", []graph.Value{x[0], mean})
	variance := b.do("ReduceMean", []graph.Value{b.do("Mul", []graph.Value{centred, centred}), over}, a("keepdims", 0))
	mean = mix(b.do("ReduceMean", []graph.Value{x[0], over}, a("keepdims", 0)), []float64{0.1, -0.2, 0.3})
	return b.do("BatchNormalization", []graph.Value{x[0], x[1], x[2], mean, mix(variance, []float64{0.5, 0.8, 1.1})})
}

// rowNorm reads rows that each have their own scale and bias as channels of one row.
func rowNorm(b builder, x []graph.Value) graph.Value {
	flat := func(v graph.Value, sizes ...int64) graph.Value {
		return b.do("Reshape", []graph.Value{v, b.Ints(sizes...)})
	}
	mean, variance := b.weight(std(6)), b.weight(in(0.5, 1.5, 6))
	y := b.do("BatchNormalization", []graph.Value{flat(x[0], 1, 6, 2, 2), flat(x[1], 6), flat(x[2], 6), mean, variance})
	return flat(y, 2, 3, 2, 2)
}

func reduceCases() []testCase {
	var out []testCase
	for _, op := range []string{
		"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp",
	} {
		x := in(0.3, 2, 2, 3, 4)
		if op == "ReduceL1" || op == "ReduceLogSumExp" || op == "ReduceMax" {
			x = std(2, 3, 4)
		}
		out = append(
			out,
			testCase{name: op, inputs: one(x), build: with(op), open: true},
			testCase{name: op + " axis", inputs: one(x), build: ints(op, []int64{1}), open: true},
			testCase{name: op + " axes dropped", inputs: one(x), build: ints(op, []int64{-1, 0}, a("keepdims", 0)), open: true},
			testCase{name: op + " all dropped", inputs: one(x), build: with(op, a("keepdims", 0)), open: true},
			testCase{name: op + " no axes", inputs: one(x), build: ints(op, nil, a("noop_with_empty_axes", 1))},
		)
	}
	sum := func(attrs ...graph.Attr) func(builder, []graph.Value) graph.Value {
		return func(b builder, x []graph.Value) graph.Value {
			return b.do("CumSum", []graph.Value{x[0], b.Int(1)}, attrs...)
		}
	}
	top := func(k int64, attrs ...graph.Attr) func(builder, []graph.Value) graph.Value {
		return func(b builder, x []graph.Value) graph.Value {
			return b.Ops("TopK", 2, []graph.Value{x[0], b.Ints(k)}, attrs...)[0]
		}
	}
	return append(
		out,
		testCase{name: "CumSum", inputs: one(std(2, 4)), build: sum(), open: true},
		testCase{name: "CumSum reverse exclusive", inputs: one(std(2, 4)), build: sum(a("exclusive", 1), a("reverse", 1))},
		testCase{name: "CumSum exclusive", inputs: one(std(2, 4)), build: sum(a("exclusive", 1))},
		testCase{name: "TopK", inputs: one(std(2, 5)), build: top(2), open: true},
		testCase{name: "TopK smallest of axis 0", inputs: one(std(4, 3)), build: top(2, a("axis", 0), a("largest", 0))},
	)
}

func shapeCases() []testCase {
	x := std(2, 3, 4)
	two := []input{std(2, 3), std(2, 2)}
	cut := func(lists ...[]int64) func(builder, []graph.Value) graph.Value {
		return func(b builder, x []graph.Value) graph.Value {
			in := []graph.Value{x[0]}
			for _, l := range lists {
				in = append(in, b.Ints(l...))
			}
			return b.do("Slice", in)
		}
	}
	padded := func(mode string, pads ...int64) func(builder, []graph.Value) graph.Value {
		return func(b builder, x []graph.Value) graph.Value {
			return b.do("Pad", append([]graph.Value{x[0], b.Ints(pads...)}, x[1:]...), a("mode", mode))
		}
	}
	part := func(which int, sizes []int64, axis int) func(builder, []graph.Value) graph.Value {
		return func(b builder, x []graph.Value) graph.Value {
			return b.Ops("Split", len(sizes), []graph.Value{x[0], b.Ints(sizes...)}, a("axis", axis))[which]
		}
	}
	return []testCase{
		{name: "Reshape", inputs: one(x), build: ints("Reshape", []int64{4, -1}), open: true},
		{name: "Reshape with a size kept", inputs: one(x), build: ints("Reshape", []int64{0, 12}), open: true},
		{name: "Flatten", inputs: one(x), build: with("Flatten"), open: true},
		{name: "Flatten axis 2", inputs: one(x), build: with("Flatten", a("axis", 2)), open: true},
		{name: "Squeeze", inputs: one(std(2, 1, 3, 1)), build: ints("Squeeze", []int64{1, -1}), open: true},
		{name: "Squeeze all", inputs: one(std(2, 1, 3, 1)), build: with("Squeeze")},
		{name: "Unsqueeze", inputs: one(x), build: ints("Unsqueeze", []int64{0, -1}), open: true},
		{name: "Transpose", inputs: one(x), build: with("Transpose"), open: true},
		{name: "Transpose perm", inputs: one(x), build: with("Transpose", a("perm", []int{1, 2, 0})), open: true},
		{name: "Concat", inputs: two, build: with("Concat", a("axis", 1)), open: true},
		{name: "Concat of three, one constant", inputs: two, open: true, build: func(b builder, x []graph.Value) graph.Value {
			return b.do("Concat", []graph.Value{x[0], b.weight(std(2, 1)), x[1]}, a("axis", -1))
		}},
		{name: "Split, all used", inputs: one(std(2, 5)), open: true, build: func(b builder, x []graph.Value) graph.Value {
			p := b.Ops("Split", 3, []graph.Value{x[0], b.Ints(2, 1, 2)}, a("axis", 1))
			return b.do("Add", []graph.Value{b.do("Mul", []graph.Value{p[0], p[1]}), p[2]})
		}},
		{name: "Split, one used", inputs: one(x), build: part(1, []int64{1, 2}, 1), open: true},
		{name: "Split axis 0", inputs: one(x), build: part(0, []int64{1, 1}, 0), open: true},
		{name: "Slice", inputs: one(x), build: cut([]int64{1, 0}, []int64{3, -1}, []int64{1, 2}), open: true},
		{name: "Slice without axes", inputs: one(x), build: cut([]int64{0, 1}, []int64{1, math.MaxInt64}), open: true},
		{name: "Slice step 2", inputs: one(std(3, 7)), build: cut([]int64{1}, []int64{6}, []int64{1}, []int64{2}), open: true},
		{name: "Slice backwards", inputs: one(std(3, 7)), build: cut([]int64{-1}, []int64{math.MinInt64}, []int64{-1}, []int64{-2}), open: true},
		{name: "Slice of pixels", inputs: one(std(1, 2, 5, 4)), build: cut([]int64{0, 0}, []int64{100, 100}, []int64{2, 3}, []int64{2, 2}), open: true},
		{name: "Pad", inputs: one(x), build: padded("constant", 1, 0, 2, 0, 1, 0), open: true},
		{name: "Pad and cut", inputs: one(x), build: padded("constant", 0, -1, 2, 0, 1, -1)},
		{name: "Pad with a value", inputs: []input{x, std()}, build: padded("constant", 1, 0, 2, 0, 1, 0)},
		{name: "Pad axes", inputs: one(x), build: func(b builder, x []graph.Value) graph.Value {
			return b.do("Pad", []graph.Value{x[0], b.Ints(1, 2), graph.None, b.Ints(-2)})
		}},
		{name: "Pad reflect", inputs: one(x), build: padded("reflect", 0, 2, 1, 0, 1, 3), open: true},
		{name: "Pad edge", inputs: one(x), build: padded("edge", 1, 2, 0, 0, 0, 2), open: true},
		{name: "Pad wrap", inputs: one(x), build: padded("wrap", 0, 1, 2, 0, 0, 2), opset: 19},
		{name: "Expand", inputs: one(std(3, 1)), build: ints("Expand", []int64{2, 3, 4}), open: true},
		{name: "Expand beyond", inputs: one(std(3, 1)), build: ints("Expand", []int64{1, 4}), open: true},
		{name: "Tile", inputs: one(std(2, 3)), build: ints("Tile", []int64{3, 2}), open: true},
		{name: "Tile one axis", inputs: one(std(2, 3)), build: ints("Tile", []int64{1, 2}), open: true},
		{name: "Trilu", inputs: one(std(2, 3, 3)), build: with("Trilu"), open: true},
		{name: "Trilu lower", inputs: one(std(3, 3)), build: func(b builder, x []graph.Value) graph.Value {
			return b.do("Trilu", []graph.Value{x[0], b.Int(-1)}, a("upper", 0))
		}},
		{name: "DepthToSpace", inputs: one(std(1, 8, 2, 3)), build: with("DepthToSpace", a("blocksize", 2)), batch: true},
		{name: "DepthToSpace CRD", inputs: one(std(1, 8, 2, 3)), build: with("DepthToSpace", a("blocksize", 2), a("mode", "CRD")), batch: true},
		{name: "SpaceToDepth", inputs: one(std(1, 2, 4, 6)), build: with("SpaceToDepth", a("blocksize", 2)), batch: true},
		{name: "shape arithmetic", inputs: one(std(2, 6)), open: true, build: func(b builder, x []graph.Value) graph.Value {
			rows := b.do("Slice", []graph.Value{b.do("Shape", x), b.Ints(0), b.Ints(1), b.Ints(0)})
			shape := b.do("Concat", []graph.Value{rows, b.Ints(2, -1)}, a("axis", 0))
			scale := b.do("Cast", []graph.Value{b.do("Size", x)}, a("to", b.elem))
			return b.do("Div", []graph.Value{b.do("Reshape", []graph.Value{x[0], shape}), scale})
		}},
		{name: "operators of derivative zero", inputs: one(std(5)), build: func(b builder, x []graph.Value) graph.Value {
			y := x[0]
			for _, op := range []string{"Floor", "Ceil", "Round", "Sign"} {
				y = b.do("Add", []graph.Value{y, b.do(op, x)})
			}
			return y
		}},
	}
}

func indexCases() []testCase {
	x := std(4, 3)
	at := func(op string, list []int64, dims []int64, attrs ...graph.Attr) func(builder, []graph.Value) graph.Value {
		return func(b builder, x []graph.Value) graph.Value {
			places := b.Const("at", graph.NewTensor(list, dims...))
			return b.do(op, append([]graph.Value{x[0], places}, x[1:]...), attrs...)
		}
	}
	three := std(2, 4, 3)
	return []testCase{
		{name: "Gather rows, some twice", inputs: one(x), build: at("Gather", []int64{3, 0, 3, 1}, []int64{2, 2}), open: true},
		{name: "Gather axis 1", inputs: one(three), build: at("Gather", []int64{3, 3, 0}, []int64{3}, a("axis", 1)), open: true},
		{name: "Gather matrix of places, last axis", inputs: one(three), build: at("Gather", []int64{2, 0, 0, 1}, []int64{2, 2}, a("axis", -1)), open: true},
		{name: "Gather one place", inputs: one(three), build: at("Gather", []int64{-1}, []int64{}, a("axis", 1)), open: true},
		{name: "Gather one place, kept", inputs: one(three), build: at("Gather", []int64{0}, []int64{1}, a("axis", 2)), open: true},
		{name: "GatherElements", inputs: one(x), build: at("GatherElements", []int64{3, 0, 1, 3, 2, 1}, []int64{2, 3}), open: true},
		{name: "GatherElements axis 1", inputs: one(x), build: at("GatherElements", []int64{2, 0, 0, 0, 1, 1, 2, 2}, []int64{4, 2}, a("axis", 1)), open: true},
		{name: "GatherND", inputs: one(three), build: at("GatherND", []int64{1, 3, 0, 0, 1, 3}, []int64{3, 2}), open: true},
		{name: "ScatterElements", inputs: []input{x, std(2, 3)}, build: at("ScatterElements", []int64{3, 0, 1, 1, 2, 2}, []int64{2, 3}), open: true},
		{name: "ScatterElements add", inputs: []input{x, std(2, 3)}, build: at("ScatterElements", []int64{3, 0, 1, 3, 2, 1}, []int64{2, 3}, a("reduction", "add"))},
		{name: "ScatterND", inputs: []input{x, std(2, 3)}, build: at("ScatterND", []int64{3, 0}, []int64{2, 1}), open: true},
		{name: "ScatterND add", inputs: []input{x, std(2, 3)}, build: at("ScatterND", []int64{3, 3}, []int64{2, 1}, a("reduction", "add"))},
	}
}
