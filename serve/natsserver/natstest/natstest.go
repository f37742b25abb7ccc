package natstest

import (
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/oatta/oatta/serve/natsserver"
)

// Start starts a server that is alone, until the test ends.
func Start(t testing.TB) *natsserver.Server {
	t.Helper()
	s, err := natsserver.Start(natsserver.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Connect starts a server and connects to it, until the test ends.
func Connect(t testing.TB) *nats.Conn {
	t.Helper()
	nc, err := Start(t).Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}
