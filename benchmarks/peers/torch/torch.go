//go:build unix

package torch

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/runtime"
)

// Settings say what is timed.
type Settings struct {
	Net     string   // cifar_resnet18 or resnet50
	Tune    bool     // write convolutions as is fastest here, as timed before
	Weights string   // file of weights; empty: those of the reference, which a rule makes up
	Methods []string // what to time, after each other; some of Methods()
	Views   int      // of MEMO
	Rounds  int      // of which the medians count; one before them does not
	JSON    string   // file for the times of every round; empty: none
}

// Methods are all that can be timed.
func Methods() []string {
	return []string{"forward", "tent2", "tent3", "forward-8", "tent2-8", "tent3-8", "streams-8", "forward-views", "memo"}
}

// Usual are the networks of the usual comparison with what is timed of each: all of ResNet-18 for small pictures, one item of ResNet-50.
func Usual() []Settings {
	return []Settings{{Net: "cifar_resnet18", Methods: Methods()}, {Net: "resnet50", Methods: []string{"forward", "tent2", "tent3"}}}
}

// Run returns the table.
func Run(ctx context.Context, engine runtime.Engine, s Settings) (report.Table, error) {
	if s.Views < 1 || s.Rounds < 1 {
		return report.Table{}, fmt.Errorf("torch: %d views and %d rounds: want at least 1 of each", s.Views, s.Rounds)
	}
	r, err := compare(ctx, engine, s)
	if err != nil || s.JSON == "" {
		return r.table(), err
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return report.Table{}, err
	}
	return r.table(), os.WriteFile(s.JSON, append(b, '\n'), 0o644)
}

// job is one line of the table: a method on so many rows.
type job struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
	base string // the plain forward pass of as many rows
}

// jobs reads the list of methods.
func jobs(s Settings) (out []job, err error) {
	known := map[string]job{
		"forward": {"forward", 1, "forward"}, "tent2": {"tent2", 1, "forward"}, "tent3": {"tent3", 1, "forward"},
		"forward-8": {"forward", 8, "forward-8"}, "tent2-8": {"tent2", 8, "forward-8"}, "tent3-8": {"tent3", 8, "forward-8"},
		"streams-8":     {"streams", 8, "forward-8"},
		"forward-views": {"forward", s.Views, "forward-views"}, "memo": {"memo", s.Views, "forward-views"},
	}
	for _, name := range s.Methods {
		j, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("torch: method %q: want some of %s", name, strings.Join(Methods(), ", "))
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
