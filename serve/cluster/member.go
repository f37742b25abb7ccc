package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
	"go.opentelemetry.io/otel/trace"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/backend"
)

// Options say what a member is. Shards has no default.
type Options struct {
	Group   string // first word of the subjects, as of package jetstore
	Name    string // that no other member has; by it a member gets the shards again that it had
	Shards  int
	Backend *backend.Backend // what holds shards and runs models; nil: a gateway, which only passes on
	Log     *slog.Logger
	Tracer  trace.Tracer // makes spans of what other members ask; nil: none are

	Beat    time.Duration // between two beats; 1 s
	Dead    time.Duration // after which a member that is not heard is gone; five beats
	Wait    time.Duration // for another member's answer, where a request has no deadline; 30 s
	Pending int           // requests that wait for answers of others at most; 16384
}

// Member is a server of a group. It implements [serve.Backend] over all of them.
type Member struct {
	options Options
	id      string
	nc      *nats.Conn
	log     *slog.Logger
	prefix  string // of subjects

	mu      sync.Mutex
	view    *view
	changed chan struct{} // closed, and made anew, when the view has news
	held    []bool
	lost    []bool // shards whose stores cannot go on
	since   []time.Time
	leaving bool
	asks    map[string]*ask // by the last word of the subject of their answers

	pending atomic.Int64
	turn    atomic.Uint64 // of workers for requests without a stream
	inbox   string
	subs    []*nats.Subscription
	door    *nats.Subscription // of subs, for questions
	lanes   [lanes]chan job
	work    sync.WaitGroup // questions that are being answered
	wake    chan struct{}  // holds one token while the steward has something to do
	stop    chan struct{}
	stopped sync.WaitGroup
	ended   context.Context // when the member has
	end     context.CancelFunc
}

var _ serve.Backend = (*Member)(nil)

// New joins a group. The backend must have no shards yet; it and the connection stay the caller's, to be closed after the member.
func New(nc *nats.Conn, o Options) (*Member, error) {
	o.Group, o.Beat = cmp.Or(o.Group, "oatta"), cmp.Or(o.Beat, time.Second)
	o.Dead, o.Wait, o.Pending = cmp.Or(o.Dead, 5*o.Beat), cmp.Or(o.Wait, 30*time.Second), cmp.Or(o.Pending, 1<<14)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	m := &Member{
		options: o, id: nuid.Next(), nc: nc, log: o.Log, prefix: o.Group + "-members.", view: newView(o.Shards, o.Dead), changed: make(chan struct{}),
		held: make([]bool, o.Shards), lost: make([]bool, o.Shards), since: make([]time.Time, o.Shards), asks: map[string]*ask{},
		wake: make(chan struct{}, 1), stop: make(chan struct{}),
	}
	m.inbox = nc.NewInbox()
	m.ended, m.end = context.WithCancel(context.Background())
	if err := m.subscribe(); err != nil {
		m.end()
		return nil, errors.Join(fmt.Errorf("cluster: %w", err), m.unsubscribe())
	}
	for i := range m.lanes {
		m.lanes[i] = make(chan job, 256)
		m.stopped.Go(func() { m.lane(m.lanes[i]) })
	}
	m.stopped.Go(m.beats)
	m.stopped.Go(m.steward)
	return m, nil
}

func (m *Member) subscribe() error {
	for subject, f := range map[string]nats.MsgHandler{m.prefix + "beat": m.onBeat, m.prefix + "to." + m.id: m.onQuestion, m.inbox + ".*": m.onAnswer} {
		sub, err := m.nc.Subscribe(subject, f)
		if err != nil {
			return err
		}
		if err := sub.SetPendingLimits(-1, 1<<30); err != nil {
			return err
		}
		m.subs = append(m.subs, sub)
		if strings.HasPrefix(subject, m.prefix+"to.") {
			m.door = sub
		}
	}
	return m.nc.Flush()
}

func (m *Member) unsubscribe() (err error) {
	for _, sub := range m.subs {
		if one := sub.Unsubscribe(); one != nil && !errors.Is(one, nats.ErrConnectionClosed) && !errors.Is(one, nats.ErrBadSubscription) {
			err = errors.Join(err, one)
		}
	}
	return err
}

// drain takes the questions that are here already, and no more: who asks then is told at once that nobody listens.
func (m *Member) drain() {
	if m.door.Drain() != nil {
		return
	}
	for end := time.Now().Add(m.options.Wait); m.door.IsValid() && time.Now().Before(end) && m.nc.IsConnected(); {
		time.Sleep(time.Millisecond)
	}
}

// Lost tells that the store of a shard cannot go on: it is closed, and opened again by whoever should hold it.
func (m *Member) Lost(shard int) {
	m.mu.Lock()
	m.lost[shard] = true
	m.mu.Unlock()
	m.rouse()
}

