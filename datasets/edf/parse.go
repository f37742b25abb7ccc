package edf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

const (
	fixedBytes  = 256 // of the header, before what it says of the signals
	signalBytes = 256 // of each signal
)

// readHeader reads the whole header from r. Bytes are taken as they come, so a claim of 9999 signals costs no more than the file has.
func readHeader(r io.Reader) (*Header, error) {
	var fixed [fixedBytes]byte
	if n, err := io.ReadFull(r, fixed[:]); err != nil {
		return nil, fmt.Errorf("header: %w after %d of %d bytes", cut(err), n, fixedBytes)
	}
	h := &Header{}
	count, err := h.parseFixed(fixed[:])
	if err != nil {
		return nil, err
	}
	var rest bytes.Buffer
	if n, err := io.CopyN(&rest, r, count*signalBytes); err != nil {
		return nil, fmt.Errorf("header: %w after %d of the %d bytes of %d signals", cut(err), n, count*signalBytes, count)
	}
	return h, h.parseSignals(rest.Bytes(), int(count))
}

// cut gives the end of a file in the middle of things its usual error.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// parseFixed reads the first 256 bytes and returns the number of signals.
func (h *Header) parseFixed(b []byte) (signals int64, err error) {
	if err := h.parseFormat(b); err != nil {
		return 0, err
	}
	var ascii1, ascii2 bool
	h.Patient, ascii1 = text(b[8:88])
	h.Recording, ascii2 = text(b[88:168])
	if !ascii1 || !ascii2 {
		h.warn("header: patient or recording is not ASCII")
	}
	h.parseStart(b[168:176], b[176:184])
	if h.bytes, err = integer(b[184:192]); err != nil {
		h.warn("header: length: %v", err)
	}
	if h.claimed, err = integer(b[236:244]); err != nil {
		h.claimed = -1
		h.warn("header: number of records: %v", err)
	}
	if h.RecordSeconds, err = number(b[244:252]); err != nil {
		return 0, fmt.Errorf("header: duration of a record: %w", err)
	}
	if h.RecordSeconds < 0 {
		return 0, fmt.Errorf("header: duration of a record: %g seconds", h.RecordSeconds)
	}
	if signals, err = integer(b[252:256]); err != nil {
		return 0, fmt.Errorf("header: number of signals: %w", err)
	}
	if signals < 1 || signals > maxSignals {
		return 0, fmt.Errorf("header: number of signals: %d", signals)
	}
	return signals, nil
}

// parseFormat reads the version and the reserved field.
func (h *Header) parseFormat(b []byte) error {
	switch {
	case strings.TrimRight(string(b[:8]), " \x00") == "0": // some writers pad with NUL
	case string(b[:8]) == "\xffBIOSEMI":
		h.Format = BDF
	case bytes.HasPrefix(b, []byte("GDF ")):
		return errors.New("header: a GDF file, which only looks like EDF")
	default:
		return fmt.Errorf("header: version %s: not an EDF or BDF file", show(string(b[:8])))
	}
	reserved, _ := text(b[192:236])
	name := h.Format.String() + "+" // EDF+, BDF+
	if plus, ok := strings.CutPrefix(reserved, name); ok {
		h.Format++
		h.Discontinuous = strings.HasPrefix(plus, "D")
		if !h.Discontinuous && !strings.HasPrefix(plus, "C") {
			h.warn("header: neither %sC nor %sD: taken for continuous", name, name)
		}
	}
	return nil
}

// parseStart reads the time of the start. A file with a bad one is still good: nothing but the wall clock is lost.
func (h *Header) parseStart(date, clock []byte) {
	t, exact, err := startTime(date, clock)
	switch {
	case err != nil:
		h.warn("header: start %s %s: %v", show(string(date)), show(string(clock)), err)
		return
	case !exact:
		h.warn("header: start %s %s: want points between the numbers", show(string(date)), show(string(clock)))
	}
	h.Start = t
	if h.Format.Plus() {
		h.takeRecordingDate()
	}
}

// takeRecordingDate moves the start to the date of the recording field, which has the century.
func (h *Header) takeRecordingDate() {
	t := h.Start
	full, ok := recordingDate(h.Recording)
	if t.IsZero() || !ok {
		return
	}
	if full.Month() == t.Month() && full.Day() == t.Day() && full.Year()%100 == t.Year()%100 {
		h.Start = t.AddDate(full.Year()-t.Year(), 0, 0)
		return
	}
	h.warn("header: start date %s differs from that of the recording, %s, which is taken", t.Format(time.DateOnly), full.Format(time.DateOnly))
	h.Start = full.Add(t.Sub(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)))
}

