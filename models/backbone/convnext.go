package backbone

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// convnext is torchvision's ConvNeXt: depthwise convolutions of 7x7, normalised over channels, each followed by two linear layers.
type convnext struct {
	widths []int64
	blocks []int
}

func (c convnext) build(b *builder) graph.Value {
	x := b.conv(b.picture(), "features.0.0", conv{out: c.widths[0], kernel: 4, stride: 4, bias: true})
	x = b.channelNorm(x, "features.0.1")
	for stage, blocks := range c.blocks {
		if stage > 0 {
			name := fmt.Sprintf("features.%d", 2*stage)
			x = b.conv(b.channelNorm(x, name+".0"), name+".1", conv{out: c.widths[stage], kernel: 2, stride: 2, bias: true})
		}
		for i := range blocks {
			x = c.block(b, x, fmt.Sprintf("features.%d.%d", 2*stage+1, i))
		}
	}
	return b.head(b.layerNorm(b.pooled(x), "classifier.0", 1e-6), "classifier.2")
}

// channelNorm is a LayerNorm over the channels of [N, C, H, W].
func (b *builder) channelNorm(x graph.Value, name string) graph.Value {
	return b.channelsFirst(b.layerNorm(b.channelsLast(x, name+".last"), name, 1e-6), name+".first")
}

func (b *builder) channelsLast(x graph.Value, name string) graph.Value {
	return b.op(name, "Transpose", []graph.Value{x}, graph.A("perm", []int64{0, 2, 3, 1}))
}

func (b *builder) channelsFirst(x graph.Value, name string) graph.Value {
	return b.op(name, "Transpose", []graph.Value{x}, graph.A("perm", []int64{0, 3, 1, 2}))
}

// block is x + scale f(x). Whole blocks are dropped in training alone.
func (c convnext) block(b *builder, x graph.Value, name string) graph.Value {
	width := b.channels(x)
	scale := b.param(name+".layer_scale", constant(1e-6), width, 1, 1)
	depthwise := same(width, 7, 1)
	depthwise.groups, depthwise.bias = width, true
	y := b.channelsLast(b.conv(x, name+".block.0", depthwise), name+".block.1")
	y = b.linear(b.layerNorm(y, name+".block.2", 1e-6), name+".block.3", 4*width)
	y = b.linear(b.gelu(y, name+".block.4"), name+".block.5", width)
	y = b.op(name+".scaled", "Mul", []graph.Value{b.channelsFirst(y, name+".block.6"), scale})
	return b.add(x, y, name)
}
