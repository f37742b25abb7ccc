// Command detection measures how well the label-free watch for over-confidence (adapt.Starvation) does: how often it warns where a
// hotter temperature would gain accuracy through the filter, and how often where none would, on calibrated predictions and on streams
// without order.
//
//	go run ./benchmarks/detection -shared DIR
//
// With -transfer it measures instead what a temperature is worth on data that it was not fitted to.
//
// The predictions are those of the project's ResNet-18 on the CIFAR-10 test set and fifteen corruptions of it, on controlled streams,
// and of logistic regressions on real streams, in order and shuffled. The labels decide what a warning was worth and reach neither
// filter nor watch. The same arguments give the same numbers.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/oatta/oatta/adapt"
)

func main() {
	shared := flag.String("shared", cmp.Or(os.Getenv("OATTA_SHARED"), filepath.Join("..", "shared")), "folder of shared data")
	seeds := flag.Int("seeds", 2, "controlled streams of each kind, run together")
	steps := flag.Int("steps", 2000, "labels in a controlled stream")
	list := flag.Bool("list", false, "print every cell")
	moved := flag.Bool("transfer", false, "instead, print what the temperature of the clean test set does on its corruptions")
	flag.Parse()
	var err error
	if *moved {
		err = transfer(os.Stdout, *shared, *seeds, *steps)
	} else {
		err = run(os.Stdout, *shared, *seeds, *steps, *list)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "detection:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, shared string, seeds, steps int, list bool) error {
	cells, err := allCells(shared, seeds, steps)
	if err != nil {
		return err
	}
	for _, gate := range []adapt.Gate{adapt.GateAuto, adapt.GateOff} {
		var all []outcome
		for _, c := range cells {
			o, err := c.measure(gate)
			if err != nil {
				return err
			}
			all = append(all, o)
			if list {
				fmt.Fprintln(w, gate, o)
			}
		}
		if err := report(w, gate, all); err != nil {
			return err
		}
	}
	return nil
}

// report counts the alarms in each group of cells, and what following them changes.
func report(w io.Writer, gate adapt.Gate, all []outcome) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "gate %s\tcells\talarms\tmean gain of the remedy\tworst\t\n", gate)
	for _, group := range groups {
		cells, alarms, gain, worst := 0, 0, 0.0, 0.0
		for _, o := range all {
			if !group.holds(o) {
				continue
			}
			cells++
			if o.warned {
				alarms++
				gain += o.remedy
				worst = min(worst, o.remedy)
			}
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%+.2f\t%+.2f\t\n", group.name, cells, alarms, gain/float64(max(alarms, 1)), worst)
	}
	return t.Flush()
}

var groups = []struct {
	name  string
	holds func(outcome) bool
}{
	{"as predicted, some temperature gains over a point", func(o outcome) bool { return !o.calibrated && o.best > 1 }},
	{"as predicted, in order, truth wants T over 2.2", func(o outcome) bool { return !o.calibrated && o.sticky && o.temperature > 2.2 }},
	{"as predicted, some gains up to a point", func(o outcome) bool { return !o.calibrated && o.best > 0 && o.best <= 1 }},
	{"as predicted, none gains", func(o outcome) bool { return !o.calibrated && o.best <= 0 }},
	{"as predicted, no order", func(o outcome) bool { return !o.calibrated && o.orderless }},
	{"calibrated by their labels", func(o outcome) bool { return o.calibrated }},
}
