package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/oatta/oatta/serve"
)

// Infer implements [serve.Backend], where the stream's shard is held.
func (m *Member) Infer(ctx context.Context, r *serve.Request) (out *serve.Response, err error) {
	own := *r
	var taken atomic.Bool
	own.Taken = func() {
		if r.Taken != nil && !taken.Swap(true) {
			r.Taken()
		}
	}
	infer := func(member string) error {
		if member == "" {
			out, err = m.options.Backend.Infer(ctx, &own)
			return err
		}
		q := questionOf(r)
		var a reply
		if a, err = m.ask(ctx, member, &q, own.Taken); err == nil {
			out, err = a.response(r)
		}
		return err
	}
	if r.Sequence.ID == "" {
		member, there := m.anyone()
		if !there {
			return nil, unavailable("no member answers")
		}
		err = infer(member)
		return out, err
	}
	// A request behind which others of its stream were let go is not tried again: it would come behind them.
	err = m.route(ctx, r.Namespace, r.Sequence.ID, func() bool { return !taken.Load() }, infer)
	if err != nil {
		return nil, err
	}
	return out, nil
}

func always() bool { return true }

// on has an operation on a stream done where it is held.
func (m *Member) on(ctx context.Context, q question, here func() error) (r reply, err error) {
	err = m.route(ctx, string(q.Namespace), string(q.Stream), always, func(member string) (err error) {
		if member == "" {
			return here()
		}
		r, err = m.ask(ctx, member, &q, nil)
		return err
	})
	return r, err
}

// Show implements [serve.Streams].
func (m *Member) Show(ctx context.Context, model, namespace, id string) (info *serve.StreamInfo, err error) {
	r, err := m.on(ctx, question{Op: opShow, Model: model, Namespace: []byte(namespace), Stream: []byte(id)}, func() (err error) {
		info, err = m.options.Backend.Show(ctx, model, namespace, id)
		return err
	})
	if err == nil && info == nil {
		for _, s := range r.Streams {
			info = s.info()
		}
	}
	return info, err
}

func (s *stream) info() *serve.StreamInfo {
	return &serve.StreamInfo{ID: string(s.ID), Items: s.Items, Last: s.Last, Bytes: s.Bytes, Number: s.Number}
}

// Export implements [serve.Streams].
func (m *Member) Export(ctx context.Context, model, namespace, id string, w io.Writer) error {
	local := false
	r, err := m.on(ctx, question{Op: opExport, Model: model, Namespace: []byte(namespace), Stream: []byte(id)}, func() error {
		local = true
		return m.options.Backend.Export(ctx, model, namespace, id, w)
	})
	if err == nil && !local {
		_, err = w.Write(r.data)
	}
	return err
}

// Import implements [serve.Streams].
func (m *Member) Import(ctx context.Context, model, namespace, id string, snapshot []byte) error {
	_, err := m.on(ctx, question{Op: opImport, Model: model, Namespace: []byte(namespace), Stream: []byte(id), data: snapshot}, func() error {
		return m.options.Backend.Import(ctx, model, namespace, id, snapshot)
	})
	return err
}

// Forget implements [serve.Streams].
func (m *Member) Forget(ctx context.Context, model, namespace, id string) error {
	_, err := m.on(ctx, question{Op: opForget, Model: model, Namespace: []byte(namespace), Stream: []byte(id)}, func() error {
		return m.options.Backend.Forget(ctx, model, namespace, id)
	})
	return err
}

// List implements [serve.Streams]: of all members. It is an error while a shard is held by none.
func (m *Member) List(ctx context.Context, model, namespace, after string, limit int) (out []serve.StreamInfo, err error) {
	m.mu.Lock()
	complete, holders := m.view.complete(), m.view.workers()
	m.mu.Unlock()
	if !complete {
		return nil, unavailable("streams are moving between members")
	}
	for _, h := range holders {
		if len(h.Holds) == 0 {
			continue
		}
		if h.ID == m.id {
			own, err := m.options.Backend.List(ctx, model, namespace, after, limit)
			if err != nil {
				return nil, err
			}
			out = append(out, own...)
			continue
		}
		r, err := m.ask(ctx, h.ID, &question{Op: opList, Model: model, Namespace: []byte(namespace), After: []byte(after), Limit: limit}, nil)
		if err != nil {
			return nil, err
		}
		for _, s := range r.Streams {
			out = append(out, *s.info())
		}
	}
	slices.SortFunc(out, func(a, b serve.StreamInfo) int { return cmp.Compare(a.ID, b.ID) })
	out = slices.CompactFunc(out, func(a, b serve.StreamInfo) bool { return a.ID == b.ID })
	return out[:min(limit, len(out))], nil
}

// Ready implements [serve.Backend]: NATS is there, every shard has a holder, and the models are loaded.
func (m *Member) Ready() bool {
	m.mu.Lock()
	fine := m.view.complete() && !m.leaving
	m.mu.Unlock()
	return fine && m.nc.IsConnected() && (m.options.Backend == nil || m.options.Backend.Ready())
}

// short is how long a gateway waits for what a worker knows of its models.
const short = 2 * time.Second

// told has a worker tell something of its models.
func (m *Member) told(q question, into any) error {
	member, there := m.anyone()
	if !there {
		return unavailable("no member answers")
	}
	ctx, cancel := context.WithTimeout(m.ended, short)
	defer cancel()
	r, err := m.ask(ctx, member, &q, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(r.Value, into)
}

// Models implements [serve.Backend]: this member's, or a worker's.
func (m *Member) Models() (out []serve.ModelStatus) {
	if m.options.Backend != nil {
		return m.options.Backend.Models()
	}
	if err := m.told(question{Op: opModels}, &out); err != nil {
		m.log.Warn("no worker tells of its models", "error", err)
	}
	return out
}

// Model implements [serve.Backend].
func (m *Member) Model(name, version string) (*serve.Model, error) {
	if m.options.Backend != nil {
		return m.options.Backend.Model(name, version)
	}
	out := &serve.Model{}
	if err := m.told(question{Op: opModel, Model: name, Version: version}, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Statistics implements [serve.Backend]: of this member, or of a worker.
func (m *Member) Statistics(name, version string) (out []serve.Statistics, err error) {
	if m.options.Backend != nil {
		return m.options.Backend.Statistics(name, version)
	}
	err = m.told(question{Op: opStatistics, Model: name, Version: version}, &out)
	return out, err
}

// Load implements [serve.Backend], of this member's models alone.
func (m *Member) Load(ctx context.Context, name string) error {
	if m.options.Backend == nil {
		return unavailable("a gateway has no models: ask a worker")
	}
	return m.options.Backend.Load(ctx, name)
}

// Unload implements [serve.Backend], of this member's models alone.
func (m *Member) Unload(ctx context.Context, name string) error {
	if m.options.Backend == nil {
		return unavailable("a gateway has no models: ask a worker")
	}
	return m.options.Backend.Unload(ctx, name)
}
