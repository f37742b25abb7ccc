// Command study runs the filter's study on ready predictions: the controlled streams with the project's ResNet-18, real predictions
// on real streams, and real orders of labels replayed. It needs no model, no ONNX Runtime and no cgo.
//
//	go run ./benchmarks/study -shared DIR -out study.md -out study.json
//
// The folder of shared data is -shared, or else OATTA_SHARED, or else ../shared. The ending of -out chooses the format: .md, .json,
// or else text; without -out, text goes to the standard output. The same arguments give the same bytes, on any number of cores.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/benchmarks"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "study:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var s benchmarks.StudySettings
	var outs []string
	flags := flag.NewFlagSet("study", flag.ExitOnError)
	shared := flags.String("shared", cmp.Or(os.Getenv("OATTA_SHARED"), filepath.Join("..", "shared")), "folder of shared data")
	flags.Func("out", "file to write, .md, .json or text; may be repeated (default: text to standard output)", func(name string) error {
		outs = append(outs, name)
		return nil
	})
	flags.IntVar(&s.Controlled.Seeds, "seeds", 10, "seeds of the controlled streams")
	flags.IntVar(&s.Controlled.Steps, "steps", 2000, "labels in a controlled stream")
	flags.IntVar(&s.ReplaySeeds, "replay-seeds", 5, "seeds of the replays")
	flags.IntVar(&s.Controlled.Workers, "workers", 0, "streams that run at a time (default: one for each core)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	study, err := benchmarks.RunStudy(*shared, s)
	if err != nil {
		return err
	}
	return benchmarks.WriteReport(os.Stdout, outs, study.Write)
}
