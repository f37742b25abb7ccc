package oip

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"connectrpc.com/connect"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/oip/pb"
)

// bidi is a streaming call as connect-go has it.
type bidi = connect.BidiStream[pb.ModelInferRequest, pb.ModelStreamInferResponse]

// conversation is a streaming call. Requests are asked as they come, those of one stream each when the one before has its place in it, and
// answered in their order.
type conversation struct {
	c       *call
	bidi    *bidi
	places  chan struct{} // one in it for each request that is not answered
	answers chan promise  // in the order of the requests
	asking  sync.WaitGroup

	mu   sync.Mutex
	last map[turn]chan struct{} // closed when the last request of a stream so far has its place in it
	over bool                   // the call has returned, and nothing of its connection may be touched
}

// promise is a request that is to be answered.
type promise struct {
	answer chan *pb.ModelStreamInferResponse
	bytes  int64 // that it holds
}

// turn names what is asked in order.
type turn struct{ model, stream string }

// finalParameter asks that answers say that they are the last of their request, as some clients of Triton do.
const (
	finalParameter = "triton_enable_empty_final_response"
	finalAnswer    = "triton_final_response"
)

func (g *grpcService) ModelStreamInfer(ctx context.Context, b *bidi) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v := &conversation{
		c: callOf(ctx), bidi: b, places: make(chan struct{}, g.h.o.Ahead), answers: make(chan promise, g.h.o.Ahead),
		last: map[turn]chan struct{}{},
	}
	go v.watch(ctx)
	sent := make(chan error, 1)
	go func() { sent <- v.send(cancel) }()
	received := v.receive(ctx)
	close(v.answers)
	unsent := <-sent
	v.end()
	cancel()
	v.asking.Wait()
	return errors.Join(unsent, received)
}

// watch ends the reading when the call is given up, or the server is about to stop.
func (v *conversation) watch(ctx context.Context) {
	select {
	case <-v.c.h.draining:
	case <-ctx.Done():
	}
	v.unblock()
}

// unblock ends a read that is under way.
func (v *conversation) unblock() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.over {
		_ = v.c.control.SetReadDeadline(time.Unix(1, 0))
	}
}

func (v *conversation) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.over = true
}

// receive reads requests and has them asked, until there are no more.
func (v *conversation) receive(ctx context.Context) error {
	for {
		select {
		case v.places <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		r, err := v.bidi.Receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			select {
			case <-v.c.h.draining:
				return &serve.Error{Code: serve.Unavailable, Text: "the server is about to stop", Retry: time.Second}
			default:
				return err
			}
		}
		grown, full := v.c.unpack(r)
		p := promise{make(chan *pb.ModelStreamInferResponse, 1), v.c.message + grown}
		v.c.message = 0
		v.answers <- p
		if full != nil {
			p.answer <- v.failed(r, time.Now(), full)
			continue
		}
		v.take(ctx, r, p.answer)
	}
}

// take has a request asked in its turn.
func (v *conversation) take(ctx context.Context, r *pb.ModelInferRequest, answer chan<- *pb.ModelStreamInferResponse) {
	begin := time.Now()
	final := r.GetParameters()[finalParameter].GetBoolParam()
	delete(r.GetParameters(), finalParameter)
	var q *question
	err := v.safely(func() (err error) {
		q, err = v.c.question(r)
		return err
	})
	if err != nil {
		answer <- v.failed(r, begin, err)
		return
	}
	before, taken := v.queue(q.request)
	q.request.Taken = taken
	v.asking.Go(func() {
		defer taken()
		ctx, span := v.spanOne(ctx)
		response, err := v.ask(ctx, q, before)
		if err != nil {
			told, _ := judge(err)
			endSpan(span, v.c.h.existing(r.ModelName), told.code.String())
			answer <- v.failed(r, begin, err)
			return
		}
		endSpan(span, r.ModelName, "ok")
		message := reply(response)
		if final {
			if message.Parameters == nil {
				message.Parameters = map[string]*pb.InferParameter{}
			}
			message.Parameters[finalAnswer] = &pb.InferParameter{ParameterChoice: &pb.InferParameter_BoolParam{BoolParam: true}}
		}
		v.count(r.ModelName, "ok", begin)
		answer <- &pb.ModelStreamInferResponse{InferResponse: message}
	})
}

// queue returns what to wait for before a request may be asked, nil if nothing, and what to call when it has its place, again when it is answered.
func (v *conversation) queue(r *serve.Request) (before <-chan struct{}, done func()) {
	if r.Sequence.ID == "" {
		return nil, func() {}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	mine, at := make(chan struct{}), turn{r.Model, r.Sequence.ID}
	before = v.last[at]
	v.last[at] = mine
	return before, sync.OnceFunc(func() {
		close(mine)
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.last[at] == mine {
			delete(v.last, at)
		}
	})
}

// ask gives a question to the backend in its turn.
func (v *conversation) ask(ctx context.Context, q *question, before <-chan struct{}) (response *serve.Response, err error) {
	if before != nil {
		select {
		case <-before:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	err = v.safely(func() (err error) {
		response, err = v.c.h.infers(ctx, q)
		return err
	})
	return response, err
}

// safely lets a panic fail one request.
func (v *conversation) safely(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			v.c.h.logPanic(v.c, p)
			err = errPanic
		}
	}()
	return do()
}

// failed is the answer to a request that went wrong; the call goes on.
func (v *conversation) failed(r *pb.ModelInferRequest, begin time.Time, err error) *pb.ModelStreamInferResponse {
	told, hidden := judge(err)
	if hidden && !errors.Is(err, errPanic) {
		v.c.h.logFault(v.c, err)
	}
	v.count(v.c.h.existing(r.GetModelName()), told.code.String(), begin)
	return &pb.ModelStreamInferResponse{
		ErrorMessage:  told.text,
		InferResponse: &pb.ModelInferResponse{ModelName: r.GetModelName(), ModelVersion: r.GetModelVersion(), Id: r.GetId()},
	}
}

// existing is the name of a model that there is; of others nothing, lest anybody make up names for metrics.
func (h *Handler) existing(name string) string {
	_, err := h.backend.Model(name, "")
	if told, _ := judge(err); err != nil && told.code == connect.CodeNotFound {
		return ""
	}
	return name
}

// count notes an answered request.
func (v *conversation) count(model, code string, begin time.Time) {
	if m := v.c.h.metrics; m != nil {
		m.one(v.c, model, code, begin)
	}
}

// send writes the answers, each when it and all before it are there. After an error it goes on without writing, so that nobody waits.
func (v *conversation) send(cancel context.CancelFunc) (err error) {
	for p := range v.answers {
		message := <-p.answer
		if err == nil {
			v.c.answering()
			if err = v.bidi.Send(message); err != nil {
				cancel()
			}
			v.c.idle()
		}
		v.c.free(p.bytes)
		<-v.places
	}
	return err
}
