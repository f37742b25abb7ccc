package jpeg

import "fmt"

// huffman is a table of codes (T.81, annex C and F.2.2.3).
type huffman struct {
	symbols []byte
	most    [18]int32 // largest code of each length, -1 if there is none; the last is larger than any
	first   [17]int32 // what leads from a code of a length to the place of its symbol
	short   [256]uint16
}

// newHuffman makes the table of counts of codes by length, and their symbols.
func newHuffman(counts []byte, symbols []byte, class byte) (*huffman, error) {
	t := &huffman{symbols: symbols}
	code, at := int32(0), int32(0)
	for length := int32(1); length <= 16; length++ {
		n := int32(counts[length-1])
		t.first[length], t.most[length] = at-code, -1
		if n > 0 {
			t.most[length] = code + n - 1
			if t.most[length] >= 1<<length {
				return nil, fmt.Errorf("a Huffman table has too many codes of %d bits", length)
			}
		}
		for i := range n {
			if length > 8 {
				break
			}
			for low := range int32(1) << (8 - length) {
				t.short[(code+i)<<(8-length)|low] = uint16(length)<<8 | uint16(symbols[at+i])
			}
		}
		at += n
		code = (code + n) << 1
	}
	t.most[17] = 1<<31 - 1
	for _, s := range symbols {
		if class == 0 && s > 15 {
			return nil, fmt.Errorf("a Huffman table has differences of %d bits", s)
		}
	}
	return t, nil
}

func (d *decoder) readHuffman(b []byte) error {
	for len(b) > 0 {
		if len(b) < 17 || b[0]>>4 > 1 || b[0]&15 > 3 {
			return fmt.Errorf("table of Huffman codes %#x: %d bytes", b[0], len(b))
		}
		n := 0
		for _, c := range b[1:17] {
			n += int(c)
		}
		if n > 256 || len(b) < 17+n {
			return fmt.Errorf("%d Huffman codes in %d bytes", n, len(b))
		}
		t, err := newHuffman(b[1:17], b[17:17+n], b[0]>>4)
		if err != nil {
			return err
		}
		d.huffman[b[0]>>4][b[0]&15] = t
		b = b[17+n:]
	}
	return nil
}

// huffmanCoder reads Huffman codes.
type huffmanCoder struct {
	s     *scan
	bits  uint32
	n     int  // of bits
	ended bool // zeros have been read that are none of the data's
	runs  int  // blocks whose band has ended, that are still to come
}

func newHuffmanCoder(s *scan) (*huffmanCoder, error) {
	for _, c := range s.components {
		if s.first == 0 && s.high == 0 {
			if err := s.d.need(0, c.dc); err != nil {
				return nil, err
			}
		}
		if s.last > 0 {
			if err := s.d.need(1, c.ac); err != nil {
				return nil, err
			}
		}
	}
	return &huffmanCoder{s: s}, nil
}

// need fills in the standard's own table where a file has none, as frames of Motion JPEG do.
func (d *decoder) need(class, to byte) error {
	t := &d.huffman[class][to]
	if *t == nil && to < 2 && !d.progressive {
		*t = standard(class, to)
	}
	if *t == nil {
		return fmt.Errorf("table %d of Huffman codes is missing", to)
	}
	return nil
}

func (c *huffmanCoder) restart() {
	c.bits, c.n, c.runs = 0, 0, 0
	if c.s.d.marker == 0 {
		c.ended = false
	}
}

func (c *huffmanCoder) skips() bool { return c.ended }

func (c *huffmanCoder) ahead() int { return c.n / 8 }

func (c *huffmanCoder) fill() {
	for c.n <= 24 {
		b, ok := c.s.d.coded()
		if !ok {
			return
		}
		c.bits = c.bits<<8 | uint32(b)
		c.n += 8
	}
}

// receive returns the next n bits, at most 16. Behind the end of the data there are zeros.
func (c *huffmanCoder) receive(n int) int32 {
	if c.n < n {
		if c.fill(); c.n < n {
			if !c.ended {
				c.ended = true
				c.s.d.wrong("coded data end too early, before byte %d", c.s.d.pos)
			}
			c.bits <<= 25 - c.n
			c.n = 25
		}
	}
	c.n -= n
	return int32(c.bits >> c.n & (1<<n - 1))
}

