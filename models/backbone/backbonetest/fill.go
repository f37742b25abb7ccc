package backbonetest

import (
	"math"
	"strings"

	"github.com/oatta/oatta/models/backbone"
)

// K returns n numbers of 24 bits that a name decides: FNV-1a of the name seeds SplitMix64.
func K(name string, n int) []uint32 {
	seed := uint64(0xcbf29ce484222325)
	for _, b := range []byte(name) {
		seed = (seed ^ uint64(b)) * 0x100000001b3
	}
	out := make([]uint32, n)
	for i := range out {
		x := seed + uint64(i+1)*0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		out[i] = uint32((x ^ x>>31) >> 40)
	}
	return out
}

// Uniform returns n numbers in [-1, 1) that a name decides; they are exact in float32.
func Uniform(name string, n int) []float64 {
	out := make([]float64, n)
	for i, k := range K(name, n) {
		out[i] = float64(k)*0x1p-23 - 1
	}
	return out
}

// Values returns the elements that the reference gives a tensor.
func Values(name string, dims ...int64) []float32 {
	count, fan := 1, 1.0
	for i, d := range dims {
		count *= int(d)
		if i > 0 {
			fan *= float64(d)
		}
	}
	scale := scaleOf(name, len(dims), math.Sqrt(3/fan))
	out := make([]float32, count)
	for i, u := range Uniform(name, count) {
		out[i] = float32(scale(u))
	}
	return out
}

// scaleOf returns what becomes of a number in [-1, 1). The first rule that fits the name decides.
func scaleOf(name string, rank int, spread float64) func(u float64) float64 {
	last := name[strings.LastIndexByte(name, '.')+1:]
	around := func(mean, by float64) func(u float64) float64 {
		return func(u float64) float64 { return mean + float64(by*u) } // rounded on its own: no fused multiply-add
	}
	switch {
	case strings.HasSuffix(name, "running_mean"):
		return around(0, 0.1)
	case strings.HasSuffix(name, "running_var"):
		return func(u float64) float64 { return 1 + float64(0.5*math.Abs(u)) }
	case last == "layer_scale":
		return around(0.25, 0.1)
	case strings.HasSuffix(name, "embeddings.weight") || last == "class_token" || last == "pos_embedding":
		return around(0, 0.5)
	case rank >= 2:
		return around(0, spread)
	case strings.HasSuffix(name, "bias"):
		return around(0, 0.1)
	}
	return around(1, 0.1)
}

// Fill gives all tensors of a network the elements that the reference gives them.
func Fill(n *backbone.Net) error {
	for _, t := range n.Tensors {
		if err := n.Set(t.Name, Values(t.Name, t.Dims...)); err != nil {
			return err
		}
	}
	return nil
}
