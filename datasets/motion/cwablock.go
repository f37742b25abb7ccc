package motion

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// The layout of a CWA file: a header of 1024 bytes, then blocks of 512, little-endian.
const (
	cwaSector  = 512
	cwaHeader  = 1024
	cwaPayload = 480 // bytes of samples in a block
	cwaSamples = 30  // where they begin
)

// cwaBlock is a block of samples, not yet unpacked.
type cwaBlock struct {
	raw      [cwaSector]byte
	index    int64   // of the block in the file, in sectors from its beginning
	session  uint32  // of the device
	sequence uint32  // counts up by one in a session
	start    int64   // nanoseconds since 1970 of the first sample, wall clock
	rate     float64 // Hz
	axes     int     // 3, 6 or 9
	packed   bool    // 10 bits an axis and a common exponent, else 16 bits
	count    int     // samples
	clipped  bool    // the block claims more samples than it can hold
	accel    float32 // g of one unit
	gyro     float32 // degrees a second of one unit
}

// offset returns the place of the block in the file.
func (b *cwaBlock) offset() int64 { return b.index * cwaSector }

func (b *cwaBlock) u16(at int) uint16 { return binary.LittleEndian.Uint16(b.raw[at:]) }
func (b *cwaBlock) u32(at int) uint32 { return binary.LittleEndian.Uint32(b.raw[at:]) }

var errNotData = errors.New("not a block of samples")

// parse reads what stands around the samples.
func (b *cwaBlock) parse() error {
	if b.raw[0] != 'A' || b.raw[1] != 'X' {
		return errNotData
	}
	if n := b.u16(2); n != cwaSector-4 {
		return fmt.Errorf("length %d, want %d", n, cwaSector-4)
	}
	// The oldest firmware has no checksum and no code of a rate.
	if b.raw[24] != 0 && !b.sumIsZero() {
		return errors.New("checksum is wrong")
	}
	b.session, b.sequence = b.u32(6), b.u32(10)
	if err := b.parseLayout(); err != nil {
		return err
	}
	return b.parseTime()
}

// sumIsZero tells whether the 16-bit words add up to zero.
func (b *cwaBlock) sumIsZero() bool {
	var sum uint16
	for i := 0; i < cwaSector; i += 2 {
		sum += b.u16(i)
	}
	return sum == 0
}

func (b *cwaBlock) parseLayout() error {
	b.axes = int(b.raw[25] >> 4)
	packing := b.raw[25] & 0x0f
	if b.axes != 3 && b.axes != 6 && b.axes != 9 {
		return fmt.Errorf("%d axes, want 3, 6 or 9", b.axes)
	}
	size := 2 * b.axes
	switch {
	case packing == 2:
		b.packed = false
	case packing == 0 && b.axes == 3:
		b.packed, size = true, 4
	default:
		return fmt.Errorf("packing %d of %d axes is unknown", packing, b.axes)
	}
	b.count = int(b.u16(28))
	if most := cwaPayload / size; b.count > most {
		b.count, b.clipped = most, true
	}
	light := b.u16(18)
	b.accel = 1 / float32(int(1)<<(8+light>>13))
	b.gyro = 2000.0 / 32768
	if range2 := light >> 10 & 7; range2 != 0 {
		b.gyro = 8000 / float32(int(1)<<range2) / 32768
	}
	return nil
}

// parseTime finds the time of the first sample: the stamp is that of the sample of index timestampOffset.
func (b *cwaBlock) parseTime() error {
	stamp, ok := cwaTime(b.u32(14))
	if !ok {
		return fmt.Errorf("%#08x is no time", b.u32(14))
	}
	ns, offset := stamp.UnixNano(), int64(int16(b.u16(26)))
	if code := b.raw[24]; code == 0 { // the oldest firmware: the offset is the rate
		b.rate, offset = float64(offset), 0
	} else {
		b.rate = cwaRate(code)
	}
	if !(b.rate > 0) {
		return fmt.Errorf("rate of %v Hz", b.rate)
	}
	if fraction := int64(b.u16(4)); fraction&0x8000 != 0 {
		// 15 bits of a second. Readers that know none of this get an offset from which the whole samples of the fraction are taken
		// away; here they come back.
		fraction = fraction & 0x7fff << 1
		offset += fraction * int64(b.rate) >> 16
		ns += fraction * int64(time.Second) >> 16
	}
	b.start = ns - int64(float64(offset)/b.rate*1e9)
	return nil
}

