package graph

import (
	"fmt"
	"slices"
	"strings"
)

// What is here is the reading of nodes that inference shares with those who differentiate or evaluate a graph: see also [Node.Window].

// Operator returns the name of an operator, behind that of its domain unless it is ONNX's own.
func (n *Node) Operator() string {
	if n.Domain == "" || n.Domain == "ai.onnx" {
		return n.Op
	}
	return n.Domain + "." + n.Op
}

// Place names node i of a graph in messages.
func (n *Node) Place(i int) string {
	if n.Name == "" {
		return fmt.Sprintf("node %d (%s)", i, n.Operator())
	}
	return fmt.Sprintf("node %d %q (%s)", i, n.Name, n.Operator())
}

// Axis brings an axis into 0..rank-1.
func Axis(a int64, rank int) (int, error) {
	if a < -int64(rank) || a >= int64(rank) {
		return 0, fmt.Errorf("axis %d of a tensor of rank %d", a, rank)
	}
	if a < 0 {
		a += int64(rank)
	}
	return int(a), nil
}

// Axes brings axes into 0..rank-1 and reports one that is named twice.
func Axes(list []int64, rank int) ([]int, error) {
	if len(list) > rank {
		return nil, fmt.Errorf("%d axes of a tensor of rank %d", len(list), rank)
	}
	out := make([]int, len(list))
	for i, a := range list {
		n, err := Axis(a, rank)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out[:i], n) {
			return nil, fmt.Errorf("axes %v name one axis twice", list)
		}
		out[i] = n
	}
	return out, nil
}

// Reduced returns the axes that a Reduce node reduces, from its list of axes: all if the list is empty or left out, and none if the node
// says that it then does nothing (noop).
func (n *Node) Reduced(list []int64, rank int) (axes []int, noop bool, err error) {
	if len(list) == 0 {
		return counting(rank), n.Int("noop_with_empty_axes", 0) != 0, nil
	}
	axes, err = Axes(list, rank)
	return axes, false, err
}

// Order returns the axes of the input of a Transpose in the order of its result: backwards unless it says otherwise.
func (n *Node) Order(rank int) ([]int, error) {
	perm := n.Ints("perm")
	if perm == nil {
		order := counting(rank)
		slices.Reverse(order)
		return order, nil
	}
	order, err := Axes(perm, rank)
	if err == nil && len(order) != rank {
		err = fmt.Errorf("want %d values, got %d", rank, len(order))
	}
	if err != nil {
		return nil, fmt.Errorf("attribute perm: %w", err)
	}
	return order, nil
}

// ShapeSpan returns which sizes a Shape node returns, those from from to to-1. Places beyond the rank are brought inside.
func (n *Node) ShapeSpan(rank int) (from, to int) {
	place := func(name string, def int64) int {
		at := n.Int(name, def)
		if at < 0 {
			at += int64(rank)
		}
		return int(max(0, min(int64(rank), at)))
	}
	from, to = place("start", 0), place("end", int64(rank))
	return from, max(from, to)
}

// Parts returns the sizes of n parts of an axis that a Split without sizes makes: equal ones, of which the last may be smaller.
func Parts(size int64, n int) []int64 {
	each := (size + int64(n) - 1) / int64(n)
	out := make([]int64, n)
	for i := range out {
		out[i] = min(each, max(0, size-int64(i)*each))
	}
	return out
}

// counting returns 0, 1, ..., n-1.
func counting(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Cut returns what Slice takes of an axis of a size: the first place, how many elements, and how far apart, a step that no product of sizes
// overflows. Places beyond the axis are brought to its ends. The step must not be 0.
func Cut(start, end, step, size int64) (from, count, by int64) {
	if size == 0 {
		return 0, 0, 1
	}
	lowest, highest := int64(0), size
	if step < 0 {
		lowest, highest = -1, size-1
	}
	place := func(p int64) int64 {
		if p < 0 {
			p = max(p, -2*size-2) + size
		}
		return max(lowest, min(highest, p))
	}
	step = max(-size-1, min(size+1, step))
	from, to := max(0, place(start)), place(end)
	if step > 0 {
		return from, max(0, (to-from+step-1)/step), step
	}
	return from, max(0, (from-to-step-1)/-step), step
}

// Equation returns the terms of an Einsum, one for each input, and its result, which is made up if it is left out: the ellipsis, then the
// letters that occur once, by the alphabet.
func (n *Node) Equation() (terms []string, result string, err error) {
	equation := strings.ReplaceAll(n.Str("equation", ""), " ", "")
	left, result, explicit := strings.Cut(equation, "->")
	terms = strings.Split(left, ",")
	if len(terms) != len(n.Inputs) {
		return nil, "", fmt.Errorf("equation %q has %d terms for %d inputs", equation, len(terms), len(n.Inputs))
	}
	for _, r := range strings.ReplaceAll(strings.Join(append(slices.Clone(terms), result), ""), "...", "") {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return nil, "", fmt.Errorf("equation %q: unexpected %q", equation, r)
		}
	}
	if explicit {
		return terms, result, nil
	}
	letters := []rune(strings.ReplaceAll(strings.ReplaceAll(left, ",", ""), "...", ""))
	slices.Sort(letters)
	if strings.Contains(left, "...") {
		result = "..."
	}
	for i, r := range letters {
		if (i == 0 || letters[i-1] != r) && (i == len(letters)-1 || letters[i+1] != r) {
			result += string(r)
		}
	}
	return terms, result, nil
}