// columns hands out the fields of the signals: all labels, then all transducers, and so on.
type columns struct {
	b     []byte
	count int
}

func (c *columns) next(width int) func(i int) []byte {
	b := c.b
	c.b = b[c.count*width:]
	return func(i int) []byte { return b[i*width : (i+1)*width] }
}

func (h *Header) parseSignals(b []byte, count int) error {
	c := columns{b, count}
	label, transducer, unit := c.next(16), c.next(80), c.next(8)
	ranges := [4]func(int) []byte{c.next(8), c.next(8), c.next(8), c.next(8)}
	prefilter, samples := c.next(80), c.next(8)
	h.Signals = make([]Signal, count)
	h.findAnnotations(label)
	for i := range h.Signals {
		s := &h.Signals[i]
		s.seconds = h.RecordSeconds
		var ascii [4]bool
		s.Label, ascii[0] = text(label(i))
		s.Transducer, ascii[1] = text(transducer(i))
		s.Unit, ascii[2] = text(unit(i))
		s.Prefilter, ascii[3] = text(prefilter(i))
		if ascii != [4]bool{true, true, true, true} {
			h.warn("%s: not ASCII", h.place(i))
		}
		s.annotations = h.Format.Plus() && s.Label == h.annotationLabel()
		s.parseRange(ranges, i)
		if s.scale != nil && !s.annotations {
			h.warn("%s: %v", h.place(i), s.scale)
		}
		n, err := integer(samples(i))
		if err != nil || n < 0 {
			return fmt.Errorf("%s: samples in a record: %s", h.place(i), show(string(samples(i))))
		}
		s.SamplesPerRecord, s.offset = int(n), h.record
		h.record += n * int64(h.Format.SampleBytes())
	}
	return h.checkRecord()
}

// findAnnotations takes a file that has a signal of annotations for a plus file, as edfio and MNE do, also where the reserved field does
// not say so.
func (h *Header) findAnnotations(label func(i int) []byte) {
	if h.Format.Plus() {
		return
	}
	for i := range h.Signals {
		if name, _ := text(label(i)); name == h.annotationLabel() {
			h.Format++
			h.takeRecordingDate()
			h.warn("header: not marked as %v, yet signal %d is called %s: its annotations are read", h.Format, i+1, show(name))
			return
		}
	}
}

// parseRange reads the four ends of the scale; those that make none are kept as the signal's own error.
func (s *Signal) parseRange(field [4]func(int) []byte, i int) {
	names := [4]string{"physical minimum", "physical maximum", "digital minimum", "digital maximum"}
	dst := [4]*float64{&s.PhysicalMin, &s.PhysicalMax, &s.DigitalMin, &s.DigitalMax}
	for k := range dst {
		v, err := number(field[k](i))
		if err != nil && s.scale == nil {
			s.scale = fmt.Errorf("%s: %w", names[k], err)
		}
		*dst[k] = v
	}
	switch {
	case s.scale != nil:
	case s.DigitalMin == s.DigitalMax:
		s.scale = fmt.Errorf("digital minimum and maximum are both %g", s.DigitalMin)
	case s.PhysicalMin == s.PhysicalMax:
		s.scale = fmt.Errorf("physical minimum and maximum are both %g", s.PhysicalMin)
	case math.Abs(s.PhysicalMin) > 1e100 || math.Abs(s.PhysicalMax) > 1e100 || math.Abs(s.DigitalMin) > 1e9 || math.Abs(s.DigitalMax) > 1e9:
		s.scale = errors.New("the range is beyond all measure")
	}
}

func (h *Header) checkRecord() error {
	if h.record == 0 {
		return errors.New("header: no signal has a sample")
	}
	if h.record > maxRecordBytes {
		return fmt.Errorf("header: a record of %d bytes: more than %d", h.record, int64(maxRecordBytes))
	}
	timeless := h.RecordSeconds == 0
	for _, s := range h.Signals {
		if timeless && !s.annotations {
			h.warn("header: records have no duration: signals have no sampling rate")
			break
		}
	}
	return nil
}
