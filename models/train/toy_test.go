package train_test

import (
	"math"
	"math/rand/v2"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// The toy is a net whose arithmetic is repeated in plain Go: logits = W relu(V x + a) m + b, with m a mask of dropout.
const (
	toyIn, toyHidden, toyClasses = 3, 5, 4
	toyDrop                      = 0.25
)

// toyParams are V [5,3], a [5], W [4,5] and b [4].
type toyParams map[string][]float64

var toySizes = map[string][]int64{"V": {toyHidden, toyIn}, "a": {toyHidden}, "W": {toyClasses, toyHidden}, "b": {toyClasses}}

func toyStart() toyParams {
	p, random := toyParams{}, rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"V", "a", "W", "b"} {
		n := int64(1)
		for _, d := range toySizes[name] {
			n *= d
		}
		for range n {
			p[name] = append(p[name], float64(float32(random.NormFloat64())))
		}
	}
	return p
}

func toy() *onnx.Model {
	g, p := graph.New("toy", 18), toyStart()
	param := func(name string) graph.Value {
		values := make([]float32, len(p[name]))
		for i, v := range p[name] {
			values[i] = float32(v)
		}
		return g.Param(name, graph.NewTensor(values, toySizes[name]...))
	}
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(toyIn)}})
	h := g.Op("Relu", []graph.Value{g.Op("Gemm", []graph.Value{x, param("V"), param("a")}, graph.A("transB", 1))})
	h = g.Op("Dropout", []graph.Value{h, g.Scalar(graph.Float32, toyDrop)})
	g.Output("logits", g.Op("Gemm", []graph.Value{h, param("W"), param("b")}, graph.A("transB", 1)))
	return onnx.New(g)
}

// toyItems are some inputs.
func toyItems(n int) []float32 {
	random := rand.New(rand.NewPCG(3, uint64(n)))
	out := make([]float32, n*toyIn)
	for i := range out {
		out[i] = float32(random.NormFloat64())
	}
	return out
}

// toyLoss is the loss of items by PyTorch's documentation of CrossEntropyLoss: sum and divisor.
type toyLoss struct {
	weights   []float64
	smoothing float64
	mask      []float32 // [N, hidden]; nil: ones
}

func (l toyLoss) of(p toyParams, x []float32, targets []float32) (sum, divisor float64) {
	for i := range len(x) / toyIn {
		logp := p.logSoftmax(x[i*toyIn:(i+1)*toyIn], l.row(i))
		t := targets[i*toyClasses : (i+1)*toyClasses]
		all := 0.0
		for _, v := range t {
			all += float64(v)
		}
		for k, v := range t {
			w := 1.0
			if l.weights != nil {
				w = l.weights[k]
			}
			sum -= w * ((1-l.smoothing)*float64(v) + l.smoothing*all/toyClasses) * logp[k]
			divisor += w * float64(v)
		}
	}
	return sum, divisor
}

func (l toyLoss) mean(p toyParams, x []float32, targets []float32) float64 {
	sum, divisor := l.of(p, x, targets)
	return sum / divisor
}

func (l toyLoss) row(i int) []float32 {
	if l.mask == nil {
		return nil
	}
	return l.mask[i*toyHidden : (i+1)*toyHidden]
}

func (p toyParams) logSoftmax(x, mask []float32) []float64 {
	h := make([]float64, toyHidden)
	for i := range h {
		h[i] = p["a"][i]
		for j, v := range x {
			h[i] += p["V"][i*toyIn+j] * float64(v)
		}
		if h[i] = max(0, h[i]); mask != nil {
			h[i] *= float64(mask[i])
		}
	}
	out, total := make([]float64, toyClasses), 0.0
	for k := range out {
		out[k] = p["b"][k]
		for i, v := range h {
			out[k] += p["W"][k*toyHidden+i] * v
		}
		total += math.Exp(out[k])
	}
	for k := range out {
		out[k] -= math.Log(total)
	}
	return out
}

// gradient is that of the mean loss, by central differences.
func (l toyLoss) gradient(p toyParams, x, targets []float32) toyParams {
	const h = 1e-6
	out := toyParams{}
	for name, values := range p {
		for i, v := range values {
			values[i] = v + h
			up := l.mean(p, x, targets)
			values[i] = v - h
			out[name] = append(out[name], (up-l.mean(p, x, targets))/(2*h))
			values[i] = v
		}
	}
	return out
}

// oneHot are targets of labels; -1 is none.
func oneHot(labels ...int) []float32 {
	out := make([]float32, len(labels)*toyClasses)
	for i, k := range labels {
		if k >= 0 {
			out[i*toyClasses+k] = 1
		}
	}
	return out
}