// cwaRate decodes the lower half of a rate code, 6.25 Hz to 3200 Hz for 6 to 15.
func cwaRate(code byte) float64 { return 3200 / float64(int(1)<<(15-code&15)) }

// cwaTime decodes YYYYYYMM MMDDDDDh hhhhmmmm mmssssss; false for what is no date.
func cwaTime(v uint32) (time.Time, bool) {
	year, month, day := int(v>>26)+2000, time.Month(v>>22&15), int(v>>17&31)
	hour, minute, second := int(v>>12&31), int(v>>6&63), int(v&63)
	t := time.Date(year, month, day, hour, minute, second, 0, time.UTC)
	same := t.Month() == month && t.Day() == day && t.Hour() == hour && t.Minute() == minute && t.Second() == second
	return t, same && v != 0
}

// end returns the time behind the last sample, at the nominal rate.
func (b *cwaBlock) end() int64 { return b.start + int64(float64(b.count)/b.rate*1e9) }

// channels returns what the samples are: accelerometer first, then gyroscope and magnetometer, temperature and light.
func (b *cwaBlock) channels() []Channel {
	out := []Channel{{"x", "g"}, {"y", "g"}, {"z", "g"}}
	if b.axes >= 6 {
		out = append(out, Channel{"gyro_x", "deg/s"}, Channel{"gyro_y", "deg/s"}, Channel{"gyro_z", "deg/s"})
	}
	if b.axes >= 9 {
		out = append(out, Channel{"mag_x", "uT"}, Channel{"mag_y", "uT"}, Channel{"mag_z", "uT"})
	}
	return append(out, Channel{"temperature", "degC"}, Channel{"light", "raw"})
}

// appendValues unpacks the samples.
func (b *cwaBlock) appendValues(dst []float32) []float32 {
	temperature, light := b.temperature(), float32(b.u16(18)&0x3ff)
	for i := range b.count {
		if b.packed {
			dst = b.appendPacked(dst, b.u32(cwaSamples+4*i))
		} else {
			dst = b.appendWide(dst, cwaSamples+2*b.axes*i)
		}
		dst = append(dst, temperature, light)
	}
	return dst
}

// temperature returns degrees, NaN if the block has none. The conversion is that of cwa.h, a sensor of 0.5 V at 0 C and 10 mV a degree
// under 3 V / 1024 a step, scaled.
func (b *cwaBlock) temperature() float32 {
	raw := b.u16(20) & 0x3ff
	if raw == 0 {
		return nan
	}
	return float32(raw)*75/256 - 50
}

// appendPacked unpacks eezzzzzz zzzzyyyy yyyyyyxx xxxxxxxx: three signed numbers of 10 bits, to be shifted left by e.
func (b *cwaBlock) appendPacked(dst []float32, v uint32) []float32 {
	e := v >> 30
	axis := func(shift int) float32 { return float32(int32(v<<(22-shift))>>22<<e) * b.accel }
	return append(dst, axis(0), axis(10), axis(20))
}

// appendWide reads signed 16-bit numbers. Of six and nine axes the gyroscope's stand first.
func (b *cwaBlock) appendWide(dst []float32, at int) []float32 {
	axes := func(first int, scale float32) {
		for i := range 3 {
			dst = append(dst, float32(int16(b.u16(at+2*(first+i))))*scale)
		}
	}
	if b.axes == 3 {
		axes(0, b.accel)
		return dst
	}
	axes(3, b.accel)
	axes(0, b.gyro)
	if b.axes == 9 {
		axes(6, 1.0/16) // microtesla
	}
	return dst
}
