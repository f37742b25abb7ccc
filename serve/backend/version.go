package backend

import (
	"context"
	"sync"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/serve"
)

// version is an open version of a model. It answers until it is closed, which waits for what is under way.
type version struct {
	source    Source
	opened    *Opened
	ports     []serve.Port // of the outputs
	limits    Limits
	admission *admission
	shards    *shards // of the model
	gatherer  *gatherer
	meters    *meters
	tally     *tally
	alone     sync.Pool // of filters for requests without a stream
	users     sync.WaitGroup
	turn      chan struct{} // closed when the version in whose place this one came has answered: what is asked later is stepped later
}

func newVersion(s Source, opened *Opened, streams *shards, a *admission, o *Options, m *meters) *version {
	v := &version{source: s, opened: opened, ports: opened.outputs(), limits: o.Limits, admission: a, shards: streams, meters: m, tally: &tally{}, turn: make(chan struct{})}
	if opened.Network != nil {
		v.gatherer = newGatherer(opened, o.Delay, m, v.tally, v.filter)
		if l, ok := opened.Network.(Learner); ok {
			streams.learners.Store(l, nil)
		}
	}
	return v
}

// infer answers a request. The caller has counted itself among the users, and the call gives that back.
func (v *version) infer(ctx context.Context, r *serve.Request) (*serve.Response, error) {
	select {
	case <-v.turn:
	case <-ctx.Done():
		v.users.Done()
		return nil, ctx.Err()
	}
	c, err := v.enter(ctx, r)
	if err != nil {
		return nil, err
	}
	c.ends = func() {
		v.admission.flights.end(c)
		v.admission.leave(r.Namespace, c.stream, c.n, c.bytes())
		v.tally.count(c)
		v.users.Done()
	}
	v.begin(c)
	if r.Taken != nil {
		r.Taken()
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c.err != nil {
		return nil, c.err
	}
	if c.answer == nil {
		a := v.opened.answer(v.source.Version, &c.found, r.Outputs)
		c.answer = &a
	}
	return c.answer.response(r), nil
}

// enter makes a call that may wait. Where there is none, its sender counts no longer among the users: after a panic, too, which front ends end, as
// one in the reading of a picture.
func (v *version) enter(ctx context.Context, r *serve.Request) (c *call, err error) {
	admitted, entered := false, false
	defer func() {
		if entered {
			return
		}
		if admitted {
			v.admission.leave(r.Namespace, c.stream, c.n, c.bytes())
		}
		v.users.Done()
		v.tally.failed(0)
	}()
	if c, err = v.newCall(ctx, r); err != nil {
		return nil, err
	}
	if err = v.admission.admit(r.Namespace, c.stream, c.n, c.bytes()); err != nil {
		return c, err
	}
	admitted = true
	err = c.read()
	c.span(spanDecode, c.begun, c.n, 0)
	entered = err == nil
	return c, err
}

// begin sends a call on its way: to the network, unless it is known to have been answered, and to the filter.
func (v *version) begin(c *call) {
	if v.gatherer == nil {
		v.filter(c)
		return
	}
	if s := &c.request.Sequence; s.Key != "" || s.Number > 0 {
		known, err := false, v.admission.flights.wait(c)
		if err == nil {
			known, err = v.shards.before(c)
		}
		if known || err != nil {
			c.finish(err)
			return
		}
	}
	c.waits()
	v.gatherer.inbox.put(c)
}

// filter gives a call with probabilities to the streams, or steps a stream of its own.
func (v *version) filter(c *call) {
	if c.stream != "" {
		c.waits()
		if err := v.shards.give(c.stream, c); err != nil {
			c.finish(err)
		}
		return
	}
	c.started = time.Now()
	f, _ := v.alone.Get().(*adapt.Filter)
	if f == nil {
		var err error
		if f, err = adapt.New(v.opened.Classes, v.opened.Filter); err != nil {
			c.finish(err)
			return
		}
	}
	events, err := c.events(&memo{})
	if err == nil {
		c.run(f, events)
		v.meters.stepped(c)
		c.span(spanStep, c.started, c.n, 0)
	}
	f.Reset()
	v.alone.Put(f)
	c.finish(err)
}

// close waits for what is under way, and closes the network.
func (v *version) close() error {
	v.users.Wait()
	if v.gatherer == nil {
		return nil
	}
	v.gatherer.close()
	if l, ok := v.opened.Network.(Learner); ok {
		v.shards.learners.Delete(l)
	}
	return v.opened.Network.Close()
}

// model describes a version.
func (v *version) model(loaded []string) *serve.Model {
	m := &serve.Model{Name: v.source.Name, Versions: loaded, Platform: "oatta_filter", Outputs: v.ports, Labels: v.opened.Labels}
	if v.opened.Network != nil {
		m.Platform, m.Inputs = v.opened.Network.Platform(), v.opened.Network.Inputs()
		return m
	}
	m.Inputs = []serve.Port{{Name: inProbs, Type: "FP64", Shape: []int64{-1, int64(v.opened.Classes)}}}
	return m
}

// tally counts for the protocol's statistics.
type tally struct {
	mu sync.Mutex
	s  serve.Statistics
}

func (t *tally) executed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.s.Executions++
}

func (t *tally) failed(after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	add(&t.s.Fail, after)
}

func (t *tally) count(c *call) {
	now := time.Now()
	if c.err != nil {
		t.failed(now.Sub(c.begun))
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.s.LastInference = now
	t.s.Inferences += uint64(c.n)
	if c.version.gatherer == nil {
		t.s.Executions++
	}
	add(&t.s.Success, now.Sub(c.begun))
	add(&t.s.Queue, c.started.Sub(c.begun))
	add(&t.s.Compute, now.Sub(c.started))
}

func add(d *serve.Duration, took time.Duration) {
	d.Count++
	d.Total += took
}

func (t *tally) statistics(s Source) serve.Statistics {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.s
	out.Name, out.Version = s.Name, s.Version
	return out
}
