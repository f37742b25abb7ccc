package jetstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/jetstreamext"

	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/internal/state/live"
)

// tombstone is how long the message stays that says of a stream that it was removed: longer than anyone who read it takes to write.
const tombstone = 10 * time.Minute

// change is a batch as it is made.
type change struct {
	messages []*nats.Msg
	writes   []written
	streams  int  // how many there are after it
	alone    bool // it is one message, and the head stays
}

// written is a stream of the batch.
type written struct {
	entry *live.Entry
	at    int // index of its first message
	parts int
}

// expect makes a message replace what is of a revision, and nothing else.
func expect(m *nats.Msg, revision uint64) *nats.Msg {
	if m.Header == nil {
		m.Header = nats.Header{}
	}
	m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(revision, 10))
	return m
}

// take makes the shard this store's, from whoever had it.
func (s *Store) take(ctx context.Context) error {
	for {
		h, err := s.readHead(ctx)
		if err != nil {
			return err
		}
		h.member = s.group.options.Member
		h.writes++
		data, err := s.encodeHead(&h)
		if err != nil {
			return err
		}
		ack, err := s.group.js.PublishMsg(ctx, expect(&nats.Msg{Subject: s.subject("head"), Data: data}, h.revision))
		if isRefused(err) { // another took it since, or its last batch came in between
			continue
		}
		if err != nil {
			return err
		}
		h.revision = ack.Sequence
		s.head = h
		return nil
	}
}

// Commit publishes the filters handed out since the last commit, what was removed, and the position, all or nothing. An error of type *[serve.Error]
// is for clients: its text tells whether anything may have been written, and where it may, the store has ended. After any other error everything is as
// before.
func (s *Store) Commit(p state.Position) error {
	switch {
	case s.over != nil:
		return s.over
	case len(p) > state.MaxPosition:
		return s.failed(fmt.Errorf("position of %d bytes: want at most %d", len(p), state.MaxPosition))
	}
	c, err := s.changes()
	if err != nil {
		return s.failed(err)
	}
	h := s.head
	h.streams, h.position = c.streams, append(state.Position{}, p...)
	c.alone = len(c.messages) == 1 && h.streams == s.head.streams && bytes.Equal(p, s.head.position)
	if len(c.messages) == 0 && s.head.position != nil && bytes.Equal(p, s.head.position) {
		clear(s.live.Gone) // of streams that were never there
		return nil
	}
	if err := s.write(c, &h); err != nil {
		return err
	}
	s.live.Committed()
	clear(s.was)
	s.recent = nil
	return nil
}

// write publishes a change, and notes the revisions.
func (s *Store) write(c *change, h *head) error {
	if !c.alone {
		h.writes++
		data, err := s.encodeHead(h)
		if err != nil {
			return s.failed(err)
		}
		if most := s.group.js.Conn().MaxPayload(); int64(len(data)+room) > most {
			return s.failed(fmt.Errorf("head of %d bytes: the NATS server takes messages of %d", len(data), most))
		}
		c.messages = append(c.messages, expect(&nats.Msg{Subject: s.subject("head"), Data: data}, h.revision))
	}
	last, err := s.publish(c.messages)
	if err != nil {
		return err
	}
	first := last + 1 - uint64(len(c.messages)) // a batch is written without others in between
	for _, w := range c.writes {
		w.entry.Revision, w.entry.Parts = first+uint64(w.at), w.parts
	}
	if !c.alone {
		h.revision = last
	}
	s.head = *h
	return nil
}

// publish writes messages, all or none, and returns the revision of the last.
func (s *Store) publish(messages []*nats.Msg) (last uint64, err error) {
	ctx, cancel := s.context()
	defer cancel()
	for pause := 5 * time.Millisecond; ; pause *= 2 {
		last, err = s.publishOnce(ctx, messages)
		if !isBusy(err) || ctx.Err() != nil {
			break
		}
		time.Sleep(pause)
	}
	var api *jetstream.APIError
	switch {
	case err == nil:
		return last, nil
	case isRefused(err):
		return 0, s.end(unavailable("the stream has moved to another member: nothing was changed"))
	case isBusy(err), errors.As(err, &api) && full[api.ErrorCode]:
		return 0, s.failed(err)
	}
	return 0, s.end(unavailable("it is not known whether the step was made: ask again, with a key"))
}

func (s *Store) publishOnce(ctx context.Context, messages []*nats.Msg) (uint64, error) {
	if len(messages) == 1 {
		ack, err := s.group.js.PublishMsg(ctx, messages[0], jetstream.WithRetryAttempts(0))
		if err != nil {
			return 0, err
		}
		return ack.Sequence, nil
	}
	// Without an answer to the first message: what is wrong with it is told by the last one's.
	batch, err := jetstreamext.NewBatchPublisher(s.group.js, jetstreamext.BatchFlowControl{})
	if err != nil {
		return 0, err
	}
	for _, m := range messages[:len(messages)-1] {
		if err := batch.AddMsg(m); err != nil {
			return 0, err
		}
	}
	ack, err := batch.CommitMsg(ctx, messages[len(messages)-1])
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// isRefused tells that a message replaces another than it was to.
func isRefused(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == wrongLastConstant)
}

