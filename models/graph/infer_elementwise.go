package graph

import "fmt"

// same: one tensor in, one of the same type and shape out.
func same(c *inference) error { return c.set(0, c.elem(0), c.shape(0)) }

// sameFloat is same for operators that are defined on floats alone.
func sameFloat(c *inference) error {
	if e := c.elem(0); e != Undefined && !e.IsFloat() {
		return fmt.Errorf("input 0 is %v, want a float", e)
	}
	return same(c)
}

// predicate: one tensor in, bools of the same shape out.
func predicate(c *inference) error { return c.set(0, Bool, c.shape(0)) }

// broadcasting joins the shapes of some inputs.
func (c *inference) broadcasting(inputs ...int) (Shape, error) {
	out := c.shape(inputs[0])
	for _, i := range inputs[1:] {
		var err error
		if out, err = Broadcast(out, c.shape(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *inference) all() []int { return counting(len(c.n.Inputs)) }

// broadcast: any number of tensors of one type in, that type out.
func broadcast(c *inference) error {
	elem, err := c.sameElem(c.all()...)
	if err != nil {
		return err
	}
	s, err := c.broadcasting(c.all()...)
	if err != nil {
		return err
	}
	return c.set(0, elem, s)
}

// compare: two tensors of one type in, bools out.
func compare(c *inference) error {
	if _, err := c.sameElem(0, 1); err != nil {
		return err
	}
	s, err := c.broadcasting(0, 1)
	if err != nil {
		return err
	}
	return c.set(0, Bool, s)
}

// power: the exponent may be of another type.
func power(c *inference) error {
	s, err := c.broadcasting(0, 1)
	if err != nil {
		return err
	}
	return c.set(0, c.elem(0), s)
}

func where(c *inference) error {
	if e := c.elem(0); e != Undefined && e != Bool {
		return fmt.Errorf("input 0 is %v, want bool", e)
	}
	elem, err := c.sameElem(1, 2)
	if err != nil {
		return err
	}
	s, err := c.broadcasting(0, 1, 2)
	if err != nil {
		return err
	}
	return c.set(0, elem, s)
}

// onto: what follows the first input must broadcast to its shape, as the slope of PRelu.
func onto(c *inference) error {
	s, err := c.broadcasting(0, 1)
	if err != nil {
		return err
	}
	if x := c.shape(0); s != nil && len(s) != len(x) {
		return fmt.Errorf("shape %v does not broadcast to %v", c.shape(1), x)
	}
	return same(c)
}

func clip(c *inference) error {
	if _, err := c.sameElem(0, 1, 2); err != nil {
		return err
	}
	for i := 1; i < 3; i++ {
		if n := c.shape(i).Elements(); c.has(i) && n.Known() && n.Size != 1 {
			return fmt.Errorf("input %d has shape %v, want a scalar", i, c.shape(i))
		}
	}
	return same(c)
}

// dropout has the mask as a second output, which a rule asks for though no file names it.
func dropout(c *inference) error {
	if err := c.set(1, Bool, c.shape(0)); err != nil {
		return err
	}
	return same(c)
}

// alongAxis is same with an axis that must exist, as for Softmax.
func alongAxis(def int64) func(*inference) error {
	return func(c *inference) error {
		if r := c.rank(0); r > 0 {
			if _, err := Axis(c.n.Int("axis", def), r); err != nil {
				return err
			}
		}
		return same(c)
	}
}

// cast refuses a type that the file leaves out, rather than to let what follows be of none.
func cast(c *inference) error {
	to := DType(c.n.Int("to", 0))
	if to == Undefined {
		return fmt.Errorf("attribute to: no element type")
	}
	return c.set(0, to, c.shape(0))
}

// castLike takes the type from the second input.
func castLike(c *inference) error { return c.set(0, c.elem(1), c.shape(0)) }

func quantize(c *inference) error {
	elem := DType(c.n.Int("output_dtype", 0))
	if c.has(2) {
		elem = c.elem(2)
	} else if elem == Undefined {
		elem = Uint8
	}
	return c.set(0, elem, c.shape(0))
}

func dequantize(c *inference) error { return c.set(0, c.elem(1), c.shape(0)) }

// random returns the rule of operators that fill a shape from an attribute or from their input.
func random(c *inference) error {
	elem := DType(c.n.Int("dtype", int64(Float32)))
	if len(c.n.Inputs) == 0 {
		s := Of(c.n.Ints("shape")...)
		for _, d := range s {
			if !d.Known() {
				return fmt.Errorf("attribute shape: %v", c.n.Ints("shape"))
			}
		}
		return c.set(0, elem, s)
	}
	if _, ok := c.n.Attr("dtype"); !ok {
		elem = c.elem(0)
	}
	return c.set(0, elem, c.shape(0))
}
