package oip

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
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

// triton returns a Python that has Triton's own client.
func triton(t *testing.T) string {
	t.Helper()
	python := os.Getenv("OATTA_TRITON_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import tritonclient.grpc, tritonclient.http").CombinedOutput(); err != nil {
		last := strings.Split(strings.TrimSpace(string(out)), "\n")
		testdata.Missing(t, "Triton's client for Python (pip install 'tritonclient[grpc,http]', or OATTA_TRITON_PYTHON): %s", last[len(last)-1])
	}
	return python
}

// Triton's client, over both transports on one port: protocol, errors, sequences, isolation.
func TestTritonClient(t *testing.T) {
	script := testdata.Shared(t, "tools", "oip_smoke.py")
	python := triton(t)
	at := listen(t, servetest.New(10), Options{})
	for _, args := range [][]string{nil, {"--dtype", "FP32"}, {"--no-sequences"}} {
		out, err := exec.Command(python, append([]string{script, "--http", at, "--grpc", at}, args...)...).CombinedOutput()
		if err != nil || strings.Contains(string(out), "FAIL") {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
}
