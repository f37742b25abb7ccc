package autodiff

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// batchNorm with given statistics: y = scale (x - mean) / sqrt(var + eps) + bias, per channel (axis 1). Statistics may be results of the
// graph themselves, of the batch or blended with the source's, which is why they have adjoints too; rows of a batch that each have their
// own scale are channels of one row after a Reshape.
func batchNorm(c *call) ([]graph.Value, error) {
	rank, err := c.rank(c.x())
	if err != nil {
		return nil, err
	}
	if c.n.Int("training_mode", 0) != 0 {
		return c.batchNormTraining(rank)
	}
	x, scale, mean, variance, dy := c.x(), c.in(1), c.in(3), c.in(4), c.dy()
	r := c.op("Reciprocal", c.op("Sqrt", c.plus(variance, c.attr("epsilon", 1e-5))))
	factor := c.mul(scale, r) // constant where scale and variance are: engines fold it
	out := make([]graph.Value, 5)
	if c.needs(0) {
		out[0] = c.mul(dy, c.perChannel(factor, rank))
	}
	sum := graph.None
	if c.needs(1) || c.needs(2) || c.needs(3) || c.needs(4) {
		sum = c.sumChannels(dy, rank)
	}
	out[2] = sum
	if c.needs(1) || c.needs(4) {
		// sum(dy (x - mean)) without a copy of x - mean.
		centred := c.sub(c.sumChannels(c.mul(dy, x), rank), c.mul(mean, sum))
		out[1] = c.mul(r, centred)
		if c.needs(4) {
			out[4] = c.times(c.mul(c.mul(factor, c.square(r)), centred), -0.5)
		}
	}
	if c.needs(3) {
		out[3] = c.neg(c.mul(factor, sum))
	}
	return out, nil
}

// otherAxes are those that statistics of a batch go over: all but axis 1.
func otherAxes(rank int) []int64 {
	return append([]int64{0}, upTo(2, rank)...)
}

// sumChannels returns sums per channel, a vector.
func (c *call) sumChannels(v graph.Value, rank int) graph.Value {
	return c.reduce("ReduceSum", v, false, otherAxes(rank))
}

// perChannel shapes a vector so that it broadcasts along axis 1.
func (c *call) perChannel(v graph.Value, rank int) graph.Value {
	if rank == 2 {
		return v
	}
	return c.op("Unsqueeze", v, c.g.Ints(upTo(1, rank-1)...))
}

// batchNormTraining takes statistics from the batch. The new running statistics are for the next run; no loss depends on them.
func (c *call) batchNormTraining(rank int) ([]graph.Value, error) {
	for i := 1; i < len(c.dys); i++ {
		if c.dys[i] != graph.None {
			return nil, fmt.Errorf("no rule for the running statistics as part of a loss")
		}
	}
	if c.attr("momentum", 0.9) == 0 {
		return c.batchNormMeasured(rank), nil
	}
	axes := otherAxes(rank)
	hat, r := c.standardise(c.x(), axes, c.attr("epsilon", 1e-5))
	out := make([]graph.Value, 3)
	if c.needs(0) {
		out[0] = c.normBack(hat, r, c.mul(c.dy(), c.perChannel(c.in(1), rank)), axes)
	}
	if c.needs(1) {
		out[1] = c.sumChannels(c.mul(c.dy(), hat), rank)
	}
	if c.needs(2) {
		out[2] = c.sumChannels(c.dy(), rank)
	}
	return out, nil
}

// batchNormMeasured: with a momentum of 0 the operator gives out the statistics of the batch themselves. With A = scale r, n numbers in a
// channel and hat = (x - mean) r the adjoint of x is
//
//	A (dy - sum(dy)/n - hat sum(dy hat)/n) = A dy + B (x - mean) + C    B = -A r sum(dy hat)/n, C = -A sum(dy)/n
//
// of which the operator itself computes all but A dy in one pass over x - mean.
func (c *call) batchNormMeasured(rank int) []graph.Value {
	x, scale, dy := c.x(), c.in(1), c.dy()
	mean, variance := c.g.AddOutput(c.n, 1, "batch_mean"), c.g.AddOutput(c.n, 2, "batch_variance")
	centred := c.sub(x, c.perChannel(mean, rank))
	r := c.op("Reciprocal", c.op("Sqrt", c.plus(variance, c.attr("epsilon", 1e-5))))
	sum := c.sumChannels(dy, rank)
	along := c.mul(r, c.sumChannels(c.mul(dy, centred), rank)) // sum(dy hat)
	out := []graph.Value{graph.None, along, sum}
	if c.needs(0) {
		n := c.div(c.cast(c.op("Size", x), x), c.cast(c.op("Size", mean), x))
		a := c.mul(scale, r)
		b := c.neg(c.div(c.mul(c.mul(a, r), along), n))
		shift := c.neg(c.div(c.mul(a, sum), n))
		zero := c.times(variance, 0)
		rest := c.opWith("BatchNormalization", []graph.Attr{graph.A("epsilon", 0.0)}, centred, b, shift, zero, c.plus(zero, 1))
		out[0] = c.add(c.mul(dy, c.perChannel(a, rank)), rest)
	}
	return out
}

// standardise returns (x - mean) r and r = 1/sqrt(var + eps), statistics over axes, which r keeps with size 1. It is written out: engines
// refuse or restrict BatchNormalization in training mode.
func (c *call) standardise(x graph.Value, axes []int64, eps float64) (hat, r graph.Value) {
	centred := c.sub(x, c.mean(x, axes...))
	r = c.op("Reciprocal", c.op("Sqrt", c.plus(c.mean(c.square(centred), axes...), eps)))
	return c.mul(centred, r), r
}

