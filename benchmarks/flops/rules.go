package flops

import "fmt"

// rule counts a node.
type rule func(c call) (Count, error)

// rules is the table: a line for each kind of operator.
var rules = table(
	line(conv, "Conv", "ConvInteger", "com.microsoft.FusedConv"),
	line(convTranspose, "ConvTranspose"),
	line(gemm, "Gemm"),
	line(matMul, "MatMul", "MatMulInteger"),

	// What is done to every element of the result: one operation, however dear, but for a few made of several.
	line(perOutput(1), "Add", "Sub", "Mul", "Div", "Mod", "Pow", "Min", "Max", "Sum", "Mean", "Equal", "Less", "Greater", "LessOrEqual",
		"GreaterOrEqual", "And", "Or", "Not", "Where", "Clip", "Neg", "Abs", "Sign", "Relu", "PRelu", "LeakyRelu", "Sigmoid", "HardSigmoid",
		"HardSwish", "Tanh", "Exp", "Log", "Sqrt", "Erf", "Reciprocal", "Softplus", "Floor", "Ceil", "Round", "Gelu", "com.microsoft.Gelu"),
	line(perOutput(2), "BatchNormalization"),               // one scale and one shift, made of the four before
	line(perOutput(4), "Softmax"),                          // less the greatest, exp, sum, division
	line(perOutput(5), "LogSoftmax", "LayerNormalization"), // and the sum's logarithm taken off; two moments, two for the distance, scale and shift
	line(perOutput(8), "InstanceNormalization"),            // as LayerNormalization, its moments apart
	line(perInput(1), "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "GlobalAveragePool", "GlobalMaxPool", "ArgMax", "ArgMin", "CumSum"),
	line(perInput(2), "ReduceL2", "ReduceSumSquare", "ReduceLogSum"),
	line(perInput(4), "ReduceLogSumExp"),
	line(pool, "MaxPool", "AveragePool"),

	// What moves, renames or makes up elements, and does no arithmetic on them.
	line(free, "Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Concat", "Split", "Slice", "Pad", "Expand", "Tile", "Gather",
		"GatherElements", "GatherND", "ScatterElements", "ScatterND", "Identity", "Cast", "CastLike", "Dropout", "Shape", "Size", "Constant",
		"ConstantOfShape", "Range", "OneHot", "EyeLike", "Trilu", "DepthToSpace", "SpaceToDepth"),
)

func table(lines ...map[string]rule) map[string]rule {
	out := map[string]rule{}
	for _, l := range lines {
		for name, r := range l {
			if out[name] != nil {
				panic("flops: two rules for " + name)
			}
			out[name] = r
		}
	}
	return out
}

func line(r rule, names ...string) map[string]rule {
	out := map[string]rule{}
	for _, name := range names {
		out[name] = r
	}
	return out
}

// conv takes a product for each element of the result and each of the weights that see it; w: [M, C/group, kernel...].
func conv(c call) (Count, error) {
	w, err := c.input(1)
	if err != nil {
		return Count{}, err
	}
	return c.each(c.output, product(w[1:]))
}

// convTranspose takes one for each element of the input and each of the results that it reaches; w: [C, M/group, kernel...].
func convTranspose(c call) (Count, error) {
	w, err := c.input(1)
	if err != nil {
		return Count{}, err
	}
	return c.each(func() ([]int64, error) { return c.input(0) }, product(w[1:]))
}

// gemm: a is [M, K], or [K, M] with transA.
func gemm(c call) (Count, error) {
	a, err := c.input(0)
	if err != nil {
		return Count{}, err
	}
	if len(a) != 2 {
		return Count{}, fmt.Errorf("a matrix of shape %v", a)
	}
	if c.n.Int("transA", 0) != 0 {
		return c.each(c.output, a[0])
	}
	return c.each(c.output, a[1])
}

// matMul: a is [..., M, K].
func matMul(c call) (Count, error) {
	a, err := c.input(0)
	if err != nil {
		return Count{}, err
	}
	if len(a) == 0 {
		return Count{}, fmt.Errorf("a matrix without sizes")
	}
	return c.each(c.output, a[len(a)-1])
}

// each is so many products for each element of a tensor.
func (c call) each(of func() ([]int64, error), products int64) (Count, error) {
	sizes, err := of()
	return Count{Products: product(sizes) * products}, err
}

func perOutput(n int64) rule {
	return func(c call) (Count, error) {
		sizes, err := c.output()
		return Count{Others: n * product(sizes)}, err
	}
}

func perInput(n int64) rule {
	return func(c call) (Count, error) {
		sizes, err := c.input(0)
		return Count{Others: n * product(sizes)}, err
	}
}

// pool takes an operation for each element of the result and each of its window.
func pool(c call) (Count, error) {
	sizes, err := c.output()
	return Count{Others: product(sizes) * product(c.n.Ints("kernel_shape"))}, err
}

func free(call) (Count, error) { return Count{}, nil }
