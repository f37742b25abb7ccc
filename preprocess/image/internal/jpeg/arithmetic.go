package jpeg

import "fmt"

// conditions are what the arithmetic coder's contexts depend on (T.81, F.1.4.4): bounds of small differences, and the coefficient from
// which on others count.
type conditions struct {
	given      bool
	lower      [4]uint
	upper      [4]uint
	boundaries [4]int
}

func (c *conditions) defaults() {
	if !c.given {
		*c = conditions{given: true, upper: [4]uint{1, 1, 1, 1}, boundaries: [4]int{5, 5, 5, 5}}
	}
}

// read reads pairs of table and value.
func (c *conditions) read(b []byte) error {
	c.defaults()
	for ; len(b) >= 2; b = b[2:] {
		class, to, v := b[0]>>4, b[0]&15, b[1]
		switch {
		case class > 1 || to > 3 || class == 0 && v&15 > v>>4:
			return fmt.Errorf("conditioning %#x %#x", b[0], v)
		case class == 0:
			c.lower[to], c.upper[to] = uint(v&15), uint(v>>4)
		default:
			c.boundaries[to] = int(v)
		}
	}
	return nil
}

// arithmetic reads what the QM coder wrote (T.81, annexes D, F.1.4, F.2.4 and G.1.3). A bin is the place in the table of states, and in the
// highest bit the more probable symbol.
type arithmetic struct {
	s      *scan
	c, a   uint32 // code register and interval
	count  int    // of bits in the code register that are not used yet; below 0 at the beginning
	broken bool   // what is read means nothing up to the next restart
	dc     [4][64]uint8
	ac     [4][256]uint8
	even   uint8 // bin of symbols that are equally probable
}

func newArithmetic(s *scan) *arithmetic {
	s.d.conditions.defaults()
	a := &arithmetic{s: s}
	a.restart()
	return a
}

func (a *arithmetic) restart() {
	*a = arithmetic{s: a.s, count: -16, even: uint8(len(states) - 1)}
}

func (a *arithmetic) skips() bool { return a.broken }

func (a *arithmetic) ahead() int { return 0 }

// fail gives up the data up to the next restart.
func (a *arithmetic) fail() {
	a.broken = true
	a.s.d.wrong("an arithmetic code is none, before byte %d", a.s.d.pos)
}

// bit decodes one decision.
func (a *arithmetic) bit(bin *uint8) int {
	for a.a < 0x8000 {
		if a.count--; a.count < 0 {
			b, _ := a.s.d.coded() // zeros behind a marker, which a coder may leave out
			a.c = a.c<<8 | uint32(b)
			if a.count += 8; a.count < 0 {
				if a.count++; a.count == 0 {
					a.a = 0x8000 // both first bytes are there
				}
			}
		}
		a.a <<= 1
	}
	probable, at := *bin>>7, &states[*bin&0x7f]
	a.a -= at.qe
	less := false
	if split := a.a << a.count; a.c >= split {
		a.c -= split
		less = a.a >= at.qe // else the two have changed places
		a.a = at.qe
	} else if a.a < 0x8000 {
		less = a.a < at.qe
	} else {
		return int(probable)
	}
	if !less {
		*bin = probable<<7 | at.more
		return int(probable)
	}
	*bin = (probable^at.exchange)<<7 | at.less
	return int(1 - probable)
}

func (a *arithmetic) block(s *selected, b *[64]int16) {
	if a.broken {
		return
	}
	switch p := a.s; {
	case p.first == 0 && p.high > 0:
		b[0] |= int16(a.bit(&a.even) << p.low)
	case p.first == 0:
		a.difference(s)
		if a.broken {
			return
		}
		b[0] = int16(s.predicted << p.low)
		if p.last > 0 {
			a.band(b, s.ac, 1)
		}
	case p.high == 0:
		a.band(b, s.ac, p.first)
	default:
		a.refine(b, s.ac)
	}
}

