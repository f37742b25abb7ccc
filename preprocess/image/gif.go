package image

import (
	"errors"
	goimage "image"
	"image/color"
)

// compose puts the first frame of a GIF onto its canvas, with the colours of PIL: Go's decoder forgets the colour of the
// transparent index, which convert("RGB") shows, and what the frame leaves free shows that index too, or index 0.
func compose(frame *goimage.Paletted, data []byte) (goimage.Image, error) {
	h, ok := parseGIF(data)
	if !ok {
		return nil, errors.New("damaged GIF: no first frame")
	}
	canvas := goimage.Rect(0, 0, h.width, h.height)
	m := &goimage.Paletted{Pix: frame.Pix, Stride: frame.Stride, Rect: frame.Rect, Palette: h.colours()}
	if frame.Rect == canvas {
		return m, nil
	}
	free := uint8(max(h.transparent, 0))
	whole := goimage.NewPaletted(canvas, m.Palette)
	for i := range whole.Pix {
		whole.Pix[i] = free
	}
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		copy(whole.Pix[whole.PixOffset(m.Rect.Min.X, y):], m.Pix[m.PixOffset(m.Rect.Min.X, y):][:m.Rect.Dx()])
	}
	return whole, nil
}

// gifHeader is what the blocks of a GIF before its first frame's pixels say.
type gifHeader struct {
	width, height int
	palette       []byte // red, green, blue of each colour: the frame's own, or the file's
	transparent   int    // index, or -1
}

func (h gifHeader) colours() color.Palette {
	p := make(color.Palette, len(h.palette)/3)
	for i := range p {
		p[i] = color.NRGBA{R: h.palette[3*i], G: h.palette[3*i+1], B: h.palette[3*i+2], A: 255}
	}
	if h.transparent < 0 {
		return p
	}
	// Transparent colours keep their value; an index beyond the palette is black, as it is for PIL.
	for len(p) <= h.transparent {
		p = append(p, color.NRGBA{A: 255})
	}
	c := p[h.transparent].(color.NRGBA)
	c.A = 0
	p[h.transparent] = c
	return p
}

// parseGIF walks the blocks up to the first frame (GIF89a specification, sections 18 to 24). It reports false for data that
// end before that; what a decoder has accepted does not.
func parseGIF(data []byte) (h gifHeader, ok bool) {
	const screen, descriptor = 13, 10 // lengths of the two headers, signature and block type included
	if len(data) < screen {
		return h, false
	}
	h = gifHeader{width: le16(data[6:]), height: le16(data[8:]), transparent: -1}
	flags, rest := data[10], data[screen:]
	if h.palette, rest, ok = colourTable(flags, rest); !ok {
		return h, false
	}
	for len(rest) >= 2 && rest[0] == '!' {
		if rest[1] == 0xf9 && len(rest) >= 8 { // graphic control: size 4, flags, delay, delay, transparent index
			h.transparent = -1
			if rest[3]&1 != 0 {
				h.transparent = int(rest[6])
			}
		}
		if rest, ok = skipBlocks(rest[2:]); !ok {
			return h, false
		}
	}
	if len(rest) < descriptor || rest[0] != ',' {
		return h, false
	}
	if own, _, ok := colourTable(rest[9], rest[descriptor:]); ok && own != nil {
		h.palette = own
	}
	return h, true
}

// colourTable cuts off the table that flags announce, if any.
func colourTable(flags byte, data []byte) (table, rest []byte, ok bool) {
	if flags&0x80 == 0 {
		return nil, data, true
	}
	n := 3 << (1 + flags&7)
	if len(data) < n {
		return nil, nil, false
	}
	return data[:n], data[n:], true
}

// skipBlocks cuts off blocks, each after its length, up to the empty one.
func skipBlocks(data []byte) (rest []byte, ok bool) {
	for len(data) > 0 {
		n := int(data[0])
		if len(data) < 1+n {
			break
		}
		data = data[1+n:]
		if n == 0 {
			return data, true
		}
	}
	return nil, false
}

func le16(b []byte) int { return int(b[0]) | int(b[1])<<8 }
