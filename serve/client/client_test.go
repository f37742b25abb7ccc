package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/serve/client"
	"github.com/oatta/oatta/serve/oip"
	"github.com/oatta/oatta/serve/servetest"
)

var track = [][]float64{{0.7, 0.2, 0.1}, {0.4, 0.5, 0.1}, {0.6, 0.3, 0.1}, {0.2, 0.1, 0.7}}

// steps are what a filter in process makes of rows.
func steps(t *testing.T, rows ...[]float64) (out [][]float64) {
	t.Helper()
	f, err := adapt.New(3, adapt.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		dst := make([]float64, 3)
		f.Step(dst, row)
		out = append(out, dst)
	}
	return out
}

func TestInfer(t *testing.T) {
	c := mustClient(t, mustStart(t, oip.Options{}), client.Options{})
	want := steps(t, track...)
	a, err := c.Infer(t.Context(), &client.Request{Model: "filter", Stream: "a", Input: client.Probabilities(track[:2]...)})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a.Adapted, want[:2]) || !slices.Equal(a.RawLabel, []string{"deer", "fox"}) || len(a.Label) != 2 || len(a.Class) != 2 || !slices.Equal(a.RawClass, []int{0, 1}) {
		t.Errorf("%+v, want %v", a, want[:2])
	}
	if len(a.Gate) != 2 || a.Raw != nil || a.Dropped != nil || a.Version != "1" || a.Model != "filter" || a.Attempts != 1 || a.Key == "" {
		t.Errorf("%+v", a)
	}
	a, err = c.Infer(t.Context(), &client.Request{Model: "filter", Version: "1", Stream: "a", NoKey: true, Input: client.Probabilities(track[2:]...), Outputs: []string{"adapted"}})
	if err != nil || !reflect.DeepEqual(a.Adapted, want[2:]) || a.Label != nil || a.Class != nil || a.Key != "" {
		t.Errorf("the stream goes on: %+v, %v, want %v", a, err, want[2:])
	}
	a, err = c.Infer(t.Context(), &client.Request{Model: "filter", Stream: "a", Start: true, End: true, Input: client.Probabilities(track[0])})
	if err != nil || !reflect.DeepEqual(a.Adapted, want[:1]) {
		t.Errorf("begun anew: %+v, %v", a, err)
	}
	_, err = c.Streams("filter").Show(t.Context(), "a")
	status(t, "after its end", err, http.StatusNotFound)
	a, err = c.Infer(t.Context(), &client.Request{Model: "filter", Input: client.Tensor("probs", []float32{0.5, 0.25, 0.25}, 1, 3)})
	if err != nil || !reflect.DeepEqual(a.Adapted, steps(t, []float64{0.5, 0.25, 0.25})) || a.Key != "" {
		t.Errorf("of no stream: %+v, %v", a, err)
	}
}

// Times go to the nanosecond: an item that comes a nanosecond before the last is late.
func TestTimes(t *testing.T) {
	c := mustClient(t, mustStart(t, oip.Options{}), client.Options{})
	at := time.Date(2026, 1, 2, 3, 4, 5, 123456789, time.FixedZone("", 3600))
	_, err := c.Infer(t.Context(), &client.Request{Model: "filter", Stream: "a", Times: []time.Time{at, at.Add(time.Second)}, Input: client.Probabilities(track[:2]...)})
	if err != nil {
		t.Error(err)
	}
	_, err = c.Infer(t.Context(), &client.Request{Model: "filter", Stream: "a", Times: []time.Time{at}, Input: client.Probabilities(track[:2]...)})
	status(t, "a time of two rows", err, http.StatusBadRequest)
}