// normBack hands the adjoint of the standardised values on: r (d - mean(d) - hat mean(d hat)).
func (c *call) normBack(hat, r, d graph.Value, axes []int64) graph.Value {
	along := c.mul(hat, c.mean(c.mul(d, hat), axes...))
	return c.mul(r, c.sub(c.sub(d, c.mean(d, axes...)), along))
}

// layerNorm: statistics over the axes from the attribute on; scale and bias broadcast to x.
func layerNorm(c *call) ([]graph.Value, error) {
	for i := 1; i < len(c.dys); i++ {
		if c.dys[i] != graph.None {
			return nil, fmt.Errorf("no rule for mean and deviation as part of a loss")
		}
	}
	first, err := c.axis(c.n.Int("axis", -1), c.x())
	if err != nil {
		return nil, err
	}
	rank, _ := c.rank(c.x())
	axes := upTo(int(first), rank)
	hat, r := c.layerStandardise(axes)
	dy := c.dy()
	out := []graph.Value{graph.None, graph.None, dy}
	if c.needs(0) {
		out[0] = c.normBack(hat, r, c.mul(dy, c.in(1)), axes)
	}
	if c.needs(1) {
		out[1] = c.mul(dy, hat)
	}
	return out, nil
}

// layerStandardise uses the operator with scale 1, which returns r as well: one pass over x where six nodes would make more. It cannot
// where the sizes are open, or where the operator keeps r in another precision.
func (c *call) layerStandardise(axes []int64) (hat, r graph.Value) {
	x := c.x()
	eps := c.attr("epsilon", 1e-5)
	sizes, err := c.sizes(x, int(axes[0]))
	stash := graph.DType(c.n.Int("stash_type", int64(graph.Float32)))
	ones, full := graph.Full(c.elem(x), 1, sizes...)
	if err != nil || full != nil || stash != c.elem(x) {
		return c.standardise(x, axes, eps)
	}
	outs := c.g.Append(graph.Node{
		Op: "LayerNormalization", Inputs: []graph.Value{x, c.g.Const("ones", ones)},
		Attrs: []graph.Attr{graph.A("axis", axes[0]), graph.A("epsilon", eps), graph.A("stash_type", stash)},
	}, "hat", "", "inverse_deviation").Outputs
	return outs[0], outs[2]
}

// rmsNorm: y = scale x r with r = 1/sqrt(mean(x^2) + eps).
func rmsNorm(c *call) ([]graph.Value, error) {
	first, err := c.axis(c.n.Int("axis", -1), c.x())
	if err != nil {
		return nil, err
	}
	rank, _ := c.rank(c.x())
	axes := upTo(int(first), rank)
	x, dy := c.x(), c.dy()
	r := c.op("Reciprocal", c.op("Sqrt", c.plus(c.mean(c.square(x), axes...), c.attr("epsilon", 1e-5))))
	hat := c.mul(x, r)
	out := make([]graph.Value, 2)
	if c.needs(0) {
		d := c.mul(dy, c.in(1))
		out[0] = c.mul(r, c.sub(d, c.mul(hat, c.mean(c.mul(d, hat), axes...))))
	}
	if c.needs(1) {
		out[1] = c.mul(dy, hat)
	}
	return out, nil
}

// instanceNorm: statistics of each channel of each row; scale and bias per channel.
func instanceNorm(c *call) ([]graph.Value, error) {
	rank, err := c.rank(c.x())
	if err != nil {
		return nil, err
	}
	axes := upTo(2, rank)
	hat, r := c.standardise(c.x(), axes, c.attr("epsilon", 1e-5))
	return c.affineBack(rank, hat, func(d graph.Value) graph.Value { return c.normBack(hat, r, d, axes) }), nil
}

// groupNorm: statistics of groups of channels of each row; scale and bias per channel, as since operator set 21.
func groupNorm(c *call) ([]graph.Value, error) {
	x := c.x()
	rank, err := c.rank(x)
	if err != nil {
		return nil, err
	}
	groups := fixed(c.n.Int("num_groups", 1))
	grouped := func(v graph.Value) graph.Value { return c.reshape(v, c.dim(x, 0), groups, fixed(-1)) }
	axes := []int64{2}
	hat, r := c.standardise(grouped(x), axes, c.attr("epsilon", 1e-5))
	return c.affineBack(rank, c.reshapeLike(hat, x), func(d graph.Value) graph.Value {
		return c.reshapeLike(c.normBack(hat, r, grouped(d), axes), x)
	}), nil
}

// affineBack is the part of scale and bias per channel; back hands the adjoint of the standardised values on.
func (c *call) affineBack(rank int, hat graph.Value, back func(d graph.Value) graph.Value) []graph.Value {
	dy := c.dy()
	out := make([]graph.Value, 3)
	if c.needs(0) {
		out[0] = back(c.mul(dy, c.perChannel(c.in(1), rank)))
	}
	if c.needs(1) {
		out[1] = c.sumChannels(c.mul(dy, hat), rank)
	}
	if c.needs(2) {
		out[2] = c.sumChannels(dy, rank)
	}
	return out
}

// lpNorm: y = x / |x| along an axis.
func lpNorm(c *call) ([]graph.Value, error) {
	axis := c.n.Int("axis", -1)
	x, y, dy := c.x(), c.y(), c.dy()
	along := c.sum(c.mul(dy, y), axis)
	if c.n.Int("p", 2) == 1 {
		norm := c.sum(c.op("Abs", x), axis)
		return []graph.Value{c.div(c.sub(dy, c.mul(c.op("Sign", x), along)), norm)}, nil
	}
	norm := c.op("Sqrt", c.sum(c.square(x), axis))
	return []graph.Value{c.div(c.sub(dy, c.mul(y, along)), norm)}, nil
}
