package jpeg

import (
	"encoding/binary"
	"fmt"
)

// Markers of T.81, table B.1.
const (
	sof0  = 0xc0 // baseline
	sof1  = 0xc1 // sequential
	sof2  = 0xc2 // progressive
	dht   = 0xc4
	sof9  = 0xc9 // sequential, arithmetic
	sof10 = 0xca // progressive, arithmetic
	dac   = 0xcc
	rst0  = 0xd0
	rst7  = 0xd7
	soi   = 0xd8
	eoi   = 0xd9
	sos   = 0xda
	dqt   = 0xdb
	dri   = 0xdd
	app0  = 0xe0
	app14 = 0xee
	tem   = 0x01
)

// run reads segments up to the end mark, or up to the header of the frame.
func (d *decoder) run(header bool) error {
	for {
		marker := d.next()
		switch {
		case marker == eoi:
			if d.components == nil {
				return errNone
			}
			return nil
		case marker == soi || marker == tem || rst0 <= marker && marker <= rst7:
			continue
		}
		body, ok := d.segment()
		if !ok {
			d.wrong("the file ends in a header")
			d.pos = len(d.data)
			continue
		}
		if err := d.act(marker, body); err != nil {
			return err
		}
		if header && d.components != nil {
			return nil
		}
		if marker == sos && d.complete() {
			return nil
		}
	}
}

// next returns the next marker, and eoi at the end of the data. What lies before it is passed over.
func (d *decoder) next() byte {
	if m := d.marker; m != 0 {
		d.marker = 0
		return m
	}
	for ; d.pos+1 < len(d.data); d.pos++ {
		if d.data[d.pos] == 0xff && d.data[d.pos+1] != 0 && d.data[d.pos+1] != 0xff {
			d.pos += 2
			return d.data[d.pos-1]
		}
	}
	if d.components != nil {
		d.wrong("the end mark is missing")
	}
	d.pos = len(d.data)
	return eoi
}

// segment returns what stands behind a marker and its length.
func (d *decoder) segment() ([]byte, bool) {
	if len(d.data)-d.pos < 2 {
		return nil, false
	}
	n := int(binary.BigEndian.Uint16(d.data[d.pos:]))
	if n < 2 || n > len(d.data)-d.pos {
		return nil, false
	}
	body := d.data[d.pos+2 : d.pos+n]
	d.pos += n
	return body, true
}

func (d *decoder) act(marker byte, body []byte) error {
	switch marker {
	case sof0, sof1, sof2, sof9, sof10:
		return d.frame(marker, body)
	case dht:
		return d.readHuffman(body)
	case dac:
		return d.conditions.read(body)
	case dqt:
		return d.readQuantizers(body)
	case dri:
		if len(body) != 2 {
			return fmt.Errorf("restart interval of %d bytes", len(body))
		}
		d.interval = int(binary.BigEndian.Uint16(body))
	case sos:
		return d.scan(body)
	case app0:
		d.jfif = d.jfif || len(body) >= 5 && string(body[:5]) == "JFIF\x00"
	case app14:
		if len(body) >= 12 && string(body[:5]) == "Adobe" {
			d.adobe, d.transform = true, body[11]
		}
	default:
		if marker > sof2 && marker < 0xd0 {
			return fmt.Errorf("%w process %#x", errUnsupported, marker)
		}
	}
	return nil
}

// frame reads the header of the picture: precision, height, width, and three bytes for each component.
func (d *decoder) frame(marker byte, b []byte) error {
	if d.components != nil {
		return fmt.Errorf("two frames")
	}
	if len(b) < 6 || len(b) != 6+3*int(b[5]) {
		return fmt.Errorf("frame header of %d bytes", len(b))
	}
	d.height, d.width = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:]))
	n := int(b[5])
	if b[0] != 8 || n != 1 && n != 3 && n != 4 {
		return fmt.Errorf("%w: %d components of %d bits", errUnsupported, n, b[0])
	}
	if d.height == 0 || d.width == 0 {
		return fmt.Errorf("%w: %d x %d pixels", errUnsupported, d.width, d.height)
	}
	d.progressive, d.arithmetic = marker == sof2 || marker == sof10, marker >= sof9
	all := make([]component, n)
	d.most = sampling{1, 1}
	for i := range all {
		c := b[6+3*i:]
		all[i] = component{id: c[0], sampling: sampling{int(c[1] >> 4), int(c[1] & 15)}, quantizer: c[2]}
		s := all[i].sampling
		if s.h < 1 || s.h > 4 || s.v < 1 || s.v > 4 || c[2] > 3 {
			return fmt.Errorf("component %d: sampling %d x %d, quantizer %d", i+1, s.h, s.v, c[2])
		}
		d.most = sampling{max(d.most.h, s.h), max(d.most.v, s.v)}
	}
	if n == 1 { // a single component is never interleaved
		all[0].sampling, d.most = sampling{1, 1}, sampling{1, 1}
	}
	for i := range all {
		c := &all[i]
		if d.most.h%c.h != 0 || d.most.v%c.v != 0 {
			return fmt.Errorf("%w: fractions in the sampling, %d x %d of %d x %d", errUnsupported, c.h, c.v, d.most.h, d.most.v)
		}
		c.across, c.down = up(d.width, 8*d.most.h)*c.h, up(d.height, 8*d.most.v)*c.v
		c.width, c.height = up(d.width*c.h, d.most.h), up(d.height*c.v, d.most.v)
	}
	d.components = all
	return nil
}

// up is a/b, rounded up.
func up(a, b int) int { return (a + b - 1) / b }

func (d *decoder) readQuantizers(b []byte) error {
	for len(b) > 0 {
		wide, to := int(b[0]>>4), b[0]&15
		if wide > 1 || to > 3 || len(b) < 1+64*(1+wide) {
			return fmt.Errorf("quantizer %#x of %d bytes", b[0], len(b))
		}
		q := new([64]uint16)
		for k := range q {
			if wide == 1 {
				q[natural[k]] = binary.BigEndian.Uint16(b[1+2*k:])
			} else {
				q[natural[k]] = uint16(b[1+k])
			}
		}
		d.quantizers[to] = q
		b = b[1+64*(1+wide):]
	}
	return nil
}

// natural is the place of each coefficient of the zigzag (T.81, figure A.6), row by row.
var natural = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}
