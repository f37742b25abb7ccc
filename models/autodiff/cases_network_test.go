package autodiff_test

import (
	"math"

	"github.com/oatta/oatta/models/graph"
)

// networkCases are whole small networks whose result is a loss: derivatives by the input and by every parameter that is an input, through
// values that are used several times.
func networkCases() []testCase {
	return []testCase{
		{name: "network: conv, norm, relu, pool, linear", batch: true, build: convNet, inputs: []input{
			std(2, 2, 6, 6), std(3, 2, 3, 3), in(0.5, 1.5, 3), std(3), std(4, 3), std(4),
		}},
		{name: "network: residual block, constant weights, batch statistics", batch: true, build: residualNet, inputs: []input{
			std(2, 3, 4, 4), in(0.5, 1.5, 3), std(3),
		}},
		{name: "network: attention block", batch: true, build: attentionNet, inputs: []input{
			std(2, 3, 4), in(-1, 1, 4, 12), std(12), in(-1, 1, 4, 4), in(0.5, 1.5, 4), std(4),
		}},
		{name: "network: perceptron with layer norm", open: true, build: mlpNet, inputs: []input{
			std(3, 4), in(-1, 1, 4, 6), std(6), in(0.5, 1.5, 6), std(6), in(-1, 1, 6, 3),
		}},
		{name: "network: temporal convolution", batch: true, build: tcnNet, inputs: []input{
			std(2, 2, 9), in(-1, 1, 4, 2, 3), in(0.5, 1.5, 4), std(4), in(-1, 1, 4, 4, 3), in(-1, 1, 4, 2, 1), std(4),
		}},
		{name: "network: entropy of the mean of views", build: marginalNet, inputs: []input{std(4, 5), in(-1, 1, 3, 5), std(3)}},
	}
}

// entropy returns the mean entropy of rows of logits: -sum(p log p).
func (b builder) entropy(logits graph.Value) graph.Value {
	p, logp := b.do("Softmax", []graph.Value{logits}), b.do("LogSoftmax", []graph.Value{logits})
	rows := b.do("ReduceSum", []graph.Value{b.do("Mul", []graph.Value{p, logp}), b.Ints(-1)}, a("keepdims", 0))
	return b.do("Neg", []graph.Value{b.do("ReduceMean", []graph.Value{rows}, a("keepdims", 0))})
}

// norm is a BatchNormalization with constant statistics.
func (b builder) norm(x, scale, bias graph.Value, channels int64) graph.Value {
	return b.do("BatchNormalization", []graph.Value{x, scale, bias, b.weight(in(-0.5, 0.5, channels)), b.weight(in(0.5, 2, channels))})
}

func convNet(b builder, x []graph.Value) graph.Value {
	h := b.do("Conv", x[:2], a("pads", []int{1, 1, 1, 1}))
	h = b.do("Relu", []graph.Value{b.norm(h, x[2], x[3], 3)})
	h = b.do("MaxPool", []graph.Value{h}, a("kernel_shape", []int{3, 3}), a("strides", []int{2, 2}), a("pads", []int{1, 1, 1, 1}))
	h = b.do("Flatten", []graph.Value{b.do("GlobalAveragePool", []graph.Value{h})})
	return b.entropy(b.do("Gemm", []graph.Value{h, x[4], x[5]}, a("transB", 1)))
}

func residualNet(b builder, x []graph.Value) graph.Value {
	over := b.Ints(0, 2, 3)
	h := b.do("Conv", []graph.Value{x[0], b.weight(in(-1, 1, 3, 3, 3, 3))}, a("pads", []int{1, 1, 1, 1}))
	mean := b.do("ReduceMean", []graph.Value{h, over})
	centred := b.do("Sub", []graph.Value{h, mean})
	variance := b.do("ReduceMean", []graph.Value{b.do("Mul", []graph.Value{centred, centred}), over}, a("keepdims", 0))
	h = b.do("BatchNormalization", []graph.Value{h, x[1], x[2], b.do("Squeeze", []graph.Value{mean, over}), variance})
	h = b.do("Relu", []graph.Value{h})
	h = b.do("Conv", []graph.Value{h, b.weight(in(-0.7, 0.9, 3, 3, 3, 3))}, a("pads", []int{1, 1, 1, 1}))
	h = b.do("Relu", []graph.Value{b.do("Add", []graph.Value{h, x[0]})})
	down := b.do("Conv", []graph.Value{h, b.weight(in(-1, 1, 4, 3, 1, 1))}, a("strides", []int{2, 2}))
	return b.entropy(b.do("ReduceMean", []graph.Value{down, b.Ints(2, 3)}, a("keepdims", 0)))
}

