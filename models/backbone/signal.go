package backbone

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// cnn1d is three convolutions over time with pools between them.
type cnn1d struct{ layers []conv }

func (c cnn1d) build(b *builder) graph.Value {
	x := b.signal()
	for i, l := range c.layers {
		if i > 0 {
			x = b.maxPool(x, fmt.Sprintf("pool%d", i), 2, 2, 0)
		}
		name := fmt.Sprintf("block%d", i+1)
		x = b.relu(b.bn(b.conv(x, name+".conv", l), name+".bn"), name)
	}
	return b.head(b.pooled(x), "fc")
}

// tcn is residual blocks of two causal convolutions, whose dilation doubles from block to block.
type tcn struct{ width, kernel int64 }

func (t tcn) build(b *builder) graph.Value {
	x := b.signal()
	for level := range b.opts.Levels {
		x = t.block(b, x, fmt.Sprintf("blocks.%d", level), 1<<level)
	}
	return b.head(b.pooled(x), "fc")
}

// block has a ReLU before the sum and one after it.
func (t tcn) block(b *builder, x graph.Value, name string, dilation int64) graph.Value {
	causal := conv{out: t.width, kernel: t.kernel, dilation: dilation, before: (t.kernel - 1) * dilation}
	y := x
	for _, i := range []string{"1", "2"} {
		y = b.relu(b.bn(b.conv(y, name+".conv"+i, causal), name+".bn"+i), name+".relu"+i)
	}
	if b.channels(x) != t.width {
		x = b.conv(x, name+".downsample", conv{out: t.width, kernel: 1, bias: true})
	}
	return b.relu(b.add(y, x, name+".add"), name)
}
