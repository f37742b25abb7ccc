package charts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func randomMatrix(seed uint64, k int) Matrix {
	r := rand.New(rand.NewPCG(seed, 72))
	m := Matrix{Title: "Transitions learned on cam1", Note: "after 7 steps", Values: make([]float64, k*k)}
	for i := range k {
		m.Classes = append(m.Classes, fmt.Sprintf("class %d", i))
		m.Sizes = append(m.Sizes, math.Exp(8*r.Float64()-4))
		total := 0.0
		for j := range k {
			m.Values[i*k+j] = math.Exp(6 * r.NormFloat64())
			total += m.Values[i*k+j]
		}
		for j := range k {
			m.Values[i*k+j] /= total
		}
	}
	return m
}

func TestMatrixFigures(t *testing.T) {
	bare, names := randomMatrix(1, 5), randomMatrix(2, 3)
	bare.Sizes, bare.Note = nil, ""
	names.Classes = []string{"Füchse & <Söhne>", strings.Repeat("long ", 90), "狐\n\x00\xff"}
	names.Sizes[0] = math.Inf(1)
	cases := map[string]Matrix{"bare": bare, "names": names}
	for _, k := range []int{1, 2, 12, 13, 25, 40, 41, 300} {
		cases[fmt.Sprint(k)] = randomMatrix(uint64(k), k)
	}
	for name, m := range cases {
		t.Run(name, func(t *testing.T) {
			f, err := m.Figure()
			if err != nil {
				t.Fatal(err)
			}
			checkFigure(t, f)
			k := len(m.Classes)
			if texts := strings.Count(string(encoded(t, f, "svg")), "<text"); (texts >= k*k+2*k) != (k <= 12) {
				t.Errorf("%d texts for %d classes", texts, k)
			}
		})
	}
}

// Each cell has the colour of its probability, row by row from the top.
func TestCellsHaveTheirColours(t *testing.T) {
	m := randomMatrix(3, 14) // without numbers in the cells
	f, err := m.Figure()
	if err != nil {
		t.Fatal(err)
	}
	picture := see(t, f)
	h := newHeat(m)
	top := f.Height - heatTop - 16
	for i := range 14 {
		for j := range 14 {
			got := picture.at(h.left+(vg.Length(j)+0.5)*h.cell, top-(vg.Length(i)+0.5)*h.cell)
			part := 1 + math.Log10(math.Max(m.Values[i*14+j], 1e-3))/3
			want := ramp(math.Round(part*(heatShades-1)) / (heatShades - 1))
			if got != want {
				t.Errorf("cell %d, %d of %g: %v, want %v", i, j, m.Values[i*14+j], got, want)
			}
		}
	}
}

// The others' row is the mean of theirs and their column the sum, so that each row still sums to 1.
func TestOthersAreGathered(t *testing.T) {
	const k = 43
	m := randomMatrix(4, k)
	for i := range m.Sizes {
		m.Sizes[i] = float64((i*7)%k) + 1 // 1 for class 0, 2 for 37 and 3 for 31
	}
	g := m.gathered()
	n := len(g.Classes)
	if n != 41 || g.Classes[40] != "3 others" || g.Sizes[40] != 6 || g.Classes[0] != "class 1" {
		t.Fatalf("%d classes %v, the last of size %g", n, g.Classes, g.Sizes[n-1])
	}
	others := []int{0, 31, 37}
	for row := range n {
		total := 0.0
		for col := range n {
			total += g.Values[row*n+col]
		}
		if math.Abs(total-1) > 1e-12 {
			t.Errorf("row %d sums to %g", row, total)
		}
	}
	want := 0.0
	for _, i := range others {
		for _, j := range others {
			want += m.Values[i*k+j] / 3
		}
	}
	if got := g.Values[n*n-1]; math.Abs(got-want) > 1e-12 {
		t.Errorf("from others to others %g, want %g", got, want)
	}
}

func TestMatrixIsValidated(t *testing.T) {
	for want, change := range map[string]func(m *Matrix){
		"matrix of 8 values": func(m *Matrix) { m.Values = m.Values[1:] },
		"and 2 sizes":        func(m *Matrix) { m.Sizes = m.Sizes[1:] },
		"for 0 classes":      func(m *Matrix) { *m = Matrix{} },
		"entry 1, 2 is NaN":  func(m *Matrix) { m.Values[5] = math.NaN() },
		"entry 0, 0 is -1":   func(m *Matrix) { m.Values[0] = -1 },
		"entry 2, 2 is 1.5":  func(m *Matrix) { m.Values[8] = 1.5 },
	} {
		m := randomMatrix(5, 3)
		change(&m)
		if _, err := m.Figure(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
