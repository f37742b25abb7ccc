package forms

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// Minimal filtering (Winograd, 1980) of three taps along an axis: four places of the result, which six of x reach, take six products in
// place of twelve. With six points, of which the last is infinity, the results are
//
//	y = S ((G w) * (T x))    T: [6, 6], G: [6, 3], S: [4, 6]
//
// and along both axes of a map 36 products take the place of 144. The points are those whose rounding is least among small fractions: in
// single precision the error of a result is six times that of the direct form, half of what the usual points 0, 1, -1, 2, -2 have.
var points = []float64{0, 0.75, -0.75, 1.5, -1.5}

const (
	taps   = 3
	tile   = 4 // places of the result
	spread = tile + taps - 1
)

// filtering returns T, G and S, by interpolation at the points.
func filtering() (t, g, s [][]float64) {
	t, g, s = matrix(spread, spread), matrix(spread, taps), matrix(tile, spread)
	for i, p := range points {
		others, norm := []float64{1}, 1.0 // the polynomial with its zeros at all other points, and its value at p
		for _, q := range points {
			if q != p {
				others, norm = timesZero(others, q), norm*(p-q)
			}
		}
		copy(t[i], others)
		power := 1.0
		for k := range spread {
			if k < taps {
				g[i][k] = power / norm
			}
			if k < tile {
				s[k][i] = power
			}
			power *= p
		}
	}
	whole := []float64{1}
	for _, q := range points {
		whole = timesZero(whole, q)
	}
	copy(t[spread-1], whole)
	g[spread-1][taps-1], s[tile-1][spread-1] = 1, 1
	return t, g, s
}

// timesZero multiplies a polynomial, its lowest coefficient first, by x - q.
func timesZero(p []float64, q float64) []float64 {
	out := make([]float64, len(p)+1)
	for i, c := range p {
		out[i+1] += c
		out[i] -= q * c
	}
	return out
}

func matrix(rows, columns int) [][]float64 {
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, columns)
	}
	return out
}

// along returns what goes before and after the products along an axis of a size, for all of its tiles at once: [6 tiles, size] and
// [size, 6 tiles], points counted slowest. Places that pads add are zero, and have no column.
func along(size int) (before, after [][]float64) {
	t, _, s := filtering()
	n := tiles(size)
	before, after = matrix(spread*n, size), matrix(size, spread*n)
	for k := range n {
		for a := range spread {
			for i := range spread {
				if at := tile*k - 1 + i; at >= 0 && at < size {
					before[a*n+k][at] = t[a][i]
				}
			}
			for j := range tile {
				if at := tile*k + j; at < size {
					after[at][a*n+k] = s[j][a]
				}
			}
		}
	}
	return before, after
}

func tiles(size int) int { return (size + tile - 1) / tile }

// shortly writes a convolution by minimal filtering. Its numbers lie by place, then row, then channel meanwhile, so that everything is a
// product of matrices, and its derivatives are, too:
//
//	x [N, C, H, W] -> [H, W, N, C] -> [6 t, 6 u, N, C]    T along both axes, for t x u tiles
//	                               -> [6, t, 6, u N, M]   times G w [6, 1, 6, C, M]
//	                               -> [H, W, N, M]        S along both axes
//
// G w is written as a product too, of a constant where w is one: engines compute it once, and files do not grow.
func (r *rewrite) shortly(n *graph.Node, c Case) graph.Value {
	op := func(name string, in ...graph.Value) graph.Value { return r.g.Op(name, in) }
	shape := func(v graph.Value, sizes ...int) graph.Value { return op("Reshape", v, r.g.Ints(int64s(sizes)...)) }
	turn := func(v graph.Value) graph.Value {
		return r.g.Op("Transpose", []graph.Value{v}, graph.A("perm", []int64{1, 0}))
	}
	h, w := c.size(0), c.size(1)
	t, u := tiles(h), tiles(w)
	beforeH, afterH := r.axis(h, c.Elem)
	beforeW, afterW := r.axis(w, c.Elem)

	x := turn(shape(n.Inputs[0], -1, h*w)) // [H W, N C]
	x = op("Gemm", beforeH, shape(x, h, -1))
	x = op("MatMul", beforeW, shape(x, spread*t, w, -1))
	y := op("MatMul", shape(x, spread, t, spread, -1, c.channels()), r.filtered(n.Inputs[1], c))
	y = op("MatMul", afterW, shape(y, spread*t, spread*u, -1))
	y = op("Gemm", afterH, shape(y, spread*t, -1))
	if len(n.Inputs) > 2 && n.Inputs[2] != graph.None {
		y = op("Add", shape(y, -1, c.results()), n.Inputs[2])
	}
	return shape(turn(shape(y, h*w, -1)), -1, c.results(), h, w)
}

// filtered is G w: [M, C, 3, 3] to [6, 1, 6, C, M].
func (r *rewrite) filtered(w graph.Value, c Case) graph.Value {
	if v := r.weights[w]; v != graph.None {
		return v
	}
	_, one, _ := filtering()
	both := matrix(spread*spread, taps*taps)
	for i := range both {
		for j := range both[i] {
			both[i][j] = one[i/spread][j/taps] * one[i%spread][j%taps]
		}
	}
	g := r.g
	m, channels := int64(c.results()), int64(c.channels())
	// By tap first, so that what comes back to it is brought into the weight's order after G, where it is least.
	first := g.Op("Transpose", []graph.Value{g.Op("Reshape", []graph.Value{w, g.Ints(m, channels, taps*taps)})}, graph.A("perm", []int64{2, 1, 0}))
	flat := g.Op("Gemm", []graph.Value{r.constant("filter", both, c.Elem), g.Op("Reshape", []graph.Value{first, g.Ints(taps*taps, -1)})})
	r.weights[w] = g.Op("Reshape", []graph.Value{flat, g.Ints(spread, 1, spread, channels, m)})
	return r.weights[w]
}

// axis returns the matrices of [along], each once for a graph.
func (r *rewrite) axis(size int, elem graph.DType) (before, after graph.Value) {
	key := fmt.Sprint(size, elem)
	if pair, ok := r.axes[key]; ok {
		return pair[0], pair[1]
	}
	b, a := along(size)
	pair := [2]graph.Value{r.constant("before", b, elem), r.constant("after", a, elem)}
	r.axes[key] = pair
	return pair[0], pair[1]
}

// constant adds a matrix.
func (r *rewrite) constant(hint string, rows [][]float64, elem graph.DType) graph.Value {
	var flat []float64
	for _, row := range rows {
		flat = append(flat, row...)
	}
	t, err := graph.Rounded(elem, flat, int64(len(rows)), int64(len(rows[0])))
	if err != nil {
		r.err = err
		return graph.None
	}
	return r.g.Const("short_"+hint, t)
}

func int64s(list []int) []int64 {
	out := make([]int64, len(list))
	for i, n := range list {
		out[i] = int64(n)
	}
	return out
}