// An answer that was lost is asked for again, and is that of one step.
func TestLostAnswers(t *testing.T) {
	address := mustStart(t, oip.Options{})
	c := mustClient(t, address, client.Options{HTTP: losing(t, 3)})
	a, err := c.Infer(t.Context(), &client.Request{Model: "filter", Stream: "a", Input: client.Probabilities(track[0])})
	if err != nil || a.Attempts != 4 || !reflect.DeepEqual(a.Adapted, steps(t, track[0])) {
		t.Errorf("%+v, %v", a, err)
	}
	s, err := c.Streams("filter").Show(t.Context(), "a")
	if err != nil || s.Items != 1 {
		t.Errorf("%+v, %v: want one item", s, err)
	}
	for what, r := range map[string]*client.Request{
		"without a key": {Model: "filter", Stream: "b", NoKey: true, Input: client.Probabilities(track[0])},
		"too often":     {Model: "filter", Stream: "c", Input: client.Probabilities(track[0])},
	} {
		if _, err := mustClient(t, address, client.Options{HTTP: losing(t, 2), Attempts: 2}).Infer(t.Context(), r); !errors.Is(err, errLost) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := mustClient(t, address, client.Options{HTTP: losing(t, 1)}).Streams("filter").Forget(t.Context(), "a"); err != nil {
		t.Errorf("forgotten, and the answer was lost: %v", err)
	}
	if err := mustClient(t, address, client.Options{HTTP: losing(t, 1)}).Streams("filter").Import(t.Context(), "a", nil); !errors.Is(err, errLost) {
		t.Errorf("an import was asked for again: %v", err)
	}
}

// A client goes on over a restart of the server.
func TestRestart(t *testing.T) {
	folder := t.TempDir()
	at, stop, err := start(servetest.Addresses(t, 1)[0], folder, oip.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := mustClient(t, "http://"+at, client.Options{Attempts: 50, MaxWait: 50 * time.Millisecond})
	ask := func(row []float64) (*client.Answer, error) {
		return c.Infer(t.Context(), &client.Request{Model: "filter", Stream: "a", Input: client.Probabilities(row)})
	}
	if _, err := ask(track[0]); err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	again := make(chan error, 1)
	go func() {
		time.Sleep(100 * time.Millisecond)
		var err error
		_, stop, err = start(at, folder, oip.Options{})
		again <- err
	}()
	a, err := ask(track[1])
	if started := <-again; started != nil {
		t.Fatal(started)
	}
	if err != nil || a.Attempts < 2 || !reflect.DeepEqual(a.Adapted, steps(t, track[:2]...)[1:]) {
		t.Errorf("%+v, %v", a, err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// answering is a server that gives some answers, one after the other, the last again and again.
func answering(t *testing.T, answers ...func(w http.ResponseWriter)) (address string, asked *atomic.Int64) {
	asked = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answers[min(int(asked.Add(1)), len(answers))-1](w)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func refusing(code int, retry, text string) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		if retry != "" {
			w.Header().Set("Retry-After", retry)
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte(text))
	}
}

func one() *client.Request {
	return &client.Request{Model: "filter", Stream: "a", NoKey: true, Input: client.Probabilities(track[0])}
}

// Who is turned away comes again after as long as the server says, and not beyond the time that there is.
func TestRetryAfter(t *testing.T) {
	full, list := refusing(429, "1", `{"error":"full"}`), func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"streams":[]}`)) }
	address, asked := answering(t, full, refusing(503, "", `{"error":"not now"}`), list)
	begun := time.Now()
	if _, err := mustClient(t, address, client.Options{}).Streams("filter").List(t.Context(), "", 0); err != nil || asked.Load() != 3 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
	if took := time.Since(begun); took < time.Second {
		t.Errorf("it came again after %v", took)
	}
	address, asked = answering(t, full)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	begun = time.Now()
	_, err := mustClient(t, address, client.Options{}).Infer(ctx, one())
	status(t, "no time to come again", err, 429)
	if !errors.Is(err, context.DeadlineExceeded) || asked.Load() != 1 || time.Since(begun) > 400*time.Millisecond {
		t.Errorf("%v after %v and %d requests: no time was left to ask again", err, time.Since(begun), asked.Load())
	}
}

// What is refused for good is asked once, and told in the server's words.
func TestRefusals(t *testing.T) {
	c := mustClient(t, mustStart(t, oip.Options{}), client.Options{})
	for what, r := range map[string]*client.Request{
		"two inputs of three": {Model: "filter", Input: client.Probabilities([]float64{0.5, 0.5})},
		"no vector":           {Model: "filter", Input: client.Probabilities([]float64{2, 2, 2})},
		"no such output":      {Model: "filter", Input: client.Probabilities(track[0]), Outputs: []string{"nosuch"}},
	} {
		_, err := c.Infer(t.Context(), r)
		status(t, what, err, http.StatusBadRequest)
	}
	_, err := c.Infer(t.Context(), &client.Request{Model: "no such/../model", Input: client.Probabilities(track[0])})
	status(t, "no such model", err, http.StatusNotFound)
	if err == nil || !strings.Contains(err.Error(), "no such/../model") {
		t.Errorf("%v: want the server's words", err)
	}
	address, asked := answering(t, refusing(403, "", "<html>"))
	_, err = mustClient(t, address, client.Options{}).Infer(t.Context(), one())
	status(t, "a proxy", err, 403)
	address, more := answering(t, refusing(502, "", "<html>"))
	_, err = mustClient(t, address, client.Options{}).Infer(t.Context(), one())
	status(t, "a proxy", err, 502)
	if asked.Load() != 1 || more.Load() != 1 {
		t.Errorf("%d and %d requests, want one each", asked.Load(), more.Load())
	}
}

// Requests that cannot be are not sent.
func TestBadRequests(t *testing.T) {
	address, asked := answering(t, refusing(500, "", ""))
	c := mustClient(t, address, client.Options{})
	for what, r := range map[string]*client.Request{
		"no input":        {Model: "filter"},
		"rows differ":     {Model: "filter", Input: client.Probabilities(track[0], []float64{1})},
		"shape differs":   {Model: "filter", Input: client.Tensor("x", []float32{1}, 1, 2)},
		"side is none":    {Model: "filter", Input: client.Tensor("x", nil, -1)},
		"stream no UTF-8": {Model: "filter", Stream: "\xff", Input: client.Probabilities(track[0])},
		"key no UTF-8":    {Model: "filter", Stream: "a", Key: "\xff", Input: client.Probabilities(track[0])},
	} {
		if _, err := c.Infer(t.Context(), r); err == nil || !strings.HasPrefix(err.Error(), "client: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if asked.Load() != 0 {
		t.Errorf("%d were sent", asked.Load())
	}
	for _, address := range []string{"", "127.0.0.1:8000", "ftp://x", "http://", "http://a?b=c", "http://a#b", "http://a b"} {
		if _, err := client.New(address, client.Options{}); err == nil {
			t.Errorf("address %q was taken", address)
		}
	}
	if _, err := client.New("http://a", client.Options{Attempts: -1}); err == nil {
		t.Error("attempts of -1 were taken")
	}
}

// Names of all kinds reach their stream and no other.
func TestStreams(t *testing.T) {
	address := mustStart(t, oip.Options{})
	c := mustClient(t, address, client.Options{})
	s := c.Streams("filter")
	names := []string{"a/b", "..", ".", "%2e", "a b?c#d", "ü&<>", "../x", "7"}
	for i, name := range names {
		if _, err := c.Infer(t.Context(), &client.Request{Model: "filter", Stream: name, Input: client.Probabilities(track[:1+i%4]...)}); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if one, err := s.Show(t.Context(), name); err != nil || one.ID != name || one.Items != uint64(1+i%4) || time.Since(one.Last) > time.Minute {
			t.Errorf("%q: %+v, %v", name, one, err)
		}
	}
	var listed []string
	for one, err := range s.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, one.ID)
	}
	slices.Sort(names)
	if !slices.Equal(listed, names) {
		t.Errorf("%q, want %q", listed, names)
	}
	var paged []string
	for after := ""; ; {
		page, err := s.List(t.Context(), after, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range page.Streams {
			paged = append(paged, one.ID)
		}
		if after = page.Next; after == "" {
			break
		}
	}
	if !slices.Equal(paged, names) {
		t.Errorf("%q, want %q", paged, names)
	}
	snapshot, err := s.Export(t.Context(), "..")
	if err != nil || s.Import(t.Context(), "copy", snapshot) != nil {
		t.Fatalf("%d bytes, %v", len(snapshot), err)
	}
	status(t, "it is there already", s.Import(t.Context(), "..", snapshot), http.StatusConflict)
	want := steps(t, append(slices.Clone(track[:2]), track[3])...)[2:]
	if a, err := c.Infer(t.Context(), &client.Request{Model: "filter", Stream: "copy", Input: client.Probabilities(track[3])}); err != nil || !reflect.DeepEqual(a.Adapted, want) {
		t.Errorf("the copy: %+v, %v, want %v", a, err, want)
	}
	if err := s.Forget(t.Context(), "copy"); err != nil {
		t.Error(err)
	}
	status(t, "forgotten", s.Forget(t.Context(), "copy"), http.StatusNotFound)
	for _, err := range c.Streams("nosuch").All(t.Context()) {
		status(t, "streams of no model", err, http.StatusNotFound)
	}
	if err := c.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	if m, err := c.Model(t.Context(), "filter"); err != nil || len(m.Labels) != 3 || len(m.Inputs) != 1 || m.Inputs[0].Name != "probs" {
		t.Errorf("%+v, %v", m, err)
	}
}
