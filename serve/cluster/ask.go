package cluster

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/backend"
)

// ask is a question on its way.
type ask struct {
	member string
	answer chan *nats.Msg // takes one; closed without one when the member is gone
}

func unavailable(text string) error {
	return &serve.Error{Code: serve.Unavailable, Text: text, Retry: time.Second}
}

var (
	errUnknown = unavailable("the member that had the stream does not answer: it is not known whether the step was made; ask again, with a key")
	errNobody  = unavailable("no member holds the stream")
)

// ask asks another member. It calls sent when the question has its place among those to that member. The error is [backend.ErrElsewhere] where
// the other is no longer there, or lets go: nothing was changed.
func (m *Member) ask(ctx context.Context, member string, q *question, sent func()) (r reply, err error) {
	if m.pending.Add(1) > int64(m.options.Pending) {
		m.pending.Add(-1)
		return r, &serve.Error{Code: serve.Exhausted, Text: "too many requests wait for other members", Retry: time.Second}
	}
	defer m.pending.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, m.options.Wait)
	defer cancel()
	deadline, _ := ctx.Deadline()
	q.Within = time.Until(deadline)
	data, err := encode(q, q.data)
	if err != nil {
		return r, serve.Errorf(serve.InvalidArgument, "the request cannot be passed on: %s", err)
	}
	if most := m.nc.MaxPayload(); int64(len(data)) > most {
		return r, serve.Errorf(serve.TooLarge, "the stream is another member's, and the request takes %d bytes on the way there: want at most %d", len(data), most)
	}
	word, a := nuid.Next(), &ask{member: member, answer: make(chan *nats.Msg, 1)}
	m.mu.Lock()
	known := m.view.seen[member] != nil && m.ended.Err() == nil
	if known {
		m.asks[word] = a
	}
	m.mu.Unlock()
	if !known {
		return r, backend.ErrElsewhere
	}
	defer m.forgetAsk(word)
	msg := &nats.Msg{Subject: m.prefix + "to." + member, Reply: m.inbox + "." + word, Data: data}
	traced(ctx, msg)
	if err := m.nc.PublishMsg(msg); err != nil {
		return r, unavailable("the NATS server cannot be reached")
	}
	if sent != nil {
		sent()
	}
	select {
	case msg, there := <-a.answer:
		switch {
		case !there:
			return r, errUnknown
		case len(msg.Data) == 0 && msg.Header.Get("Status") == "503": // nobody listens there any more
			return r, backend.ErrElsewhere
		}
		if r, err = decodeReply(msg.Data); err != nil {
			return r, err
		}
		return r, r.err(member)
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) && time.Until(deadline) <= 0 {
			return r, errUnknown
		}
		return r, ctx.Err()
	}
}

func (m *Member) forgetAsk(word string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.asks, word)
}

func (m *Member) onAnswer(msg *nats.Msg) {
	m.mu.Lock()
	defer m.mu.Unlock()
	word := msg.Subject[strings.LastIndexByte(msg.Subject, '.')+1:]
	if a := m.asks[word]; a != nil {
		a.answer <- msg
		delete(m.asks, word)
	}
}

// abandon ends the questions to members that are gone; to all, where none is named. The caller holds the lock.
func (m *Member) abandon(gone []string) {
	for word, a := range m.asks {
		if len(gone) == 0 || slices.Contains(gone, a.member) {
			close(a.answer)
			delete(m.asks, word)
		}
	}
}

// holder returns who holds a shard, and what is closed when that may have changed.
func (m *Member) holder(shard int) (id string, changed <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.view.holder(shard), m.changed
}

// route has f done where a stream's shard is held: here, where member is empty, or at another member. While a shard moves it waits, and f is called
// again, as long as nothing was changed and more is true.
func (m *Member) route(ctx context.Context, namespace, id string, more func() bool, f func(member string) error) error {
	shard := backend.ShardOf(namespace, id, m.options.Shards)
	waits := time.NewTimer(patience * m.options.Beat) // longer than a move takes
	defer waits.Stop()
	for {
		member, changed := m.holder(shard)
		if member != "" {
			to := member
			if to == m.id {
				to = ""
			}
			if err := f(to); !errors.Is(err, backend.ErrElsewhere) {
				return err
			}
			if !more() {
				return backend.ErrElsewhere
			}
		}
		pause := m.options.Beat / 20
		if member == "" {
			pause = m.options.Beat
		}
		select {
		case <-changed:
		case <-time.After(pause):
		case <-waits.C:
			return errNobody
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// anyone returns a worker for what needs no stream; "" for this member, and false if there is none.
func (m *Member) anyone() (member string, there bool) {
	if m.options.Backend != nil {
		return "", true
	}
	m.mu.Lock()
	workers := m.view.workers()
	m.mu.Unlock()
	if len(workers) == 0 {
		return "", false
	}
	return workers[m.turn.Add(1)%uint64(len(workers))].ID, true
}
