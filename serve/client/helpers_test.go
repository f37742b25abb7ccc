package client_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/oatta/oatta/serve/backend"
	"github.com/oatta/oatta/serve/client"
	"github.com/oatta/oatta/serve/oip"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// filter is a server's model that takes the probabilities of three classes.
var filter = backend.Source{Name: "filter", Open: func(context.Context) (*backend.Opened, error) {
	return &backend.Opened{Classes: 3, Labels: []string{"deer", "fox", "none"}}, nil
}}

// start serves the filter at an address, as `oatta serve` does, and returns where, and what ends it.
func start(at, folder string, o oip.Options) (address string, stop func() error, err error) {
	b, err := backend.New(context.Background(), backend.Options{
		Models: []backend.Source{filter}, File: func(model string) string { return filepath.Join(folder, model+".state") },
	})
	if err != nil {
		return "", nil, err
	}
	h, err := oip.New(b, o)
	if err != nil {
		return "", nil, errors.Join(err, b.Close())
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return "", nil, errors.Join(err, b.Close())
	}
	web, done := h.Server(), make(chan error, 1)
	go func() { done <- web.Serve(l) }()
	return l.Addr().String(), func() error {
		err := web.Close()
		if served := <-done; served != http.ErrServerClosed {
			err = errors.Join(err, served)
		}
		return errors.Join(err, b.Close())
	}, nil
}

func mustStart(t *testing.T, o oip.Options) string {
	t.Helper()
	at, stop, err := start("127.0.0.1:0", t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return "http://" + at
}

func mustClient(t *testing.T, address string, o client.Options) *client.Client {
	t.Helper()
	if o.Wait == 0 {
		o.Wait = time.Millisecond
	}
	c, err := client.New(address, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// carrier sends requests, and may lose what comes back.
type carrier func(r *http.Request) (*http.Response, error)

func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

var errLost = errors.New("the answer was lost")

// losing loses the first n answers.
func losing(t *testing.T, n int) *http.Client {
	plain := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(plain.CloseIdleConnections)
	return &http.Client{Transport: carrier(func(r *http.Request) (*http.Response, error) {
		answer, err := plain.RoundTrip(r)
		if n--; n >= 0 && err == nil {
			answer.Body.Close()
			return nil, errLost
		}
		return answer, err
	})}
}

// status asserts an error of the server.
func status(t *testing.T, what string, err error, want int) {
	t.Helper()
	var told *client.Error
	if !errors.As(err, &told) || told.Status != want {
		t.Errorf("%s: %v, want status %d", what, err, want)
	}
}
