package peers

import (
	"fmt"
	"math"
	"os/exec"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/testdata"
)

// What is timed against each other computes the same.
func TestPeerIsTheSameFilter(t *testing.T) {
	name, err := python("numpy")
	if err != nil {
		testdata.Missing(t, "NumPy: %v", err)
	}
	for _, gate := range []adapt.Gate{adapt.GateOff, adapt.GateEWMA, adapt.GateAuto} {
		for _, kind := range []string{"dense", "peaked"} {
			q := stream(kind, 40, 50)
			input := &strings.Builder{}
			fmt.Fprintln(input, gate, 40)
			for _, row := range q {
				fmt.Fprintln(input, strings.Trim(fmt.Sprint(row), "[]"))
			}
			cmd := exec.Command(name, "-c", script, "--adapt")
			cmd.Stdin = strings.NewReader(input.String())
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			f, _ := adapt.New(40, settings(gate))
			dst, theirs := make([]float64, 40), strings.NewReader(string(out))
			for i, row := range q {
				f.Step(dst, row)
				for k, v := range dst {
					var want float64
					if _, err := fmt.Fscan(theirs, &want); err != nil || math.Abs(v-want) > 1e-10 {
						t.Fatalf("gate %s, %s, step %d, class %d: %g, NumPy %g, %v", gate, kind, i, k, v, want, err)
					}
				}
			}
		}
	}
}

// A line is answered by a line; a script that has ended, or whose modules are missing, is an error.
func TestProcess(t *testing.T) {
	if _, err := python("sys"); err != nil {
		testdata.Missing(t, "Python: %v", err)
	}
	p, err := Start("import sys\nfor line in sys.stdin:\n    if line == 'end\\n': break\n    print(line.strip()[::-1], flush=True)", "sys")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	for line, want := range map[string]string{"step\n": "pets\n", "two words\n": "sdrow owt\n"} {
		if got, err := p.Ask([]byte(line)); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", line, got, err)
		}
	}
	if got, err := p.Ask([]byte("end\n")); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("after the end: %q, %v", got, err)
	}
	if _, err := Start("", "no_such_module"); err == nil || !strings.Contains(err.Error(), "cannot import no_such_module; to have it: set OATTA_PYTHON") {
		t.Errorf("a missing module: %v", err)
	}
}
