package graph

import "slices"

// The rules here follow integers with which exporters compute shapes. Each returns the elements of the first output in row-major order,
// with those that it cannot tell left unknown, or nil.

// passData: the elements of input 0 as they are. Reshape, Identity, and the like; Floor and its kin, which leave whole numbers alone.
func passData(c *inference) []datum { return c.data(0) }

// castData is passData that makes any number but 0 true. An element that is no whole number is not known on either side.
func castData(c *inference) []datum {
	data := passData(c)
	if DType(c.n.Int("to", 0)) != Bool {
		return data
	}
	return mapData(data, func(d datum) datum {
		if !d.isNumber() {
			return datum{}
		}
		return boolean(d.n != 0)
	})
}

func shapeData(c *inference) []datum {
	x := c.shape(0)
	if x == nil {
		return nil
	}
	from, to := c.n.ShapeSpan(len(x))
	out := make([]datum, 0, to-from)
	for _, d := range x[from:to] {
		out = append(out, datumOf(d))
	}
	return out
}

func sizeData(c *inference) []datum {
	if c.shape(0) == nil {
		return nil
	}
	return []datum{datumOf(c.shape(0).Elements())}
}

// elementwiseData applies a function where both inputs have one element or as many as the output.
func elementwiseData(f func(a, b datum) datum) func(*inference) []datum {
	return func(c *inference) []datum {
		a, b := c.data(0), c.data(1)
		return pairwise(a, b, f)
	}
}

// pairwise is all the broadcasting that shapes need: they are vectors, and what meets them is another or one number.
func pairwise(a, b []datum, f func(a, b datum) datum) []datum {
	n := max(len(a), len(b))
	if len(a) == 0 || len(b) == 0 || len(a) != n && len(a) != 1 || len(b) != n && len(b) != 1 {
		return nil
	}
	out := make([]datum, n)
	for i := range out {
		out[i] = f(a[min(i, len(a)-1)], b[min(i, len(b)-1)])
	}
	return out
}

func addData(a, b datum) datum { return a.add(b) }
func subData(a, b datum) datum { return a.add(b.neg()) }
func mulData(a, b datum) datum { return a.mul(b) }

// divData divides integers as ONNX does, towards zero, and floats where the quotient is whole.
func divData(c *inference) []datum {
	whole := c.elem(0).IsFloat()
	return pairwise(c.data(0), c.data(1), func(a, b datum) datum {
		if whole && (!a.ok || !b.ok || b.n == 0 || a.n%b.n != 0) {
			return datum{}
		}
		return a.div(b)
	})
}

// modData is Mod with the sign of the divisor, or of the dividend for fmod; only numbers of one sign are followed, where both agree.
func modData(a, b datum) datum {
	if !a.isNumber() || !b.isNumber() || a.n < 0 || b.n <= 0 {
		return datum{}
	}
	return number(a.n % b.n)
}

// minDatum and maxDatum know the smaller of two names only if they are the same.
func minDatum(a, b datum) datum { return choose(a, b, a.n < b.n) }
func maxDatum(a, b datum) datum { return choose(a, b, a.n > b.n) }

func choose(a, b datum, first bool) datum {
	switch {
	case a == b:
		return a
	case !a.isNumber() || !b.isNumber():
		return datum{}
	case first:
		return a
	}
	return b
}

// truth compares where the answer is certain. Sizes are not negative, so a product of names is not -1; it may be 0 or 1.
func truth(f func(a, b int64) bool) func(a, b datum) datum {
	return func(a, b datum) datum {
		if !a.isNumber() || !b.isNumber() {
			return datum{}
		}
		return boolean(f(a.n, b.n))
	}
}

func boolean(b bool) datum {
	if b {
		return number(1)
	}
	return number(0)
}

func equalData(a, b datum) datum {
	switch {
	case a.ok && a == b:
		return boolean(true)
	case a.isNumber() && b.isNumber():
		return boolean(false)
	case a.isNumber() && a.n < 0 && b.ok && b.n > 0, b.isNumber() && b.n < 0 && a.ok && a.n > 0:
		return boolean(false)
	}
	return datum{}
}

