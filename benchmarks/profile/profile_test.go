package profile

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/timing"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// Every pass of every graph of a small network is told apart, and the shares are of the whole.
func TestRun(t *testing.T) {
	traces := t.TempDir()
	h := report.Host{Engine: func(context.Context) (runtime.Engine, error) { return orttest.Engine(t), nil }, Log: io.Discard}
	s, err := Run(context.Background(), h, Settings{Quick: true, Top: 5, Traces: traces})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tables) != 5 { // two plain passes, Tent and MEMO, and what is common
		t.Fatalf("%d tables", len(s.Tables))
	}
	for _, row := range s.Tables[0].Rows {
		share := func(i int) float64 { return float64(*row[i].Value) }
		if sum := share(5) + share(6) + share(7); math.Abs(sum-100) > 0.2 {
			t.Errorf("%s of %s: the passes are %.1f %%", row[1].Text, row[0].Text, sum)
		}
		steps := row[1].Text != forward
		if (share(6) > 0) != steps || (share(7) > 0) != steps || !(share(4) > 0) {
			t.Errorf("%s: %v", row[1].Text, row)
		}
	}
	if kept, err := filepath.Glob(filepath.Join(traces, "tcn-tent-8-*", "run*")); err != nil || len(kept) != 1 {
		t.Errorf("traces: %v, %v", kept, err)
	}
}

// A trace is read by what the engine calls its nodes: those that it made itself belong to what is next to them.
func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.json")
	event := func(name, op, index, dur string) string {
		return `{"cat":"Node","name":"` + name + `_kernel_time","dur":` + dur + `,"args":{"op_name":"` + op + `","node_index":"` + index + `"}}`
	}
	run := []string{
		event("pass-first/y_nchwc", "Conv", "1", "5"), event("ReorderOutput", "ReorderOutput", "2", "1"), event("ReorderInput", "ReorderInput", "3", "2"),
		event("pass-back/dx_nchwc", "Conv", "4", "7"), event("fused", "FusedMatMul", "5", "3"), event("pass-second/Add-7", "Add", "6", "4"),
	}
	all := append([]string{`{"cat":"Session","name":"session_initialization","dur":9,"args":{}}`}, run...)
	all = append(append(append(all, run...), run...), event("pass-first/y_nchwc", "Conv", "1", "9"))
	if err := os.WriteFile(file, []byte("["+strings.Join(all, ",\n")+"]"), 0o644); err != nil {
		t.Fatal(err)
	}
	nodes, err := read(file, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []node{
		{op: "Conv", layout: blocked, in: first},
		{op: "ReorderOutput", layout: reorder, in: first},
		{op: "ReorderInput", layout: reorder, in: back},
		{op: "Conv", layout: blocked, in: back},
		{op: "FusedMatMul", layout: plain, in: back},
		{op: "Add", layout: plain, in: second},
	}
	if len(nodes) != len(want) {
		t.Fatalf("%d nodes", len(nodes))
	}
	for i, n := range nodes {
		if n.op != want[i].op || n.layout != want[i].layout || n.in != want[i].in {
			t.Errorf("node %d: %+v, want %+v", i, n, want[i])
		}
	}
	if micros, count := sum(nodes, in(back)); micros != 12 || count != 3 {
		t.Errorf("the gradient takes %v us in %d nodes", micros, count)
	}
	if m := timing.Median(nodes[0].micros); m != 5 {
		t.Errorf("the median is %v", m)
	}
}

func TestNets(t *testing.T) {
	if _, err := chosen([]string{"tcn", "nonsense"}); err == nil || !strings.Contains(err.Error(), `"nonsense"`) {
		t.Error(err)
	}
}
