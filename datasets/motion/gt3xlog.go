package motion

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/oatta/oatta/datasets/internal/message"
)

// A record of log.bin: 1E, type, seconds since 1970 (4 bytes), size (2 bytes), payload, checksum.
const (
	logMark     = 0x1e
	logHeader   = 8
	logLongest  = logHeader + math.MaxUint16 + 1
	logPacked   = 0x00 // ACTIVITY: 12 bits an axis, in the order y, x, z
	logSettings = 0x15 // PARAMETERS
	logWide     = 0x1a // ACTIVITY2: 16 bits an axis, in the order x, y, z
	logPacked2  = 0x1b // not in the description; 12 bits an axis, in the order x, y, z, as ActiGraph's own pygt3x reads it
)

// gt3xLog reads the records of log.bin. A record holds the samples of one second.
type gt3xLog struct {
	place  string // of the file
	in     *bufio.Reader
	rec    *Recording
	scale  float64 // units a g; 0: not known yet
	turned bool    // axes that a firmware has turned

	offset  int64 // of the next byte
	at      int64 // of the record that was given last
	zero    int64 // second of the first sample, since 1970
	pending batch // the first second, which was read to know when it is
	told    bool  // pending was given
	xor     xorSums
}

func openLog(r *Recording, place string, in io.Reader, info gt3xInfo) error {
	d := &gt3xLog{place: place, in: bufio.NewReaderSize(in, 4*logLongest), rec: r}
	d.scale = info.scale
	if d.scale == 0 {
		d.scale = info.serialScale()
	}
	d.turned = info.firmware == "1.6.0" && len(info.serial) > 3 && info.serial[:3] == "MOS"
	if d.turned {
		r.notes.say("%s: firmware 1.6.0 exchanges x and y: they are put back", place)
	}
	second, err := d.record(&d.pending)
	if err == io.EOF {
		err = fmt.Errorf("motion: %s: no samples: %s", place, whyNone(r.notes.strings()))
	}
	if err != nil {
		return err
	}
	d.zero = second
	r.head.Start = time.Unix(second, 0).UTC()
	r.dec = d
	return nil
}

func whyNone(notes []string) string {
	if len(notes) == 0 {
		return "no record of activity"
	}
	return notes[0]
}

func (d *gt3xLog) where(int) string { return d.whereAt(d.at) }

func (d *gt3xLog) whereAt(offset int64) string {
	return fmt.Sprintf("%s: record at byte %d", d.place, offset)
}

// next implements decoder: the samples of a second.
func (d *gt3xLog) next(b *batch) error {
	if !d.told {
		d.told = true
		*b, d.pending = d.pending, batch{}
		return nil
	}
	second, err := d.record(b)
	if err != nil {
		return err
	}
	for i := range b.times {
		b.times[i] += float64(second - d.zero)
	}
	return nil
}

// record appends the samples of the next record that has any, at times since the record's second, which it returns.
func (d *gt3xLog) record(b *batch) (second int64, err error) {
	for {
		head, payload, err := d.find()
		if err != nil {
			return 0, err
		}
		second = int64(binary.LittleEndian.Uint32(head[2:]))
		switch kind := head[1]; kind {
		case logSettings:
			d.settings(payload)
		case logPacked, logPacked2, logWide:
			if len(payload) > 1 { // one byte tells that the device was plugged in
				err = d.samples(b, kind, payload)
			}
		}
		size := int64(len(payload) + logHeader + 1)
		d.at = d.offset
		d.skip(int(size))
		if err != nil || len(b.times) > 0 {
			return second, err
		}
	}
}

// skip passes over bytes that were peeked at.
func (d *gt3xLog) skip(n int) {
	n, _ = d.in.Discard(n)
	d.offset += int64(n)
}

// find returns the next whole record, still in the buffer. What is none is passed over.
func (d *gt3xLog) find() (head, payload []byte, err error) {
	for {
		buf, err := d.in.Peek(logHeader)
		if len(buf) == logHeader && buf[0] == logMark {
			buf, err = d.in.Peek(logHeader + int(binary.LittleEndian.Uint16(buf[6:])) + 1)
		}
		if err != nil && err != io.EOF {
			return nil, nil, fmt.Errorf("motion: %s: %w", d.whereAt(d.offset), noEOF(err))
		}
		n := recordSize(buf)
		switch {
		case len(buf) == 0:
			return nil, nil, io.EOF
		case n > 0 && checksum(buf[:n-1]) == buf[n-1]:
			return buf[:logHeader], buf[logHeader : n-1], nil
		case buf[0] == 0: // no damage, the description says
			d.skip(zeros(buf))
		default:
			d.resync()
		}
	}
}

// recordSize returns the length of the record at the beginning of buf, 0 if it is none or not all of it is there.
func recordSize(buf []byte) int {
	if len(buf) < logHeader || buf[0] != logMark {
		return 0
	}
	n := logHeader + int(binary.LittleEndian.Uint16(buf[6:])) + 1
	if n > len(buf) {
		return 0
	}
	return n
}

