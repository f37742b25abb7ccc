package backbone

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// family is a description of networks that are built alike.
type family interface {
	build(b *builder) graph.Value // the logits, or what Options.Embed wants
}

// builder appends layers to a graph. Names are those of the modules of the reference implementation; values between them are
// named after the module that computes them.
type builder struct {
	g     *graph.Graph
	net   *Net
	opts  Options
	style style
}

func (b *builder) op(name, op string, inputs []graph.Value, attrs ...graph.Attr) graph.Value {
	return b.g.Append(graph.Node{Name: name, Op: op, Inputs: inputs, Attrs: attrs}, name).Outputs[0]
}

// tensor adds a named tensor, to be filled by the fresh initialisation.
func (b *builder) tensor(t Tensor) graph.Value {
	t.Value = b.g.Param(t.Name, t.initial(b.opts.Seed))
	b.g.SetParam(t.Value, !t.Buffer)
	b.net.Tensors = append(b.net.Tensors, t)
	return t.Value
}

func (b *builder) param(name string, fresh distribution, dims ...int64) graph.Value {
	return b.tensor(Tensor{Name: name, Dims: dims, fresh: fresh})
}

// channels returns the size of axis 1.
func (b *builder) channels(x graph.Value) int64 { return b.size(x, 1) }

// size returns a size that this package chose.
func (b *builder) size(x graph.Value, axis int) int64 {
	s := b.g.TypeOf(x).Shape
	if axis < 0 {
		axis += len(s)
	}
	if axis < 0 || axis >= len(s) {
		return 1 // the graph has recorded an error, which New returns
	}
	return s[axis].Size
}

// picture is the input of C x H x W.
func (b *builder) picture() graph.Value {
	return b.input(b.opts.Channels, b.opts.Size, b.opts.Size)
}

// signal is the input of C x T.
func (b *builder) signal() graph.Value {
	return b.input(b.opts.Channels, b.opts.Samples)
}

func (b *builder) input(sizes ...int) graph.Value {
	shape := graph.Shape{graph.Sym("N")}
	for _, n := range sizes {
		shape = append(shape, graph.N(int64(n)))
	}
	return b.g.Input("input", graph.Type{Elem: graph.Float32, Shape: shape})
}

// conv describes a convolution, the same along every axis.
type conv struct {
	out, kernel      int64
	stride, dilation int64 // 0: 1
	before, after    int64 // zeros around
	groups           int64 // 0: 1
	bias             bool
}

// same is a convolution of odd kernel that keeps sizes, up to the stride.
func same(out, kernel, stride int64) conv {
	return conv{out: out, kernel: kernel, stride: stride, before: kernel / 2, after: kernel / 2}
}

func (b *builder) conv(x graph.Value, name string, c conv) graph.Value {
	axes := len(b.g.TypeOf(x).Shape) - 2
	all := func(v int64) []int64 { return slices.Repeat([]int64{max(1, v)}, axes) }
	groups := max(1, c.groups)
	dims := append([]int64{c.out, b.channels(x) / groups}, all(c.kernel)...)
	in, out := float64(dims[1]), float64(c.out)
	for range axes {
		in, out = in*float64(c.kernel), out*float64(c.kernel)
	}
	inputs := []graph.Value{x, b.param(name+".weight", b.style.conv(in, out), dims...)}
	if c.bias {
		inputs = append(inputs, b.param(name+".bias", b.style.bias(in), c.out))
	}
	pads := append(slices.Repeat([]int64{c.before}, axes), slices.Repeat([]int64{c.after}, axes)...)
	return b.op(name, "Conv", inputs, graph.A("kernel_shape", all(c.kernel)), graph.A("strides", all(c.stride)),
		graph.A("dilations", all(c.dilation)), graph.A("pads", pads), graph.A("group", groups))
}

