package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/detection"
	"github.com/oatta/oatta/benchmarks/gaps"
	"github.com/oatta/oatta/benchmarks/hindsight"
	"github.com/oatta/oatta/benchmarks/peers"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/datasets"
)

func declareStudy(f flags) func(context.Context, io.Writer) error {
	var s benchmarks.StudySettings
	var shared string
	var outs []string
	f.shared(&shared)
	f.out(&outs)
	f.seeds(&s.Controlled.Seeds, 10, "seeds of the controlled streams")
	f.steps(&s.Controlled.Steps)
	f.IntVar(&s.ReplaySeeds, "replay-seeds", 5, "seeds of the replays")
	f.workers(&s.Controlled.Workers)
	return func(_ context.Context, w io.Writer) error {
		r, err := benchmarks.RunStudy(shared, s)
		if err != nil {
			return err
		}
		return report.WriteFiles(w, outs, r.Write)
	}
}

func declareReal(f flags) func(context.Context, io.Writer) error {
	var s benchmarks.RealSettings
	var shared string
	var outs []string
	f.shared(&shared)
	f.out(&outs)
	f.list(&s.Sets, "sets", "names of sets, separated by commas; * stands for anything (default: all)")
	f.list(&s.Methods, "methods", "the same of methods: "+strings.Join(benchmarks.MethodsOnReal(), ", "))
	f.StringVar(&s.Judged, "goals", benchmarks.AutoThird, "method that the goals are tried on")
	f.IntVar(&s.Shuffles, "shuffles", 3, "draws of each stream's shuffled order")
	f.BoolVar(&s.Quick, "quick", false, "a few streams of each set, cut short")
	f.workers(&s.Workers)
	return func(_ context.Context, w io.Writer) error {
		sets, err := benchmarks.ReadReal(shared)
		if err != nil {
			return err
		}
		r, err := benchmarks.RunReal(sets, s)
		if err != nil {
			return err
		}
		return report.WriteFiles(w, outs, r.Write)
	}
}

func declareHindsight(f flags) func(context.Context, io.Writer) error {
	var s hindsight.Settings
	f.shared(&s.Shared)
	sets := f.String("sets", "elastic_transform,impulse_noise", "sets of CIFAR predictions for the controlled streams, separated by commas, or all; empty leaves the controlled streams out")
	f.seeds(&s.Seeds, 6, "controlled streams drawn of each kind")
	f.steps(&s.Steps)
	f.workers(&s.Workers)
	f.BoolVar(&s.Details, "details", false, "print every real stream, and what its hypotheses weigh")
	return func(_ context.Context, w io.Writer) error {
		if *sets != "" {
			s.Sets = strings.Split(*sets, ",")
		}
		return hindsight.Run(w, s)
	}
}

func declareGaps(f flags) func(context.Context, io.Writer) error {
	var s gaps.Settings
	f.shared(&s.Shared)
	f.seeds(&s.Seeds, 3, "draws of predictions and of the items that are missing")
	f.workers(&s.Workers)
	gates := f.String("gates", "off,ewma,auto", "gates, separated by commas")
	f.BoolVar(&s.Smooth, "smooth", false, "the whole recording in view, in place of the causal filter")
	f.BoolVar(&s.Details, "details", false, "every collection of recordings in a column of its own")
	return func(_ context.Context, w io.Writer) error {
		for gate := range strings.SplitSeq(*gates, ",") {
			s.Gates = append(s.Gates, adapt.Gate(gate))
		}
		return gaps.Run(w, s)
	}
}

func declareTruncation(f flags) func(context.Context, io.Writer) error {
	var s benchmarks.TruncationSettings
	f.shared(&s.Shared)
	f.seeds(&s.Seeds, 3, "controlled streams of each kind")
	f.steps(&s.Steps)
	f.workers(&s.Workers)
	vectors := f.String("predictions", "", "instead, compare labels on the streams of a FILE of JSON lines that `oatta run --vectors` wrote")
	return func(_ context.Context, w io.Writer) error {
		if *vectors != "" {
			return benchmarks.RunLists(w, *vectors)
		}
		return benchmarks.RunTruncation(w, s)
	}
}

func declareDetection(f flags) func(context.Context, io.Writer) error {
	var s detection.Settings
	f.shared(&s.Shared)
	f.seeds(&s.Seeds, 2, "controlled streams of each kind, run together")
	f.steps(&s.Steps)
	f.BoolVar(&s.List, "list", false, "print every cell")
	f.BoolVar(&s.Transfer, "transfer", false, "instead, print what the temperature of the clean test set does on its corruptions")
	return func(_ context.Context, w io.Writer) error { return detection.Run(w, s) }
}

func declarePeers(flags) func(context.Context, io.Writer) error {
	return func(_ context.Context, w io.Writer) error { return peers.Run(w) }
}

func declareUnpackCIFAR(f flags) func(context.Context, io.Writer) error {
	s := datasets.CIFARStrips{Names: datasets.CIFARNames()}
	labels := f.String("labels", "", "class indices: a JSON array, an array of NumPy's, or a file with a byte each")
	f.IntVar(&s.Severity, "severity", 0, "the fifth of a CIFAR-10-C array to take, 1 to 5; 0 takes all")
	out := f.String("out", "", "new or empty folder")
	return func(ctx context.Context, w io.Writer) (err error) {
		if *out == "" {
			return fmt.Errorf("-out: want a folder")
		}
		if *labels != "" {
			if s.Labels, err = datasets.ReadCIFARLabels(*labels); err != nil {
				return err
			}
		}
		s.Strips = f.Args()
		n, err := datasets.UnpackCIFAR(ctx, s, *out)
		if err == nil {
			fmt.Fprintf(w, "%d pictures in %s\n", n, *out)
		}
		return err
	}
}
