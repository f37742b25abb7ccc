package camera

import (
	"encoding/binary"
	goimage "image"
)

// Decoder holds tables and memory from one picture to the next. The zero value is ready; it is for one caller at a time.
type Decoder struct {
	data []byte
	pos  int

	components     []component
	all            [3]component
	width, height  int
	most           sampling // the factors of the first component, which no other exceeds
	extended, jfif bool     // SOF1; JFIF's mark
	adobe          bool
	transform      byte // Adobe's
	interval       int  // MCUs between restart markers; 0: none
	quantizers     [4][64]int32
	quantized      [4]bool
	huffman        [2][4]huffman // DC, AC

	bits  bits
	block [64]int32 // column by column

	planes []uint8
	gray   goimage.Gray
	colour goimage.YCbCr
}

// component is one plane of the picture.
type component struct {
	id, quantizer byte
	sampling
	dc, ac    byte // tables
	predicted int32
	plane     []uint8
	stride    int
}

// sampling is two factors of T.81, A.1.1.
type sampling struct{ h, v int }

// Markers of T.81, table B.1.
const (
	sof0  = 0xc0 // baseline
	sof1  = 0xc1 // extended sequential
	dht   = 0xc4
	rst0  = 0xd0
	soi   = 0xd8
	eoi   = 0xd9
	sos   = 0xda
	dqt   = 0xdb
	dri   = 0xdd
	app0  = 0xe0
	app14 = 0xee
	app15 = 0xef
	com   = 0xfe
)

// maxKept is the most memory of planes, in bytes, that stays after Trim.
const maxKept = 32 << 20

// Decode decodes a file that it is sure of, and says whether it did. The picture, a Gray or a YCbCr, is valid until the next call. Who calls has
// compared its size, as the header gives it, with what memory there is: up to 3 bytes a pixel.
func (d *Decoder) Decode(data []byte) (img goimage.Image, ok bool) {
	d.begin(data)
	defer func() { d.data, d.bits.data = nil, nil }()
	if !d.segments() {
		d.Trim() // another decoder comes next, with memory of its own
		return nil, false
	}
	if len(d.components) == 1 {
		return &d.gray, true
	}
	return &d.colour, true
}

// Trim lets the memory of a large picture go, which is not valid any more.
func (d *Decoder) Trim() {
	if cap(d.planes) > maxKept {
		d.planes, d.gray, d.colour, d.all = nil, goimage.Gray{}, goimage.YCbCr{}, [3]component{}
	}
}

func (d *Decoder) begin(data []byte) {
	d.data, d.pos = data, 2
	d.components = nil
	d.extended, d.jfif, d.adobe, d.transform, d.interval = false, false, false, 0, 0
	d.quantized = [4]bool{}
	d.block = [64]int32{} // a file that was left may have left something
	for class := range d.huffman {
		for i := range d.huffman[class] {
			d.huffman[class][i].defined = false
		}
	}
}

// segments reads all up to the end mark.
func (d *Decoder) segments() bool {
	if len(d.data) < 2 || d.data[0] != 0xff || d.data[1] != soi {
		return false
	}
	for scanned := false; ; {
		marker, ok := d.marker()
		if !ok {
			return false
		}
		if marker == eoi {
			return scanned
		}
		body, ok := d.segment()
		if !ok || scanned && (marker < app0 || marker > com) {
			return false
		}
		if !d.act(marker, body) {
			return false
		}
		scanned = scanned || marker == sos
	}
}

// marker reads the next marker, which must stand here, perhaps behind bytes that fill.
func (d *Decoder) marker() (byte, bool) {
	if d.pos >= len(d.data) || d.data[d.pos] != 0xff {
		return 0, false
	}
	for d.pos < len(d.data) && d.data[d.pos] == 0xff {
		d.pos++
	}
	if d.pos >= len(d.data) || d.data[d.pos] == 0 {
		return 0, false
	}
	d.pos++
	return d.data[d.pos-1], true
}