// batchNorm stays an operator, with the statistics of training.
func (b *builder) batchNorm(x graph.Value, name string, epsilon float64) graph.Value {
	c := b.channels(x)
	buffer := func(name string, v float64) graph.Value {
		return b.tensor(Tensor{Name: name, Dims: []int64{c}, Buffer: true, fresh: constant(v)})
	}
	return b.op(name, "BatchNormalization", []graph.Value{
		x, b.param(name+".weight", constant(1), c), b.param(name+".bias", constant(0), c),
		buffer(name+".running_mean", 0), buffer(name+".running_var", 1),
	}, graph.A("epsilon", epsilon))
}

func (b *builder) bn(x graph.Value, name string) graph.Value { return b.batchNorm(x, name, 1e-5) }

// layerNorm is over the last axis.
func (b *builder) layerNorm(x graph.Value, name string, epsilon float64) graph.Value {
	c := b.size(x, -1)
	return b.op(name, "LayerNormalization", []graph.Value{x, b.param(name+".weight", constant(1), c), b.param(name+".bias", constant(0), c)},
		graph.A("axis", -1), graph.A("epsilon", epsilon))
}

func (b *builder) relu(x graph.Value, name string) graph.Value {
	return b.op(name, "Relu", []graph.Value{x})
}

func (b *builder) add(x, y graph.Value, name string) graph.Value {
	return b.op(name, "Add", []graph.Value{x, y})
}

// linear is over the last axis; weights are [out, in], as PyTorch has them.
func (b *builder) linear(x graph.Value, name string, out int64) graph.Value {
	in := b.size(x, -1)
	w := b.param(name+".weight", b.style.linear(float64(in), float64(out)), out, in)
	return b.affine(x, name, w, b.param(name+".bias", b.style.bias(float64(in)), out))
}

// affine is x W' + c.
func (b *builder) affine(x graph.Value, name string, w, c graph.Value) graph.Value {
	if len(b.g.TypeOf(x).Shape) == 2 {
		return b.op(name, "Gemm", []graph.Value{x, w, c}, graph.A("transB", 1))
	}
	turned := b.op(name+".transposed", "Transpose", []graph.Value{w}, graph.A("perm", []int64{1, 0}))
	return b.add(b.op(name+".product", "MatMul", []graph.Value{x, turned}), c, name)
}

func (b *builder) maxPool(x graph.Value, name string, kernel, stride, pad int64) graph.Value {
	axes := len(b.g.TypeOf(x).Shape) - 2
	all := func(v int64, n int) []int64 { return slices.Repeat([]int64{v}, n) }
	return b.op(name, "MaxPool", []graph.Value{x},
		graph.A("kernel_shape", all(kernel, axes)), graph.A("strides", all(stride, axes)), graph.A("pads", all(pad, 2*axes)))
}

// pooled is the mean over all axes behind the channels: [N, C].
func (b *builder) pooled(x graph.Value) graph.Value {
	return b.op("flatten", "Flatten", []graph.Value{b.op("avgpool", "GlobalAveragePool", []graph.Value{x})})
}

// head is dropout and the last linear layer, or nothing where features are wanted.
func (b *builder) head(x graph.Value, name string) graph.Value {
	if b.opts.Embed {
		return x
	}
	return b.headed(func() graph.Value { return b.linear(b.dropout(x), name, int64(b.opts.Classes)) })
}

// headed builds layers whose tensors belong to the head.
func (b *builder) headed(build func() graph.Value) graph.Value {
	from := len(b.net.Tensors)
	y := build()
	for i := range b.net.Tensors[from:] {
		b.net.Tensors[from+i].Head = true
	}
	return y
}

// dropout passes its input on; it marks the place where masks go.
func (b *builder) dropout(x graph.Value) graph.Value {
	if b.opts.Dropout <= 0 {
		return x
	}
	return b.op("dropout", "Dropout", []graph.Value{x, b.g.Scalar(graph.Float32, b.opts.Dropout)})
}
