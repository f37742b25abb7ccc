package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/serve"
)

// Backend implements [serve.Backend].
type Backend struct {
	options Options

	changes sync.Mutex // held while a model is loaded or unloaded, or a shard claimed or released
	claimed []bool     // the shards that are held

	mu     sync.RWMutex
	models map[string]*model
	closed bool
}

var _ serve.Backend = (*Backend)(nil)

// model is a name, with its versions in the order of their numbers, and the streams that they share.
type model struct {
	name     string
	versions []*slot
	meters   *meters

	shards    *shards // nil while no version is loaded
	opened    *Opened // of which their settings are
	admission *admission
	classes   int
	filter    adapt.Settings // resolved
}

// slot is a version, loaded or not.
type slot struct {
	source Source
	now    *version // nil: not loaded
	reason string   // why not
}

// New opens the models, but for those that are to be loaded later. It is an error if one cannot be opened.
func New(ctx context.Context, o Options) (*Backend, error) {
	o.Limits, o.Commit = o.Limits.filled(), cmp.Or(o.Commit, 1024)
	if err := o.Limits.validate(); err != nil {
		return nil, err
	}
	b := &Backend{options: o, models: map[string]*model{}, claimed: make([]bool, max(1, o.Shards))}
	b.claimed[0] = o.Shards <= 1
	for _, s := range o.Models {
		if err := b.add(s); err != nil {
			return nil, err
		}
	}
	for _, name := range b.names() {
		for _, s := range b.models[name].versions {
			if s.source.Later {
				continue
			}
			if err := b.load(ctx, b.models[name], s); err != nil {
				return nil, errors.Join(fmt.Errorf("model %s: %w", name, err), b.Close())
			}
		}
	}
	return b, nil
}

// add makes a model or one more version of it known.
func (b *Backend) add(s Source) error {
	s.Version = cmp.Or(s.Version, "1")
	number, err := strconv.Atoi(s.Version)
	if s.Name == "" || err != nil || number < 1 {
		return fmt.Errorf("backend: model %q, version %q: want a name, and a whole number over 0", s.Name, s.Version)
	}
	m := b.models[s.Name]
	if m == nil {
		m = &model{name: s.Name, meters: newMeters(), admission: newAdmission(&b.options)}
		b.models[s.Name] = m
	}
	at, found := slices.BinarySearchFunc(m.versions, number, func(v *slot, n int) int {
		is, _ := strconv.Atoi(v.source.Version)
		return cmp.Compare(is, n)
	})
	if found {
		return fmt.Errorf("backend: model %s, version %s: it is there twice", s.Name, s.Version)
	}
	m.versions = slices.Insert(m.versions, at, &slot{source: s, reason: "not loaded"})
	return nil
}

func (b *Backend) names() []string {
	names := make([]string, 0, len(b.models))
	for name := range b.models {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Close refuses new requests, answers those under way, and closes everything. State is durable before.
func (b *Backend) Close() error {
	b.changes.Lock()
	defer b.changes.Unlock()
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	var err error
	for _, name := range b.names() {
		err = errors.Join(err, b.unload(b.models[name], "the server stops"))
	}
	return err
}

// Ready implements [serve.Backend].
func (b *Backend) Ready() bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, m := range b.models {
		for _, s := range m.versions {
			if s.now == nil && !s.source.Later {
				return false
			}
		}
	}
	return !b.closed
}

// Models implements [serve.Backend].
func (b *Backend) Models() (out []serve.ModelStatus) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, name := range b.names() {
		for _, s := range b.models[name].versions {
			out = append(out, serve.ModelStatus{Name: name, Version: s.source.Version, Ready: s.now != nil, Reason: s.reason})
		}
	}
	return out
}

// loaded are the versions that answer, oldest first. The caller holds the lock.
func (m *model) loaded() (out []string) {
	for _, s := range m.versions {
		if s.now != nil {
			out = append(out, s.source.Version)
		}
	}
	return out
}

// find returns a version; the newest that is loaded, for none. The caller holds the lock.
func (b *Backend) find(name, number string) (*model, *version, error) {
	m := b.models[name]
	if m == nil {
		return nil, nil, serve.NoModel(name, "")
	}
	known := number == ""
	for _, s := range slices.Backward(m.versions) {
		if number != "" && s.source.Version != number {
			continue
		}
		if s.now != nil && !b.closed {
			return m, s.now, nil
		}
		known = true
	}
	if !known {
		return nil, nil, serve.NoModel(name, number)
	}
	return nil, nil, unavailable("model %s is not loaded", name)
}

// Model implements [serve.Backend].
func (b *Backend) Model(name, version string) (*serve.Model, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	m, v, err := b.find(name, version)
	if err != nil {
		return nil, err
	}
	return v.model(m.loaded()), nil
}