// attentionNet is one pre-norm block of two heads, as exporters write it: one product for queries, keys and values, Split, Reshape,
// Transpose, a mask, Softmax.
func attentionNet(b builder, x []graph.Value) graph.Value {
	heads := func(v graph.Value) graph.Value {
		v = b.do("Reshape", []graph.Value{v, b.Ints(0, 0, 2, 2)})
		return b.do("Transpose", []graph.Value{v}, a("perm", []int{0, 2, 1, 3}))
	}
	h := b.do("LayerNormalization", []graph.Value{x[0], x[4], x[5]})
	qkv := b.Ops("Split", 3, []graph.Value{b.do("Add", []graph.Value{b.do("MatMul", []graph.Value{h, x[1]}), x[2]}), b.Ints(4, 4, 4)}, a("axis", 2))
	keys := b.do("Transpose", []graph.Value{heads(qkv[1])}, a("perm", []int{0, 1, 3, 2}))
	scores := b.do("Mul", []graph.Value{b.do("MatMul", []graph.Value{heads(qkv[0]), keys}), b.Scalar(b.elem, 1/math.Sqrt2)})
	mask := b.floats([]float64{0, -1e4, 0}, 1, 1, 1, 3)
	weights := b.do("Softmax", []graph.Value{b.do("Add", []graph.Value{scores, mask})})
	out := b.do("Transpose", []graph.Value{b.do("MatMul", []graph.Value{weights, heads(qkv[2])})}, a("perm", []int{0, 2, 1, 3}))
	out = b.do("MatMul", []graph.Value{b.do("Reshape", []graph.Value{out, b.Ints(0, 0, 4)}), x[3]})
	out = b.do("Add", []graph.Value{out, x[0]})
	return b.entropy(b.do("Gather", []graph.Value{out, b.Int(0)}, a("axis", 1)))
}

func mlpNet(b builder, x []graph.Value) graph.Value {
	h := b.do("Add", []graph.Value{b.do("MatMul", []graph.Value{x[0], x[1]}), x[2]})
	h = b.do("LayerNormalization", []graph.Value{h, x[3], x[4]})
	gate := b.do("Div", []graph.Value{b.do("Erf", []graph.Value{b.do("Div", []graph.Value{h, b.Scalar(b.elem, math.Sqrt2)})}), b.Scalar(b.elem, 2)})
	h = b.do("Mul", []graph.Value{h, b.do("Add", []graph.Value{gate, b.Scalar(b.elem, 0.5)})})
	return b.entropy(b.do("MatMul", []graph.Value{h, x[5]}))
}

// tcnNet is one residual block of causal, dilated convolutions.
func tcnNet(b builder, x []graph.Value) graph.Value {
	causal := []graph.Attr{a("pads", []int{4, 0}), a("dilations", []int{2})}
	h := b.do("Relu", []graph.Value{b.norm(b.do("Conv", x[:2], causal...), x[2], x[3], 4)})
	h = b.do("Relu", []graph.Value{b.do("Conv", []graph.Value{h, x[4]}, causal...)})
	h = b.do("Relu", []graph.Value{b.do("Add", []graph.Value{h, b.do("Conv", []graph.Value{x[0], x[5], x[6]})})})
	return b.entropy(b.do("ReduceMean", []graph.Value{h, b.Ints(2)}, a("keepdims", 0)))
}

// marginalNet is the loss of MEMO: the entropy of the mean of the views' probabilities, in logarithms.
func marginalNet(b builder, x []graph.Value) graph.Value {
	logits := b.do("Gemm", x, a("transB", 1))
	logp := b.do("LogSoftmax", []graph.Value{logits})
	mean := b.do("Sub", []graph.Value{b.do("ReduceLogSumExp", []graph.Value{logp, b.Ints(0)}, a("keepdims", 0)), b.Scalar(b.elem, math.Log(4))})
	p := b.do("Exp", []graph.Value{mean})
	return b.do("Neg", []graph.Value{b.do("ReduceSum", []graph.Value{b.do("Mul", []graph.Value{p, mean})}, a("keepdims", 0))})
}
