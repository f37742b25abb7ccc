package backbone

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// efficientnet is EfficientNet-Lite, with the names of its first port to PyTorch: blocks are numbered through, activations are
// bounded by 6, and convolutions are padded as TensorFlow does.
type efficientnet struct{ stages []liteStage }

// liteStage is blocks of one width; the first has the stride.
type liteStage struct {
	blocks                     int
	kernel, stride, expand, to int64
}

// liteEpsilon is TensorFlow's for batch normalisation.
const liteEpsilon = 1e-3

func (e efficientnet) build(b *builder) graph.Value {
	x := b.relu6(b.liteConv(b.picture(), "_conv_stem", "_bn0", conv{out: 32, kernel: 3, stride: 2}), "_stem")
	index := 0
	for _, s := range e.stages {
		for i := range s.blocks {
			if i > 0 {
				s.stride = 1
			}
			x = s.block(b, x, fmt.Sprintf("_blocks.%d", index))
			index++
		}
	}
	x = b.relu6(b.liteConv(x, "_conv_head", "_bn1", conv{out: 1280, kernel: 1, stride: 1}), "_head")
	return b.head(b.pooled(x), "_fc")
}

// block expands, filters each channel by itself, and projects.
func (s liteStage) block(b *builder, x graph.Value, name string) graph.Value {
	in, y := b.channels(x), x
	wide := in * s.expand
	if s.expand > 1 {
		y = b.relu6(b.liteConv(y, name+"._expand_conv", name+"._bn0", conv{out: wide, kernel: 1}), name+".expanded")
	}
	y = b.relu6(b.liteConv(y, name+"._depthwise_conv", name+"._bn1", conv{out: wide, kernel: s.kernel, stride: s.stride, groups: wide}), name+".filtered")
	y = b.liteConv(y, name+"._project_conv", name+"._bn2", conv{out: s.to, kernel: 1})
	if s.stride == 1 && in == s.to {
		y = b.add(y, x, name)
	}
	return y
}

// liteConv pads so that the output has size/stride elements, rounded up, with the odd zero behind.
func (b *builder) liteConv(x graph.Value, name, norm string, c conv) graph.Value {
	size, stride := b.size(x, 2), max(1, c.stride)
	zeros := max(0, ((size+stride-1)/stride-1)*stride+c.kernel-size)
	c.before, c.after = zeros/2, zeros-zeros/2
	return b.batchNorm(b.conv(x, name, c), norm, liteEpsilon)
}

func (b *builder) relu6(x graph.Value, name string) graph.Value {
	return b.op(name, "Clip", []graph.Value{x, b.g.Scalar(graph.Float32, 0), b.g.Scalar(graph.Float32, 6)})
}