// Statistics implements [serve.Backend].
func (b *Backend) Statistics(name, version string) (out []serve.Statistics, err error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if name != "" {
		if _, _, err := b.find(name, version); err != nil {
			return nil, err
		}
	}
	for _, n := range b.names() {
		for _, s := range b.models[n].versions {
			if s.now != nil && (name == "" || name == n) && (version == "" || version == s.source.Version) {
				out = append(out, s.now.tally.statistics(s.source))
			}
		}
	}
	return out, nil
}

// Infer implements [serve.Backend].
func (b *Backend) Infer(ctx context.Context, r *serve.Request) (*serve.Response, error) {
	b.mu.RLock()
	_, v, err := b.find(r.Model, r.Version)
	if err == nil {
		v.users.Add(1)
	}
	b.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	return v.infer(ctx, r)
}

// Load implements [serve.Backend]: all versions of a model.
func (b *Backend) Load(ctx context.Context, name string) error {
	b.changes.Lock()
	defer b.changes.Unlock()
	b.mu.RLock()
	m, closed := b.models[name], b.closed
	b.mu.RUnlock()
	switch {
	case closed:
		return unavailable("the server stops")
	case m == nil:
		return serve.NoModel(name, "")
	}
	for _, s := range m.versions {
		if err := b.load(ctx, m, s); err != nil {
			return fmt.Errorf("model %s: %w", name, err)
		}
	}
	return nil
}

// Unload implements [serve.Backend].
func (b *Backend) Unload(ctx context.Context, name string) error {
	b.changes.Lock()
	b.mu.RLock()
	m := b.models[name]
	b.mu.RUnlock()
	if m == nil {
		b.changes.Unlock()
		return serve.NoModel(name, "")
	}
	done := make(chan error, 1)
	go func() {
		defer b.changes.Unlock()
		done <- b.unload(m, "unloaded")
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// load opens a version, in the place of the one that is there. Where the two do not take the same streams, the old one goes first.
func (b *Backend) load(ctx context.Context, m *model, s *slot) error {
	opened, err := s.source.Open(ctx)
	if err == nil {
		err = opened.check()
	}
	if err == nil {
		opened.Filter, err = opened.Filter.Resolved(opened.Classes)
	}
	if err == nil {
		err = b.place(ctx, m, s, opened)
	}
	if err == nil {
		return nil
	}
	b.mu.Lock()
	if s.now == nil {
		s.reason = err.Error()
	}
	b.mu.Unlock()
	if opened != nil && opened.Network != nil {
		err = errors.Join(err, opened.Network.Close())
	}
	return err
}

// place puts an open version where requests find it.
func (b *Backend) place(ctx context.Context, m *model, s *slot, opened *Opened) error {
	if m.shards != nil && !m.takes(opened) {
		if others := len(m.loaded()); others > 1 || s.now == nil {
			return fmt.Errorf("version %s: its classes or the settings of its filter are not those of the version that is loaded: streams of one cannot go on with the other", s.source.Version)
		}
		if err := b.unload(m, "loading"); err != nil {
			return err
		}
	}
	if m.shards == nil {
		if err := b.openStreams(ctx, m, opened); err != nil {
			return err
		}
	}
	v := newVersion(s.source, opened, m.shards, m.admission, &b.options, m.meters)
	defer close(v.turn)
	b.mu.Lock()
	old := s.now
	s.now, s.reason = v, ""
	b.mu.Unlock()
	if old == nil {
		return nil
	}
	if err := old.close(); err != nil && b.options.Log != nil { // the new one answers already
		b.options.Log.Error("the version before could not be closed", "model", m.name, "error", err)
	}
	return nil
}

func (m *model) takes(o *Opened) bool {
	return m.classes == o.Classes && reflect.DeepEqual(m.filter, o.Filter)
}

// openStreams opens the state of a model, as far as it is held here.
func (b *Backend) openStreams(ctx context.Context, m *model, opened *Opened) error {
	b.mu.Lock()
	m.shards, m.opened, m.classes, m.filter = &shards{of: make([]*keeper, len(b.claimed))}, opened, opened.Classes, opened.Filter
	b.mu.Unlock()
	for shard, claimed := range b.claimed {
		if !claimed {
			continue
		}
		if err := b.openShard(ctx, m, opened, shard); err != nil {
			return errors.Join(err, b.closeStreams(m))
		}
	}
	return nil
}

func (b *Backend) closeStreams(m *model) error {
	b.mu.Lock()
	s := m.shards
	m.shards = nil
	b.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.close()
}

// unload takes all versions of a model away, and closes them and the streams when what is under way is answered.
func (b *Backend) unload(m *model, why string) (err error) {
	var open []*version
	b.mu.Lock()
	for _, s := range m.versions {
		if s.now != nil {
			open = append(open, s.now)
			s.now, s.reason = nil, why
		}
	}
	b.mu.Unlock()
	for _, v := range open {
		err = errors.Join(err, v.close())
	}
	return errors.Join(err, b.closeStreams(m))
}
