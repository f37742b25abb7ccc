package backbone

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/oatta/oatta/models/graph"
)

// distribution is what the elements of a fresh tensor are drawn from.
type distribution struct {
	mean     float64
	normal   float64 // standard deviation; PyTorch's trunc_normal_ cuts at two whole units, tens of deviations away, and is taken as this
	uniform  float64 // half the width
	padFirst bool    // the first row is 0: that of the token that pads
}

func constant(v float64) distribution   { return distribution{mean: v} }
func normal(std float64) distribution   { return distribution{normal: std} }
func uniform(half float64) distribution { return distribution{uniform: half} }

// style is how an implementation initialises its layers, by the numbers of inputs and of outputs that an output and an input have.
type style struct {
	conv, linear func(in, out float64) distribution
	bias         func(in float64) distribution
}

func byInputs(in, _ float64) distribution  { return uniform(1 / math.Sqrt(in)) }
func biasByInputs(in float64) distribution { return uniform(1 / math.Sqrt(in)) }
func noBias(float64) distribution          { return constant(0) }
func narrow(_, _ float64) distribution     { return normal(0.02) }
func heOut(_, out float64) distribution    { return normal(math.Sqrt(2 / out)) }
func heIn(in, _ float64) distribution      { return normal(math.Sqrt(2 / in)) }
func xavier(in, out float64) distribution  { return uniform(math.Sqrt(6 / (in + out))) }

var (
	pytorchStyle     = style{byInputs, byInputs, biasByInputs}
	torchvisionStyle = style{heOut, byInputs, biasByInputs} // of its ResNets
	akamasterStyle   = style{heIn, heIn, biasByInputs}
	narrowStyle      = style{narrow, narrow, noBias} // BERT's and ConvNeXt's
)

// initial returns the tensor of a seed, to be drawn when it is first read. Each has a generator of its own, so that neither order nor
// a head of another size changes the others.
func (t Tensor) initial(seed uint64) *graph.Tensor {
	made, err := graph.LazyTensor(graph.Float32, t.Dims, func() ([]byte, error) { return encode(t.draw(seed)), nil })
	if err != nil {
		panic("models/backbone: " + t.Name + ": " + err.Error()) // sizes come from this package
	}
	return made
}

func (t Tensor) draw(seed uint64) []float32 {
	h := fnv.New64a()
	h.Write([]byte(t.Name))
	random := rand.New(rand.NewPCG(seed, h.Sum64()))
	values := make([]float32, count(t.Dims))
	d := t.fresh
	for i := range values {
		v := d.mean
		switch {
		case d.normal > 0:
			v += d.normal * random.NormFloat64()
		case d.uniform > 0:
			v += d.uniform * (2*random.Float64() - 1)
		}
		values[i] = float32(v)
	}
	if d.padFirst {
		clear(values[:int64(len(values))/t.Dims[0]])
	}
	return values
}
