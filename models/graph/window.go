package graph

import (
	"fmt"
	"slices"
)

// Window is how the kernel of a Conv, a ConvTranspose or a pooling slides over the spatial axes of a tensor, one entry per axis. Of its two
// sides the wide one is what the kernel reads from, the input of a convolution and the result of a transposed one; the narrow one has an
// element per place of the kernel.
type Window struct {
	Kernel, Stride, Dilation []int64
	// Begin and End are the pads of the wide side, negative where it is cut. Where a node leaves them to follow from the sizes they are 0
	// until [Window.Resolve].
	Begin, End []int64

	auto   string
	ceil   bool
	extra  []int64 // output_padding of a ConvTranspose: more of its wide side than windows reach
	stated []int64 // output_shape of a ConvTranspose: its wide side
}

// maxWindow bounds kernel sizes, strides, dilations and pads, so that their products fit.
const maxWindow = 1 << 30

// Window reads the attributes of a node, and their defaults, for a kernel of the given sizes.
func (n *Node) Window(kernel []int64) (Window, error) {
	axes := len(kernel)
	w := Window{Kernel: kernel, auto: n.Str("auto_pad", "NOTSET"), ceil: n.Int("ceil_mode", 0) != 0, extra: make([]int64, axes)}
	var errs [4]error
	var pads []int64
	w.Stride, errs[0] = n.spatial("strides", axes, 1, 1)
	w.Dilation, errs[1] = n.spatial("dilations", axes, 1, 1)
	pads, errs[2] = n.spatial("pads", 2*axes, 0, -maxWindow)
	if n.Op == "ConvTranspose" {
		w.extra, errs[3] = n.spatial("output_padding", axes, 0, 0)
		w.stated = n.Ints("output_shape")
	}
	if err := firstOf(errs[:]...); err != nil {
		return w, err
	}
	if w.stated != nil && len(w.stated) != axes {
		return w, fmt.Errorf("attribute output_shape: want %d values, got %d", axes, len(w.stated))
	}
	for _, k := range kernel {
		if k < 1 || k > maxWindow {
			return w, fmt.Errorf("kernel of sizes %v", kernel)
		}
	}
	switch w.auto {
	case "NOTSET", "", "VALID", "SAME_UPPER", "SAME_LOWER":
	default:
		return w, fmt.Errorf("attribute auto_pad: %q", w.auto)
	}
	if w.auto == "VALID" || w.Implied() {
		pads = make([]int64, 2*axes)
	}
	w.Begin, w.End = slices.Clone(pads[:axes]), slices.Clone(pads[axes:])
	return w, nil
}

// Kernel returns the spatial sizes of the weight of a convolution of x, from the attribute if the weight's are not known; nil if neither
// tells.
func (n *Node) Kernel(x, w Shape) ([]int64, error) {
	if len(x) < 3 || len(w) != len(x) {
		return nil, fmt.Errorf("input of shape %v with a weight of shape %v", x, w)
	}
	sizes, known := w[2:].Sizes()
	stated := n.Ints("kernel_shape")
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

// spatial reads an attribute of so many numbers, each at least least.
func (n *Node) spatial(name string, count int, def, least int64) ([]int64, error) {
	values := n.Ints(name)
	if values == nil {
		values = slices.Repeat([]int64{def}, count)
	}
	if len(values) != count {
		return nil, fmt.Errorf("attribute %s: want %d values, got %d", name, count, len(values))
	}
	for _, v := range values {
		if v < least || v > maxWindow {
			return nil, fmt.Errorf("attribute %s: %d", name, v)
		}
	}
	return values, nil
}

// Reach returns how many elements the kernel spans along an axis.
func (w Window) Reach(axis int) int64 { return w.Dilation[axis]*(w.Kernel[axis]-1) + 1 }

// same reports pads that make a convolution at stride 1 keep its sizes.
func (w Window) same() bool { return w.auto == "SAME_UPPER" || w.auto == "SAME_LOWER" }

// Narrow returns the places of the kernel on a wide side. It is the size itself, known or not, where pads make up for the kernel.
func (w Window) Narrow(axis int, wide Dim) (Dim, error) {
	stride, pads, reach := w.Stride[axis], w.Begin[axis]+w.End[axis], w.Reach(axis)
	switch {
	case !wide.Known() && stride == 1 && (w.same() || pads == reach-1):
		return wide, nil
	case !wide.Known():
		return Any, nil
	case w.same():
		return N((wide.Size + stride - 1) / stride), nil
	}
	room := wide.Size + pads - reach
	if wide.Size == 0 || room < 0 {
		return Dim{}, fmt.Errorf("a kernel that reaches over %d elements does not fit into %d", reach, wide.Size+pads)
	}
	out := room/stride + 1
	if w.ceil && room%stride != 0 && out*stride < wide.Size+w.Begin[axis] {
		out++ // a window that begins inside the input or the padding before it, as ONNX 22 and PyTorch have it
	}
	return N(out), nil
}

// Wide returns the size of the result of a transposed convolution.
func (w Window) Wide(axis int, narrow Dim) (Dim, error) {
	size := int64(0)
	switch {
	case w.stated != nil:
		size = w.stated[axis]
	case !narrow.Known():
		return Any, nil
	case w.same():
		size = mulSat(narrow.Size, w.Stride[axis])
	default:
		size = min(mulSat(narrow.Size-1, w.Stride[axis]), maxElements) + w.extra[axis] + w.Reach(axis) - w.Begin[axis] - w.End[axis]
	}
	if size < 0 {
		return Dim{}, fmt.Errorf("spatial size %d of the output", size)
	}
	return N(size), nil
}

// Implied reports pads that the node leaves to follow from the sizes.
func (w Window) Implied() bool { return w.same() || w.stated != nil }

// Excess returns by how many elements the windows at the places of the narrow side are more than the wide side: what pads take together, if
// it is not negative.
func (w Window) Excess(axis int, wide, narrow int64) int64 {
	return (narrow-1)*w.Stride[axis] + w.Reach(axis) + w.extra[axis] - wide
}

// Resolve fills in pads that are [Window.Implied]. The odd one is at the end for SAME_UPPER, and else at the beginning.
func (w Window) Resolve(wide, narrow []int64) {
	if !w.Implied() {
		return
	}
	for i := range w.Kernel {
		total := max(0, w.Excess(i, wide[i], narrow[i]))
		w.Begin[i], w.End[i] = total-total/2, total/2
		if w.auto == "SAME_UPPER" {
			w.Begin[i], w.End[i] = w.End[i], w.Begin[i]
		}
	}
}
