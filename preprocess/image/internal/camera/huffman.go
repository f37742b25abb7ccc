package camera

import (
	"bytes"
	"encoding/binary"
)

// lookBits is how many bits of the data a look-up takes. Most codes with the number behind them have no more.
const lookBits = 10

// huffman is a table of codes (T.81, annex C and F.2.2.3).
type huffman struct {
	defined bool
	spec    []byte // counts and symbols of which the table was made: cameras write the same ones in every file

	// look has an entry for each lookBits bits. With a number in its upper half, the bits hold a code and a coefficient: that number, behind
	// a run of zeros in bits 8 to 11, all in so many bits as the lowest 8 say. Without, bits 8 to 15 are the symbol of the code alone; 0: the
	// code is longer.
	look [1 << lookBits]uint32

	most    [17]int32 // largest code of each length, -1 if there is none
	first   [17]int32 // what leads from a code of a length to the place of its symbol
	symbols [256]byte
}

// make makes the table of counts of codes by length, and their symbols.
func (t *huffman) make(spec []byte, class byte) bool {
	t.defined = true
	if bytes.Equal(spec, t.spec) {
		return true
	}
	t.spec = append(t.spec[:0], spec...)
	if !t.codes(spec[:16], spec[16:]) {
		t.spec, t.defined = nil, false
		return false
	}
	if class == 1 {
		t.numbers()
	}
	return true
}

// codes deals the codes of each length in order. More of them than there are is an error.
func (t *huffman) codes(counts, symbols []byte) bool {
	clear(t.look[:])
	copy(t.symbols[:], symbols)
	code, at := int32(0), int32(0)
	for length := int32(1); length <= 16; length++ {
		n := int32(counts[length-1])
		t.first[length], t.most[length] = at-code, -1
		if n > 0 {
			t.most[length] = code + n - 1
		}
		if code+n > 1<<length {
			return false
		}
		for i := range n {
			if length > lookBits {
				break
			}
			entry := uint32(symbols[at+i])<<8 | uint32(length)
			for low := range int32(1) << (lookBits - length) {
				t.look[(code+i)<<(lookBits-length)|low] = entry
			}
		}
		at += n
		code = (code + n) << 1
	}
	return true
}

// numbers puts coefficients where the bits of a look-up hold one behind its code.
func (t *huffman) numbers() {
	for i, e := range t.look {
		length, size := e&0xff, e>>8&15
		if length == 0 || size == 0 || length+size > lookBits {
			continue
		}
		v := extend(uint64(i)<<(64-lookBits)<<length, size)
		t.look[i] = uint32(v)<<16 | e>>12<<8 | (length + size)
	}
}

// extend is the number in the uppermost size bits, 1 to 15, of which the first tells the sign (T.81, F.2.2.1).
func extend(acc uint64, size uint32) int32 {
	v := int32(acc >> (64 - size))
	if acc>>63 == 0 {
		v += -1<<size + 1
	}
	return v
}

func (d *Decoder) readHuffman(b []byte) bool {
	for len(b) > 0 {
		if len(b) < 17 || b[0]>>4 > 1 || b[0]&15 > 3 || !d.extended && d.components != nil && b[0]&15 > 1 {
			return false
		}
		n := 0
		for _, c := range b[1:17] {
			n += int(c)
		}
		if n == 0 || n > 256 || len(b) < 17+n {
			return false
		}
		if !d.huffman[b[0]>>4][b[0]&15].make(b[1:17+n], b[0]>>4) {
			return false
		}
		b = b[17+n:]
	}
	return true
}

// bits reads coded data, most significant bit first.
type bits struct {
	data []byte
	pos  int    // of what is not in acc yet; at a marker, it stays
	acc  uint64 // the uppermost n bits are to be read
	n    int
	lent int // of these, zeros that are none of the data's
}

// refill brings at least 32 bits.
func (b *bits) refill() {
	if b.pos+8 <= len(b.data) {
		w := binary.BigEndian.Uint64(b.data[b.pos:])
		const ones, tops = 0x0101010101010101, 0x8080808080808080
		if (^w-ones)&w&tops == 0 { // no byte is 0xff
			b.acc |= w >> (b.n & 63)
			whole := (63 - b.n) >> 3
			b.pos += whole
			b.n += 8 * whole
			return
		}
	}
	b.refillSlowly()
}

