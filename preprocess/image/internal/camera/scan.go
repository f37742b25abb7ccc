package camera

// scan reads the header of the one scan, and the coded data behind it.
func (d *Decoder) scan(b []byte) bool {
	n := len(d.components)
	if n == 0 || len(b) != 4+2*n || int(b[0]) != n || n == 3 && d.isRGB() {
		return false
	}
	most := byte(1)
	if d.extended {
		most = 3
	}
	for i := range d.components {
		c := &d.components[i]
		c.dc, c.ac = b[2+2*i]>>4, b[2+2*i]&15
		if b[1+2*i] != c.id || c.dc > most || c.ac > most || !d.huffman[0][c.dc].defined || !d.huffman[1][c.ac].defined || !d.quantized[c.quantizer] {
			return false
		}
		c.predicted = 0
	}
	return d.read(up(d.width, 8*d.most.h), up(d.height, 8*d.most.v))
}

// up is a/b, rounded up.
func up(a, b int) int { return (a + b - 1) / b }

// read reads the MCUs.
func (d *Decoder) read(across, down int) bool {
	d.makePlanes(across, down)
	d.bits = bits{data: d.data, pos: d.pos}
	left, expected := d.interval, byte(0)
	for y := range down {
		for x := range across {
			if d.interval > 0 && left == 0 {
				if !d.restart(expected) {
					return false
				}
				left, expected = d.interval, (expected+1)&7
			}
			left--
			if !d.mcu(x, y) {
				return false
			}
		}
	}
	d.pos = d.bits.pos
	return d.bits.spent()
}

// restart begins anew behind the marker that is expected.
func (d *Decoder) restart(expected byte) bool {
	at := d.bits.pos
	if !d.bits.spent() || d.data[at+1] != rst0+expected {
		return false
	}
	d.bits = bits{data: d.data, pos: at + 2}
	for i := range d.components {
		d.components[i].predicted = 0
	}
	return true
}

func (d *Decoder) mcu(x, y int) bool {
	for i := range d.components {
		c := &d.components[i]
		dc, ac, steps := &d.huffman[0][c.dc], &d.huffman[1][c.ac], &d.quantizers[c.quantizer]
		for v := range c.v {
			row := 8 * (y*c.v + v) * c.stride
			for h := range c.h {
				last, ok := d.bits.block(&d.block, dc, ac, steps, &c.predicted)
				if !ok {
					return false
				}
				at := row + 8*(x*c.h+h)
				d.inverse(c.plane[at:at+7*c.stride+8], c.stride, last)
			}
		}
	}
	return !d.bits.overdrawn()
}
