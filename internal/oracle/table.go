package oracle

import (
	"cmp"
	"fmt"
	"math"

	"github.com/oatta/oatta/models/graph"
)

// operator is one line of the table: how many inputs must be there, and what it does.
type operator struct {
	least int
	f     func(*call) []Tensor
}

// eval checks that the inputs are there, and makes an error of what the operator panics with on purpose.
func (o operator) eval(c *call) (out []Tensor, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = f.error
		}
	}()
	if len(c.in) < o.least {
		return nil, fmt.Errorf("%d inputs, want at least %d", len(c.in), o.least)
	}
	for i := range o.least {
		if c.in[i].absent() {
			return nil, fmt.Errorf("input %d is left out", i)
		}
	}
	return o.f(c), nil
}

// Known reports an operator that the package evaluates.
func Known(domain, op string) bool {
	_, ok := operators[(&graph.Node{Domain: domain, Op: op}).Operator()]
	return ok
}

// operators is the table: one line per family, each operator with the number of inputs that it cannot do without.
var operators = map[string]operator{
	// Linear algebra and convolution.
	"Conv": {2, conv}, "ConvTranspose": {2, convTranspose}, "Gemm": {2, gemm},
	"MatMul": {2, matMul}, "Einsum": {1, einsum},

	// Pooling.
	"MaxPool": {1, maxPool}, "AveragePool": {1, averagePool},
	"GlobalAveragePool": {1, globalPool(reduceMean)}, "GlobalMaxPool": {1, globalPool(reduceMax)},

	// Normalisation.
	"BatchNormalization": {5, batchNorm}, "InstanceNormalization": {3, instanceNorm}, "GroupNormalization": {3, groupNorm},
	"LayerNormalization": {2, layerNorm(true)}, "RMSNormalization": {2, layerNorm(false)},
	"LpNormalization": {1, lpNormalization}, "MeanVarianceNormalization": {1, meanVariance},
	"Softmax": {1, softmax(false)}, "LogSoftmax": {1, softmax(true)},

	// Two and more operands.
	"Add": {2, arithmetic(addOf)}, "Sub": {2, arithmetic(subOf)}, "Mul": {2, arithmetic(mulOf)}, "Div": {2, divide(divOf)},
	"Mod": {2, mod}, "Pow": {2, power}, "Min": {1, variadic(minOf)}, "Max": {1, variadic(maxOf)}, "Sum": {1, variadic(addOf)},
	"Mean": {1, mean}, "And": {2, logical(andOf)}, "Or": {2, logical(orOf)},
	"PRelu": {2, prelu}, "Where": {3, where}, "Equal": {2, compare(ordering{equal: true}, anyType)},
	"Less": {2, compare(ordering{less: true}, numbers)}, "LessOrEqual": {2, compare(ordering{less: true, equal: true}, numbers)},
	"Greater": {2, compare(ordering{greater: true}, numbers)}, "GreaterOrEqual": {2, compare(ordering{equal: true, greater: true}, numbers)},

	// One operand of any type.
	"Clip": {1, clip}, "Dropout": {1, dropout}, "Cast": {1, cast}, "CastLike": {2, castLike}, "Identity": {1, identity}, "Not": {1, not},
	"Neg": {1, numeric(neg, negInt)}, "Abs": {1, numeric(math.Abs, absInt)},
	"Sign": {1, numeric(sign, func(n int64) int64 { return int64(cmp.Compare(n, 0)) })},
	"Relu": {1, numeric(relu, func(n int64) int64 { return max(n, 0) })}, "Shrink": {1, shrink},
	"CumSum": {2, cumSum}, "Trilu": {1, trilu},

	// One operand of floats.
	"Acos": {1, mapped(math.Acos)}, "Acosh": {1, mapped(math.Acosh)}, "Asin": {1, mapped(math.Asin)}, "Asinh": {1, mapped(math.Asinh)},
	"Atan": {1, mapped(math.Atan)}, "Atanh": {1, mapped(math.Atanh)}, "Ceil": {1, mapped(math.Ceil)}, "Celu": {1, withAttrs(celu)},
	"Cos": {1, mapped(math.Cos)}, "Cosh": {1, mapped(math.Cosh)}, "Elu": {1, withAttrs(elu)}, "Erf": {1, mapped(math.Erf)},
	"Exp": {1, mapped(math.Exp)}, "Floor": {1, mapped(math.Floor)}, "Gelu": {1, withAttrs(geluOf)},
	"HardSigmoid": {1, withAttrs(hardSigmoid)}, "HardSwish": {1, mapped(hardSwish)}, "LeakyRelu": {1, withAttrs(leakyRelu)},
	"Log": {1, mapped(math.Log)}, "Mish": {1, mapped(mish)}, "Reciprocal": {1, mapped(func(x float64) float64 { return 1 / x })},
	"Round": {1, mapped(math.RoundToEven)}, "Selu": {1, withAttrs(selu)}, "Sigmoid": {1, mapped(sigmoid)}, "Sin": {1, mapped(math.Sin)},
	"Sinh": {1, mapped(math.Sinh)}, "Softplus": {1, mapped(softplus)}, "Softsign": {1, mapped(softsign)}, "Sqrt": {1, mapped(math.Sqrt)},
	"Swish": {1, withAttrs(swish)}, "Tan": {1, mapped(math.Tan)}, "Tanh": {1, mapped(math.Tanh)},
	"ThresholdedRelu": {1, withAttrs(thresholdedRelu)},

	// Shapes and where things are.
	"Reshape": {2, reshape}, "Transpose": {1, transpose}, "Flatten": {1, flatten}, "Squeeze": {1, squeeze}, "Unsqueeze": {2, unsqueeze},
	"Concat": {1, concat}, "Split": {1, split}, "Slice": {3, slice}, "Pad": {2, pad}, "Expand": {2, expand}, "Tile": {2, tile},
	"Gather": {2, gather}, "GatherElements": {2, gatherElements}, "GatherND": {2, gatherND}, "ScatterElements": {3, scatterElements},
	"ScatterND": {3, scatterND}, "DepthToSpace": {1, depthToSpace},
	"SpaceToDepth": {1, spaceToDepth}, "Resize": {1, resize}, "Shape": {1, shapeOf}, "Size": {1, sizeOf},
	"ConstantOfShape": {1, constantOfShape}, "Range": {3, rangeOf}, "NonZero": {1, nonZero},

	// Reductions along axes.
	"TopK": {2, topK}, "ReduceSum": {1, reduceSum.eval},
	"ReduceProd": {1, reduceProd.eval}, "ReduceMax": {1, reduceMax.eval}, "ReduceMin": {1, reduceMin.eval},
	"ReduceMean": {1, reduceMean.eval}, "ReduceL1": {1, reduceL1.eval}, "ReduceL2": {1, reduceL2.eval},
	"ReduceLogSum": {1, reduceLogSum.eval}, "ReduceLogSumExp": {1, logSumExp}, "ReduceSumSquare": {1, reduceSumSquare.eval},

	// What ONNX Runtime's optimisers and converters write.
	"com.microsoft.FusedMatMul": {2, fusedMatMul}, "com.microsoft.Gelu": {1, mapped(gelu)},
	"com.microsoft.QuickGelu": {1, withAttrs(quickGelu)}, "com.microsoft.FastGelu": {1, biasGelu(geluTanh)},
	"com.microsoft.BiasGelu": {2, biasGelu(gelu)},
}

// biasGelu adds input 1, if it is there, and applies f.
func biasGelu(f func(float64) float64) func(*call) []Tensor {
	return func(c *call) []Tensor {
		x := c.floats(0)
		if c.has(1) {
			x = c.pairwise(x, c.in[1], addOf)
		}
		return one(c.mapFloats(x, f))
	}
}