// segment returns what stands behind a marker and its length.
func (d *Decoder) segment() ([]byte, bool) {
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

func (d *Decoder) act(marker byte, body []byte) bool {
	switch {
	case marker == sof0 || marker == sof1:
		d.extended = marker == sof1
		return d.frame(body)
	case marker == dht:
		return d.readHuffman(body)
	case marker == dqt:
		return d.readQuantizers(body)
	case marker == dri:
		if len(body) == 2 {
			d.interval = int(binary.BigEndian.Uint16(body))
		}
		return len(body) == 2
	case marker == sos:
		return d.scan(body)
	case marker == app0:
		if len(body) >= 5 {
			d.jfif = string(body[:5]) == "JFIF\x00"
		}
	case marker == app14:
		if len(body) >= 12 && string(body[:5]) == "Adobe" {
			d.adobe, d.transform = true, body[11]
		}
	}
	return app0 <= marker && marker <= app15 || marker == com
}

// frame reads the header of the picture: precision, height, width, and three bytes for each component.
func (d *Decoder) frame(b []byte) bool {
	if d.components != nil || len(b) < 6 || len(b) != 6+3*int(b[5]) || b[0] != 8 {
		return false
	}
	n := int(b[5])
	d.height, d.width = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:]))
	if n != 1 && n != 3 || d.height == 0 || d.width == 0 {
		return false
	}
	for i := range n {
		c := b[6+3*i:]
		d.all[i] = component{id: c[0], sampling: sampling{int(c[1] >> 4), int(c[1] & 15)}, quantizer: c[2]}
		if s := d.all[i].sampling; !usual(s.h) || !usual(s.v) || c[2] > 3 {
			return false
		}
	}
	d.components = d.all[:n]
	if n == 1 {
		d.all[0].sampling = sampling{1, 1} // a single component is never interleaved
	}
	d.most = d.all[0].sampling
	return n == 1 || d.colours()
}

func usual(factor int) bool { return factor == 1 || factor == 2 || factor == 4 }

// colours checks three components: luma first, and two of chroma alike.
func (d *Decoder) colours() bool {
	y, cb, cr := d.all[0], d.all[1], d.all[2]
	distinct := y.id != cb.id && y.id != cr.id && cb.id != cr.id
	if !distinct || cb.sampling != cr.sampling || y.v == 4 || y.h%cb.h != 0 || y.v%cb.v != 0 || y.h*y.v+2*cb.h*cb.v > 10 {
		return false
	}
	_, ok := ratios[sampling{y.h / cb.h, y.v / cb.v}]
	return ok
}

// ratios are those of the sampling of luma to that of chroma.
var ratios = map[sampling]goimage.YCbCrSubsampleRatio{
	{1, 1}: goimage.YCbCrSubsampleRatio444, {1, 2}: goimage.YCbCrSubsampleRatio440,
	{2, 1}: goimage.YCbCrSubsampleRatio422, {2, 2}: goimage.YCbCrSubsampleRatio420,
	{4, 1}: goimage.YCbCrSubsampleRatio411, {4, 2}: goimage.YCbCrSubsampleRatio410,
}

// isRGB is the standard decoder's rule for three components that are no luma and chroma.
func (d *Decoder) isRGB() bool {
	switch {
	case d.jfif:
		return false
	case d.adobe && d.transform == 0:
		return true
	}
	return d.all[0].id == 'R' && d.all[1].id == 'G' && d.all[2].id == 'B'
}

func (d *Decoder) readQuantizers(b []byte) bool {
	for len(b) > 0 {
		wide, to := int(b[0]>>4), b[0]&15
		if wide > 1 || to > 3 || len(b) < 1+64*(1+wide) {
			return false
		}
		q := &d.quantizers[to]
		for k := range q {
			if wide == 1 {
				q[k] = int32(binary.BigEndian.Uint16(b[1+2*k:]))
			} else {
				q[k] = int32(b[1+k])
			}
		}
		d.quantized[to] = true
		b = b[1+64*(1+wide):]
	}
	return true
}

// makePlanes sets memory aside for whole MCUs, as the standard decoder has them.
func (d *Decoder) makePlanes(across, down int) {
	total := 0
	for _, c := range d.components {
		total += 64 * across * c.h * down * c.v
	}
	if cap(d.planes) < total {
		d.planes = make([]uint8, total)
	}
	rest := d.planes[:total]
	for i := range d.components {
		c := &d.components[i]
		n := 64 * across * c.h * down * c.v
		c.plane, c.stride, rest = rest[:n:n], 8*across*c.h, rest[n:]
	}
	all := goimage.Rect(0, 0, d.width, d.height)
	if len(d.components) == 1 {
		d.gray = goimage.Gray{Pix: d.all[0].plane, Stride: d.all[0].stride, Rect: all}
		return
	}
	d.colour = goimage.YCbCr{
		Y: d.all[0].plane, Cb: d.all[1].plane, Cr: d.all[2].plane, YStride: d.all[0].stride, CStride: d.all[1].stride,
		SubsampleRatio: ratios[sampling{d.most.h / d.all[1].h, d.most.v / d.all[1].v}], Rect: all,
	}
}
