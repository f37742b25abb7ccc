package motion

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// openCWA opens a recording of an Axivity AX3 or AX6, gzipped or not. Channels are x, y, z in g; of an AX6 gyro_x to gyro_z in deg/s and
// perhaps mag_x to mag_z in uT; temperature in degC and light in steps of its converter, both one value a block.
func openCWA(path string) (*Recording, error) {
	f, err := textfile.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := newCWA(path, f)
	if err != nil {
		_ = f.Close() // the error that counts is the first
		return nil, err
	}
	r.closer = f
	return r, nil
}

// newCWA is openCWA of an open file; name stands in messages.
func newCWA(name string, in io.Reader) (*Recording, error) {
	r := &Recording{head: Header{Name: baseName(name)}}
	d := &cwaDecoder{name: name, in: buffered(in), rec: r}
	if err := d.readHeader(); err != nil {
		return nil, err
	}
	if err := d.begin(); err != nil {
		return nil, err
	}
	r.dec = d
	return r, nil
}

// reorderBlocks is how many blocks are held to bring those that were written out of order back to their place: 50 seconds of 100 Hz.
const reorderBlocks = 42

// cwaDecoder reads blocks, sorts them, and gives times to their samples.
//
// A block tells the time of one of its samples, to a sample or better. Between two blocks that follow one another the clock is taken to
// run evenly, which follows a sensor that is a percent too fast and never jumps back; the last one before a gap runs at its nominal rate.
type cwaDecoder struct {
	name string
	in   io.Reader
	rec  *Recording

	sectors int64       // read
	ended   bool        // no more blocks come
	held    []*cwaBlock // in order
	free    []*cwaBlock
	axes    int
	zero    int64 // nanoseconds since 1970 of the recording's first sample
	last    *cwaBlock
	at      int64 // offset of the block that was given last
}

func (d *cwaDecoder) where(int) string { return d.place(d.at) }

func (d *cwaDecoder) place(offset int64) string {
	return fmt.Sprintf("%s: block at byte %d", show(d.name), offset)
}

