package graph

import "slices"

// operators is the table of inference: one line per operator, with the numbers of inputs and outputs that it takes. It is filled by init
// because rules of operators with bodies come back to it.
var operators map[string]operator

// many stands for any number of inputs or outputs.
const many = -1

func init() {
	operators = map[string]operator{
		// Linear algebra and convolution.
		"Conv":          {2, 3, 1, conv, nil},
		"ConvTranspose": {2, 3, 1, convTranspose, nil},
		"ConvInteger":   {2, 4, 1, convInteger, nil},
		"Gemm":          {2, 3, 1, gemm, nil},
		"MatMul":        {2, 2, 1, matMul, nil},
		"MatMulInteger": {2, 4, 1, matMulInteger, nil},
		"Einsum":        {1, many, 1, einsum, nil},
		"Attention":     {3, 6, 4, attention, nil},

		// Pooling.
		"MaxPool":           {1, 1, 2, pool, nil},
		"AveragePool":       {1, 1, 1, pool, nil},
		"LpPool":            {1, 1, 1, pool, nil},
		"GlobalAveragePool": {1, 1, 1, globalPool, nil},
		"GlobalMaxPool":     {1, 1, 1, globalPool, nil},
		"GlobalLpPool":      {1, 1, 1, globalPool, nil},

		// Normalisation.
		"BatchNormalization":        {5, 5, 3, batchNorm, nil},
		"InstanceNormalization":     {3, 3, 1, instanceNorm, nil},
		"GroupNormalization":        {3, 3, 1, groupNorm, nil},
		"LayerNormalization":        {2, 3, 3, layerNorm, nil},
		"RMSNormalization":          {2, 2, 1, layerNorm, nil},
		"LRN":                       {1, 1, 1, same, nil},
		"LpNormalization":           {1, 1, 1, alongAxis(-1), nil},
		"MeanVarianceNormalization": {1, 1, 1, same, nil},
		"Softmax":                   {1, 1, 1, alongAxis(-1), nil},
		"LogSoftmax":                {1, 1, 1, alongAxis(-1), nil},
		"Hardmax":                   {1, 1, 1, alongAxis(-1), nil},

		// Two and more operands.
		"Add": {2, 2, 1, broadcast, elementwiseData(addData)}, "Sub": {2, 2, 1, broadcast, elementwiseData(subData)},
		"Mul": {2, 2, 1, broadcast, elementwiseData(mulData)}, "Div": {2, 2, 1, broadcast, divData},
		"Mod": {2, 2, 1, broadcast, elementwiseData(modData)}, "Pow": {2, 2, 1, power, nil},
		"Min": {1, many, 1, broadcast, variadicData(minDatum)}, "Max": {1, many, 1, broadcast, variadicData(maxDatum)},
		"Sum": {1, many, 1, broadcast, variadicData(addData)}, "Mean": {1, many, 1, broadcast, nil},
		"BitShift": {2, 2, 1, broadcast, nil}, "BitwiseAnd": {2, 2, 1, broadcast, nil}, "BitwiseOr": {2, 2, 1, broadcast, nil},
		"BitwiseXor": {2, 2, 1, broadcast, nil},
		"PRelu":      {2, 2, 1, onto, nil},
		"Equal":      {2, 2, 1, compare, elementwiseData(equalData)},
		"Less":       {2, 2, 1, compare, elementwiseData(truth(func(a, b int64) bool { return a < b }))},
		"Greater":    {2, 2, 1, compare, elementwiseData(truth(func(a, b int64) bool { return a > b }))},
		"LessOrEqual": {
			2, 2, 1, compare, elementwiseData(truth(func(a, b int64) bool { return a <= b })),
		},
		"GreaterOrEqual": {
			2, 2, 1, compare, elementwiseData(truth(func(a, b int64) bool { return a >= b })),
		},
		"And":   {2, 2, 1, compare, elementwiseData(truth(func(a, b int64) bool { return a&b != 0 }))},
		"Or":    {2, 2, 1, compare, elementwiseData(truth(func(a, b int64) bool { return a|b != 0 }))},
		"Xor":   {2, 2, 1, compare, nil},
		"Where": {3, 3, 1, where, whereData},

		// One operand.
		"Clip": {1, 3, 1, clip, nil}, "Dropout": {1, 3, 2, dropout, nil}, "Cast": {1, 1, 1, cast, castData},
		"CastLike": {2, 2, 1, castLike, nil}, "Identity": {1, 1, 1, identity, passData}, "Not": {1, 1, 1, predicate, notData},
		"IsNaN": {1, 1, 1, predicate, nil}, "IsInf": {1, 1, 1, predicate, nil}, "BitwiseNot": {1, 1, 1, same, nil},
		"Neg": {1, 1, 1, same, negData}, "Abs": {1, 1, 1, same, absData}, "Sign": {1, 1, 1, same, nil}, "Relu": {1, 1, 1, same, nil},
		"CumSum": {2, 2, 1, cumSum, nil}, "Trilu": {1, 2, 1, same, nil}, "ReverseSequence": {2, 2, 1, same, nil},
		"Shrink": {1, 1, 1, same, nil}, "Bernoulli": {1, 1, 1, random, nil},
		"RandomNormal": {0, 0, 1, random, nil}, "RandomUniform": {0, 0, 1, random, nil},
		"RandomNormalLike": {1, 1, 1, random, nil}, "RandomUniformLike": {1, 1, 1, random, nil},
		"QuantizeLinear": {2, 3, 1, quantize, nil}, "DequantizeLinear": {2, 3, 1, dequantize, nil},
		"DynamicQuantizeLinear": {1, 1, 3, dynamicQuantize, nil},

		// Shapes and where things are.
		"Reshape": {2, 2, 1, reshape, passData}, "Transpose": {1, 1, 1, transpose, transposeData}, "Flatten": {1, 1, 1, flatten, passData},
		"Squeeze": {1, 2, 1, squeeze, passData}, "Unsqueeze": {2, 2, 1, unsqueeze, passData}, "Concat": {1, many, 1, concat, concatData},
		"Split": {1, 2, many, split, splitData}, "Slice": {3, 5, 1, slice, sliceData}, "Pad": {2, 4, 1, pad, nil},
		"Expand": {2, 2, 1, expand, expandData}, "Tile": {2, 2, 1, tile, nil}, "Gather": {2, 2, 1, gather, gatherData},
		"GatherElements": {2, 2, 1, gatherElements, nil}, "GatherND": {2, 2, 1, gatherND, nil},
		"ScatterElements": {3, 3, 1, scatter, nil}, "ScatterND": {3, 3, 1, scatter, nil}, "OneHot": {3, 3, 1, oneHot, nil},
		"EyeLike": {1, 1, 1, eyeLike, nil}, "DepthToSpace": {1, 1, 1, depthToSpace, nil}, "SpaceToDepth": {1, 1, 1, spaceToDepth, nil},
		"Resize": {1, 4, 1, resize, nil}, "Shape": {1, 1, 1, shapeOp, shapeData}, "Size": {1, 1, 1, sizeOp, sizeData},
		"ConstantOfShape": {1, 1, 1, constantOfShape, constantOfShapeData}, "Constant": {0, 0, 1, constant, constantData},
		"Range": {3, 3, 1, rangeOp, rangeData}, "NonZero": {1, 1, 1, nonZero, nil},

		// Reductions along axes.
		"ArgMax": {1, 1, 1, argReduce, nil}, "ArgMin": {1, 1, 1, argReduce, nil}, "TopK": {2, 2, 2, topK, nil},
		"ReduceSum": {1, 2, 1, reduce, foldData(addData)}, "ReduceProd": {1, 2, 1, reduce, foldData(mulData)},
		"ReduceMax": {1, 2, 1, reduce, foldData(maxDatum)}, "ReduceMin": {1, 2, 1, reduce, foldData(minDatum)},
		"ReduceMean": {1, 2, 1, reduce, nil}, "ReduceL1": {1, 2, 1, reduce, nil}, "ReduceL2": {1, 2, 1, reduce, nil},
		"ReduceLogSum": {1, 2, 1, reduce, nil}, "ReduceLogSumExp": {1, 2, 1, reduce, nil}, "ReduceSumSquare": {1, 2, 1, reduce, nil},

		// Control flow and recurrence.
		"If": {1, 1, many, branches, nil}, "LSTM": {3, 8, 3, recurrent, nil}, "GRU": {3, 6, 2, recurrent, nil}, "RNN": {3, 6, 2, recurrent, nil},

		// What ONNX Runtime's optimisers and converters write.
		"com.microsoft.FusedMatMul": {2, 2, 1, fusedMatMul, nil},
		"com.microsoft.FusedConv":   {2, 4, 1, conv, nil},
		"com.microsoft.Gelu":        {1, 1, 1, same, nil},
		"com.microsoft.QuickGelu":   {1, 1, 1, same, nil},
		"com.microsoft.FastGelu":    {1, 2, 1, same, nil},
		"com.microsoft.BiasGelu":    {2, 2, 1, broadcast, nil},
	}
	for _, op := range unaryFloats {
		operators[op] = operator{1, 1, 1, sameFloat, nil}
	}
	for _, op := range []string{"Floor", "Ceil", "Round"} {
		operators[op] = operator{1, 1, 1, sameFloat, passData}
	}
}

