package graph

import "fmt"

// channels checks that per-channel inputs have as many elements as input 0 has channels (axis 1).
func (c *inference) channels(inputs ...int) error {
	x := c.shape(0)
	if x == nil {
		return nil
	}
	if len(x) < 2 && len(inputs) > 0 {
		if len(x) != 1 {
			return fmt.Errorf("input 0 has shape %v, want channels on axis 1", x)
		}
		return nil // ONNX reads a vector as a batch of one channel
	}
	for _, i := range inputs {
		s := c.shape(i)
		if s == nil {
			continue
		}
		if len(s) != 1 {
			return fmt.Errorf("input %d has shape %v, want one size", i, s)
		}
		if err := equalDims(fmt.Sprintf("channels of input 0 and of input %d", i), x[1], s[0]); err != nil {
			return err
		}
	}
	return nil
}

// batchNorm: in training mode the new running statistics come out too, which have one element per channel.
func batchNorm(c *inference) error {
	if err := c.channels(1, 2, 3, 4); err != nil {
		return err
	}
	for i := 1; i < 3; i++ {
		if err := c.set(i, c.elem(i+2), c.shape(i+2)); err != nil {
			return err
		}
	}
	return same(c)
}

// instanceNorm and groupNorm have one scale and bias per channel, whatever the statistics go over.
func instanceNorm(c *inference) error {
	if err := c.channels(1, 2); err != nil {
		return err
	}
	return same(c)
}

func groupNorm(c *inference) error {
	if err := c.channels(1, 2); err != nil {
		return err
	}
	groups := c.n.Int("num_groups", 0)
	if groups < 1 {
		return fmt.Errorf("attribute num_groups: %d", groups)
	}
	if x := c.shape(0); len(x) > 1 && x[1].Known() && x[1].Size%groups != 0 {
		return fmt.Errorf("%d channels in %d groups", x[1].Size, groups)
	}
	return same(c)
}

// layerNorm: mean and inverse standard deviation, the second and third output, have size 1 where the norm is taken.
func layerNorm(c *inference) error {
	x := c.shape(0)
	var stat Shape
	if x != nil {
		a, err := Axis(c.n.Int("axis", -1), len(x))
		if err != nil {
			return err
		}
		stat = append(Shape{}, x...)
		for i := a; i < len(stat); i++ {
			stat[i] = N(1)
		}
		for i := 1; i < 3; i++ {
			if s := c.shape(i); s != nil {
				if out, err := Broadcast(x, s); err != nil || len(out) != len(x) {
					return fmt.Errorf("input %d has shape %v, which does not broadcast to %v", i, s, x)
				}
			}
		}
	}
	for i := 1; i < 3; i++ {
		if err := c.set(i, DType(c.n.Int("stash_type", int64(Float32))), stat); err != nil {
			return err
		}
	}
	return same(c)
}
