package graph

import (
	"slices"
	"testing"
)

func TestWiden(t *testing.T) {
	g := New("net", 18)
	x := g.Input("x", Type{Elem: Float32, Shape: Of(2, 2)})
	half, err := RawTensor(Float16, []int64{2, 2}, []byte{0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0x00, 0x7c}) // 1, -2, 2^-24, infinity
	if err != nil {
		t.Fatal(err)
	}
	w := g.Param("w.half", half)
	wide := g.Op("Cast", []Value{w}, A("to", int64(Float32)))
	g.Rename(wide, "w")
	half1 := g.Op("Cast", []Value{x}, A("to", int64(Float16))) // no constant: stays
	back := g.Op("Cast", []Value{half1}, A("to", int64(Float32)))
	g.Output("y", g.Op("MatMul", []Value{back, wide}))

	if n := g.Widen(); n != 1 {
		t.Fatalf("%d constants widened, want 1\n%v", n, g)
	}
	v := g.Lookup("w")
	values, err := g.ConstOf(v).Float64s()
	if err != nil || !slices.Equal(values[:3], []float64{1, -2, 0x1p-24}) || values[3] <= 1e300 || !g.IsParam(v) {
		t.Errorf("%v %v, a parameter: %t", values, err, g.IsParam(v))
	}
	if g.Lookup("w.half") != None || len(g.Nodes()) != 3 {
		t.Errorf("what nothing needs any more is there:\n%v", g)
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
	if n := g.Widen(); n != 0 {
		t.Errorf("%d more at the second time", n)
	}
}
