package client_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/oatta/oatta/serve/client"
	"github.com/oatta/oatta/serve/oip"
)

func row(stream string, i int) *client.Request {
	return &client.Request{Model: "filter", Stream: stream, Input: client.Probabilities(track[i%len(track)])}
}

// A copy of a request that the network held back, behind more later ones than the server knows the keys of, is no step when it arrives: not of the
// stream, and not of its next life.
func TestHeldBack(t *testing.T) {
	address := mustStart(t, oip.Options{})
	var held *http.Request
	var body []byte
	plain := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(plain.CloseIdleConnections)
	holding := carrier(func(r *http.Request) (*http.Response, error) {
		if held == nil {
			held = r.Clone(t.Context())
			body, _ = io.ReadAll(r.Body)
			return nil, errLost // it never left, says the network
		}
		return plain.RoundTrip(r)
	})
	c := mustClient(t, address, client.Options{HTTP: &http.Client{Transport: holding}})
	const items = 600 // more than the keys that are known
	for i := range items {
		a, err := c.Infer(t.Context(), row("a", i))
		if err != nil || i == 0 && a.Attempts != 2 || a.Number == 0 {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	arrives := func() {
		t.Helper()
		late := held.Clone(t.Context())
		late.Body = io.NopCloser(bytes.NewReader(body))
		answer, err := plain.RoundTrip(late)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusConflict || answer.Header.Get("X-Oatta-Number") == "" {
			t.Errorf("what was held back: %s, number %q", answer.Status, answer.Header.Get("X-Oatta-Number"))
		}
	}
	arrives()
	s := c.Streams("filter")
	if one, err := s.Show(t.Context(), "a"); err != nil || one.Items != items || one.Number == 0 {
		t.Errorf("%+v, %v", one, err)
	}
	end := row("a", items)
	end.End = true
	if _, err := c.Infer(t.Context(), end); err != nil {
		t.Fatal(err)
	}
	arrives()
	_, err := s.Show(t.Context(), "a")
	status(t, "what was held back began no stream", err, http.StatusNotFound)
}

// A client whose clock is behind goes on from the number of the other.
func TestNumbersOfTwoClients(t *testing.T) {
	address := mustStart(t, oip.Options{})
	a, b := mustClient(t, address, client.Options{}), mustClient(t, address, client.Options{})
	ahead := row("a", 0)
	ahead.Number = 1 << 62
	if got, err := a.Infer(t.Context(), ahead); err != nil || got.Number != 1<<62 {
		t.Fatalf("%+v, %v", got, err)
	}
	want := steps(t, track...)
	got, err := b.Infer(t.Context(), row("a", 1))
	if err != nil || got.Number != 1<<62+1 || got.Attempts != 2 || !reflect.DeepEqual(got.Adapted, want[1:2]) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err = b.Infer(t.Context(), row("a", 2)); err != nil || got.Number != 1<<62+2 || got.Attempts != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	keyless := row("a", 3)
	keyless.NoKey = true
	if got, err = a.Infer(t.Context(), keyless); err != nil || got.Number != 1<<62+3 || got.Key != "" || !reflect.DeepEqual(got.Adapted, want[3:]) {
		t.Errorf("%+v, %v", got, err)
	}
	low := row("a", 0)
	low.Number = 7
	_, err = a.Infer(t.Context(), low)
	status(t, "a number of the caller's", err, http.StatusConflict)
	var told *client.Error
	if !errors.As(err, &told) || told.Number != 1<<62+3 {
		t.Errorf("%v: want the highest", err)
	}
	huge := row("a", 0)
	huge.Number = 1 << 63
	_, err = a.Infer(t.Context(), huge)
	status(t, "a number beyond all", err, http.StatusBadRequest)
}

// Where an attempt was lost, and others went on, nobody knows: the request is not given another number.
func TestPassedByAndUnsure(t *testing.T) {
	address := mustStart(t, oip.Options{})
	other := mustClient(t, address, client.Options{})
	plain := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(plain.CloseIdleConnections)
	lost := false
	c := mustClient(t, address, client.Options{HTTP: &http.Client{Transport: carrier(func(r *http.Request) (*http.Response, error) {
		if !lost {
			lost = true
			if _, err := other.Infer(t.Context(), row("a", 0)); err != nil {
				t.Error(err)
			}
			return nil, errLost
		}
		return plain.RoundTrip(r)
	})}})
	_, err := c.Infer(t.Context(), row("a", 1))
	status(t, "passed by", err, http.StatusConflict)
	if one, err := other.Streams("filter").Show(t.Context(), "a"); err != nil || one.Items != 1 {
		t.Errorf("%+v, %v", one, err)
	}
}

// Requests of one stream that are asked at the same time are steps, each once, in any order.
func TestNumbersAtOnce(t *testing.T) {
	address := mustStart(t, oip.Options{})
	c := mustClient(t, address, client.Options{})
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			if _, err := c.Infer(t.Context(), row("a", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if one, err := c.Streams("filter").Show(t.Context(), "a"); err != nil || one.Items != 100 || one.Number < uint64(time.Now().Add(-time.Hour).UnixMicro()) {
		t.Errorf("%+v, %v", one, err)
	}
}
