package jetstore

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/frame"
)

// kept is what is kept of a stream.
type kept struct {
	place
	filter *adapt.Filter // nil: there is none
	beside []byte
}

// get reads what is kept of a stream that is not in memory. It is remembered for the next question, which is most often of the same stream.
func (s *Store) get(stream string) (kept, error) {
	if s.recent != nil && s.recent.stream == stream {
		return s.recent.kept, nil
	}
	ctx, cancel := s.context()
	defer cancel()
	k, err := s.load(ctx, stream)
	if err == nil {
		s.recent = &recent{stream, k}
	}
	return k, away(err)
}

// away makes an error for clients of one that says that the NATS servers do not answer, as while they choose a leader: others are faults.
func away(err error) error {
	for _, quiet := range []error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrConnectionClosed, nats.ErrDisconnected, jetstream.ErrNoStreamResponse,
		jetstream.ErrJetStreamNotEnabled,
	} {
		if errors.Is(err, quiet) {
			return unavailable("the NATS servers do not answer: nothing was changed")
		}
	}
	if api := (*jetstream.APIError)(nil); errors.As(err, &api) && api.Code >= http.StatusInternalServerError {
		return unavailable("the NATS servers cannot answer now: nothing was changed")
	}
	return err
}

// recent is what was read last.
type recent struct {
	stream string
	kept
}

// load reads the parts of a stream, which nobody else writes while the shard is held; where somebody did, the next commit is refused.
func (s *Store) load(ctx context.Context, stream string) (k kept, err error) {
	first, k, err := s.first(ctx, stream)
	if err != nil || k.parts == 0 {
		return k, err
	}
	data, commit, err := readPart(first.Data)
	for part := 1; part < k.parts && err == nil; part++ {
		var msg *jetstream.RawStreamMsg
		if msg, err = s.stream.GetLastMsgForSubject(ctx, s.subject("s", s.id(stream), strconv.Itoa(part))); err != nil {
			break
		}
		var more []byte
		var when uint64
		if more, when, err = readPart(msg.Data); err == nil && when != commit {
			err = errors.New("its parts are not of one commit")
		}
		data = append(data, more...)
	}
	if err != nil {
		return k, err
	}
	snapshot, beside, err := s.decodeBody(stream, data)
	if err != nil {
		return k, err
	}
	k.filter, err = s.restore(snapshot)
	k.beside = beside
	return k, err
}

// first reads the first part of a stream, and where it is.
func (s *Store) first(ctx context.Context, stream string) (msg *jetstream.RawStreamMsg, k kept, err error) {
	msg, err = s.stream.GetLastMsgForSubject(ctx, s.subject("s", s.id(stream)))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, k, nil
	}
	if err != nil {
		return nil, k, err
	}
	k.revision = msg.Sequence
	_, k.parts, err = s.nameOf(msg.Subject, msg.Header)
	return msg, k, err
}

// find tells where a stream is kept.
func (s *Store) find(stream string) (place, error) {
	ctx, cancel := s.context()
	defer cancel()
	_, k, err := s.first(ctx, stream)
	return k.place, away(err)
}

// placeOf is find, for one that may be in memory.
func (s *Store) placeOf(stream string) (place, error) {
	if e := s.live.Get(stream); e != nil {
		return place{e.Revision, e.Parts}, nil
	}
	if at, known := s.was[stream]; known {
		return at, nil
	}
	return s.find(stream)
}

// A part is the number of the head's write before it, and bytes of the body.
func readPart(data []byte) (body []byte, commit uint64, err error) {
	r := frame.Reader{Data: data}
	commit = r.Uvarint()
	return slices.Clone(r.Data), commit, r.Err
}

// readHead reads the head of the shard; an empty one if there is none.
func (s *Store) readHead(ctx context.Context) (h head, err error) {
	msg, err := s.stream.GetLastMsgForSubject(ctx, s.subject("head"))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	if h, err = s.decodeHead(msg.Data); err != nil {
		return h, fmt.Errorf("head: %w", err)
	}
	h.revision = msg.Sequence
	return h, nil
}

// Streams returns the names of all streams that were committed, in their order. It reads the headers of all, of which the names are the largest part.
func (s *Store) Streams() ([]string, error) {
	if s.over != nil {
		return nil, s.over
	}
	if s.head.streams == 0 {
		return nil, nil
	}
	out, err := s.list()
	if err != nil {
		return nil, s.failed(away(err))
	}
	slices.Sort(out)
	return out, nil
}

func (s *Store) list() (out []string, err error) {
	ctx, cancel := s.context()
	defer cancel()
	c, err := s.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{s.subject("s", "*")}, DeliverPolicy: jetstream.DeliverAllPolicy, HeadersOnly: true, InactiveThreshold: time.Minute,
	})
	if err != nil {
		return nil, err
	}
	messages, err := c.Messages()
	if err != nil {
		return nil, err
	}
	defer messages.Stop()
	for {
		msg, err := messages.Next(jetstream.NextMaxWait(s.group.options.Wait))
		if err != nil {
			return nil, err
		}
		at, err := msg.Metadata()
		if err != nil {
			return nil, err
		}
		name, parts, err := s.nameOf(msg.Subject(), msg.Headers())
		if err != nil {
			return nil, err
		}
		if parts > 0 {
			out = append(out, name)
		}
		if at.NumPending == 0 {
			return out, nil
		}
	}
}
