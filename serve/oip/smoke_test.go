package oip

import (
	"net"
	"net/http"
	"testing"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/servetest"
)

// listen serves a backend on a free port of the loopback, as the command does, and returns host and port.
func listen(t testing.TB, b serve.Backend, o Options) string {
	t.Helper()
	h, err := New(b, o)
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, h)
}

func serveOn(t testing.TB, h *Handler) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := h.Server()
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != http.ErrServerClosed {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// Triton's client, over both transports on one port: protocol, errors, sequences, isolation.
func TestTritonClient(t *testing.T) {
	servetest.Smoke(t, listen(t, servetest.New(10), Options{}))
}
