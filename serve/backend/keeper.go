package backend

import (
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/internal/streams"
	"github.com/oatta/oatta/serve"
)

// keeper steps the streams of one model, on one goroutine, and commits.
type keeper struct {
	model  string
	store  Store
	limits Limits
	early  bool
	most   int // rows that share a commit
	delay  time.Duration
	log    *slog.Logger
	meters *meters
	watch  *watch
	inbox  *inbox
	gone   chan struct{} // closed when the goroutine has ended

	closing, swept chan struct{} // of sweep: closed when it is to end, and when it has

	pending []*call // stepped, and not committed yet
	changed bool    // since the last commit
	born    int     // streams that are new since
	traces  bool    // of streams that were removed may be in the file
	endings endings

	quota  func(namespace string) serve.Quota
	spaces spaces // nil: no namespace has a limit of its own
	shards int
	clock  clock

	learners *sync.Map // of Learner: those of the open versions of the model

	kept, live atomic.Int64 // streams, and those of them in memory, as of the last commit
}

func newKeeper(model string, s Store, o *Options, opened *Opened, m *meters, learners *sync.Map) (*keeper, error) {
	k := &keeper{
		model: model, store: s, limits: o.Limits, early: o.Early, most: o.Commit, delay: o.Delay, log: o.Log, meters: m,
		learners: learners, clock: newClock(), inbox: newInbox(), gone: make(chan struct{}), closing: make(chan struct{}), swept: make(chan struct{}),
	}
	if o.Shards > 1 { // each holds its part of them
		k.limits.Streams = (o.Limits.Streams + o.Shards - 1) / o.Shards
	}
	if k.quota, k.shards = o.Quota, max(1, o.Shards); k.quota != nil {
		k.spaces = spaces{}
	}
	var err error
	if k.watch, err = newWatch(opened, model, o.Log); err != nil {
		return nil, err
	}
	if err = k.census(); err != nil {
		return nil, err
	}
	if k.endings, err = decodeEndings(s.Position()); err != nil {
		return nil, err
	}
	k.count()
	go k.run()
	if o.Limits.Forget > 0 {
		go k.sweep(o.Limits.Forget)
	} else {
		close(k.swept)
	}
	return k, nil
}

// close ends the goroutine, once what waits is answered, and the store. Traces of streams that ended are wiped out, which takes the time of reading
// the unused part of the file.
func (k *keeper) close() error {
	close(k.closing)
	<-k.swept
	k.inbox.close()
	<-k.gone
	var err error
	if k.traces {
		err = k.store.Forget()
	}
	return errors.Join(err, k.store.Close())
}

func (k *keeper) run() {
	defer close(k.gone)
	for {
		calls := k.inbox.take(k.most, k.delay)
		if len(calls) == 0 {
			return
		}
		for _, c := range calls {
			k.serve(c)
		}
		k.commit()
	}
}

// serve steps the stream of a call, or fails it at once.
func (k *keeper) serve(c *call) {
	if c.do != nil {
		k.commit()
		c.finish(c.do())
		k.count()
		return
	}
	c.span(spanStreamQueue, c.waiting, 0, 0)
	c.started = time.Now()
	err := c.ctx.Err()
	if err == nil {
		err = k.step(c)
	}
	if errors.Is(err, state.ErrFull) {
		k.commit()
		err = k.step(c)
	}
	c.span(spanStep, c.started, c.n, 0)
	switch {
	case err != nil:
		c.finish(nameless(err, c.stream))
	case k.early:
		c.finish(nil)
	default:
		k.pending = append(k.pending, c)
	}
}

// commit makes what was stepped durable, and answers.
func (k *keeper) commit() {
	begun := time.Now()
	err := k.write()
	for _, c := range k.pending {
		c.span(spanCommit, begun, 0, len(k.pending))
		c.finish(err)
	}
	clear(k.pending)
	k.pending = k.pending[:0]
}

func (k *keeper) write() error {
	if !k.changed {
		return nil
	}
	begun := time.Now()
	err := k.store.Commit(k.endings.encode())
	k.changed, k.born = false, 0
	k.meters.commit(time.Since(begun), err)
	if err == nil {
		k.count()
		return nil
	}
	k.store.Discard()
	err = errors.Join(err, k.census())
	for _, c := range k.pending {
		err = nameless(err, c.stream)
	}
	if k.log != nil {
		k.log.Error("the state could not be written: its requests were refused", "model", k.model, "requests", len(k.pending), "error", err)
	}
	told := (*serve.Error)(nil)
	errors.As(err, &told)
	if k.endings, err = decodeEndings(k.store.Position()); err != nil {
		return err
	}
	if told != nil {
		return told
	}
	return unavailable("the state cannot be written: nothing was changed")
}

// nameless takes the name of a stream out of an error that is for the log, which holds none.
func nameless(err error, stream string) error {
	name := strconv.Quote(stream)
	if told := (*serve.Error)(nil); stream == "" || errors.As(err, &told) || !strings.Contains(err.Error(), name) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), " "+name, ""))
}

// unlearn has networks let go of a stream that is forgotten.
func (k *keeper) unlearn(stream string) {
	k.learners.Range(func(l, _ any) bool {
		l.(Learner).Forget(stream)
		return true
	})
}

func (k *keeper) count() {
	k.kept.Store(int64(k.store.Len()))
	k.live.Store(int64(k.store.Live()))
}