// readHeader reads the first kilobyte.
func (d *cwaDecoder) readHeader() error {
	var h [cwaHeader]byte
	n, err := io.ReadFull(d.in, h[:])
	if err != nil {
		return fmt.Errorf("motion: %s: header of %d bytes, want %d: %w", show(d.name), n, cwaHeader, message.Cause(noEOF(err)))
	}
	if h[0] != 'M' || h[1] != 'D' {
		return fmt.Errorf("motion: %s: not a CWA file: it begins with %q, want MD", show(d.name), h[:2])
	}
	d.sectors = cwaHeader / cwaSector
	if length := binary.LittleEndian.Uint16(h[2:]); length != cwaHeader-4 {
		d.rec.notes.say("%s: header says that its length is %d, not %d", show(d.name), length, cwaHeader-4)
	}
	serial := uint32(binary.LittleEndian.Uint16(h[5:]))
	if upper := binary.LittleEndian.Uint16(h[11:]); upper != 0xffff {
		serial |= uint32(upper) << 16
	}
	model := "AX3"
	if h[4] == 0x64 {
		model = "AX6"
	}
	d.rec.head.Device = fmt.Sprintf("Axivity %s %d", model, serial)
	d.rec.head.Person = cwaSubject(h[64:512])
	return nil
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// cwaSubject returns the subject's code of the annotation, name=value pairs as in a URL.
func cwaSubject(annotation []byte) string {
	text := string(bytes.TrimRight(annotation, " \x00\xff"))
	for pair := range strings.SplitSeq(text, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name != "_sc" && name != "Subject%20Code" {
			continue
		}
		if s, err := url.QueryUnescape(value); err == nil && utf8.ValidString(s) {
			return strings.TrimSpace(s)
		}
	}
	return ""
}

// begin reads the first blocks, which tell channels, rate and start.
func (d *cwaDecoder) begin() error {
	if err := d.refill(); err != nil {
		return err
	}
	if len(d.held) == 0 {
		return fmt.Errorf("motion: %s: no block of samples: %s", show(d.name), cmp.Or(strings.Join(d.rec.notes.strings(), "; "), "the file ends behind its header"))
	}
	first := d.held[0]
	d.zero = first.start
	d.rec.head.Start = time.Unix(0, first.start).UTC()
	d.rec.head.Rate = first.rate
	d.rec.head.Channels = first.channels()
	return nil
}

// next implements decoder: the samples of one block.
func (d *cwaDecoder) next(b *batch) error {
	for {
		if err := d.refill(); err != nil {
			return err
		}
		if len(d.held) == 0 {
			return io.EOF
		}
		block := d.held[0]
		d.held = slices.Delete(d.held, 0, 1)
		if d.last != nil && block.session == d.last.session && block.sequence <= d.last.sequence {
			d.rec.notes.add("blocks repeated or too far out of order left out", d.place(block.offset()))
			d.free = append(d.free, block)
			continue
		}
		d.retire(block)
		if block.count > 0 {
			d.give(b, block)
			return nil
		}
	}
}

// retire makes a block the last one that was given, and keeps the memory of the one before.
func (d *cwaDecoder) retire(b *cwaBlock) {
	if d.last != nil {
		d.free = append(d.free, d.last)
	}
	d.last = b
}

// give unpacks a block, whose end is the beginning of the next one if that follows.
func (d *cwaDecoder) give(b *batch, block *cwaBlock) {
	d.at = block.offset()
	if block.clipped {
		d.rec.notes.add("blocks that claim more samples than they can hold", d.place(d.at))
	}
	if block.rate != d.rec.head.Rate {
		d.rec.notes.add(fmt.Sprintf("blocks that have not the %v Hz of the first one", d.rec.head.Rate), fmt.Sprintf("%s: %v Hz", d.place(d.at), block.rate))
	}
	end := block.end()
	if len(d.held) > 0 {
		if next := d.held[0]; follows(block, next) {
			end = next.start
		}
	}
	start := float64(block.start-d.zero) / 1e9
	step := float64(end-block.start) / 1e9 / float64(block.count)
	for i := range block.count {
		b.times = append(b.times, start+float64(i)*step)
	}
	b.values = block.appendValues(b.values)
}

// follows tells whether no sample is missing between two blocks: the sequence runs on, and so does the clock, within a tenth of a block or
// three samples. A sensor is no more off, and a stamp without fraction no coarser.
func follows(a, b *cwaBlock) bool {
	length := a.end() - a.start
	slack := max(length/10, int64(3/a.rate*1e9))
	off := b.start - a.end()
	return b.session == a.session && b.sequence == a.sequence+1 && off <= slack && off >= -slack && b.start > a.start
}

// refill reads blocks until enough are held to sort them.
func (d *cwaDecoder) refill() error {
	for !d.ended && len(d.held) < reorderBlocks {
		b := d.take()
		switch err := d.readBlock(b); {
		case err == io.EOF:
			d.ended = true
		case err != nil:
			return err
		}
	}
	return nil
}

func (d *cwaDecoder) take() *cwaBlock {
	if n := len(d.free); n > 0 {
		b := d.free[n-1]
		d.free = d.free[:n-1]
		return b
	}
	return new(cwaBlock)
}

// readBlock reads a sector and holds it if it is a block of samples.
func (d *cwaDecoder) readBlock(b *cwaBlock) error {
	n, err := io.ReadFull(d.in, b.raw[:])
	switch {
	case err == io.EOF:
		return io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		d.rec.notes.say("%s: the file ends within a block, at byte %d", show(d.name), d.sectors*cwaSector+int64(n))
		return io.EOF
	case err != nil:
		return fmt.Errorf("motion: %s: %w", d.place(d.sectors*cwaSector), message.Cause(err))
	}
	b.index, b.clipped = d.sectors, false
	d.sectors++
	if err := b.parse(); err != nil {
		d.rec.notes.add("damaged blocks left out", fmt.Sprintf("%s: %v", d.place(b.offset()), err))
		d.free = append(d.free, b)
		return nil
	}
	if d.axes == 0 {
		d.axes = b.axes
	}
	if b.axes != d.axes {
		d.rec.notes.add(fmt.Sprintf("blocks without the %d axes of the first one left out", d.axes), fmt.Sprintf("%s: %d", d.place(b.offset()), b.axes))
		d.free = append(d.free, b)
		return nil
	}
	d.hold(b)
	return nil
}

// hold puts a block behind those of the same session with a lower sequence; blocks of different sessions keep their order.
func (d *cwaDecoder) hold(b *cwaBlock) {
	i := len(d.held)
	for i > 0 && d.held[i-1].session == b.session && d.held[i-1].sequence > b.sequence {
		i--
	}
	if i < len(d.held) {
		d.rec.notes.add("blocks out of order put back", d.place(b.offset()))
	}
	d.held = slices.Insert(d.held, i, b)
}
