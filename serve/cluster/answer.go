package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"runtime/debug"

	"github.com/nats-io/nats.go"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/backend"
)

// lanes is how many questions are brought to the backend side by side. Those of one stream are in one lane, one after the other; a lane waits until
// a request has its place in its stream, not until it is answered.
const lanes = 64

type job struct {
	q      question
	header nats.Header
	reply  string // subject
}

func (m *Member) onQuestion(msg *nats.Msg) {
	q, err := decodeQuestion(msg.Data)
	if err != nil || msg.Reply == "" {
		m.log.Warn("a member's question cannot be read", "error", err)
		return
	}
	if m.options.Backend == nil {
		m.respond(msg.Reply, failure(backend.ErrElsewhere))
		return
	}
	h := fnv.New32a()
	h.Write([]byte(q.Model))
	h.Write(q.Namespace)
	h.Write(q.Stream)
	m.work.Add(1)
	m.lanes[h.Sum32()%lanes] <- job{q, msg.Header, msg.Reply}
}

// lane brings the questions of some streams to the backend, until the member has ended.
func (m *Member) lane(jobs <-chan job) {
	for {
		select {
		case j := <-jobs:
			taken := make(chan struct{})
			done := make(chan struct{})
			go func() {
				defer m.work.Done()
				defer close(done)
				m.answer(&j, func() { close(taken) })
			}()
			select {
			case <-taken:
			case <-done:
			}
		case <-m.ended.Done():
			return
		}
	}
}

func (m *Member) answer(j *job, taken func()) {
	ctx, cancel := context.WithTimeout(m.ended, j.q.Within)
	defer cancel()
	ctx, span := m.span(ctx, j)
	r, err := m.safely(ctx, &j.q, taken)
	if span != nil {
		span.End()
	}
	switch {
	case err == nil:
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		r = failure(errUnknown)
	default:
		if r = failure(err); r.Fault {
			m.log.Error("a request of another member failed", "model", j.q.Model, "error", err)
		}
	}
	m.respond(j.reply, r)
}

// safely is do, of which a panic is an error: the reading of a picture may end in one.
func (m *Member) safely(ctx context.Context, q *question, taken func()) (r reply, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("cluster: panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return m.do(ctx, q, taken)
}

func (m *Member) respond(subject string, r reply) {
	data, err := encode(r, r.data)
	if err == nil && int64(len(data)) > m.nc.MaxPayload() {
		data, err = encode(failure(serve.Errorf(serve.TooLarge, "the answer takes %d bytes on the way from another member: ask for fewer outputs or rows", len(data))), nil)
	}
	if err == nil {
		err = m.nc.Publish(subject, data)
	}
	if err != nil {
		m.log.Warn("a member was not answered", "error", err)
	}
}

// do does what another member asks.
func (m *Member) do(ctx context.Context, q *question, taken func()) (r reply, err error) {
	b, namespace, id := m.options.Backend, string(q.Namespace), string(q.Stream)
	switch q.Op {
	case opInfer:
		return m.infer(ctx, q, taken)
	case opShow:
		var info *serve.StreamInfo
		if info, err = b.Show(ctx, q.Model, namespace, id); err == nil {
			r.Streams = streams(*info)
		}
	case opExport:
		var out bytes.Buffer
		err = b.Export(ctx, q.Model, namespace, id, &out)
		r.data = out.Bytes()
	case opImport:
		err = b.Import(ctx, q.Model, namespace, id, q.data)
	case opForget:
		err = b.Forget(ctx, q.Model, namespace, id)
	case opList:
		var list []serve.StreamInfo
		list, err = b.List(ctx, q.Model, namespace, string(q.After), q.Limit)
		r.Streams = streams(list...)
	default:
		r.Value, err = m.tells(q)
	}
	return r, err
}

func (m *Member) infer(ctx context.Context, q *question, taken func()) (r reply, err error) {
	request, err := q.request()
	if err != nil {
		return r, err
	}
	request.Taken = taken
	answer, err := m.options.Backend.Infer(ctx, request)
	if err != nil {
		return r, err
	}
	return answerOf(answer), nil
}

// tells gives a gateway what it asks of models, as JSON.
func (m *Member) tells(q *question) (json.RawMessage, error) {
	var what any
	var err error
	switch q.Op {
	case opModels:
		what = m.options.Backend.Models()
	case opModel:
		what, err = m.options.Backend.Model(q.Model, q.Version)
	case opStatistics:
		what, err = m.options.Backend.Statistics(q.Model, q.Version)
	default:
		err = serve.Errorf(serve.InvalidArgument, "a member of another version asks for %q", q.Op)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(what)
}

func streams(list ...serve.StreamInfo) (out []stream) {
	for _, s := range list {
		out = append(out, stream{[]byte(s.ID), s.Items, s.Last, s.Bytes, s.Number})
	}
	return out
}
