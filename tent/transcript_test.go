package tent_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/tent"
)

var update = flag.Bool("update", false, "write the transcripts anew")

// scripted is a session whose entropy is the first number of the input and whose parameters count steps: it shows what a predictor feeds.
// A second number of 1 makes the step infinite.
type scripted struct {
	inputs, outputs []runtime.Port
	meta            map[string]string
	fail            error
}

// newScripted has the ports of a graph.
func newScripted(m *onnx.Model) *scripted {
	s := &scripted{meta: map[string]string{}}
	for _, p := range m.Metadata {
		s.meta[p.Key] = p.Value
	}
	ports := func(values []graph.Value) (out []runtime.Port) {
		for _, v := range values {
			t := m.Graph.TypeOf(v)
			shape := []int64{runtime.Dynamic}
			for _, d := range t.Shape[1:] {
				shape = append(shape, d.Size)
			}
			out = append(out, runtime.Port{Name: m.Graph.NameOf(v), Type: runtime.Float32, Shape: shape})
		}
		return out
	}
	s.inputs, s.outputs = ports(m.Graph.Inputs()), ports(m.Graph.Outputs())
	return s
}

func (s *scripted) Inputs() []runtime.Port     { return s.inputs }
func (s *scripted) Outputs() []runtime.Port    { return s.outputs }
func (s *scripted) Close() error               { return nil }
func (s *scripted) Metadata() runtime.Metadata { return runtime.Metadata{Custom: s.meta} }
func (s *scripted) Device() string             { return "cpu" }

func (s *scripted) Run(_ context.Context, dst, src []runtime.Tensor) error {
	if s.fail != nil {
		return s.fail
	}
	x, theta := src[0].Data.([]float32), src[1].Data.([]float32)
	rows := int(src[0].Shape[0])
	for i := range rows {
		in, steps := x[i*len(x)/rows:], theta[i*len(theta)/rows]
		next := steps + 1
		if in[1] >= 1 {
			next = float32(math.Inf(1))
		}
		for j, p := range s.outputs {
			values := dst[j].Data.([]float32)
			row := values[i*len(values)/rows : (i+1)*len(values)/rows]
			for k := range row {
				row[k] = map[string]float32{"prediction": next, "before": steps, "entropy": in[0], "next_theta": next}[p.Name]
			}
		}
	}
	return nil
}

// TestTranscripts replays the commands of testdata/*.txt, each behind "> ", and compares what they print. -update writes it anew.
//
//	policy WHEN [N]              a new predictor: every N, stream, item, collapse BELOW, never
//	begin LANE                   a new stream
//	step LANE:ENTROPY[!] ...     one step of the rows; ! makes it infinite
//	fail                         a step in which the engine fails
//	snapshot LANE, restore LANE  keep a lane's state, and give it to a lane
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts (%v)", err)
	}
	for _, path := range files {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := replay(t, string(want))
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got != string(want) {
			t.Errorf("%s: got\n%s", path, got)
		}
	}
}

func replay(t *testing.T, text string) string {
	var b strings.Builder
	r := replayer{t: t, out: &b}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		command, ok := strings.CutPrefix(line, "> ")
		switch {
		case ok:
			fmt.Fprintln(&b, line)
			r.do(strings.Fields(command))
		case line == "" || strings.HasPrefix(line, "#"):
			fmt.Fprintln(&b, line)
		}
	}
	return b.String()
}

type replayer struct {
	t     *testing.T
	out   *strings.Builder
	s     *scripted
	p     *tent.Predictor
	saved []byte
}

func (r *replayer) do(words []string) {
	lane := func() (n int) {
		if _, err := fmt.Sscan(words[1], &n); err != nil {
			r.t.Fatal(err)
		}
		return n
	}
	switch words[0] {
	case "policy":
		r.policy(words[1:])
	case "begin":
		r.p.Begin(lane())
	case "step":
		r.step(words[1:])
	case "fail":
		r.s.fail = errors.New("the engine failed")
		r.step([]string{"0:1"})
		r.s.fail = nil
	case "snapshot":
		r.saved = r.p.Snapshot(lane())
	case "restore":
		if err := r.p.Restore(lane(), r.saved); err != nil {
			fmt.Fprintln(r.out, err)
		}
	default:
		r.t.Fatalf("command %q", words)
	}
}

func (r *replayer) policy(words []string) {
	when, err := tent.ParseWhen(words[0])
	if err != nil {
		r.t.Fatal(err)
	}
	reset := tent.Reset{When: when}
	if len(words) > 1 {
		var number float64
		if _, err := fmt.Sscan(words[1], &number); err != nil {
			r.t.Fatal(err)
		}
		if when == tent.Every {
			reset.Items = int(number)
		} else {
			reset.Below, reset.Keep = number, 0.5
		}
	}
	m := build(r.t, smallNet("batch", graph.Sym("N")), tent.Settings{})
	// Parameters that begin at 0 count the steps.
	m.SetMeta("oatta.tent.source", zeros(len(fileOf(r.t, m).source)))
	r.s = newScripted(m)
	if r.p, err = tent.New(r.s, tent.Options{Reset: &reset}); err != nil {
		r.t.Fatal(err)
	}
	fmt.Fprintf(r.out, "%d of 4 lanes\n", r.p.Lanes(4))
}

func (r *replayer) step(rows []string) {
	var lanes []int
	src := make([]float32, len(rows)*r.p.InputLen())
	for i, row := range rows {
		var lane int
		bad := strings.HasSuffix(row, "!")
		in := src[i*r.p.InputLen():]
		if _, err := fmt.Sscanf(strings.TrimSuffix(row, "!"), "%d:%g", &lane, &in[0]); err != nil {
			r.t.Fatalf("%q: %v", row, err)
		}
		if bad {
			in[1] = 1
		}
		lanes = append(lanes, lane)
	}
	dst := make([]float32, len(rows)*r.p.Classes())
	if err := r.p.Step(context.Background(), dst, src, lanes); err != nil {
		fmt.Fprintln(r.out, err)
		var bad tent.RowErrors
		if !errors.As(err, &bad) {
			return
		}
	}
	for i, lane := range lanes {
		fmt.Fprintf(r.out, "lane %d predicts with %v steps\n", lane, dst[i*r.p.Classes()])
	}
}
