package backend

import (
	"slices"
	"sync"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/state"
)

// Store keeps the filters of a shard of a model's streams, and what is beside them: a [state.Store], whose contract this is, memory, or what
// [Options.Open] gives. A keeper calls it from one goroutine. An error of Commit that is a *[serve.Error] is what the requests are told.
type Store interface {
	Has(stream string) (bool, error)
	Filter(stream string) (*adapt.Filter, error)
	Companion(stream string) ([]byte, error)
	SetCompanion(stream string, data []byte) error
	Remove(stream string)
	Adopt(stream string, snapshot []byte) error
	Commit(state.Position) error
	Discard()
	Position() state.Position
	Load(stream string) (*adapt.Filter, error)
	Streams() ([]string, error)
	Forget(streams ...string) error
	Len() int
	Live() int
	Close() error
}

// memory is a store that ends with the process. Its commits cannot fail, so that there is nothing to discard.
type memory struct {
	classes  int
	settings adapt.Settings
	mu       sync.RWMutex // of the map, which lists read from other goroutines than the keeper's
	streams  map[string]*kept
	n        int // of them, as of the last commit
	position state.Position
}

type kept struct {
	filter *adapt.Filter
	beside []byte
}

func newMemory(o *Opened) *memory {
	return &memory{classes: o.Classes, settings: o.Filter, streams: map[string]*kept{}}
}

func (m *memory) Has(stream string) (bool, error) { return m.streams[stream] != nil, nil }

func (m *memory) Filter(stream string) (*adapt.Filter, error) {
	if k := m.streams[stream]; k != nil {
		return k.filter, nil
	}
	f, err := adapt.New(m.classes, m.settings)
	if err == nil {
		m.set(stream, f)
	}
	return f, err
}

func (m *memory) Companion(stream string) ([]byte, error) {
	if k := m.streams[stream]; k != nil {
		return k.beside, nil
	}
	return nil, nil
}

func (m *memory) SetCompanion(stream string, data []byte) error {
	m.streams[stream].beside = slices.Clone(data)
	return nil
}

func (m *memory) Adopt(stream string, snapshot []byte) error {
	f, err := adapt.Restore(snapshot)
	if err == nil {
		err = state.Fits(f, m.classes, m.settings)
	}
	if err == nil {
		m.set(stream, f)
	}
	return err
}

func (m *memory) set(stream string, f *adapt.Filter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.streams[stream] = &kept{filter: f}
}

func (m *memory) Remove(stream string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.streams, stream)
}

func (m *memory) Load(stream string) (*adapt.Filter, error) {
	if k := m.streams[stream]; k != nil {
		return k.filter, nil
	}
	return nil, state.ErrUnknown
}

func (m *memory) Streams() ([]string, error) {
	out := make([]string, 0, len(m.streams))
	for stream := range m.streams {
		out = append(out, stream)
	}
	slices.Sort(out)
	return out, nil
}

func (m *memory) Forget(streams ...string) error {
	for _, stream := range streams {
		m.Remove(stream)
	}
	m.n = len(m.streams)
	return nil
}

func (m *memory) Commit(p state.Position) error {
	m.n, m.position = len(m.streams), append(state.Position{}, p...)
	return nil
}

func (m *memory) Discard()                 {}
func (m *memory) Position() state.Position { return m.position }
func (m *memory) Len() int                 { return m.n }
func (m *memory) Live() int                { return len(m.streams) }
func (m *memory) Close() error             { return nil }
