package backbone

import (
	"math"
	"slices"
	"strings"

	"github.com/oatta/oatta/models/weights"
)

// mendable tells whether a tensor of another shape can be brought to ours: a table of places of a vision transformer for a square of
// another size, or sizes of 1 that are left out or added.
func mendable(m weights.Mismatch) bool {
	if slices.Equal(squeezed(m.Got), squeezed(m.Want)) {
		return true
	}
	if !strings.HasSuffix(m.Name, "pos_embedding") || len(m.Got) != 3 || len(m.Want) != 3 {
		return false
	}
	return m.Got[0] == 1 && m.Got[2] == m.Want[2] && sideOf(int64(m.Got[1])-1) > 0 && sideOf(int64(m.Want[1])-1) > 0
}

func squeezed(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(n int) bool { return n == 1 })
}

// sideOf returns the side of a square of n elements, 0 if there is none.
func sideOf(n int64) int64 {
	if side := int64(math.Round(math.Sqrt(float64(max(0, n))))); side*side == n {
		return side
	}
	return 0
}

// interpolate brings a table of places [1, 1 + a*a, D] to another square, as torchvision.models.vision_transformer's interpolate_embeddings
// does: the row of the class token stays, and the others are resized bicubically with the corners on each other.
func interpolate(values []float32, from []int, to []int64) []float32 {
	width := int64(from[2])
	a, b := sideOf(int64(from[1])-1), sideOf(to[1]-1)
	taps := make([][4]tap, b)
	for i := range taps {
		taps[i] = cubic(int64(i), a, b)
	}
	grid, out := values[width:], make([]float32, (1+b*b)*width)
	copy(out, values[:width])
	for y := range b {
		for x := range b {
			row := out[(1+y*b+x)*width:][:width]
			for d := range width {
				sum := 0.0
				for _, v := range taps[y] {
					for _, h := range taps[x] {
						sum += v.weight * h.weight * float64(grid[(v.at*a+h.at)*width+d])
					}
				}
				row[d] = float32(sum)
			}
		}
	}
	return out
}

// tap is a place and how much it counts.
type tap struct {
	at     int64
	weight float64
}

// cubic returns the four places of a that make place i of b. Beyond the edge its element counts again. The curve is Keys' with -3/4, PyTorch's.
func cubic(i, a, b int64) (taps [4]tap) {
	at := 0.0
	if b > 1 {
		at = float64(i) * float64(a-1) / float64(b-1)
	}
	base := math.Floor(at)
	for k := range taps {
		place := base + float64(k-1)
		taps[k] = tap{min(max(int64(place), 0), a-1), keys(math.Abs(at - place))}
	}
	return taps
}

func keys(x float64) float64 {
	const c = -0.75
	switch {
	case x <= 1:
		return ((c+2)*x-(c+3))*x*x + 1
	case x < 2:
		return ((c*x-5*c)*x+8*c)*x - 4*c
	}
	return 0
}
