package jpeg

// full brings a plane to the size of the picture by the rules of libjpeg-turbo in its default mode: a triangle filter where it is halved,
// replication where it is divided by more, and also where it is halved across and at most 2 samples wide.
func (d *decoder) full(c *component, plane []uint8) []uint8 {
	h, v := d.most.h/c.h, d.most.v/c.v
	out := make([]uint8, d.width*d.height)
	row := func(y int) []uint8 { return plane[min(max(y, 0), c.height-1)*8*c.across:][:c.width] }
	for y := range d.height {
		to, own := out[y*d.width:][:d.width], row(y/v)
		other := row(y/v - 1 + 2*(y%2))
		switch {
		case h == 1 && v == 1:
			copy(to, own)
		case h == 2 && v == 1 && c.width > 2:
			widen(to, own)
		case h == 2 && v == 2 && c.width > 2:
			widenBetween(to, own, other)
		case h == 1 && v == 2:
			for x := range to {
				to[x] = uint8((3*int(own[x]) + int(other[x]) + 1 + y%2) >> 2)
			}
		default:
			for x := range to {
				to[x] = own[x/h]
			}
		}
	}
	return out
}

// widen doubles a row. Left and right samples round differently, so that errors do not add up.
func widen(to, own []uint8) {
	for x := range to {
		beside := min(max(x/2-1+2*(x%2), 0), len(own)-1)
		to[x] = uint8((3*int(own[x/2]) + int(own[beside]) + 1 + x%2) >> 2)
	}
}

// widenBetween doubles a row between two, of which the first is the nearer.
func widenBetween(to, own, other []uint8) {
	sum := func(x int) int { return 3*int(own[x]) + int(other[x]) }
	for x := range to {
		beside := min(max(x/2-1+2*(x%2), 0), len(own)-1)
		to[x] = uint8((3*sum(x/2) + sum(beside) + 8 - x%2) >> 4)
	}
}
