package timeline

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"
)

// A marshalled clock is, little-endian:
//
//	 0  4  magic "OTCK"
//	 4  1  version: 1, or 2 where it is known what times compare by
//	 5  1  1 if there was an item with a time; and in version 2: 2, 4 or 6 where times are instants, on the wall or mixed
//	 6  8  its second since 1970
//	14  4  and nanosecond
//	18  4  items without a time since
//	22  2  number n of steps
//	24  1  number m of keys
//	25  4  version 2: seconds of the last time's zone east of Greenwich, 0 unless times are instants
//	    .  n steps of 8 bytes in nanoseconds, oldest first; m keys of 8 bytes, oldest first
//	    4  CRC-32C of all before
const (
	clockMagic = "OTCK"
	clockHead  = 25
	clockZone  = 4 // of version 2
	clockTail  = 4
)

// MaxBinary is the greatest length of a marshalled clock, in bytes.
const MaxBinary = clockHead + clockZone + 8*(MaxWindow+remembered) + clockTail

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MarshalBinary returns the state of the clock, without its settings. It tells when the last items came, and of their ids a hash, which
// whoever can guess an id can check.
func (c *Clock) MarshalBinary() ([]byte, error) { return c.AppendBinary(nil) }

// AppendBinary appends what MarshalBinary returns. There is no error.
func (c *Clock) AppendBinary(dst []byte) ([]byte, error) {
	start, le := len(dst), binary.LittleEndian
	version, flags := byte(1), byte(c.basis)<<1
	if c.basis != anyBasis {
		version = 2
	}
	second, nano := int64(0), uint32(0)
	if !c.last.at.IsZero() {
		flags |= 1
		second, nano = c.last.at.Unix(), uint32(c.last.at.Nanosecond())
	}
	dst = append(append(dst, clockMagic...), version, flags)
	dst = le.AppendUint64(dst, uint64(second))
	dst = le.AppendUint32(dst, nano)
	dst = le.AppendUint32(dst, uint32(c.untimed))
	dst = le.AppendUint16(dst, uint16(len(c.steps.order)))
	dst = append(dst, byte(c.recent.count))
	if version == 2 {
		dst = le.AppendUint32(dst, uint32(c.last.east))
	}
	for _, d := range c.steps.order {
		dst = le.AppendUint64(dst, uint64(d))
	}
	for i := range c.recent.count {
		dst = le.AppendUint64(dst, c.recent.keys[(c.recent.next+remembered-c.recent.count+i)%remembered])
	}
	return le.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli)), nil
}

// UnmarshalBinary puts the clock, made by NewClock, into a state of MarshalBinary; its settings stay. Of more steps than its window has,
// the latest are taken. After an error, of data that are cut, changed or of another kind, the clock is as it was.
func (c *Clock) UnmarshalBinary(data []byte) error {
	if c.steps.limit == 0 {
		return errors.New("timeline: clock: not made by NewClock")
	}
	restored, err := c.unmarshal(data)
	if err != nil {
		return fmt.Errorf("timeline: clock: %w", err)
	}
	*c = restored
	return nil
}

func (c *Clock) unmarshal(data []byte) (out Clock, err error) {
	out = Clock{settings: c.settings, steps: newSteps(c.steps.limit)}
	body, err := checkedBody(data)
	if err != nil {
		return out, err
	}
	le := binary.LittleEndian
	words := body[clockHead:]
	if out.basis, out.last.east, err = readBasis(body); err != nil {
		return out, err
	}
	if out.basis != anyBasis {
		words = words[clockZone:]
	}
	timed, second, nano, untimed := body[5]&1, int64(le.Uint64(body[6:])), le.Uint32(body[14:]), le.Uint32(body[18:])
	steps, keys := int(le.Uint16(body[22:])), int(body[24])
	switch {
	case timed == 0 && (out.basis == instants || out.basis == onWall || second != 0 || nano != 0 || steps > 0 || keys > 0):
		return out, errors.New("a last time that contradicts the rest")
	case second < firstSecond || second > lastSecond || nano >= 1e9 || second == firstSecond && nano == 0:
		return out, fmt.Errorf("last time %d.%09d", second, nano)
	case untimed > mostMissed:
		return out, fmt.Errorf("%d items without a time", untimed)
	case steps > MaxWindow || keys > remembered:
		return out, fmt.Errorf("%d steps and %d keys: want at most %d and %d", steps, keys, MaxWindow, remembered)
	case len(words) != 8*(steps+keys):
		return out, fmt.Errorf("%d bytes for %d steps and %d keys", len(data), steps, keys)
	}
	if timed == 1 {
		out.last.at = time.Unix(second, int64(nano)).UTC()
	}
	out.untimed = int(untimed)
	for i := range steps {
		d := time.Duration(le.Uint64(words[8*i:]))
		if d <= 0 {
			return out, fmt.Errorf("step %d of %v", i, d)
		}
		out.steps.push(d)
	}
	for i := range keys {
		out.recent.push(le.Uint64(words[8*(steps+i):]))
	}
	return out, nil
}

// readBasis reads what times compare by, and the zone of the last one.
func readBasis(body []byte) (b basis, east int32, err error) {
	flags := body[5]
	b = basis(flags >> 1)
	if body[4] == 1 && b == anyBasis {
		return b, 0, nil
	}
	if body[4] == 1 || b == anyBasis || b > mixed || len(body) < clockHead+clockZone {
		return b, 0, fmt.Errorf("flags %d of %d bytes in version %d", flags, len(body), body[4])
	}
	east = int32(binary.LittleEndian.Uint32(body[clockHead:]))
	if b != instants && east != 0 || east < -maxEast || east > maxEast {
		return b, 0, fmt.Errorf("a zone of %d seconds", east)
	}
	return b, east, nil
}

// maxEast bounds what a zone is from Greenwich, in seconds.
const maxEast = 7 * 24 * 3600

// checkedBody returns the data without their checksum, at least a head of them.
func checkedBody(data []byte) ([]byte, error) {
	switch {
	case !bytes.HasPrefix(data, []byte(clockMagic)):
		return nil, errors.New("it does not begin with " + clockMagic)
	case len(data) < clockHead+clockTail:
		return nil, fmt.Errorf("cut short: %d bytes", len(data))
	case data[4] != 1 && data[4] != 2:
		return nil, fmt.Errorf("version %d: this program reads versions 1 and 2", data[4])
	}
	body := data[:len(data)-clockTail]
	if got, want := crc32.Checksum(body, castagnoli), binary.LittleEndian.Uint32(data[len(body):]); got != want {
		return nil, fmt.Errorf("damaged or cut short: checksum %08x, recorded %08x", got, want)
	}
	return body, nil
}