// refillSlowly takes byte after byte. 0xff stands for itself before a zero; before anything else it is a marker, where the data end.
func (b *bits) refillSlowly() {
	for b.n <= 56 {
		var v byte
		switch {
		case b.pos < len(b.data) && b.data[b.pos] != 0xff:
			v = b.data[b.pos]
			b.pos++
		case b.pos+1 < len(b.data) && b.data[b.pos+1] == 0:
			v = 0xff
			b.pos += 2
		default:
			b.lent += 8
		}
		b.acc |= uint64(v) << (56 - b.n)
		b.n += 8
	}
}

// overdrawn tells that bits were read that are none of the data's.
func (b *bits) overdrawn() bool { return b.n < b.lent }

// spent tells that a marker comes next: what is left is less than a byte, and fills.
func (b *bits) spent() bool {
	return b.n-b.lent < 8 && !b.overdrawn() && b.pos+1 < len(b.data) && b.data[b.pos] == 0xff && b.data[b.pos+1] != 0
}

// places is where each coefficient of the zigzag is in a block that is stored column by column (T.81, figure A.6, turned).
var places = [64]uint8{
	0, 8, 1, 2, 9, 16, 24, 17, 10, 3, 4, 11, 18, 25, 32, 40,
	33, 26, 19, 12, 5, 6, 13, 20, 27, 34, 41, 48, 56, 49, 42, 35,
	28, 21, 14, 7, 15, 22, 29, 36, 43, 50, 57, 58, 51, 44, 37, 30,
	23, 31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62, 55, 63,
}

// block reads a block into c, which holds zeros, each coefficient times its step, and returns the place in the zigzag of the last one that
// is there.
func (b *bits) block(c *[64]int32, dc, ac *huffman, steps *[64]int32, predicted *int32) (last int, ok bool) {
	delta, ok := b.difference(dc)
	if !ok {
		return 0, false
	}
	*predicted += delta
	c[0] = *predicted * steps[0]
	for k := 1; k < 64; k++ {
		if b.n < 32 {
			b.refill()
		}
		e := ac.look[b.acc>>(64-lookBits)]
		if v := int32(e) >> 16; v != 0 {
			b.acc <<= e & 63
			b.n -= int(e & 0xff)
			if k += int(e >> 8 & 15); k > 63 {
				return 0, false
			}
			c[places[k&63]] = v * steps[k&63]
			last = k
			continue
		}
		symbol, ok := b.symbol(ac, e)
		if !ok {
			return 0, false
		}
		run, size := int(symbol>>4), symbol&15
		switch {
		case size == 0 && run == 0:
			return last, true
		case size == 0 && run == 15:
			if k += 15; k > 63 {
				return 0, false
			}
			continue
		case size == 0 || k+run > 63:
			return 0, false
		}
		k += run
		c[places[k&63]] = b.number(size) * steps[k&63]
		last = k
	}
	return last, true
}

// difference reads that of a block's mean from the one before.
func (b *bits) difference(t *huffman) (int32, bool) {
	if b.n < 32 {
		b.refill()
	}
	size, ok := b.symbol(t, t.look[b.acc>>(64-lookBits)])
	switch {
	case !ok || size > 15:
		return 0, false
	case size == 0:
		return 0, true
	}
	return b.number(size), true
}

// symbol reads a code of which e is the entry of the look-up.
func (b *bits) symbol(t *huffman, e uint32) (uint32, bool) {
	if e != 0 {
		b.acc <<= e & 63
		b.n -= int(e & 0xff)
		return e >> 8, true
	}
	for length := lookBits + 1; length <= 16; length++ {
		code := int32(b.acc >> (64 - length))
		if code <= t.most[length] {
			b.acc <<= length
			b.n -= length
			return uint32(t.symbols[t.first[length]+code]), true
		}
	}
	return 0, false
}

func (b *bits) number(size uint32) int32 {
	v := extend(b.acc, size)
	b.acc <<= size
	b.n -= int(size)
	return v
}
