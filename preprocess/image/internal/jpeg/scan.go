package jpeg

import "fmt"

// scan is one pass over some components.
type scan struct {
	d          *decoder
	components []selected
	first      int  // coefficient of the zigzag
	last       int  // coefficient
	high, low  uint // bits that were known before, and that are still to come after this pass (successive approximation)
	coder      coder
}

// selected is a component of a scan, with its tables and what was last read of it.
type selected struct {
	*component
	dc, ac    byte
	predicted int // DC
	context   int // of the arithmetic coder
}

// coder reads the blocks of a scan.
type coder interface {
	block(c *selected, b *[64]int16) // reads one
	restart()                        // begins anew behind a restart marker
	ahead() int                      // whole bytes that were fetched and not used
	skips() bool                     // whether there is nothing to read before the next restart
}

// scan reads the header of a scan and the coded data behind it.
func (d *decoder) scan(b []byte) error {
	s, err := d.scanHeader(b)
	if err != nil {
		return err
	}
	if s.coder, err = s.newCoder(); err != nil {
		return err
	}
	for _, c := range s.components {
		if c.blocks == nil {
			c.blocks = make([][64]int16, c.across*c.down)
		}
		if c.steps == nil {
			if c.steps = d.quantizers[c.quantizer]; c.steps == nil {
				return fmt.Errorf("quantizer %d is missing", c.quantizer)
			}
		}
	}
	s.read()
	return nil
}

func (d *decoder) scanHeader(b []byte) (*scan, error) {
	if d.components == nil {
		return nil, fmt.Errorf("a scan before the frame")
	}
	if len(b) < 1 || len(b) != 4+2*int(b[0]) || b[0] < 1 || b[0] > 4 {
		return nil, fmt.Errorf("scan header of %d bytes", len(b))
	}
	s := &scan{d: d}
	for i := range int(b[0]) {
		id, tables := b[1+2*i], b[2+2*i]
		c := d.component(id, s.components)
		if c == nil || tables>>4 > 3 || tables&15 > 3 {
			return nil, fmt.Errorf("scan of component %d with tables %#x", id, tables)
		}
		s.components = append(s.components, selected{component: c, dc: tables >> 4, ac: tables & 15})
	}
	rest := b[len(b)-3:]
	s.first, s.last, s.high, s.low = int(rest[0]), int(rest[1]), uint(rest[2]>>4), uint(rest[2]&15)
	if !d.progressive {
		s.first, s.last, s.high, s.low = 0, 63, 0, 0 // other values mean nothing
		return s, nil
	}
	single := s.first == 0 && s.last == 0 || s.first > 0 && len(s.components) == 1
	if !single || s.last < s.first || s.last > 63 || s.low > 13 || s.high > 0 && s.high != s.low+1 {
		return nil, fmt.Errorf("scan of coefficients %d to %d, bits %d to %d", s.first, s.last, s.high, s.low)
	}
	return s, nil
}

// component returns the one of an identifier that a scan does not have yet.
func (d *decoder) component(id byte, had []selected) *component {
	for i := range d.components {
		c := &d.components[i]
		used := false
		for _, h := range had {
			used = used || h.component == c
		}
		if c.id == id && !used {
			return c
		}
	}
	return nil
}

// newCoder makes the coder of the scan, which has its tables.
func (s *scan) newCoder() (coder, error) {
	if s.d.arithmetic {
		return newArithmetic(s), nil
	}
	return newHuffmanCoder(s)
}

// read reads the MCUs. A scan of one component has its blocks that show something, one an MCU (T.81, A.2).
func (s *scan) read() {
	d := s.d
	across, down := up(d.width, 8*d.most.h), up(d.height, 8*d.most.v)
	if len(s.components) == 1 {
		c := s.components[0]
		across, down = up(c.width, 8), up(c.height, 8)
	}
	next, expected := d.interval, byte(0)
	for i := range across * down {
		if d.interval > 0 && next == 0 {
			s.resume(expected)
			next, expected = d.interval, (expected+1)&7
		}
		next--
		if s.coder.skips() {
			d.lost++
			continue
		}
		s.mcu(i%across, i/across)
		d.done++
	}
	s.leftOver()
}

// leftOver notices data that nobody has read before the next marker, often the only sign of damage: most bits mean something. What is
// shorter than a byte is padding, and an arithmetic coder may end with bytes of 0.
func (s *scan) leftOver() {
	d, n := s.d, s.coder.ahead()
	for zero := true; ; n++ {
		b, ok := d.coded()
		if !ok {
			break
		}
		if zero = zero && d.arithmetic && b == 0; zero {
			n--
		}
	}
	if n > 0 && !s.coder.skips() {
		d.wrong("coded data are left over before byte %d", d.pos)
	}
}

func (s *scan) mcu(x, y int) {
	if len(s.components) == 1 {
		c := &s.components[0]
		s.coder.block(c, &c.blocks[y*c.across+x])
		return
	}
	for i := range s.components {
		c := &s.components[i]
		for v := range c.v {
			for h := range c.h {
				s.coder.block(c, &c.blocks[(y*c.v+v)*c.across+x*c.h+h])
			}
		}
	}
}

// resume goes on behind a restart marker.
func (s *scan) resume(expected byte) {
	s.leftOver()
	s.d.restartMarker(expected)
	for i := range s.components {
		s.components[i].predicted, s.components[i].context = 0, 0
	}
	s.coder.restart()
}

// restartMarker reads the marker that is expected. In the place of it there may be an earlier one, which is passed over, or a later one or
// the end of the scan, which stay for those who wait for them: the segment in between is lost. A number so far off that it could be either
// is taken for the right one. The rule is libjpeg's jpeg_resync_to_restart.
func (d *decoder) restartMarker(expected byte) {
	at := d.pos
	if d.marker == 0 {
		d.marker = d.next()
	}
	if d.marker == rst0+expected {
		d.marker = 0
		return
	}
	d.wrong("restart marker %d is not where it should be, near byte %d", expected, at)
	for {
		m := d.marker
		ahead := (m - rst0 - expected) & 7
		switch {
		case m < sof0 || rst0 <= m && m <= rst7 && ahead >= 6: // none, or one of the two before
			d.marker = 0
			d.marker = d.next()
		case m < rst0 || m > rst7 || ahead == 1 || ahead == 2:
			return
		default:
			d.marker = 0
			return
		}
	}
}

// coded returns the next byte of coded data, or false at a marker, which it keeps.
func (d *decoder) coded() (byte, bool) {
	if d.marker != 0 {
		return 0, false
	}
	if d.pos >= len(d.data) {
		d.wrong("the file ends in coded data")
		d.marker = eoi
		return 0, false
	}
	b := d.data[d.pos]
	d.pos++
	if b != 0xff {
		return b, true
	}
	for d.pos < len(d.data) && d.data[d.pos] == 0xff {
		d.pos++
	}
	if d.pos >= len(d.data) {
		return d.coded()
	}
	d.pos++
	if m := d.data[d.pos-1]; m != 0 {
		d.marker = m
		return 0, false
	}
	return 0xff, true
}