func whereData(c *inference) []datum {
	cond, a, b := c.data(0), c.data(1), c.data(2)
	n := max(len(cond), len(a), len(b))
	for _, d := range [][]datum{cond, a, b} {
		if len(d) == 0 || len(d) != n && len(d) != 1 {
			return nil
		}
	}
	out := make([]datum, n)
	for i := range out {
		x, y := a[min(i, len(a)-1)], b[min(i, len(b)-1)]
		switch p := cond[min(i, len(cond)-1)]; {
		case p.is(1):
			out[i] = x
		case p.is(0):
			out[i] = y
		case x == y:
			out[i] = x
		}
	}
	return out
}

func negData(c *inference) []datum {
	return mapData(c.data(0), datum.neg)
}

func absData(c *inference) []datum {
	return mapData(c.data(0), func(d datum) datum {
		if d.ok && d.n < 0 {
			return d.neg()
		}
		return d
	})
}

func notData(c *inference) []datum {
	return mapData(c.data(0), func(d datum) datum {
		if !d.isNumber() {
			return datum{}
		}
		return boolean(d.n == 0)
	})
}

func mapData(in []datum, f func(datum) datum) []datum {
	if in == nil {
		return nil
	}
	out := make([]datum, len(in))
	for i, d := range in {
		out[i] = f(d)
	}
	return out
}

// gatherData: from a vector only, which is how exporters pick one size out of a shape.
func gatherData(c *inference) []datum {
	data, indices := c.data(0), c.data(1)
	if c.rank(0) != 1 || data == nil || indices == nil {
		return nil
	}
	out := make([]datum, len(indices))
	for i, d := range indices {
		n := d.n
		if n < 0 {
			n += int64(len(data))
		}
		if d.isNumber() && n >= 0 && n < int64(len(data)) {
			out[i] = data[n]
		}
	}
	return out
}

// concatData: of vectors only. A part of which nothing is known leaves its own elements open, not those beside it: one size of a shape may
// come from the data.
func concatData(c *inference) []datum {
	out := []datum{}
	for i := range c.n.Inputs {
		if c.rank(i) != 1 {
			return nil
		}
		data := c.data(i)
		if data == nil {
			n := c.shape(i)[0]
			if !n.Known() || n.Size > maxData {
				return nil
			}
			data = make([]datum, n.Size)
		}
		out = append(out, data...)
	}
	return out
}

// splitData follows the first part of a vector, and sets the others by itself.
func splitData(c *inference) []datum {
	data := c.data(0)
	if c.rank(0) != 1 || data == nil {
		return nil
	}
	var first []datum
	from := 0
	for i, v := range c.n.Outputs {
		if v == None {
			return nil
		}
		n := c.g.TypeOf(v).Shape.Elements()
		if !n.Known() || from+int(n.Size) > len(data) {
			return nil
		}
		part := data[from : from+int(n.Size)]
		from += int(n.Size)
		if i == 0 {
			first = part
		}
		c.g.at(v).data = part
	}
	return first
}

func constantOfShapeData(c *inference) []datum {
	fill := datum{n: 0, ok: true}
	if t := attr[*Tensor](c.n, "value", nil); t != nil {
		data := t.data()
		if len(data) != 1 {
			return nil
		}
		fill = data[0]
	}
	n := c.g.TypeOf(c.n.Outputs[0]).Shape.Elements()
	return slices.Repeat([]datum{fill}, int(n.Size)) // follow has checked that it is a number and small
}

func rangeData(c *inference) []datum {
	start, delta := c.data(0), c.data(2)
	if len(start) != 1 || len(delta) != 1 {
		return nil
	}
	n := c.g.TypeOf(c.n.Outputs[0]).Shape.Elements()
	out := make([]datum, n.Size)
	for i := range out {
		out[i] = start[0].add(delta[0].mul(number(int64(i))))
	}
	return out
}

// foldData reduces a vector to one element, as the product of the sizes that a Reshape joins.
func foldData(f func(a, b datum) datum) func(*inference) []datum {
	return func(c *inference) []datum {
		data := c.data(0)
		if c.rank(0) != 1 || len(data) == 0 || c.has(1) && len(c.data(1)) != 1 || c.n.Int("noop_with_empty_axes", 0) != 0 && !c.has(1) {
			return nil
		}
		out := data[0]
		for _, d := range data[1:] {
			out = f(out, d)
		}
		return []datum{out}
	}
}

func constantData(c *inference) []datum {
	if t := attr[*Tensor](c.n, "value", nil); t != nil {
		return t.data()
	}
	return nil
}
