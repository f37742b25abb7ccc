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
//	 4  1  version, 1
//	 5  1  1 if there was an item with a time
//	 6  8  its second since 1970
//	14  4  and nanosecond
//	18  4  items without a time since
//	22  2  number n of steps
//	24  1  number m of keys
//	25  .  n steps of 8 bytes in nanoseconds, oldest first; m keys of 8 bytes, oldest first
//	    4  CRC-32C of all before
const (
	clockMagic   = "OTCK"
	clockVersion = 1
	clockHead    = 25
	clockTail    = 4
)

// MaxBinary is the greatest length of a marshalled clock, in bytes.
const MaxBinary = clockHead + 8*(MaxWindow+remembered) + clockTail

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MarshalBinary returns the state of the clock, without its settings. It tells when the last items came, and of their ids a hash, which
// whoever can guess an id can check.
func (c *Clock) MarshalBinary() ([]byte, error) { return c.AppendBinary(nil) }

// AppendBinary appends what MarshalBinary returns. There is no error.
func (c *Clock) AppendBinary(dst []byte) ([]byte, error) {
	start, le := len(dst), binary.LittleEndian
	dst = append(append(dst, clockMagic...), clockVersion)
	second, nano := int64(0), uint32(0)
	if c.last.IsZero() {
		dst = append(dst, 0)
	} else {
		dst = append(dst, 1)
		second, nano = c.last.Unix(), uint32(c.last.Nanosecond())
	}
	dst = le.AppendUint64(dst, uint64(second))
	dst = le.AppendUint32(dst, nano)
	dst = le.AppendUint32(dst, uint32(c.untimed))
	dst = le.AppendUint16(dst, uint16(len(c.steps.order)))
	dst = append(dst, byte(c.recent.count))
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
	timed, second, nano, untimed := body[5], int64(le.Uint64(body[6:])), le.Uint32(body[14:]), le.Uint32(body[18:])
	steps, keys := int(le.Uint16(body[22:])), int(body[24])
	switch {
	case timed > 1 || timed == 0 && (second != 0 || nano != 0 || steps > 0 || keys > 0):
		return out, errors.New("a last time that contradicts the rest")
	case second < firstSecond || second > lastSecond || nano >= 1e9 || second == firstSecond && nano == 0:
		return out, fmt.Errorf("last time %d.%09d", second, nano)
	case untimed > mostMissed:
		return out, fmt.Errorf("%d items without a time", untimed)
	case steps > MaxWindow || keys > remembered:
		return out, fmt.Errorf("%d steps and %d keys: want at most %d and %d", steps, keys, MaxWindow, remembered)
	case len(body) != clockHead+8*(steps+keys):
		return out, fmt.Errorf("%d bytes for %d steps and %d keys", len(data), steps, keys)
	}
	if timed == 1 {
		out.last = time.Unix(second, int64(nano)).UTC()
	}
	out.untimed = int(untimed)
	words := body[clockHead:]
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

// checkedBody returns the data without their checksum, at least a head of them.
func checkedBody(data []byte) ([]byte, error) {
	switch {
	case !bytes.HasPrefix(data, []byte(clockMagic)):
		return nil, errors.New("it does not begin with " + clockMagic)
	case len(data) < clockHead+clockTail:
		return nil, fmt.Errorf("cut short: %d bytes", len(data))
	case data[4] != clockVersion:
		return nil, fmt.Errorf("version %d: this program reads version %d", data[4], clockVersion)
	}
	body := data[:len(data)-clockTail]
	if got, want := crc32.Checksum(body, castagnoli), binary.LittleEndian.Uint32(data[len(body):]); got != want {
		return nil, fmt.Errorf("damaged or cut short: checksum %08x, recorded %08x", got, want)
	}
	return body, nil
}