// Close leaves the group: what others asked is answered, and they are told at once. What was asked here should have its answer before. The backend
// stays open.
func (m *Member) Close() error {
	m.mu.Lock()
	m.leaving = true
	m.mu.Unlock()
	m.tell()
	close(m.stop)
	var err error
	if m.options.Backend != nil {
		for shard := range m.options.Shards { // the steward may still open one, for which this waits
			err = errors.Join(err, m.release(shard))
		}
	}
	m.tell()
	m.drain()
	m.work.Wait()
	m.end()
	m.mu.Lock()
	m.abandon(nil) // what was asked here and has no answer yet
	m.mu.Unlock()
	err = errors.Join(err, m.unsubscribe())
	m.stopped.Wait()
	return err
}

// beats tells the others, and notices who is gone.
func (m *Member) beats() {
	ticks := time.NewTicker(m.options.Beat)
	defer ticks.Stop()
	for {
		m.tell()
		select {
		case <-m.stop:
			return
		case <-ticks.C:
		}
		m.mu.Lock()
		gone := m.view.bury(time.Now())
		if len(gone) > 0 {
			m.news()
			m.abandon(gone)
		}
		m.mu.Unlock()
		if len(gone) > 0 {
			m.log.Warn("members are gone", "members", len(gone))
		}
		m.rouse()
	}
}

// tell sends a beat. What the others do not get, they get a second later.
func (m *Member) tell() {
	m.mu.Lock()
	b := beat{ID: m.id, Name: m.options.Name, Worker: m.options.Backend != nil, Leaving: m.leaving}
	for shard, held := range m.held {
		if held {
			b.Holds = append(b.Holds, shard)
		}
	}
	if m.view.hear(b, time.Now()) {
		m.news()
	}
	m.mu.Unlock()
	data, err := json.Marshal(b)
	if err == nil {
		err = m.nc.Publish(m.prefix+"beat", data)
	}
	if err != nil {
		m.log.Debug("a beat was not sent", "error", err)
	}
}

func (m *Member) onBeat(msg *nats.Msg) {
	var b beat
	if err := json.Unmarshal(msg.Data, &b); err != nil || b.ID == m.id {
		return
	}
	b.Holds = slices.DeleteFunc(b.Holds, func(shard int) bool { return shard < 0 || shard >= m.options.Shards })
	m.mu.Lock()
	news := m.view.hear(b, time.Now())
	if news {
		m.news()
	}
	m.mu.Unlock()
	if news {
		m.rouse()
	}
}

// news wakes who waits for a change of the view. The caller holds the lock.
func (m *Member) news() {
	close(m.changed)
	m.changed = make(chan struct{})
}

func (m *Member) rouse() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// steward takes shards and lets go of them, as the view says.
func (m *Member) steward() {
	if m.options.Backend == nil {
		return
	}
	select { // those who are there are heard before anything is taken from them
	case <-m.stop:
		return
	case <-time.After(2 * m.options.Beat):
	}
	for {
		for shard := range m.held {
			m.tend(shard)
		}
		select {
		case <-m.stop:
			return
		case <-m.wake:
		}
	}
}

// patience is how many beats a shard's holder has to let go of it, before it is taken.
const patience = 10

// tend does what is to be done with a shard.
func (m *Member) tend(shard int) {
	m.mu.Lock()
	target, holder := m.view.targets()[shard], m.view.holder(shard)
	held, lost, leaving := m.held[shard], m.lost[shard], m.leaving
	mine := target == m.id
	switch {
	case !mine:
		m.since[shard] = time.Time{}
	case m.since[shard].IsZero():
		m.since[shard] = time.Now()
	}
	free := holder == "" || holder == m.id || time.Since(m.since[shard]) > patience*m.options.Beat
	m.mu.Unlock()
	switch {
	case leaving:
	case held && (lost || !mine && target != ""):
		if err := m.release(shard); err != nil {
			m.log.Warn("a shard was not closed in order", "shard", shard, "error", err)
		}
		if lost {
			m.rouse()
		}
	case !held && mine && free && m.nc.IsConnected():
		m.claim(shard)
	}
}

func (m *Member) claim(shard int) {
	ctx, cancel := context.WithTimeout(m.ended, m.options.Wait)
	defer cancel()
	err := m.options.Backend.Claim(ctx, shard)
	m.mu.Lock()
	leaving := m.leaving
	if err == nil && !leaving {
		m.held[shard], m.lost[shard] = true, false
	}
	m.mu.Unlock()
	switch {
	case err != nil:
		m.log.Warn("a shard could not be opened", "shard", shard, "error", err)
		return
	case leaving:
		_ = m.options.Backend.Release(shard)
	}
	m.log.Info("shard taken", "shard", shard)
	m.tell()
}

func (m *Member) release(shard int) error {
	err := m.options.Backend.Release(shard)
	m.mu.Lock()
	was := m.held[shard]
	m.held[shard], m.lost[shard] = false, false
	m.mu.Unlock()
	if was {
		m.log.Info("shard given up", "shard", shard)
		m.tell()
	}
	return err
}
