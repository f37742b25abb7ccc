package graph

import "fmt"

// window is the geometry of a convolution or pooling: one entry per spatial axis.
type window struct {
	kernel, stride, dilation []int64
	begin, end               []int64 // pads
	auto                     string
	ceil                     bool
}

// maxWindow bounds kernel sizes, strides, dilations and pads, so that their products fit.
const maxWindow = 1 << 30

// window reads the attributes of a node for kernels of the given sizes.
func (c *inference) window(kernel []int64) (window, error) {
	n := len(kernel)
	w := window{kernel: kernel, auto: c.n.Str("auto_pad", "NOTSET"), ceil: c.n.Int("ceil_mode", 0) != 0}
	var err error
	if w.stride, err = c.spatial("strides", n, 1, 1); err != nil {
		return w, err
	}
	if w.dilation, err = c.spatial("dilations", n, 1, 1); err != nil {
		return w, err
	}
	pads, err := c.spatial("pads", 2*n, 0, -maxWindow)
	if err != nil {
		return w, err
	}
	w.begin, w.end = pads[:n], pads[n:]
	for _, k := range kernel {
		if k < 1 || k > maxWindow {
			return w, fmt.Errorf("kernel of sizes %v", kernel)
		}
	}
	switch w.auto {
	case "NOTSET", "", "VALID", "SAME_UPPER", "SAME_LOWER":
		return w, nil
	}
	return w, fmt.Errorf("attribute auto_pad: %q", w.auto)
}

// spatial reads an attribute of n numbers, each at least least.
func (c *inference) spatial(name string, n int, def, least int64) ([]int64, error) {
	values := c.n.Ints(name)
	if values == nil {
		values = make([]int64, n)
		for i := range values {
			values[i] = def
		}
	}
	if len(values) != n {
		return nil, fmt.Errorf("attribute %s: want %d values, got %d", name, n, len(values))
	}
	for _, v := range values {
		if v < least || v > maxWindow {
			return nil, fmt.Errorf("attribute %s: %d", name, v)
		}
	}
	return values, nil
}

// slide returns the number of places that the window takes along spatial axis i of a size. It is the size itself, known or not, where
// pads make up for the kernel.
func (w window) slide(i int, in Dim) (Dim, error) {
	reach := w.dilation[i]*(w.kernel[i]-1) + 1
	begin, end := w.begin[i], w.end[i]
	switch w.auto {
	case "SAME_UPPER", "SAME_LOWER":
		if !in.Known() {
			if w.stride[i] == 1 {
				return in, nil
			}
			return Any, nil
		}
		return N((in.Size + w.stride[i] - 1) / w.stride[i]), nil
	case "VALID":
		begin, end = 0, 0
	}
	if !in.Known() {
		if w.stride[i] == 1 && begin+end == reach-1 {
			return in, nil
		}
		return Any, nil
	}
	room := in.Size + begin + end - reach
	if in.Size == 0 || room < 0 {
		return Dim{}, fmt.Errorf("a kernel that reaches over %d elements does not fit into %d", reach, in.Size+begin+end)
	}
	out := room/w.stride[i] + 1
	if w.ceil && room%w.stride[i] != 0 && out*w.stride[i] < in.Size+begin {
		out++ // a window that begins inside the input or the padding before it, as ONNX 22 and PyTorch have it
	}
	return N(out), nil
}

// conv: x: [N, C, ...], w: [M, C/group, ...], bias: [M].
func conv(c *inference) error {
	elem, err := c.sameElem(0, 1, 2)
	if err != nil {
		return err
	}
	x, w := c.shape(0), c.shape(1)
	if x == nil || w == nil {
		return c.set(0, elem, nil)
	}
	kernel, err := c.kernel(x, w)
	if err != nil {
		return err
	}
	group := c.n.Int("group", 1)
	if group < 1 || group > maxWindow {
		return fmt.Errorf("attribute group: %d", group)
	}
	if w[0].Known() && w[0].Size%group != 0 {
		return fmt.Errorf("%d output channels in %d groups", w[0].Size, group)
	}
	if w[1].Known() {
		if err := equalDims("channels of the input and of the weight's groups", x[1], N(mulSat(w[1].Size, group))); err != nil {
			return err
		}
	}
	if err := c.bias(2, w[0]); err != nil {
		return err
	}
	out, err := c.slideAll(x, w[0], kernel)
	if err != nil {
		return err
	}
	return c.set(0, elem, out)
}

// bias checks that an input, if it is there, is a vector of m elements.
func (c *inference) bias(i int, m Dim) error {
	b := c.shape(i)
	if b == nil {
		return nil
	}
	if len(b) != 1 {
		return fmt.Errorf("input %d (bias) has shape %v, want one size", i, b)
	}
	return equalDims("channels of weight and bias", m, b[0])
}