// difference decodes that of a DC coefficient, figures F.19 to F.24.
func (a *arithmetic) difference(s *selected) {
	bins := &a.dc[s.dc]
	at := s.context
	if a.bit(&bins[at]) == 0 {
		s.context = 0
		return
	}
	negative := a.bit(&bins[at+1])
	at += 2 + negative
	m := a.bit(&bins[at])
	if m != 0 {
		m, at = a.magnitude(bins[:], 20, m)
	}
	const small, large = 4, 12
	switch p := &a.s.d.conditions; {
	case m < 1<<p.lower[s.dc]>>1:
		s.context = 0
	case m > 1<<p.upper[s.dc]>>1:
		s.context = large + 4*negative
	default:
		s.context = small + 4*negative
	}
	s.predicted += a.value(bins[:], at+14, m, negative)
}

// magnitude decodes in which power of two a value lies; at is the bin where that ends.
func (a *arithmetic) magnitude(bins []uint8, from, m int) (power, at int) {
	for at = from; a.bit(&bins[at]) == 1; at++ {
		if m <<= 1; m == 0x8000 {
			a.fail()
			return 0, from
		}
	}
	return m, at
}

// value decodes the bits below the highest.
func (a *arithmetic) value(bins []uint8, at, m, negative int) int {
	v := m
	for m >>= 1; m > 0; m >>= 1 {
		if a.bit(&bins[at]) == 1 {
			v |= m
		}
	}
	if v++; negative == 1 {
		return -v
	}
	return v
}

// band decodes coefficients for the first time, figure F.20.
func (a *arithmetic) band(b *[64]int16, table byte, k int) {
	bins := &a.ac[table]
	for ; k <= a.s.last; k++ {
		at := 3 * (k - 1)
		if a.bit(&bins[at]) == 1 {
			return
		}
		for a.bit(&bins[at+1]) == 0 {
			at += 3
			if k++; k > a.s.last {
				a.fail()
				return
			}
		}
		negative := a.bit(&a.even)
		at += 2
		m := a.bit(&bins[at])
		if m != 0 && a.bit(&bins[at]) == 1 {
			from := 217
			if k <= a.s.d.conditions.boundaries[table] {
				from = 189
			}
			m, at = a.magnitude(bins[:], from, m<<1)
		}
		if a.broken {
			return
		}
		b[natural[k]] = int16(a.value(bins[:], at+14, m, negative) << a.s.low)
	}
}

// refine decodes one more bit of coefficients, figures G.10 and G.11.
func (a *arithmetic) refine(b *[64]int16, table byte) {
	bins := &a.ac[table]
	plus := int16(1) << a.s.low
	known := a.s.last
	for known > 0 && b[natural[known]] == 0 {
		known--
	}
	for k := a.s.first; k <= a.s.last; k++ {
		if k > known && a.bit(&bins[3*(k-1)]) == 1 {
			return
		}
		for !a.corrected(&b[natural[k]], bins[3*(k-1):], plus) {
			if k++; k > a.s.last {
				a.fail()
				return
			}
		}
	}
}

// corrected decodes the bit of a coefficient; false if it stays 0.
func (a *arithmetic) corrected(v *int16, bins []uint8, plus int16) bool {
	switch {
	case *v != 0:
		if a.bit(&bins[2]) == 1 {
			if *v < 0 {
				plus = -plus
			}
			*v += plus
		}
	case a.bit(&bins[1]) == 0:
		return false
	case a.bit(&a.even) == 1:
		*v = -plus
	default:
		*v = plus
	}
	return true
}

