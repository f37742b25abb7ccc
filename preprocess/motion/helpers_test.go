package motion

import (
	"io"
	"testing"
)

// memory is a source of one or more channels in memory.
type memory struct {
	names, units []string
	rate         float64
	classes      []string
	times        []float64
	values       []float32
	labels       []int32
	step         int // samples a Read gives; 0: all it can
}

func (m *memory) Names() []string  { return m.names }
func (m *memory) Units() []string  { return m.units }
func (m *memory) Rate() float64    { return m.rate }
func (m *memory) Labels() []string { return m.classes }

func (m *memory) Read(times []float64, values []float32, labels []int32) (int, error) {
	if len(m.times) == 0 {
		return 0, io.EOF
	}
	if m.step > 0 {
		times = times[:min(len(times), m.step)]
	}
	n, c := copy(times, m.times), len(m.names)
	copy(values, m.values[:n*c])
	for i := range n {
		labels[i] = NoLabel
		if m.labels != nil {
			labels[i] = m.labels[i]
		}
	}
	m.times, m.values = m.times[n:], m.values[n*c:]
	if m.labels != nil {
		m.labels = m.labels[n:]
	}
	return n, nil
}

// regular is a source of one channel x in g.
func regular(rate float64, x []float32) *memory {
	m := &memory{names: []string{"x"}, units: []string{"g"}, rate: rate, values: x}
	for i := range x {
		m.times = append(m.times, float64(i)/rate)
	}
	return m
}

// windows reads a stream to its end.
func windows(t *testing.T, s *Stream) (out []Window) {
	t.Helper()
	for {
		var w Window
		err := s.Next(&w)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, w)
	}
}
