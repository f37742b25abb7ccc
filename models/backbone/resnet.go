package backbone

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// resnet describes a residual network for pictures or, with the same kernels along one axis, for signals.
type resnet struct {
	stem       int64 // kernel of the first convolution
	reduce     bool  // the stem halves the size, and a pool behind it once more
	width      int64 // channels of the first stage; each further stage has twice as many
	blocks     []int // of each stage
	bottleneck bool  // blocks of three convolutions with four times the channels at their end; the stride is in the middle (v1.5)
	padded     bool  // shortcuts are every other pixel and channels of zeros (option A), without tensors
	signal     bool
	head       string
}

func (r resnet) build(b *builder) graph.Value {
	x := b.signalOr(r.signal)
	if r.reduce {
		x = b.relu(b.bn(b.conv(x, "conv1", same(r.width, r.stem, 2)), "bn1"), "relu")
		x = b.maxPool(x, "maxpool", 3, 2, 1)
	} else {
		x = b.relu(b.bn(b.conv(x, "conv1", same(r.width, r.stem, 1)), "bn1"), "relu")
	}
	for stage, blocks := range r.blocks {
		for i := range blocks {
			stride := int64(1)
			if stage > 0 && i == 0 {
				stride = 2
			}
			x = r.block(b, x, fmt.Sprintf("layer%d.%d", stage+1, i), r.width<<stage, stride)
		}
	}
	return b.head(b.pooled(x), r.head)
}

func (b *builder) signalOr(signal bool) graph.Value {
	if signal {
		return b.signal()
	}
	return b.picture()
}

// block is ReLU(f(x) + shortcut(x)).
func (r resnet) block(b *builder, x graph.Value, name string, width, stride int64) graph.Value {
	layers := []conv{same(width, 3, stride), same(width, 3, 1)}
	if r.bottleneck {
		layers = []conv{same(width, 1, 1), same(width, 3, stride), same(4*width, 1, 1)}
	}
	y := x
	for i, c := range layers {
		y = b.bn(b.conv(y, fmt.Sprintf("%s.conv%d", name, i+1), c), fmt.Sprintf("%s.bn%d", name, i+1))
		if i < len(layers)-1 {
			y = b.relu(y, fmt.Sprintf("%s.relu%d", name, i+1))
		}
	}
	return b.relu(b.add(y, r.shortcut(b, x, name+".downsample", b.channels(y), stride), name+".add"), name)
}

func (r resnet) shortcut(b *builder, x graph.Value, name string, out, stride int64) graph.Value {
	in := b.channels(x)
	switch {
	case stride == 1 && in == out:
		return x
	case !r.padded:
		return b.bn(b.conv(x, name+".0", same(out, 1, stride)), name+".1")
	}
	h, w := b.size(x, 2), b.size(x, 3)
	x = b.op(name+".pixels", "Slice", []graph.Value{x, b.g.Ints(0, 0), b.g.Ints(h, w), b.g.Ints(2, 3), b.g.Ints(stride, stride)})
	front := (out - in) / 2
	return b.op(name, "Pad", []graph.Value{x, b.g.Ints(0, front, 0, 0, 0, out-in-front, 0, 0)})
}
