//go:build unix

// Command torch times forward passes, Tent and MEMO against PyTorch eager (torch_peer.py), on the same weights and inputs, in turn and in one
// run, each on one thread. It prints a table: milliseconds of process CPU time for one step, medians over rounds, and what that is
// beside a plain forward pass of the same engine and batch.
//
// It needs the library of ONNX Runtime, and Python with PyTorch and NumPy: OATTA_PYTHON, else python3. Run it from the repository:
//
//	go run ./benchmarks/peers/torch
//	go run ./benchmarks/peers/torch -net resnet50 -methods forward,tent2,tent3
//	go run ./benchmarks/peers/torch -weights ../shared/models/cifar10-resnet18/balanced.fp16.safetensors -json times.json
//
// A step that does not give PyTorch's prediction is an error: what is timed against each other computes the same.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "torch:", err)
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	net, weights, methods, out string
	views, rounds              int
}

func run(args []string, w io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("torch", flag.ExitOnError)
	flags.StringVar(&s.net, "net", "cifar_resnet18", "cifar_resnet18 or resnet50")
	flags.StringVar(&s.weights, "weights", "", "file of weights (default: those of the reference, which a rule makes up)")
	flags.StringVar(&s.methods, "methods", "forward,tent2,tent3,forward-8,tent2-8,tent3-8,streams-8,forward-views,memo", "what to time, after each other")
	flags.IntVar(&s.views, "views", 32, "views of MEMO")
	flags.IntVar(&s.rounds, "rounds", 7, "rounds, of which the medians count; one before them does not")
	flags.StringVar(&s.out, "json", "", "file for the times of every round")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if s.views < 1 || s.rounds < 1 {
		return fmt.Errorf("%d views and %d rounds: want at least 1 of each", s.views, s.rounds)
	}
	r, err := compare(s)
	if err != nil {
		return err
	}
	r.print(w)
	if s.out == "" {
		return nil
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(s.out, append(b, '\n'), 0o644)
}

// job is one line of the table: a method on so many rows.
type job struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
	base string // the plain forward pass of as many rows
}

// jobs reads the list of methods.
func jobs(s settings) (out []job, err error) {
	known := map[string]job{
		"forward": {"forward", 1, "forward"}, "tent2": {"tent2", 1, "forward"}, "tent3": {"tent3", 1, "forward"},
		"forward-8": {"forward", 8, "forward-8"}, "tent2-8": {"tent2", 8, "forward-8"}, "tent3-8": {"tent3", 8, "forward-8"},
		"streams-8":     {"streams", 8, "forward-8"},
		"forward-views": {"forward", s.views, "forward-views"}, "memo": {"memo", s.views, "forward-views"},
	}
	for _, name := range strings.Split(s.methods, ",") {
		j, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("method %q: want some of forward, tent2, tent3, forward-8, tent2-8, tent3-8, streams-8, forward-views, memo", name)
		}
		out = append(out, job{name, j.Rows, j.base})
	}
	return out, nil
}

// method is the job's name without its rows, as the peer knows it.
func (j job) method() string {
	name, _, _ := strings.Cut(j.Name, "-")
	return name
}
