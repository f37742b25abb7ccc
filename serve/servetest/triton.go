package servetest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// Smoke tries the server at a host and port with Triton's own client, over both transports: protocol, errors, sequences and isolation, in
// float64 and float32, and the protocol alone. The server has a filter of ten classes by the names of this package. Without the client, for
// which OATTA_TRITON_PYTHON may name a Python that has it, it is as [testdata.Missing].
func Smoke(t *testing.T, at string) {
	t.Helper()
	script, python := testdata.Shared(t, "tools", "oip_smoke.py"), triton(t)
	for _, args := range [][]string{nil, {"--dtype", "FP32"}, {"--no-sequences"}} {
		out, err := exec.Command(python, append([]string{script, "--http", at, "--grpc", at}, args...)...).CombinedOutput()
		if err != nil || strings.Contains(string(out), "FAIL") {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
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
