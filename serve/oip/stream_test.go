package oip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/oip/pb"
	"github.com/oatta/oatta/serve/servetest"
)

// Answers come in the order of the requests, requests of a stream are asked one after the other, those of others side by side, and one that
// is refused ends nothing.
func TestStreaming(t *testing.T) {
	b := servetest.New(3)
	under, most := map[string]*atomic.Int32{}, atomic.Int32{}
	for i := range 8 {
		under[fmt.Sprint("s", i)] = &atomic.Int32{}
	}
	all := atomic.Int32{}
	b.Before = func(_ context.Context, r *serve.Request) error {
		mine := under[r.Sequence.ID]
		if mine.Add(1) > 1 {
			t.Errorf("two requests of %s at once", r.Sequence.ID)
		}
		most.Store(max(most.Load(), all.Add(1)))
		time.Sleep(time.Duration(len(r.ID)) * time.Millisecond)
		all.Add(-1)
		mine.Add(-1)
		return nil
	}
	client, log, _ := dial(t, b, Options{})
	call, err := client.ModelStreamInfer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	const n = 200
	go func() {
		for i := range n {
			r := asked(fmt.Sprint("s", i%8), 0.5, 0.3, 0.2)
			r.Id = fmt.Sprint(i)
			if i%50 == 7 {
				r.RawInputContents[0] = r.RawInputContents[0][1:]
			}
			if err := call.Send(r); err != nil {
				t.Error(err)
			}
		}
		if err := call.CloseRequest(); err != nil {
			t.Error(err)
		}
	}()
	for i := range n {
		answer, err := call.Receive()
		if err != nil {
			t.Fatal(i, err)
		}
		if refused := answer.ErrorMessage != ""; answer.InferResponse.GetId() != fmt.Sprint(i) || refused != (i%50 == 7) {
			t.Errorf("%d: %v", i, answer)
		}
	}
	if _, err := call.Receive(); !errors.Is(err, io.EOF) {
		t.Errorf("the end: %v", err)
	}
	if err := call.CloseResponse(); err != nil {
		t.Error(err)
	}
	if most.Load() < 2 {
		t.Error("streams waited for each other")
	}
	if text := log.String(); text != "" {
		t.Errorf("logged: %s", text)
	}
}

// No more requests are read than may wait.
func TestStreamingAhead(t *testing.T) {
	b := servetest.New(3)
	asking, let := atomic.Int32{}, make(chan struct{})
	b.Before = func(context.Context, *serve.Request) error {
		asking.Add(1)
		<-let
		return nil
	}
	client, _, _ := dial(t, b, Options{Ahead: 4})
	call, err := client.ModelStreamInfer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := call.Send(asked("", 0.5, 0.3, 0.2)); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond)
	if n := asking.Load(); n != 4 {
		t.Errorf("%d are asked, want 4", n)
	}
	close(let)
	if err := call.CloseRequest(); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if _, err := call.Receive(); err != nil {
			t.Fatal(i, err)
		}
	}
}

// A backend that says when a request has its place in its stream is given the next one then, before the answer.
func TestStreamingTaken(t *testing.T) {
	b := servetest.New(3)
	asking, let := atomic.Int32{}, make(chan struct{})
	b.Before = func(_ context.Context, r *serve.Request) error {
		asking.Add(1)
		r.Taken()
		<-let
		return nil
	}
	client, _, _ := dial(t, b, Options{})
	call, err := client.ModelStreamInfer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		r := asked("a", 0.5, 0.3, 0.2)
		r.Id = fmt.Sprint(i)
		if err := call.Send(r); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		if asking.Load() == 10 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if n := asking.Load(); n != 10 {
		t.Errorf("%d are asked, want 10", n)
	}
	close(let)
	for i := range 10 {
		if answer, err := call.Receive(); err != nil || answer.InferResponse.GetId() != fmt.Sprint(i) {
			t.Fatal(i, answer, err)
		}
	}
}

func TestStreamingFinalAnswer(t *testing.T) {
	client, _, _ := dial(t, servetest.New(3), Options{})
	call, err := client.ModelStreamInfer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r := asked("", 0.5, 0.3, 0.2)
	r.Parameters = map[string]*pb.InferParameter{finalParameter: {ParameterChoice: &pb.InferParameter_BoolParam{BoolParam: true}}}
	if err := errors.Join(call.Send(r), call.CloseRequest()); err != nil {
		t.Fatal(err)
	}
	answer, err := call.Receive()
	if err != nil || !answer.InferResponse.GetParameters()[finalAnswer].GetBoolParam() {
		t.Errorf("%v, %v", answer, err)
	}
}

// A panic or a fault fails its request, a client that goes ends the call and what waits in it.
func TestStreamingFaults(t *testing.T) {
	b := servetest.New(3)
	b.Before = func(ctx context.Context, r *serve.Request) error {
		switch r.Sequence.ID {
		case "panic":
			panic("secret bug")
		case "fault":
			return errors.New("secret path")
		case "wait":
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}
	client, log, _ := dial(t, b, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	call, err := client.ModelStreamInfer(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"panic", "fault", "good"} {
		if err := call.Send(asked(id, 0.5, 0.3, 0.2)); err != nil {
			t.Fatal(err)
		}
		answer, err := call.Receive()
		if err != nil || (id != "good") != (answer.ErrorMessage == internal.text) {
			t.Errorf("%s: %v, %v", id, answer, err)
		}
	}
	if text := log.String(); !strings.Contains(text, "secret bug") || !strings.Contains(text, "secret path") {
		t.Errorf("log: %s", text)
	}
	for range 3 {
		if err := call.Send(asked("wait", 0.5, 0.3, 0.2)); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if _, err := call.Receive(); connect.CodeOf(err) != connect.CodeCanceled {
		t.Errorf("%v", err)
	}
}

// What is read when the server is about to stop is answered; then the call ends.
func TestDrain(t *testing.T) {
	b := servetest.New(3)
	at := make(chan struct{})
	b.Before = func(context.Context, *serve.Request) error {
		<-at
		return nil
	}
	h, err := New(b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	client := pb.NewGRPCInferenceServiceClient(h2c(t), "http://"+serveOn(t, h), connect.WithGRPC())
	call, err := client.ModelStreamInfer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := call.Send(asked("a", 0.5, 0.3, 0.2)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	h.Drain()
	h.Drain()
	if h.ready() {
		t.Error("ready while draining")
	}
	close(at)
	if answer, err := call.Receive(); err != nil || answer.ErrorMessage != "" {
		t.Errorf("%v, %v", answer, err)
	}
	if _, err := call.Receive(); connect.CodeOf(err) != connect.CodeUnavailable {
		t.Errorf("%v", err)
	}
	if _, err := client.ModelInfer(context.Background(), asked("", 0.5, 0.3, 0.2)); err != nil {
		t.Errorf("a plain request: %v", err)
	}
}
