package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/serve/servetest"
)

// workedAnswer is a line of `oatta work`.
type workedAnswer struct {
	Stream  string
	ID      int
	Number  uint64
	Adapted []float64
	Label   string
	Error   string
}

// Items in, answers out, by the commands alone: a reader is killed, and then the server, and every item is one step, in order, and has one answer.
func TestServeWork(t *testing.T) {
	listen := servetest.Addresses(t, 1)[0]
	state := t.TempDir()
	serve := func() *served {
		return startServer(t, "--classes", "deer,fox,none", "--nats", "embedded", "--state", state, "--nats-listen", listen, "--nats-name", "a")
	}
	server := serve()
	waitReady(t, server)
	var log bytes.Buffer
	work := func() *exec.Cmd {
		cmd := program(t, "work", "--nats", "nats://"+listen, "--in", "items", "--out", "answers")
		cmd.Stderr = &log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd
	}
	worker := work()
	nc, err := nats.Connect("nats://"+listen, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) { // until the reader has made the stream
		if _, err := js.StreamNameBySubject(t.Context(), "answers"); err == nil {
			break
		} else if time.Now().After(end) {
			t.Fatalf("%v: %s", err, &log)
		}
	}
	const streams, items = 5, 60
	r := rand.New(rand.NewPCG(15, 51))
	want, before := map[string][][]float64{}, uint64(0)
	for n := range items {
		for s := range streams {
			x, y := r.Float64(), r.Float64()
			q, name := []float64{min(x, y), max(x, y) - min(x, y), 1 - max(x, y)}, fmt.Sprint("camera ", s)
			want[name] = append(want[name], q)
			publish(t, js, map[string]any{"stream": name, "id": n, "probs": q, "time": float64(1700000000 + n)})
		}
		switch n {
		case items / 3:
			_ = worker.Process.Kill()
			_ = worker.Wait()
			before = answersSoFar(t, js)
			worker = work()
		case 2 * items / 3:
			for end := time.Now().Add(time.Minute); answersSoFar(t, js) == before; time.Sleep(20 * time.Millisecond) { // until the second reader is at work
				if time.Now().After(end) {
					t.Fatalf("the second reader answers nothing: %s", &log)
				}
			}
			_ = server.Process.Kill()
			_ = server.Wait()
			server = serve()
		}
	}
	publish(t, js, "no item")
	got := workedAnswers(t, js, streams*items+1, &log)
	for name, rows := range want {
		f, err := adapt.New(3, adapt.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, 3)
		for i, a := range got[name] {
			if f.Step(dst, rows[i]); a.ID != i || !slices.Equal(a.Adapted, dst) || a.Label == "" || a.Error != "" {
				t.Fatalf("%s, answer %d: %+v, want %v", name, i, a, dst)
			}
		}
		if len(got[name]) != len(rows) {
			t.Errorf("%s: %d answers to %d items", name, len(got[name]), len(rows))
		}
	}
	if bad := got[""]; len(bad) != 1 || bad[0].Error == "" {
		t.Errorf("what is no item had %+v", bad)
	}
	if err := terminate(worker); err != nil {
		t.Fatal(err)
	}
	if err := worker.Wait(); err != nil {
		t.Errorf("a reader that is to end: %v: %s", err, &log)
	}
}

// answersSoFar is how many answers there are.
func answersSoFar(t *testing.T, js jetstream.JetStream) uint64 {
	t.Helper()
	s, err := js.Stream(t.Context(), "answers")
	if err != nil {
		t.Fatal(err)
	}
	return s.CachedInfo().State.Msgs
}

// publish sends an item until JetStream has it: once, whatever happens to the server.
func publish(t *testing.T, js jetstream.JetStream, what any) {
	t.Helper()
	text, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if _, err = js.Publish(t.Context(), "items", text, jetstream.WithMsgID(string(text))); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// workedAnswers reads so many, by stream, and looks for more.
func workedAnswers(t *testing.T, js jetstream.JetStream, n int, log fmt.Stringer) map[string][]workedAnswer {
	t.Helper()
	c, err := js.OrderedConsumer(t.Context(), "answers", jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := c.Messages()
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Stop()
	out := map[string][]workedAnswer{}
	for i := 0; ; i++ {
		wait := time.Minute
		if i >= n {
			wait = 300 * time.Millisecond
		}
		msg, err := messages.Next(jetstream.NextMaxWait(wait))
		if i == n && errors.Is(err, nats.ErrTimeout) {
			return out
		}
		if err != nil || i == n {
			t.Fatalf("answer %d of %d: %v: %s", i, n, err, log)
		}
		var a workedAnswer
		if err := json.Unmarshal(msg.Data(), &a); err != nil {
			t.Fatal(err)
		}
		out[a.Stream] = append(out[a.Stream], a)
	}
}

// What the command cannot do it says.
func TestServeWorkRefuses(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	writeFile(t, secret, "short")
	for what, args := range map[string][]string{
		"no subject":   {"--nats", "nats://127.0.0.1:1"},
		"no server":    {"--nats", "nats://127.0.0.1:1", "--in", "a", "--out", "b"},
		"a bad log":    {"--nats", "nats://127.0.0.1:1", "--in", "a", "--out", "b", "--log", "xml"},
		"short secret": {"--nats", "nats://127.0.0.1:1", "--in", "a", "--out", "b", "--nats-secret", secret},
		"no such file": {"--nats", "nats://127.0.0.1:1", "--in", "a", "--out", "b", "--nats-secret", os.DevNull + "/x"},
	} {
		if code, _, errOut := oatta(t, append([]string{"work"}, args...)...); code != console.Nothing || errOut == "" {
			t.Errorf("%s: code %d, %q", what, code, errOut)
		}
	}
}