// kernel returns the spatial sizes of a weight, from the attribute if the weight's are not known; nil if neither tells.
func (c *inference) kernel(x, w Shape) ([]int64, error) {
	if len(x) < 3 || len(w) != len(x) {
		return nil, fmt.Errorf("input of shape %v with a weight of shape %v", x, w)
	}
	sizes, known := w[2:].Sizes()
	stated := c.n.Ints("kernel_shape")
	if stated == nil {
		return sizes, nil
	}
	if len(stated) != len(x)-2 {
		return nil, fmt.Errorf("attribute kernel_shape: want %d values, got %d", len(x)-2, len(stated))
	}
	for i := range sizes {
		if known && sizes[i] != stated[i] {
			return nil, fmt.Errorf("attribute kernel_shape: %v, the weight has shape %v", stated, w)
		}
	}
	return stated, nil
}

// slideAll returns [N, channels, ...] with the places of the window; kernel nil: not known.
func (c *inference) slideAll(x Shape, channels Dim, kernel []int64) (Shape, error) {
	out := append(Shape{x[0], channels}, unknown(len(x)-2)...)
	if kernel == nil {
		return out, nil
	}
	w, err := c.window(kernel)
	if err != nil {
		return nil, err
	}
	for i := range kernel {
		if out[2+i], err = w.slide(i, x[2+i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// convTranspose: x: [N, C, ...], w: [C, M/group, ...].
func convTranspose(c *inference) error {
	elem, err := c.sameElem(0, 1, 2)
	if err != nil {
		return err
	}
	x, w := c.shape(0), c.shape(1)
	if x == nil || w == nil {
		return c.set(0, elem, nil)
	}
	kernel, err := c.kernel(x, w)
	if err != nil {
		return err
	}
	group := c.n.Int("group", 1)
	if group < 1 || group > maxWindow {
		return fmt.Errorf("attribute group: %d", group)
	}
	if err := equalDims("channels of the input and of the weight", x[1], w[0]); err != nil {
		return err
	}
	m := datumOf(w[1]).mul(number(group)).dim()
	if err := c.bias(2, m); err != nil {
		return err
	}
	out := append(Shape{x[0], m}, unknown(len(x)-2)...)
	if kernel != nil {
		if err := c.unslide(out, x, kernel); err != nil {
			return err
		}
	}
	return c.set(0, elem, out)
}

// unslide fills in the spatial sizes of a transposed convolution.
func (c *inference) unslide(out, x Shape, kernel []int64) error {
	w, err := c.window(kernel)
	if err != nil {
		return err
	}
	extra, err := c.spatial("output_padding", len(kernel), 0, 0)
	if err != nil {
		return err
	}
	stated := c.n.Ints("output_shape")
	if stated != nil && len(stated) != len(kernel) {
		return fmt.Errorf("attribute output_shape: want %d values, got %d", len(kernel), len(stated))
	}
	for i := range kernel {
		size := int64(0)
		switch in := x[2+i]; {
		case stated != nil:
			size = stated[i]
		case !in.Known():
			continue
		case w.auto == "SAME_UPPER" || w.auto == "SAME_LOWER":
			size = mulSat(in.Size, w.stride[i])
		default:
			pads := w.begin[i] + w.end[i]
			if w.auto == "VALID" {
				pads = 0
			}
			size = min(mulSat(in.Size-1, w.stride[i]), maxElements) + extra[i] + w.dilation[i]*(kernel[i]-1) + 1 - pads
		}
		if size < 0 {
			return fmt.Errorf("spatial size %d of the output", size)
		}
		out[2+i] = N(size)
	}
	return nil
}

// pool: the second output of MaxPool holds indices.
func pool(c *inference) error {
	x := c.shape(0)
	kernel := c.n.Ints("kernel_shape")
	if kernel == nil {
		return fmt.Errorf("attribute kernel_shape is missing")
	}
	var out Shape
	if x != nil {
		if len(x) != 2+len(kernel) {
			return fmt.Errorf("input 0 has shape %v, the kernel sizes %v", x, kernel)
		}
		var err error
		if out, err = c.slideAll(x, x[1], kernel); err != nil {
			return err
		}
	}
	if err := c.set(1, Int64, out); err != nil {
		return err
	}
	return c.set(0, c.elem(0), out)
}

func globalPool(c *inference) error {
	x := c.shape(0)
	if x == nil {
		return c.set(0, c.elem(0), nil)
	}
	if len(x) < 2 {
		return fmt.Errorf("input 0 has shape %v, want at least two sizes", x)
	}
	out := Shape{x[0], x[1]}
	for range x[2:] {
		out = append(out, N(1))
	}
	return c.set(0, c.elem(0), out)
}
