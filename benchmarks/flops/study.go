package flops

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/timing"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/runtime"
)

// Settings say what is measured. The zero value counts and times the embedded ResNet-20.
type Settings struct {
	Shared string // folder of shared data, for ResNet-18; without its network that one is left out
	Rounds int    // of timing, of which the medians count; 0: 5
	Quick  bool   // ResNet-20 alone, one short round
}

// least is how many CPU seconds a round takes for each task, about.
const least, leastQuick = 0.1, 0.01

// Result is the outcome.
type Result struct {
	Rounds   int        `json:"rounds"`
	Networks []*Network `json:"networks"`
	Filters  []Filter   `json:"filters"`
	Backbone Count      `json:"resnet50"` // one forward pass of ResNet-50, which the paper compares with
	Missing  []string   `json:"missing,omitempty"`
}

// Filter is what one step of the filter costs with so many classes.
type Filter struct {
	Classes int                `json:"classes"`
	Of      string             `json:"of"` // the data set that the paper has with so many
	Paper   int64              `json:"paper"`
	Printed int64              `json:"printed"`
	Carried int64              `json:"carried"`
	Auto    int64              `json:"auto_leading_term"`
	Seconds map[string]float64 `json:"cpu_seconds"` // of a step, by gate
}

// paperBackbone is what the paper takes for a forward pass of ResNet-50: the multiply-adds of He et al. (2016), as operations.
const paperBackbone = 3.8e9

// Run counts, and times what the engine runs; engine returns why there is none.
func Run(ctx context.Context, engine func(context.Context) (runtime.Engine, error), log io.Writer, s Settings) (*Result, error) {
	r := &Result{Rounds: cmp.Or(s.Rounds, 5)}
	seconds := least
	if s.Quick {
		r.Rounds, seconds = 1, leastQuick
	}
	if r.Rounds < 1 {
		return nil, fmt.Errorf("flops: %d rounds: want at least 1", r.Rounds)
	}
	e, err := engine(ctx)
	if err != nil {
		r.Missing = append(r.Missing, fmt.Sprintf("times of the predictors, for want of an engine: %v", err))
	}
	nets, err := r.networks(s)
	if err != nil {
		return nil, err
	}
	for _, net := range nets {
		n, err := count(net.Name, net.Model)
		if err != nil {
			return nil, fmt.Errorf("flops: %w", err)
		}
		fmt.Fprintf(log, "%s: %d predictors counted\n", n.Name, len(n.Costs))
		r.Networks = append(r.Networks, n)
		if e == nil {
			continue
		}
		if err := n.measure(ctx, e, net.Model, r.Rounds, seconds); err != nil {
			return nil, err
		}
	}
	if r.Backbone, err = forward("resnet50"); err != nil {
		return nil, err
	}
	return r, r.filters(seconds)
}

// networks are the embedded ResNet-20 and, where it is, ResNet-18.
func (r *Result) networks(s Settings) ([]*networks.Network, error) {
	small, err := networks.ResNet20()
	if err != nil {
		return nil, err
	}
	if s.Quick {
		return []*networks.Network{small}, nil
	}
	large, err := networks.ResNet18(s.Shared)
	if err != nil {
		r.Missing = append(r.Missing, fmt.Sprintf("ResNet-18: %v", err))
		return []*networks.Network{small}, nil
	}
	return []*networks.Network{small, large}, nil
}

// forward counts one forward pass of a network by name.
func forward(name string) (Count, error) {
	net, err := backbone.New(name, backbone.Options{})
	if err != nil {
		return Count{}, err
	}
	return Of(net.Graph, map[string]int64{"N": 1})
}

// filters counts and times the filter with the paper's numbers of classes.
func (r *Result) filters(least float64) error {
	for _, f := range []Filter{{Classes: 5, Of: "UNSW"}, {Classes: 10, Of: "CIFAR-10"}, {Classes: 14, Of: "CCT"}, {Classes: 1000, Of: "ImageNet"}} {
		q := predictions(f.Classes)[0]
		_, f.Printed = Printed(f.Classes).Step(q)
		_, f.Carried = Carried(f.Classes).Step(q)
		f.Paper = PaperFormula(f.Classes)
		var err error
		if f.Auto, err = autoTerm(f.Classes); err != nil {
			return err
		}
		tasks := filterTasks(f.Classes)
		if err := timing.All(tasks, r.Rounds, least); err != nil {
			return err
		}
		f.Seconds = map[string]float64{}
		for _, t := range tasks {
			f.Seconds[t.Name] = t.Median()
		}
		r.Filters = append(r.Filters, f)
	}
	return nil
}

// Study is the study for the program that runs all of them.
func Study() report.Study {
	return report.Study{
		Name: "flops", Does: "operations and time of every predictor and of the filter",
		Declare: func(f report.Flags) report.Run {
			var s Settings
			f.Shared(&s.Shared)
			f.IntVar(&s.Rounds, "rounds", 5, "rounds of timing, of which the medians count")
			f.Quick(&s.Quick)
			return func(ctx context.Context, h report.Host) ([]report.Section, error) {
				r, err := Run(ctx, h.Engine, h.Log, s)
				if err != nil {
					return nil, err
				}
				section, err := r.Section()
				return []report.Section{section}, err
			}
		},
	}
}
