package autodiff

import "github.com/oatta/oatta/models/graph"

// entry is the state of one operator; the zero entry is a missing rule.
type entry struct {
	rule       rule
	zero       bool // all derivatives are zero: no path goes through
	broadcasts bool // adjoints have the shape of the result, and are to be summed to that of the input
}

// table is the calculus: one line per operator, by family. What is in no line is a missing rule. It is filled by init because rules of
// composed operators come back to it.
var table map[string]entry

func init() {
	table = map[string]entry{
		// Linear algebra and convolution.
		"Conv":          {rule: conv},
		"ConvTranspose": {rule: convTranspose},
		"Gemm":          {rule: gemm},
		"MatMul":        {rule: matMul, broadcasts: true},
		"Einsum":        {rule: einsum},
		"Attention":     {rule: composed(attention)},

		// Pooling.
		"MaxPool":           {rule: maxPool},
		"AveragePool":       {rule: averagePool},
		"GlobalAveragePool": {rule: globalAveragePool},
		"GlobalMaxPool":     {rule: globalMaxPool},

		// Normalisation.
		"BatchNormalization":        {rule: batchNorm},
		"LayerNormalization":        {rule: layerNorm, broadcasts: true},
		"RMSNormalization":          {rule: rmsNorm, broadcasts: true},
		"GroupNormalization":        {rule: groupNorm},
		"InstanceNormalization":     {rule: instanceNorm},
		"LpNormalization":           {rule: lpNorm},
		"MeanVarianceNormalization": {rule: composed(standardised)},
		"Softmax":                   {rule: softmax},
		"LogSoftmax":                {rule: logSoftmax},

		// Two and more operands.
		"Add":   {rule: ruleAdd, broadcasts: true},
		"Sub":   {rule: ruleSub, broadcasts: true},
		"Mul":   {rule: ruleMul, broadcasts: true},
		"Div":   {rule: ruleDiv, broadcasts: true},
		"Pow":   {rule: power, broadcasts: true},
		"Mod":   {rule: mod, broadcasts: true},
		"Min":   {rule: extreme, broadcasts: true},
		"Max":   {rule: extreme, broadcasts: true},
		"Sum":   {rule: ruleSum, broadcasts: true},
		"Mean":  {rule: average, broadcasts: true},
		"Where": {rule: where, broadcasts: true},
		"PRelu": {rule: prelu, broadcasts: true},

		// One operand, element by element.
		"Identity":        {rule: pass},
		"Cast":            {rule: cast},
		"CastLike":        {rule: cast},
		"Dropout":         {rule: dropout},
		"Clip":            {rule: clip, broadcasts: true},
		"Neg":             unary(dNeg),
		"Abs":             unary(dAbs),
		"Reciprocal":      unary(dInverse),
		"Exp":             unary(dExp),
		"Log":             unary(dLog),
		"Sqrt":            unary(dSqrt),
		"Erf":             unary(dErf),
		"Sin":             unary(dSin),
		"Cos":             unary(dCos),
		"Tan":             unary(dTan),
		"Asin":            unary(dAsin),
		"Acos":            unary(dAcos),
		"Atan":            unary(dAtan),
		"Sinh":            unary(dSinh),
		"Cosh":            unary(dCosh),
		"Asinh":           unary(dAsinh),
		"Acosh":           unary(dAcosh),
		"Atanh":           unary(dAtanh),
		"Tanh":            unary(dTanh),
		"Sigmoid":         unary(dSigmoid),
		"Relu":            unary(dRelu),
		"LeakyRelu":       unary(dLeakyRelu),
		"ThresholdedRelu": unary(dThresholdedRelu),
		"Shrink":          unary(dShrink),
		"Elu":             unary(dElu),
		"Celu":            unary(dCelu),
		"Selu":            unary(dSelu),
		"Softplus":        unary(dSoftplus),
		"Softsign":        unary(dSoftsign),
		"HardSigmoid":     unary(dHardSigmoid),
		"HardSwish":       unary(dHardSwish),
		"Mish":            unary(dMish),
		"Swish":           unary(dSwish),
		"Gelu":            unary(dGelu),

		// Reductions along axes.
		"ReduceSum":       reducing(dReduceSum),
		"ReduceMean":      reducing(dReduceMean),
		"ReduceMax":       reducing(dReduceExtreme),
		"ReduceMin":       reducing(dReduceExtreme),
		"ReduceProd":      reducing(dReduceProd),
		"ReduceL1":        reducing(dReduceL1),
		"ReduceL2":        reducing(dReduceL2),
		"ReduceSumSquare": reducing(dReduceSumSquare),
		"ReduceLogSum":    reducing(dReduceLogSum),
		"ReduceLogSumExp": reducing(dReduceLogSumExp),
		"CumSum":          {rule: cumSum},
		"TopK":            {rule: topK},

		// Shapes and where things are.
		"Reshape":         {rule: sameElements},
		"Flatten":         {rule: sameElements},
		"Squeeze":         {rule: sameElements},
		"Unsqueeze":       {rule: sameElements},
		"Transpose":       {rule: transpose},
		"Concat":          {rule: concat},
		"Split":           {rule: split},
		"Slice":           {rule: slice},
		"Pad":             {rule: pad},
		"Expand":          {rule: pass, broadcasts: true},
		"Tile":            {rule: tile},
		"Trilu":           {rule: trilu},
		"DepthToSpace":    {rule: depthToSpace},
		"SpaceToDepth":    {rule: spaceToDepth},
		"Gather":          {rule: gather},
		"GatherElements":  {rule: gatherElements},
		"GatherND":        {rule: gatherND},
		"ScatterElements": {rule: scattered(takeElements, putElements)},
		"ScatterND":       {rule: scattered(takeND, putND)},
		"Resize":          {rule: resize},

		// What ONNX Runtime's optimisers and converters write.
		"com.microsoft.FusedMatMul": {rule: composed(fusedMatMul)},
		"com.microsoft.Gelu":        unary(func(c *call, x, _, dy graph.Value) graph.Value { return c.gelu(x, dy) }),
		"com.microsoft.QuickGelu":   unary(dQuickGelu),
		"com.microsoft.FastGelu":    {rule: biasGelu((*call).geluTanh), broadcasts: true},
		"com.microsoft.BiasGelu":    {rule: biasGelu((*call).gelu), broadcasts: true},

		// Piecewise constant, or of no floating-point argument.
		"Shape": {zero: true}, "Size": {zero: true}, "ConstantOfShape": {zero: true}, "Constant": {zero: true}, "Range": {zero: true},
		"NonZero": {zero: true}, "EyeLike": {zero: true}, "ArgMax": {zero: true}, "ArgMin": {zero: true}, "Hardmax": {zero: true},
		"Floor": {zero: true}, "Ceil": {zero: true}, "Round": {zero: true}, "Sign": {zero: true}, "Not": {zero: true}, "IsNaN": {zero: true},
		"IsInf": {zero: true}, "And": {zero: true}, "Or": {zero: true}, "Xor": {zero: true}, "Equal": {zero: true}, "Less": {zero: true},
		"LessOrEqual": {zero: true}, "Greater": {zero: true}, "GreaterOrEqual": {zero: true}, "RandomNormal": {zero: true},
		"RandomUniform": {zero: true}, "RandomNormalLike": {zero: true}, "RandomUniformLike": {zero: true}, "Bernoulli": {zero: true},
	}
}
