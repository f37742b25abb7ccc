package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/oatta/oatta/datasets/edf"
	"github.com/oatta/oatta/datasets/motion"
)

// signal is a piece of a recording: channels of samples at times.
type signal struct {
	from, to float64 // seconds of the recording that are shown
	mark     [2]float64
	channels []channel
	size     widths // of its drawing
}

// channel is one of them.
type channel struct {
	name, unit string
	pieces     []piece // between gaps
}

// piece is samples without a gap. A value that is missing is NaN.
type piece struct{ times, values []float64 }

// mostChannels are drawn.
const mostChannels = 6

// leastRate is that of a signal that is worth drawing, in Hz: temperatures and the like have fewer.
const leastRate = 16

// night reads a piece of an EDF or BDF recording.
func (in *Inputs) night(name string, from, to float64) (*signal, error) {
	name, info, err := in.stat(name)
	if err != nil {
		return nil, err
	}
	f, err := in.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e, err := edf.Open(name, f, info.Size())
	if err != nil {
		return nil, err
	}
	s := &signal{from: from, to: to, mark: [2]float64{from, to}}
	for i, h := range e.Header().Signals {
		if h.Annotations() || h.Rate() < leastRate || len(s.channels) == mostChannels {
			continue
		}
		pieces, err := e.Span(i, from, to)
		if err != nil {
			return nil, err
		}
		c := channel{name: h.Label, unit: h.Unit}
		for _, p := range pieces {
			one := piece{values: p.Samples}
			for k := range p.Samples {
				one.times = append(one.times, p.Start+float64(k)/h.Rate())
			}
			c.pieces = append(c.pieces, one)
		}
		s.channels = append(s.channels, c)
	}
	return s, nil
}

// movement is the recording of movement that was last looked at. Recordings are read from their beginnings, so that going on is fast and
// going back begins anew, unless it is within what is kept.
type movement struct {
	mu     sync.Mutex
	name   string
	rec    *motion.Recording
	hapt   *motion.HAPT
	tried  bool // whether the inputs are the collection of HAPT
	times  []float64
	values []float32 // [len(times), channels]
	ended  bool
}

const (
	keptSeconds = 300 // behind what was last looked at
	readFor     = 8 * time.Second
)

// errFar is why a piece far in a recording is not shown yet.
var errFar = errors.New("it lies far in the recording, which is still being read: look again")

// moved reads a piece of a recording of movement, with some of what is around it.
func (in *Inputs) moved(ctx context.Context, name string, from, to float64) (*signal, error) {
	if in == nil {
		return nil, errNoInputs
	}
	m := &in.moving
	m.mu.Lock()
	defer m.mu.Unlock()
	width := to - from
	s := &signal{from: max(0, from-width), to: to + width, mark: [2]float64{from, to}}
	if m.name != name || m.rec == nil || len(m.times) > 0 && m.times[0] > s.from && m.times[0] > 0 {
		if err := in.begin(name); err != nil {
			return nil, err
		}
	}
	if err := m.readTo(ctx, s.to, from); err != nil {
		return nil, err
	}
	h := m.rec.Header()
	n := len(h.Channels)
	for k := range min(n, mostChannels) {
		c := channel{name: h.Channels[k].Name, unit: h.Channels[k].Unit}
		var p piece
		gap := 3 / max(h.Rate, 1e-3)
		for i, t := range m.times {
			if t < s.from || t > s.to {
				continue
			}
			if last := len(p.times) - 1; last >= 0 && t-p.times[last] > gap {
				c.pieces, p = append(c.pieces, p), piece{}
			}
			p.times, p.values = append(p.times, t), append(p.values, float64(m.values[i*n+k]))
		}
		c.pieces = append(c.pieces, p)
		s.channels = append(s.channels, c)
	}
	return s, nil
}

// begin opens a recording.
func (in *Inputs) begin(name string) (err error) {
	m := &in.moving
	if m.rec != nil {
		_ = m.rec.Close() // was only read
	}
	m.name, m.rec, m.times, m.values, m.ended = name, nil, nil, nil, false
	path, err := in.regular(name)
	if err == nil {
		m.rec, err = motion.Open(path, in.tables)
		return err
	}
	if at := strings.LastIndexByte(name, ':'); at > 0 && in.tables.Stream != "" { // one of several in a table
		if path, other := in.regular(name[:at]); other == nil {
			o := in.tables
			o.Only = name[at+1:]
			m.rec, err = motion.Open(path, o)
			return err
		}
	}
	if !m.tried {
		m.tried = true
		m.hapt, _ = motion.OpenHAPT(in.path) // it need not be that
	}
	if m.hapt != nil {
		for i, r := range m.hapt.Recordings {
			if r.Name() == name {
				m.rec, err = m.hapt.Open(i)
				return err
			}
		}
	}
	return err
}

// readTo reads on until a time, and keeps what is near.
func (m *movement) readTo(ctx context.Context, to, near float64) error {
	width := len(m.rec.Header().Channels)
	times, values := make([]float64, 4096), make([]float32, 4096*width)
	end := time.Now().Add(readFor)
	for !m.ended && (len(m.times) == 0 || m.times[len(m.times)-1] < to) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Now().After(end) {
			return errFar
		}
		n, err := m.rec.Read(times, values, nil)
		if m.ended = err == io.EOF; err != nil && !m.ended {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		m.times, m.values = append(m.times, times[:n]...), append(m.values, values[:n*width]...)
		m.forget(min(near, to)-keptSeconds, width)
	}
	return nil
}

// forget drops what lies before a time, now and then.
func (m *movement) forget(before float64, width int) {
	n := 0
	for n < len(m.times) && m.times[n] < before {
		n++
	}
	if n > 1<<16 || n > len(m.times)/2 && n > 4096 {
		m.times, m.values = append([]float64(nil), m.times[n:]...), append([]float32(nil), m.values[n*width:]...)
	}
}

func (m *movement) close() (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rec != nil {
		err = m.rec.Close()
	}
	if m.hapt != nil {
		err = errors.Join(err, m.hapt.Close())
	}
	return err
}