// unaryFloats are the operators from floats to floats, element by element.
var unaryFloats = []string{
	"Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Celu", "Cos", "Cosh", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid",
	"HardSwish", "LeakyRelu", "Log", "Mish", "Reciprocal", "Round", "Selu", "Sigmoid", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt",
	"Swish", "Tan", "Tanh", "ThresholdedRelu",
}

// identity may hand on what is no tensor.
func identity(c *inference) error {
	if t := c.typ(0); t.Foreign != nil && c.n.Outputs[0] != None {
		out := c.g.at(c.n.Outputs[0])
		if out.typ.Foreign == nil {
			out.typ = t
		}
		return nil
	}
	return same(c)
}

func convInteger(c *inference) error {
	x, w := c.shape(0), c.shape(1)
	if x == nil || w == nil {
		return c.set(0, Int32, nil)
	}
	kernel, err := c.n.Kernel(x, w)
	if err != nil {
		return err
	}
	out, err := c.spatial(x, w[0], kernel, Window.Narrow)
	if err != nil {
		return err
	}
	return c.set(0, Int32, out)
}

func dynamicQuantize(c *inference) error {
	return firstOf(c.set(0, Uint8, c.shape(0)), c.set(1, Float32, Shape{}), c.set(2, Uint8, Shape{}))
}

func variadicData(f func(a, b datum) datum) func(*inference) []datum {
	return func(c *inference) []datum {
		out := slices.Clone(c.data(0))
		for i := 1; i < len(c.n.Inputs); i++ {
			out = pairwise(out, c.data(i), f)
		}
		return out
	}
}