// checksum is the complement of all bytes exclusive-ored.
func checksum(b []byte) byte {
	sum := byte(0)
	for _, v := range b {
		sum ^= v
	}
	return ^sum
}

func zeros(buf []byte) int {
	for i, v := range buf {
		if v != 0 {
			return i
		}
	}
	return len(buf)
}

// resync passes over damage: to the next place where a record with a right checksum begins and something sensible follows it.
func (d *gt3xLog) resync() {
	buf, err := d.in.Peek(2 * logLongest) // an error is met again behind what there is
	if err == io.EOF && buf[0] == logMark && recordSize(buf) == 0 && !d.hasRecord(buf, len(buf)) {
		d.rec.notes.say("%s: the file ends within a record, at byte %d", d.place, d.offset+int64(len(buf)))
		d.skip(len(buf))
		return
	}
	to := len(buf)
	if err == nil {
		to -= logLongest // what begins behind may not be all there
	}
	to = d.firstRecord(buf, to)
	d.rec.notes.add("damaged records left out", fmt.Sprintf("%s: mark or checksum is wrong, %s are passed over", d.whereAt(d.offset), message.Count(to, "byte")))
	d.skip(to)
}

func (d *gt3xLog) hasRecord(buf []byte, to int) bool { return d.firstRecord(buf, to) < to }

// firstRecord returns where the first record begins that begins behind the first byte and before to; to if none does.
func (d *gt3xLog) firstRecord(buf []byte, to int) int {
	for i := 1; i < to; i++ {
		n := recordSize(buf[i:])
		if n == 0 {
			continue
		}
		behind := i + n
		if sum := ^d.xor.of(buf, d.offset, i, behind-1); sum == buf[behind-1] && (behind == len(buf) || buf[behind] == logMark || buf[behind] == 0) {
			return i
		}
	}
	return to
}

// xorSums holds the exclusive or of all bytes up to each, so that the checksum of any stretch is two look-ups and hostile bytes cost no
// more than others.
type xorSums struct {
	base int64  // offset in the file of the first sum
	sums []byte // sums[i]: of the bytes from base to base+i
}

// of returns the exclusive or of buf[from:to], where buf begins at an offset of the file.
func (x *xorSums) of(buf []byte, offset int64, from, to int) byte {
	at := offset - x.base
	if at < 0 || at >= int64(len(x.sums)) || at > 8*logLongest {
		x.base, x.sums, at = offset, append(x.sums[:0], 0), 0
	}
	for i := len(x.sums) - 1 - int(at); i < to; i++ {
		x.sums = append(x.sums, x.sums[len(x.sums)-1]^buf[i])
	}
	return x.sums[int(at)+to] ^ x.sums[int(at)+from]
}

// settings looks for ACCEL_SCALE among the parameters, which are pairs of 4 bytes: address space and number, value.
func (d *gt3xLog) settings(payload []byte) {
	const accelScale = 55
	for ; len(payload) >= 8; payload = payload[8:] {
		space, number := binary.LittleEndian.Uint16(payload), binary.LittleEndian.Uint16(payload[2:])
		if v := sspFloat(binary.LittleEndian.Uint32(payload[4:])); space == 0 && number == accelScale && scaleMakesSense(v) {
			d.scale = v
		}
	}
}

// sspFloat decodes a float of ActiGraph's: 24 bits of fraction and 8 of exponent, both in two's complement.
func sspFloat(v uint32) float64 {
	return math.Ldexp(float64(int32(v<<8)>>8)/(1<<23), int(int32(v)>>24))
}

// samples unpacks a second.
func (d *gt3xLog) samples(b *batch, kind byte, payload []byte) error {
	if d.scale == 0 {
		return fmt.Errorf("motion: %s: how many units a g are is not said, neither in info.txt (Acceleration Scale) nor by a parameter nor by the serial number", d.place)
	}
	n := packedSamples(len(payload))
	if kind == logWide {
		n = len(payload) / 6
	}
	rate := d.rec.head.Rate
	if n != int(rate) {
		d.rec.notes.add(fmt.Sprintf("records without the %g samples of a second", rate), fmt.Sprintf("%s: %d", d.whereAt(d.offset), n))
		rate = max(rate, float64(n))
	}
	for i := range n {
		x, y, z := axesOf(kind, payload, i)
		if d.turned {
			x, y = y, -x
		}
		b.times = append(b.times, float64(i)/rate)
		b.values = append(b.values, thousandths(float64(x)/d.scale), thousandths(float64(y)/d.scale), thousandths(float64(z)/d.scale))
	}
	return nil
}

// axesOf returns sample i of a payload.
func axesOf(kind byte, payload []byte, i int) (x, y, z int) {
	switch kind {
	case logWide:
		axis := func(k int) int { return int(int16(binary.LittleEndian.Uint16(payload[6*i+2*k:]))) }
		return axis(0), axis(1), axis(2)
	case logPacked2:
		return unpack12(payload, 3*i), unpack12(payload, 3*i+1), unpack12(payload, 3*i+2)
	}
	return unpack12(payload, 3*i+1), unpack12(payload, 3*i), unpack12(payload, 3*i+2)
}
