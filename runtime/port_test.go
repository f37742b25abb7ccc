package runtime

import (
	"strings"
	"testing"
)

func TestPortString(t *testing.T) {
	for want, p := range map[string]Port{
		"input float32[?,3,224,224]": {"input", Float32, []int64{Dynamic, 3, 224, 224}},
		"loss float32[]":             {"loss", Float32, []int64{}},
		"any int64[...]":             {"any", Int64, nil},
		"empty bool[0]":              {"empty", Bool, []int64{0}},
	} {
		if got := p.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestPortCheck(t *testing.T) {
	port := Port{"x", Float32, []int64{Dynamic, 3}}
	for name, c := range map[string]struct {
		port   Port
		tensor Tensor
		err    string
	}{
		"fits":         {port, NewTensor[float32](5, 3), ""},
		"no rows":      {port, NewTensor[float32](0, 3), ""},
		"type":         {port, NewTensor[int64](5, 3), "type int64, want float32"},
		"nil":          {port, Tensor{Shape: []int64{5, 3}}, "data is <nil>, want float32"},
		"size":         {port, NewTensor[float32](5, 4), "shape [5 4], want [?,3]"},
		"rank":         {port, NewTensor[float32](3), "shape [3], want [?,3]"},
		"half full":    {port, Tensor{Shape: []int64{2, 3}, Data: make([]float32, 5)}, "holds 5 elements, want 6"},
		"unknown rank": {Port{"x", Uint8, nil}, NewTensor[uint8](1, 2, 3), ""},
		"scalar":       {Port{"x", Bool, []int64{}}, NewTensor[bool](), ""},
		"not scalar":   {Port{"x", Bool, []int64{}}, NewTensor[bool](1), "shape [1], want []"},
	} {
		err := c.port.Check(c.tensor)
		if (c.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", name, err, c.err)
		}
	}
}

func TestPortCheckDoesNotAllocate(t *testing.T) {
	port, tensor := Port{"x", Float32, []int64{Dynamic, 3}}, NewTensor[float32](4, 3)
	if n := testing.AllocsPerRun(100, func() {
		if err := port.Check(tensor); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func TestCheckInputsAndOutputs(t *testing.T) {
	ports := []Port{{"x", Float32, []int64{Dynamic, 3, 224, 224}}, {"y", Int64, []int64{}}}
	x, y := NewTensor[float32](1, 3, 224, 224), NewTensor[int64]()
	for name, c := range map[string]struct {
		tensors []Tensor
		in, out string
	}{
		"fit":      {[]Tensor{x, y}, "", ""},
		"size":     {[]Tensor{NewTensor[float32](1, 3, 32, 32), y}, `input "x": shape [1 3 32 32], want [?,3,224,224]`, `output "x": shape`},
		"too few":  {[]Tensor{x}, "1 inputs, want 2: x float32[?,3,224,224], y int64[]", "1 outputs, want 2"},
		"too many": {[]Tensor{x, y, y}, "3 inputs, want 2", "3 outputs, want 2"},
		"nil data": {[]Tensor{x, {}}, `input "y": data is <nil>, want int64`, ""},
	} {
		for want, err := range map[string]error{"in " + c.in: CheckInputs(ports, c.tensors), "out " + c.out: CheckOutputs(ports, c.tensors)} {
			_, text, _ := strings.Cut(want, " ")
			if (text == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v, want %q", name, err, text)
			}
		}
	}
}