// step takes all rows of a request, or none. It changes nothing before everything is known to be fine.
func (k *keeper) step(c *call) error {
	m, err := k.memo(c.stream)
	if err != nil {
		return err
	}
	s := &c.request.Sequence
	if known, err := k.earlier(&m, c); known != nil || err != nil {
		return c.again(known, err)
	}
	there, err := k.store.Has(c.stream)
	if err != nil {
		return err
	}
	if !there {
		if err := k.room(c.stream); err != nil {
			return err
		}
	}
	if s.Start {
		m.clock = nil
	}
	events, err := c.events(&m)
	if err != nil {
		return err
	}
	filter, err := k.store.Filter(c.stream)
	if err != nil {
		return err
	}
	if !there {
		k.born++
		k.spaces.add(c.stream, 1)
	}
	if s.Start && there {
		filter.Reset()
	}
	k.changed = true
	c.run(filter, events)
	k.meters.stepped(c)
	k.watch.add(c)
	return k.remember(c, &m)
}

// memo returns what is kept of a stream beside its filter; of a new one, the number of its life before.
func (k *keeper) memo(stream string) (memo, error) {
	data, err := k.store.Companion(stream)
	if err != nil {
		return memo{}, err
	}
	if data == nil {
		return memo{number: k.endings.number(stream)}, nil
	}
	return decodeMemo(data)
}

// earlier tells that a call must not be a step: it returns the request that it repeats, if its answer is kept, or an error, where its answer is not, or
// its number has been passed by.
func (k *keeper) earlier(m *memo, c *call) (known *keyed, err error) {
	s := &c.request.Sequence
	if s.Key != "" {
		if known = m.find(s.Key); known == nil {
			known = k.endings.find(c.stream, s.Key)
		}
		if known != nil {
			return known, nil
		}
		if slices.Contains(m.past, hashOf(s.Key)) {
			return nil, serve.Errorf(serve.Conflict, "the key is that of a request of the stream that was answered before; its answer is no longer kept")
		}
	}
	if s.Number > 0 && s.Number <= m.number {
		told := serve.Errorf(serve.Aborted, "number %d is not above %d, the highest of the stream so far: the request is no step", s.Number, m.number)
		told.Number = m.number
		return nil, told
	}
	return nil, nil
}

// before answers a request as it was answered before, if it was, or refuses it as the stream would.
func (s *shards) before(c *call) (known bool, err error) {
	err = s.do(c.stream, func(k *keeper) error {
		m, err := k.memo(c.stream)
		if err != nil {
			return err
		}
		was, err := k.earlier(&m, c)
		if known = was != nil; !known {
			return err
		}
		c.started = time.Now()
		return c.again(was, nil)
	})
	return known, err
}

// again answers as the first time, unless there is an error.
func (c *call) again(known *keyed, err error) error {
	if err != nil {
		return err
	}
	if known.digest != c.digest {
		return serve.Errorf(serve.Conflict, "the key is that of another request of the stream")
	}
	a, err := decodeAnswer(known.answer)
	c.answer = &a
	return err
}

// events are what the times of the rows tell. The clock of the memo goes on.
func (c *call) events(m *memo) ([]streams.Event, error) {
	clock, err := c.version.opened.clock()
	if err == nil && len(m.clock) > 0 {
		err = clock.Clock().UnmarshalBinary(m.clock)
	}
	if err != nil {
		return nil, err
	}
	s := &c.request.Sequence
	out := make([]streams.Event, c.n)
	for i := range out {
		var at time.Time
		if len(s.Times) > 0 {
			at = s.Times[i]
		}
		action, gap, err := clock.Next(at, itemID(s.Key, i))
		if err != nil {
			return nil, serve.Errorf(serve.Conflict, "row %d: its time is before that of an earlier item, or it was there already", i)
		}
		out[i] = streams.EventOf(action, gap)
	}
	m.clock, err = clock.Clock().MarshalBinary()
	return out, err
}

// itemID is by what a clock knows an item that comes twice, beyond the keys that have their answers; nothing without a key.
func itemID(key string, row int) []byte {
	if key == "" {
		return nil
	}
	if row == 0 {
		return []byte(key)
	}
	return append([]byte(key), 0, byte(row), byte(row>>8))
}

// run steps the filter.
func (c *call) run(filter *adapt.Filter, events []streams.Event) {
	k := c.version.opened.Classes
	c.found = found{raw: c.probs, adapted: make([]float64, len(c.probs)), gate: make([]float64, c.n)}
	for i, e := range events {
		dst, q := c.found.adapted[i*k:(i+1)*k], c.probs[i*k:(i+1)*k]
		if e.Dropped {
			copy(dst, q)
			c.found.left = append(c.found.left, i)
			continue
		}
		e.Tell(filter)
		c.found.gate[i] = filter.Step(dst, q).Gate
	}
}

// remember notes beside the filter what the stream needs to go on.
func (k *keeper) remember(c *call, m *memo) error {
	s := &c.request.Sequence
	m.number = max(m.number, s.Number)
	if s.Key != "" {
		a := c.version.opened.answer(c.version.source.Version, &c.found, nil) // a retry may ask for others
		c.answer = &a
	}
	if s.End {
		k.store.Remove(c.stream)
		k.spaces.add(c.stream, -1)
		k.traces = true
		k.endings.note(c.stream, m.number)
		if s.Key != "" {
			k.endings.add(c.stream, keyed{s.Key, c.digest, c.answer.encode()})
		}
		return nil
	}
	if s.Key != "" {
		m.add(keyed{s.Key, c.digest, c.answer.encode()}, k.limits.Keys)
	}
	m.last = k.clock.now()
	return k.store.SetCompanion(c.stream, m.encode())
}

// do runs an operation between two requests.
func (k *keeper) do(f func() error) error {
	c := &call{do: f, done: make(chan struct{})}
	if !k.inbox.put(c) {
		return ErrElsewhere
	}
	<-c.done
	return c.err
}
