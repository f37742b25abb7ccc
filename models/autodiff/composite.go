package autodiff

import (
	"fmt"
	"math"

	"github.com/oatta/oatta/models/graph"
)

// composed makes the rule of an operator that does what several plainer ones do: body writes those down once more, and the adjoints are
// taken of them. What the adjoints do not need of them is pruned.
func composed(body func(c *call, in []graph.Value) (graph.Value, error)) rule {
	return func(c *call) ([]graph.Value, error) {
		in := make([]graph.Value, len(c.n.Inputs))
		var wrt []graph.Value
		for i, v := range c.n.Inputs {
			if in[i] = v; c.needs(i) {
				in[i] = c.op("Identity", v) // one value may be given for several inputs, each of which has an adjoint of its own
				wrt = append(wrt, in[i])
			}
		}
		y, err := body(c, in)
		if err != nil {
			return nil, err
		}
		if err := c.g.Err(); err != nil {
			return nil, err
		}
		dx, err := Pullback(c.g, []graph.Value{y}, []graph.Value{c.dy()}, wrt)
		if err != nil {
			return nil, err
		}
		out := make([]graph.Value, len(in))
		for i := range out {
			if c.needs(i) {
				out[i], dx = dx[0], dx[1:]
			}
		}
		return out, nil
	}
}

// fusedMatMul: alpha a' b', where either may be transposed.
func fusedMatMul(c *call, in []graph.Value) (graph.Value, error) {
	if c.n.Int("transBatchA", 0) != 0 || c.n.Int("transBatchB", 0) != 0 {
		return graph.None, fmt.Errorf("no rule for transBatchA and transBatchB")
	}
	var sides [2]graph.Value
	for i, name := range []string{"transA", "transB"} {
		rank, err := c.rank(in[i])
		if err != nil {
			return graph.None, err
		}
		if sides[i] = in[i]; c.n.Int(name, 0) != 0 && rank > 1 {
			sides[i] = c.swapLast(in[i], rank)
		}
	}
	return c.times(c.op("MatMul", sides[0], sides[1]), c.attr("alpha", 1)), nil
}

// standardised is MeanVarianceNormalization: x less its mean, over its standard deviation.
func standardised(c *call, in []graph.Value) (graph.Value, error) {
	axes := c.n.Ints("axes")
	if axes == nil {
		axes = []int64{0, 2, 3}
	}
	centred := c.sub(in[0], c.mean(in[0], axes...))
	deviation := c.op("Sqrt", c.mean(c.square(centred), axes...))
	return c.div(centred, c.plus(deviation, 1e-9)), nil
}

// attention: softmax(scale q k' + mask) v for each head, of operator set 23. q: [N, H, L, D], k: [N, H, S, D], v: [N, H, S, E], or each
// with its heads side by side, [N, L, H*D].
func attention(c *call, in []graph.Value) (graph.Value, error) {
	if c.has(4) || c.has(5) || c.n.Float("softcap", 0) != 0 || c.dy() == graph.None {
		return graph.None, fmt.Errorf("no rule for past keys and values, softcap, or a loss of other results than the first")
	}
	heads := c.n.Int("q_num_heads", 0)
	if kv := c.n.Int("kv_num_heads", heads); kv != heads {
		return graph.None, fmt.Errorf("no rule for %d heads of keys under %d of queries", kv, heads)
	}
	flat := len(c.shape(in[0])) == 3
	var qkv [3]graph.Value
	for i := range qkv {
		if qkv[i] = in[i]; flat {
			if heads < 1 {
				return graph.None, fmt.Errorf("attribute q_num_heads: %d", heads)
			}
			qkv[i] = c.splitHeads(in[i], heads)
		}
	}
	scores, err := c.attentionScores(qkv[0], qkv[1], in)
	if err != nil {
		return graph.None, err
	}
	out := c.op("MatMul", c.op("Softmax", scores), qkv[2])
	if flat {
		out = c.reshapeLike(c.transpose(out, 0, 2, 1, 3), c.y())
	}
	return out, nil
}

// splitHeads brings [N, L, H*D] to [N, H, L, D].
func (c *call) splitHeads(v graph.Value, heads int64) graph.Value {
	v = c.reshape(v, c.dim(v, 0), c.dim(v, 1), fixed(heads), c.part(c.dim(v, 2), heads))
	return c.transpose(v, 0, 2, 1, 3)
}

// part returns d/n.
func (c *call) part(d dim, n int64) dim {
	if d.v == graph.None {
		return fixed(d.n / n)
	}
	return dim{v: c.div(d.v, c.g.Ints(n))}
}

// masked is what is added to a score that is not to count: its weight is 0 in any floating-point type but half precision's.
const masked = -1e30

func (c *call) attentionScores(q, k graph.Value, in []graph.Value) (graph.Value, error) {
	depth, err := c.sizes(q, 3)
	if err != nil {
		return graph.None, err
	}
	scale := c.attr("scale", float32(1/math.Sqrt(float64(depth[0]))))
	scores := c.times(c.op("MatMul", q, c.transpose(k, 0, 1, 3, 2)), scale)
	if c.has(3) {
		mask := in[3]
		if c.elem(mask) == graph.Bool {
			mask = c.op("Where", mask, c.num(0, q), c.num(masked, q))
		}
		scores = c.add(scores, mask)
	}
	if c.n.Int("is_causal", 0) == 0 {
		return scores, nil
	}
	sizes, err := c.sizes(scores, 2)
	if err != nil {
		return graph.None, fmt.Errorf("attribute is_causal: %w", err)
	}
	values := make([]float64, sizes[0]*sizes[1])
	for i := range sizes[0] {
		for j := i + 1; j < sizes[1]; j++ {
			values[i*sizes[1]+j] = masked
		}
	}
	t, err := graph.Rounded(c.elem(q), values, sizes...)
	if err != nil {
		return graph.None, err
	}
	return c.add(scores, c.g.Const("causal", t)), nil
}