// isBusy tells that a batch was not taken as there were too many, or as its leader changed before the last message.
func isBusy(err error) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode {
	case jetstreamext.JSErrCodeBatchPublishIncomplete, jetstreamext.JSErrCodeAtomicPublishTooManyInflight:
		return true
	}
	return false
}

// Codes of JetStream that the client's package does not name.
const wrongLastConstant jetstream.ErrorCode = 10164 // another message of the subject is on its way

// full are the codes of a message that is refused before anything is written, for want of room.
var full = map[jetstream.ErrorCode]bool{
	10002: true, // resource limits exceeded for account
	10023: true, // insufficient resources
	10028: true, // storage resources exceeded for account
	10047: true, // insufficient storage resources available
	10054: true, // message size exceeds maximum allowed
}

// changes makes the messages of a commit, in the order of the names.
func (s *Store) changes() (*change, error) {
	c := &change{streams: s.head.streams}
	for _, stream := range slices.Sorted(maps.Keys(s.live.Dirty)) {
		if err := s.addWrite(c, stream, s.live.Dirty[stream]); err != nil {
			return nil, fmt.Errorf("stream %q: %w", stream, err)
		}
	}
	for _, stream := range slices.Sorted(maps.Keys(s.live.Gone)) {
		if s.live.Dirty[stream] != nil {
			continue
		}
		at, err := s.placeOf(stream)
		if err == nil && at.parts > 0 {
			err = s.addRemoval(c, stream, at)
		}
		if err != nil {
			return nil, fmt.Errorf("stream %q: %w", stream, err)
		}
	}
	return c, nil
}

// addWrite adds the parts of a stream, and the removal of parts that it no longer has.
func (s *Store) addWrite(c *change, stream string, e *live.Entry) error {
	snapshot, err := e.Filter.MarshalBinary()
	if err != nil {
		return err
	}
	body, err := s.encodeBody(stream, snapshot, e.Beside)
	if err != nil {
		return err
	}
	parts := slices.Collect(slices.Chunk(body, s.part))
	header, err := s.header(stream, len(parts))
	if err != nil {
		return err
	}
	if e.Parts == 0 {
		c.streams++
	}
	c.writes = append(c.writes, written{e, len(c.messages), len(parts)})
	for i, part := range parts {
		m := &nats.Msg{Subject: s.partSubject(stream, i), Data: append(binary.AppendUvarint(nil, s.head.writes), part...)}
		if i == 0 {
			m.Header = header
			expect(m, e.Revision)
		}
		c.messages = append(c.messages, m)
	}
	for i := len(parts); i < e.Parts; i++ {
		c.messages = append(c.messages, s.gone(s.partSubject(stream, i), nats.Header{}))
	}
	return nil
}

func (s *Store) addRemoval(c *change, stream string, at place) error {
	header, err := s.header(stream, 0)
	if err != nil {
		return err
	}
	c.streams--
	c.messages = append(c.messages, expect(s.gone(s.partSubject(stream, 0), header), at.revision))
	for i := 1; i < at.parts; i++ {
		c.messages = append(c.messages, s.gone(s.partSubject(stream, i), nats.Header{}))
	}
	return nil
}

// gone is a message without content, which goes away by itself.
func (s *Store) gone(subject string, h nats.Header) *nats.Msg {
	h.Set(jetstream.MsgTTLHeader, tombstone.String())
	return &nats.Msg{Subject: subject, Header: h}
}

func (s *Store) partSubject(stream string, part int) string {
	if part == 0 {
		return s.subject("s", s.id(stream))
	}
	return s.subject("s", s.id(stream), strconv.Itoa(part))
}

// Forget removes streams at once, whatever else waits for a commit.
func (s *Store) Forget(streams ...string) error {
	if s.over != nil {
		return s.over
	}
	c := &change{streams: s.head.streams}
	for _, stream := range streams {
		at, err := s.placeOf(stream)
		if err == nil && at.parts > 0 {
			err = s.addRemoval(c, stream, at)
		}
		if err != nil {
			return s.of(stream, err)
		}
		s.live.Drop(stream)
		delete(s.live.Gone, stream)
		delete(s.was, stream)
		s.recent = nil
		if len(c.messages) < mostBatch/2 {
			continue
		}
		if err := s.forget(c); err != nil {
			return err
		}
		c = &change{streams: s.head.streams}
	}
	return s.forget(c)
}

func (s *Store) forget(c *change) error {
	if len(c.messages) == 0 {
		return nil
	}
	h := s.head
	h.streams = c.streams
	return s.write(c, &h)
}
