package oracle

import (
	"math"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// perChannel checks that inputs have one element per channel (axis 1) of input 0. A vector is a batch of one channel.
func (c *call) perChannel(inputs ...int) (channels, area int) {
	c.allFloats()
	dims := c.in[0].Dims
	channels, area = 1, 1
	if len(dims) == 0 {
		panic(failf("input 0 is a scalar"))
	}
	if len(dims) > 1 {
		channels, area = int(dims[1]), product(dims[2:])
	}
	for _, i := range inputs {
		if t := c.in[i]; len(t.Dims) != 1 || t.size() != channels {
			panic(failf("input %d has shape %v for %d channels", i, t.Dims, channels))
		}
	}
	return channels, area
}

// batchNorm: y = scale (x - mean) / sqrt(var + epsilon) + bias, per channel. In training mode mean and variance are those of the batch, and
// outputs 1 and 2 are momentum times the given ones plus 1-momentum times these.
func batchNorm(c *call) []Tensor {
	channels, area := c.perChannel(1, 2, 3, 4)
	x, mean, variance := c.in[0], c.in[3], c.in[4]
	out := make([]Tensor, 1, 3)
	if c.n.Int("training_mode", 0) != 0 {
		mean, variance = c.batchMoments(channels, area)
		momentum := c.float("momentum", 0.9)
		for i, batch := range []Tensor{mean, variance} {
			running := c.make(c.in[3+i].Elem, batch.Dims)
			for j, v := range batch.F {
				running.F[j] = momentum*c.in[3+i].F[j] + (1-momentum)*v
			}
			out = append(out, running)
		}
	}
	y := c.make(x.Elem, x.Dims)
	epsilon := c.float("epsilon", 1e-5)
	for i, v := range x.F {
		k := i / area % channels
		y.F[i] = c.in[1].F[k]*(v-mean.F[k])/math.Sqrt(variance.F[k]+epsilon) + c.in[2].F[k]
	}
	out[0] = y
	return out
}

// batchMoments returns mean and (biased) variance of each channel over batch and space. A second pass for the variance, since a difference
// of sums would lose the digits that central differences are made of.
func (c *call) batchMoments(channels, area int) (mean, variance Tensor) {
	x := c.in[0]
	mean = c.make(x.Elem, []int64{int64(channels)})
	variance = c.make(x.Elem, mean.Dims)
	n := float64(len(x.F) / max(1, channels))
	for i, v := range x.F {
		mean.F[i/area%channels] += v / n
	}
	for i, v := range x.F {
		d := v - mean.F[i/area%channels]
		variance.F[i/area%channels] += d * d / n
	}
	return mean, variance
}

// normalise subtracts the mean of each run of n elements and divides by sqrt(variance + epsilon); it returns means and inverse deviations.
// In row-major order the axes of every such norm, from one on to the last, are runs.
func normalise(y, x []float64, n int, epsilon float64, centre bool) (means, inverse []float64) {
	for first := 0; n > 0 && first < len(x); first += n {
		part := x[first : first+n]
		mean, variance := 0.0, 0.0
		if centre {
			for _, v := range part {
				mean += v
			}
			mean /= float64(n)
		}
		for _, v := range part {
			variance += (v - mean) * (v - mean)
		}
		inv := 1 / math.Sqrt(variance/float64(n)+epsilon)
		for i, v := range part {
			y[first+i] = (v - mean) * inv
		}
		means, inverse = append(means, mean), append(inverse, inv)
	}
	return means, inverse
}

// layerNorm normalises over the axes from axis on; scale and bias broadcast. Outputs 1 and 2 are mean and inverse standard deviation.
// centre: false for RMSNormalization.
func layerNorm(centre bool) func(*call) []Tensor {
	return func(c *call) []Tensor {
		c.allFloats()
		x := c.in[0]
		a := axis(c.n.Int("axis", -1), len(x.Dims))
		y := c.make(x.Elem, x.Dims)
		means, inverse := normalise(y.F, x.F, product(x.Dims[a:]), c.float("epsilon", 1e-5), centre)
		c.affine(y)
		stash := graph.DType(c.n.Int("stash_type", int64(graph.Float32)))
		if !stash.IsFloat() {
			panic(failf("attribute stash_type: %v", stash))
		}
		dims := slices.Clone(x.Dims)
		for i := a; i < len(dims); i++ {
			dims[i] = 1
		}
		if n, _ := elements(dims, math.MaxInt64); int(n) != len(means) {
			panic(failf("input 0 has shape %v: nothing to normalise", x.Dims))
		}
		return []Tensor{y, {Elem: stash, Dims: dims, F: means}, {Elem: stash, Dims: dims, F: inverse}}
	}
}

// affine multiplies y by input 1 and adds input 2, both broadcast to y.
func (c *call) affine(y Tensor) {
	scale := c.stretched(c.in[1], y.Dims)
	for i := range y.F {
		y.F[i] *= scale.F[i]
	}
	c.addScaled(y, 2, 1)
}

// instanceNorm normalises each channel of each picture.
func instanceNorm(c *call) []Tensor {
	channels, area := c.perChannel(1, 2)
	return c.normGroups(channels, area, area)
}

// groupNorm normalises runs of channels of each picture. Scale and bias are per channel.
func groupNorm(c *call) []Tensor {
	channels, area := c.perChannel(1, 2)
	groups := c.n.Int("num_groups", 0)
	if groups < 1 || int64(channels)%groups != 0 {
		panic(failf("%d channels in %d groups", channels, groups))
	}
	return c.normGroups(channels, area, channels/int(groups)*area)
}

func (c *call) normGroups(channels, area, n int) []Tensor {
	x := c.in[0]
	y := c.make(x.Elem, x.Dims)
	normalise(y.F, x.F, n, c.float("epsilon", 1e-5), true)
	for i, v := range y.F {
		k := i / area % channels
		y.F[i] = v*c.in[1].F[k] + c.in[2].F[k]
	}
	return one(y)
}

// lpNormalization divides by the 1- or 2-norm along an axis; what has norm 0 stays 0.
func lpNormalization(c *call) []Tensor {
	x, y, r := c.alongAxis()
	p := float64(c.n.Int("p", 2))
	r.each(func(first int) {
		sum := 0.0
		for j := range r.n {
			sum += math.Pow(math.Abs(x.F[first+j*r.inner]), p)
		}
		for j := range r.n {
			if sum != 0 {
				y.F[first+j*r.inner] = x.F[first+j*r.inner] / math.Pow(sum, 1/p)
			}
		}
	})
	return one(y)
}

// meanVariance is MeanVarianceNormalization: over the axes of the attribute, without epsilon but with 1e-9 beside the deviation.
func meanVariance(c *call) []Tensor {
	x := c.floats(0)
	list := c.n.Ints("axes")
	if list == nil {
		list = []int64{0, 2, 3}
	}
	where := axes(list, len(x.Dims))
	ones, _ := shrunk(x.Dims, where, true)
	into := c.groups(x.Dims, ones)
	mean := reduceMean.evalFloats(c, x, ones, ones)
	y := c.make(x.Elem, x.Dims)
	for i, v := range x.F {
		y.F[i] = v - mean.F[into[i]]
	}
	square := reduceSumSquare.evalFloats(c, y, ones, ones)
	if len(y.F) == 0 {
		return one(y)
	}
	n := float64(len(y.F) / len(square.F))
	for i := range y.F {
		y.F[i] /= math.Sqrt(square.F[into[i]]/n) + 1e-9
	}
	return one(y)
}
