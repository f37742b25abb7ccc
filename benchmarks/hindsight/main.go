// Command hindsight measures what looking back is worth: accuracy of the causal filter, of fixed lags, of whole recordings smoothed,
// and of the centred vote of five that people use today, on real recordings and on the controlled streams.
//
//	go run ./benchmarks/hindsight -shared ../shared -seeds 6 -sets elastic_transform
//
// The folder holds data/predictions and data/cifar10. All numbers are changes in points against the base predictor; a recording is
// harmed if it loses anything.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/oatta/oatta/benchmarks"
)

func main() {
	shared := flag.String("shared", "../shared", "folder with data/predictions and data/cifar10")
	sets := flag.String("sets", "elastic_transform,impulse_noise", "sets of CIFAR predictions for the controlled streams, separated by commas, or all; empty leaves the controlled streams out")
	seeds := flag.Int("seeds", 6, "controlled streams drawn of each kind")
	steps := flag.Int("steps", 2000, "their length")
	details := flag.Bool("details", false, "print every real stream, and what its hypotheses weigh")
	flag.Parse()
	if err := run(os.Stdout, *shared, *sets, *seeds, *steps, *details); err != nil {
		fmt.Fprintln(os.Stderr, "hindsight:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, shared, sets string, seeds, steps int, details bool) error {
	if err := realTables(w, shared, details); err != nil {
		return err
	}
	if sets == "" {
		return nil
	}
	all, err := benchmarks.ReadCIFARSets(shared)
	if err != nil {
		return err
	}
	names := strings.Split(sets, ",")
	var chosen []*benchmarks.Predictions
	for _, p := range all.Corrupted {
		if sets == "all" || slices.Contains(names, p.Name) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("-sets %q: no such corruption among the ready predictions", sets)
	}
	return controlled(w, chosen, seeds, steps)
}
