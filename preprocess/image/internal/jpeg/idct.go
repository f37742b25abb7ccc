package jpeg

// The factors of the transform of Loeffler, Ligtenberg and Moschytz (ICASSP 1989), in units of 2^-13, as libjpeg's slow integer transform
// has them.
const (
	fix0_298, fix0_390, fix0_541, fix0_765 = 2446, 3196, 4433, 6270
	fix0_899, fix1_175, fix1_501, fix1_847 = 7373, 9633, 12299, 15137
	fix1_961, fix2_053, fix2_562, fix3_072 = 16069, 16819, 20995, 25172
	fixBits, passBits                      = 13, 2
)

// samples transforms the blocks of a component into a plane of 8*across x 8*down.
func (c *component) samples() []uint8 {
	plane := make([]uint8, 64*c.across*c.down)
	if c.steps == nil { // it had no scan
		for i := range plane {
			plane[i] = 128
		}
		return plane
	}
	for i := range c.blocks {
		at := i/c.across*64*c.across + i%c.across*8
		inverse(plane[at:], 8*c.across, &c.blocks[i], c.steps)
	}
	return plane
}

// inverse transforms a block: columns, then rows.
func inverse(dst []uint8, stride int, b *[64]int16, steps *[64]uint16) {
	var w [64]int32
	for x := range 8 {
		var in [8]int32
		for y := range in {
			in[y] = int32(b[8*y+x]) * int32(steps[8*y+x])
		}
		out := inverse1(in)
		for y, v := range out {
			w[8*y+x] = round(v, fixBits-passBits)
		}
	}
	for y := range 8 {
		out := inverse1([8]int32(w[8*y:]))
		row := dst[y*stride:][:8]
		for x, v := range out {
			row[x] = uint8(min(max(round(v, fixBits+passBits+3)+128, 0), 255))
		}
	}
}

func round(v int32, bits int) int32 { return (v + 1<<(bits-1)) >> bits }

// inverse1 is the transform of eight values, 2^13 times as large.
func inverse1(in [8]int32) [8]int32 {
	z := (in[2] + in[6]) * fix0_541
	t2, t3 := z-in[6]*fix1_847, z+in[2]*fix0_765
	t0, t1 := (in[0]+in[4])<<fixBits, (in[0]-in[4])<<fixBits
	e0, e3, e1, e2 := t0+t3, t0-t3, t1+t2, t1-t2

	z1, z2, z3, z4 := in[7]+in[1], in[5]+in[3], in[7]+in[3], in[5]+in[1]
	z5 := (z3 + z4) * fix1_175
	z1, z2 = -z1*fix0_899, -z2*fix2_562
	z3, z4 = z5-z3*fix1_961, z5-z4*fix0_390
	o0 := in[7]*fix0_298 + z1 + z3
	o1 := in[5]*fix2_053 + z2 + z4
	o2 := in[3]*fix3_072 + z2 + z3
	o3 := in[1]*fix1_501 + z1 + z4
	return [8]int32{e0 + o3, e1 + o2, e2 + o1, e3 + o0, e3 - o0, e2 - o1, e1 - o2, e0 - o3}
}
