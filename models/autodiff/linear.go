package autodiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/models/graph"
)

// multiply appends alpha a' b', of matrices that may be read transposed.
func (c *call) multiply(a graph.Value, transA bool, b graph.Value, transB bool, alpha float64) graph.Value {
	var attrs []graph.Attr
	if transA {
		attrs = append(attrs, graph.A("transA", true))
	}
	if transB {
		attrs = append(attrs, graph.A("transB", true))
	}
	if alpha != 1 {
		attrs = append(attrs, graph.A("alpha", alpha))
	}
	return c.opWith("Gemm", attrs, a, b)
}

// gemm: y = alpha a' b' + beta bias, with a: [M, K], b: [K, N], each perhaps stored transposed. No matrix is transposed in memory.
func gemm(c *call) ([]graph.Value, error) {
	a, b, dy := c.x(), c.in(1), c.dy()
	ta, tb := c.n.Int("transA", 0) != 0, c.n.Int("transB", 0) != 0
	alpha := c.attr("alpha", 1)
	// With y = a b: da = dy b' and db = a' dy; with a stored transposed, its adjoint is the transpose (b dy'), and so on.
	out := make([]graph.Value, 3)
	if c.needs(0) {
		if ta {
			out[0] = c.multiply(b, tb, dy, true, alpha)
		} else {
			out[0] = c.multiply(dy, false, b, !tb, alpha)
		}
	}
	if c.needs(1) {
		if tb {
			out[1] = c.multiply(dy, true, a, ta, alpha)
		} else {
			out[1] = c.multiply(a, !ta, dy, false, alpha)
		}
	}
	if c.needs(2) {
		out[2] = c.sumTo(c.times(dy, c.attr("beta", 1)), c.in(2))
	}
	return out, nil
}

// matMul: a: [..., M, K], b: [..., K, N], where either may be a vector. Against a matrix b all of a is one matrix.
func matMul(c *call) ([]graph.Value, error) {
	// da = dy b', db = a' dy; axes that broadcasting stretched are summed by the walk.
	ranks := [2]int{}
	for i := range ranks {
		var err error
		if ranks[i], err = c.rank(c.in(i)); err != nil {
			return nil, err
		}
	}
	a, b, dy := c.x(), c.in(1), c.dy()
	if ranks[0] > 1 && ranks[1] == 2 {
		return c.matMulFlat(a, b, dy, ranks[0]), nil
	}
	// Vectors become matrices: a row on the left, a column on the right.
	if ranks[1] == 1 {
		b, dy = c.op("Unsqueeze", b, c.g.Ints(1)), c.op("Unsqueeze", dy, c.g.Ints(-1))
	}
	if ranks[0] == 1 {
		a, dy = c.op("Unsqueeze", a, c.g.Ints(0)), c.op("Unsqueeze", dy, c.g.Ints(-2))
	}
	out := make([]graph.Value, 2)
	if c.needs(0) {
		out[0] = c.asMatrices(c.op("MatMul", dy, c.swapLast(b, max(ranks[1], 2))), a)
	}
	if c.needs(1) {
		out[1] = c.asMatrices(c.op("MatMul", c.swapLast(a, max(ranks[0], 2)), dy), b)
	}
	for i := range out {
		if out[i] != graph.None && ranks[i] == 1 {
			matrix := []graph.Value{a, b}[i]
			out[i] = c.reshapeLike(c.sumTo(out[i], matrix), c.in(i))
		}
	}
	return out, nil
}

// asMatrices says of a product that its matrices have the sizes of those of v, whose adjoint it is: inference knows them by the names that
// they have in the other operand.
func (c *call) asMatrices(d, v graph.Value) graph.Value {
	t, s := c.g.TypeOf(d), c.shape(v)
	n := len(t.Shape)
	if n < 2 || len(s) < 2 {
		return d
	}
	if matrices, ok := join(s[len(s)-2:], t.Shape[n-2:]); ok {
		t.Shape = slices.Concat(t.Shape[:n-2], matrices)
		c.g.SetType(d, t)
	}
	return d
}

// matMulFlat: b: [K, N] as in every linear layer. Gemm reads it transposed, so that no copy is made or stored.
func (c *call) matMulFlat(a, b, dy graph.Value, rank int) []graph.Value {
	out := make([]graph.Value, 2)
	flat := c.rows(dy, rank)
	if c.needs(0) {
		out[0] = c.reshapeLike(c.multiply(flat, false, b, true, 1), a)
	}
	if c.needs(1) {
		out[1] = c.multiply(c.rows(a, rank), true, flat, false, 1)
	}
	return out
}

// rows reads a tensor as a matrix of its last axis.
func (c *call) rows(v graph.Value, rank int) graph.Value {
	if rank == 2 {
		return v
	}
	return c.reshape(v, fixed(-1), c.dim(v, rank-1))
}

// swapLast transposes the matrices that a tensor of a rank holds.
func (c *call) swapLast(v graph.Value, rank int) graph.Value {
	perm := upTo(0, rank)
	perm[rank-1], perm[rank-2] = perm[rank-2], perm[rank-1]
	return c.transpose(v, perm...)
}

// einsum: the adjoint of an operand is an Einsum of the adjoint of the result with the other operands.
func einsum(c *call) ([]graph.Value, error) {
	terms, result, err := c.n.Equation()
	if err != nil {
		return nil, err
	}
	out := make([]graph.Value, len(terms))
	for i, term := range terms {
		if !c.needs(i) {
			continue
		}
		if out[i], err = c.einsumBack(terms, result, i); err != nil {
			return nil, fmt.Errorf("operand %q: %w", term, err)
		}
	}
	return out, nil
}

func (c *call) einsumBack(terms []string, result string, i int) (graph.Value, error) {
	term := terms[i]
	sources, operands := []string{result}, []graph.Value{c.dy()}
	for j, other := range terms {
		if j != i {
			sources, operands = append(sources, other), append(operands, c.in(j))
		}
	}
	all := strings.Join(sources, "")
	var kept strings.Builder
	var alone []int64 // letters that this operand alone has: the forward pass sums over them
	for at, letter := range term {
		switch {
		case letter != '.' && strings.Count(term, string(letter)) > 1:
			return graph.None, fmt.Errorf("no rule for the repeated index %q", letter)
		case letter == '.' || strings.ContainsRune(all, letter):
			kept.WriteRune(letter)
		default:
			alone = append(alone, int64(at))
		}
	}
	if strings.Contains(strings.Join(terms, ""), "...") && (!strings.Contains(result, "...") || !strings.Contains(term, "...")) {
		return graph.None, fmt.Errorf("no rule for an ellipsis that not all operands and the result have")
	}
	d := c.g.Op("Einsum", operands, graph.A("equation", strings.Join(sources, ",")+"->"+kept.String()))
	if len(alone) == 0 {
		return c.sumTo(d, c.in(i)), nil
	}
	if strings.Contains(term, "...") {
		return graph.None, fmt.Errorf("no rule for an index that only stands beside an ellipsis")
	}
	return c.stretch(c.op("Unsqueeze", d, c.g.Ints(alone...)), c.in(i)), nil
}