// states is table D.3 of T.81: the estimate of the less probable symbol, what follows after it and after the more probable one, and
// whether the two change places. The last is for symbols that are equally probable, and follows itself (T.851, 10.3).
var states = [114]struct {
	qe         uint32
	less, more uint8
	exchange   uint8
}{
	{0x5a1d, 1, 1, 1},
	{0x2586, 14, 2, 0},
	{0x1114, 16, 3, 0},
	{0x080b, 18, 4, 0},
	{0x03d8, 20, 5, 0},
	{0x01da, 23, 6, 0},
	{0x00e5, 25, 7, 0},
	{0x006f, 28, 8, 0},
	{0x0036, 30, 9, 0},
	{0x001a, 33, 10, 0},
	{0x000d, 35, 11, 0},
	{0x0006, 9, 12, 0},
	{0x0003, 10, 13, 0},
	{0x0001, 12, 13, 0},
	{0x5a7f, 15, 15, 1},
	{0x3f25, 36, 16, 0},
	{0x2cf2, 38, 17, 0},
	{0x207c, 39, 18, 0},
	{0x17b9, 40, 19, 0},
	{0x1182, 42, 20, 0},
	{0x0cef, 43, 21, 0},
	{0x09a1, 45, 22, 0},
	{0x072f, 46, 23, 0},
	{0x055c, 48, 24, 0},
	{0x0406, 49, 25, 0},
	{0x0303, 51, 26, 0},
	{0x0240, 52, 27, 0},
	{0x01b1, 54, 28, 0},
	{0x0144, 56, 29, 0},
	{0x00f5, 57, 30, 0},
	{0x00b7, 59, 31, 0},
	{0x008a, 60, 32, 0},
	{0x0068, 62, 33, 0},
	{0x004e, 63, 34, 0},
	{0x003b, 32, 35, 0},
	{0x002c, 33, 9, 0},
	{0x5ae1, 37, 37, 1},
	{0x484c, 64, 38, 0},
	{0x3a0d, 65, 39, 0},
	{0x2ef1, 67, 40, 0},
	{0x261f, 68, 41, 0},
	{0x1f33, 69, 42, 0},
	{0x19a8, 70, 43, 0},
	{0x1518, 72, 44, 0},
	{0x1177, 73, 45, 0},
	{0x0e74, 74, 46, 0},
	{0x0bfb, 75, 47, 0},
	{0x09f8, 77, 48, 0},
	{0x0861, 78, 49, 0},
	{0x0706, 79, 50, 0},
	{0x05cd, 48, 51, 0},
	{0x04de, 50, 52, 0},
	{0x040f, 50, 53, 0},
	{0x0363, 51, 54, 0},
	{0x02d4, 52, 55, 0},
	{0x025c, 53, 56, 0},
	{0x01f8, 54, 57, 0},
	{0x01a4, 55, 58, 0},
	{0x0160, 56, 59, 0},
	{0x0125, 57, 60, 0},
	{0x00f6, 58, 61, 0},
	{0x00cb, 59, 62, 0},
	{0x00ab, 61, 63, 0},
	{0x008f, 61, 32, 0},
	{0x5b12, 65, 65, 1},
	{0x4d04, 80, 66, 0},
	{0x412c, 81, 67, 0},
	{0x37d8, 82, 68, 0},
	{0x2fe8, 83, 69, 0},
	{0x293c, 84, 70, 0},
	{0x2379, 86, 71, 0},
	{0x1edf, 87, 72, 0},
	{0x1aa9, 87, 73, 0},
	{0x174e, 72, 74, 0},
	{0x1424, 72, 75, 0},
	{0x119c, 74, 76, 0},
	{0x0f6b, 74, 77, 0},
	{0x0d51, 75, 78, 0},
	{0x0bb6, 77, 79, 0},
	{0x0a40, 77, 48, 0},
	{0x5832, 80, 81, 1},
	{0x4d1c, 88, 82, 0},
	{0x438e, 89, 83, 0},
	{0x3bdd, 90, 84, 0},
	{0x34ee, 91, 85, 0},
	{0x2eae, 92, 86, 0},
	{0x299a, 93, 87, 0},
	{0x2516, 86, 71, 0},
	{0x5570, 88, 89, 1},
	{0x4ca9, 95, 90, 0},
	{0x44d9, 96, 91, 0},
	{0x3e22, 97, 92, 0},
	{0x3824, 99, 93, 0},
	{0x32b4, 99, 94, 0},
	{0x2e17, 93, 86, 0},
	{0x56a8, 95, 96, 1},
	{0x4f46, 101, 97, 0},
	{0x47e5, 102, 98, 0},
	{0x41cf, 103, 99, 0},
	{0x3c3d, 104, 100, 0},
	{0x375e, 99, 93, 0},
	{0x5231, 105, 102, 0},
	{0x4c0f, 106, 103, 0},
	{0x4639, 107, 104, 0},
	{0x415e, 103, 99, 0},
	{0x5627, 105, 106, 1},
	{0x50e7, 108, 107, 0},
	{0x4b85, 109, 103, 0},
	{0x5597, 110, 109, 0},
	{0x504f, 111, 107, 0},
	{0x5a10, 110, 111, 1},
	{0x5522, 112, 109, 0},
	{0x59eb, 112, 111, 1},
	{0x5a1d, 113, 113, 0},
}