func (c *huffmanCoder) symbol(t *huffman) int {
	if c.n < 8 {
		c.fill()
	}
	if c.n >= 8 {
		if e := t.short[c.bits>>(c.n-8)&0xff]; e != 0 {
			c.n -= int(e >> 8)
			return int(e & 0xff)
		}
	}
	code, length := c.receive(1), 1
	for code > t.most[length] {
		code = code<<1 | c.receive(1)
		length++
	}
	if length > 16 {
		c.s.d.wrong("a code is none, before byte %d", c.s.d.pos)
		return 0
	}
	return int(t.symbols[t.first[length]+code])
}

// extend reads a number of n bits, of which the first tells the sign (T.81, F.2.2.1).
func (c *huffmanCoder) extend(n int) int32 {
	if n == 0 {
		return 0
	}
	v := c.receive(n)
	if v < 1<<(n-1) {
		v += -1<<n + 1
	}
	return v
}

func (c *huffmanCoder) block(s *selected, b *[64]int16) {
	switch p := c.s; {
	case p.first == 0 && p.high > 0:
		b[0] |= int16(c.receive(1) << p.low)
	case p.first == 0:
		s.predicted += int(c.extend(c.symbol(p.d.huffman[0][s.dc])))
		b[0] = int16(s.predicted << p.low)
		if p.last > 0 {
			c.band(b, p.d.huffman[1][s.ac], 1)
		}
	case c.s.high == 0:
		c.band(b, p.d.huffman[1][s.ac], p.first)
	default:
		c.refine(b, p.d.huffman[1][s.ac])
	}
}

// place is where a coefficient of the zigzag is. Runs that lead past the end stay at the last one, as in libjpeg.
func place(k int) uint8 { return natural[min(k, 63)] }

// band reads coefficients for the first time (T.81, F.2.2.2 and G.1.2.2).
func (c *huffmanCoder) band(b *[64]int16, t *huffman, k int) {
	if c.runs > 0 {
		c.runs--
		return
	}
	for ; k <= c.s.last; k++ {
		symbol := c.symbol(t)
		run, n := symbol>>4, symbol&15
		switch {
		case n > 0:
			k += run
			b[place(k)] = int16(c.extend(n) << c.s.low)
		case run == 15:
			k += 15
		case !c.s.d.progressive:
			return
		default:
			c.runs = 1<<run + int(c.receive(run)) - 1
			return
		}
	}
}

// refine reads one more bit of coefficients (T.81, G.1.2.3).
func (c *huffmanCoder) refine(b *[64]int16, t *huffman) {
	k, last := c.s.first, c.s.last
	plus := int16(1) << c.s.low
	for ; c.runs == 0 && k <= last; k++ {
		symbol := c.symbol(t)
		run, n := symbol>>4, symbol&15
		value := int16(0)
		if n > 0 {
			if n != 1 {
				c.s.d.wrong("a code is none, before byte %d", c.s.d.pos)
			}
			if value = -plus; c.receive(1) == 1 {
				value = plus
			}
		} else if run < 15 {
			c.runs = 1<<run + int(c.receive(run))
			break
		}
		k = c.correct(b, k, run)
		if n > 0 {
			b[place(k)] = value
		}
	}
	if c.runs > 0 {
		c.correct(b, k, 64)
		c.runs--
	}
}

// correct reads a bit for each coefficient from k on that is not 0, up to the 0 behind a run of zeros, and returns that one's place.
func (c *huffmanCoder) correct(b *[64]int16, k, run int) int {
	plus := int16(1) << c.s.low
	for ; k <= c.s.last; k++ {
		v := &b[place(k)]
		if *v == 0 {
			if run--; run < 0 {
				break
			}
			continue
		}
		if c.receive(1) == 1 && *v&plus == 0 {
			if *v > 0 {
				*v += plus
			} else {
				*v -= plus
			}
		}
	}
	return k
}
