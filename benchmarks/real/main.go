// Command real tries the filter, what looks back on its streams, and what others do on real predictions, in their real order and
// shuffled. It needs no model, no ONNX Runtime and no cgo.
//
//	go run ./benchmarks/real -shared DIR -out real.md -out real.json
//	go run ./benchmarks/real -quick -sets 'casale*,elec_rf' -methods 'auto*'
//
// The folder of shared data is -shared, or else OATTA_SHARED, or else ../shared; it holds data/streams and data/predictions. The ending
// of -out chooses the format: .md, .json, or else text; without -out, text goes to the standard output. The same arguments give the
// same bytes, on any number of cores.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/oatta/oatta/benchmarks"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "real:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var s benchmarks.RealSettings
	var outs []string
	flags := flag.NewFlagSet("real", flag.ExitOnError)
	shared := flags.String("shared", cmp.Or(os.Getenv("OATTA_SHARED"), filepath.Join("..", "shared")), "folder of shared data")
	flags.Func("out", "file to write, .md, .json or text; may be repeated (default: text to standard output)", func(name string) error {
		outs = append(outs, name)
		return nil
	})
	list := func(dst *[]string) func(string) error {
		return func(text string) error {
			*dst = append(*dst, strings.Split(text, ",")...)
			return nil
		}
	}
	flags.Func("sets", "names of sets, separated by commas; * stands for anything (default: all)", list(&s.Sets))
	flags.Func("methods", "the same of methods: "+strings.Join(benchmarks.MethodsOnReal(), ", "), list(&s.Methods))
	flags.StringVar(&s.Judged, "goals", benchmarks.AutoThird, "method that the goals are tried on")
	flags.IntVar(&s.Shuffles, "shuffles", 3, "draws of each stream's shuffled order")
	flags.BoolVar(&s.Quick, "quick", false, "a few streams of each set, cut short")
	flags.IntVar(&s.Workers, "workers", 0, "streams that run at a time (default: one for each core)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	sets, err := benchmarks.ReadReal(*shared)
	if err != nil {
		return err
	}
	result, err := benchmarks.RunReal(sets, s)
	if err != nil {
		return err
	}
	return benchmarks.WriteReport(os.Stdout, outs, result.Write)
}
