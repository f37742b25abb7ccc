package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/baselines"
	"github.com/oatta/oatta/benchmarks/detection"
	"github.com/oatta/oatta/benchmarks/gaps"
	"github.com/oatta/oatta/benchmarks/hindsight"
	"github.com/oatta/oatta/benchmarks/peers"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/datasets"
)

// studies are those that return sections, in the order of the help: a line each.
func studies() []report.Study {
	return []report.Study{
		{Name: "study", Does: "the filter on controlled streams, real streams and replays of real orders, beside the paper's tables", Declare: declareStudy},
		{Name: "real", Does: "the filter and what others do on real predictions, in their order and shuffled", Declare: declareReal},
		baselines.Study(),
	}
}

// printings are the studies that print, and what prepares data for studies. What not every system can build adds itself to more.
func printings() []printing {
	return append([]printing{
		{"hindsight", "what looking back is worth", "", declareHindsight},
		{"gaps", "what it is worth to know when items come", "", declareGaps},
		{"truncation", "what lists of the top few classes keep of the filter's gain on whole vectors", "", declareTruncation},
		{"detection", "how well over-confidence is found without labels", "", declareDetection},
		{"predictors", "the five predictors on real networks and pictures", "", declarePredictors},
		{"movement", "the five predictors with the embedded network for movement, on people whom it has not seen", "", declareMovement},
		{"sleepnet", "a small network for sleep on features of people whom it has not seen", "", declareSleepnet},
		{"peers", "the filter's speed beside NumPy's", "", declarePeers},
		{"unpackcifar", "turn CIFAR files into a folder of pictures that `oatta eval images` scores", "FILE...", declareUnpackCIFAR},
	}, more...)
}

var more []printing

func declareStudy(f report.Flags) report.Run {
	var s benchmarks.StudySettings
	var shared string
	f.Shared(&shared)
	f.Seeds(&s.Controlled.Seeds, 10, "seeds of the controlled streams")
	f.Steps(&s.Controlled.Steps)
	f.IntVar(&s.ReplaySeeds, "replay-seeds", 5, "seeds of the replays")
	f.Workers(&s.Controlled.Workers)
	return func(context.Context, report.Host) ([]report.Section, error) {
		r, err := benchmarks.RunStudy(shared, s)
		if err != nil {
			return nil, err
		}
		return sectionOf(report.Section{ID: "study", Title: "The filter on ready predictions", Tables: r.Tables()}, r.Write)
	}
}

func declareReal(f report.Flags) report.Run {
	var s benchmarks.RealSettings
	var shared string
	f.Shared(&shared)
	f.List(&s.Sets, "sets", "names of sets, separated by commas; * stands for anything (default: all)")
	f.List(&s.Methods, "methods", "the same of methods: "+strings.Join(benchmarks.MethodsOnReal(), ", "))
	f.StringVar(&s.Judged, "goals", benchmarks.AutoThird, "method that the goals are tried on")
	f.IntVar(&s.Shuffles, "shuffles", 3, "draws of each stream's shuffled order")
	f.BoolVar(&s.Quick, "quick", false, "a few streams of each set, cut short")
	f.Workers(&s.Workers)
	return func(context.Context, report.Host) ([]report.Section, error) {
		sets, err := benchmarks.ReadReal(shared)
		if err != nil {
			return nil, err
		}
		r, err := benchmarks.RunReal(sets, s)
		if err != nil {
			return nil, err
		}
		return sectionOf(report.Section{ID: "real", Title: "The filter on real predictions", Tables: r.Tables()}, r.Write)
	}
}

// sectionOf adds to a section all that was measured, as a study writes it in JSON.
func sectionOf(s report.Section, write func(w io.Writer, format string) error) ([]report.Section, error) {
	var b bytes.Buffer
	if err := write(&b, "json"); err != nil {
		return nil, err
	}
	s.Details = json.RawMessage(b.Bytes())
	return []report.Section{s}, nil
}

func declareHindsight(f report.Flags) printed {
	var s hindsight.Settings
	f.Shared(&s.Shared)
	sets := f.String("sets", "elastic_transform,impulse_noise", "sets of CIFAR predictions for the controlled streams, separated by commas, or all; empty leaves the controlled streams out")
	f.Seeds(&s.Seeds, 6, "controlled streams drawn of each kind")
	f.Steps(&s.Steps)
	f.Workers(&s.Workers)
	f.BoolVar(&s.Details, "details", false, "print every real stream, and what its hypotheses weigh")
	return func(_ context.Context, _ *host, _ []string, w io.Writer) error {
		if *sets != "" {
			s.Sets = strings.Split(*sets, ",")
		}
		return hindsight.Run(w, s)
	}
}

func declareGaps(f report.Flags) printed {
	var s gaps.Settings
	f.Shared(&s.Shared)
	f.Seeds(&s.Seeds, 3, "draws of predictions and of the items that are missing")
	f.Workers(&s.Workers)
	gates := f.String("gates", "off,ewma,auto", "gates, separated by commas")
	f.BoolVar(&s.Smooth, "smooth", false, "the whole recording in view, in place of the causal filter")
	f.BoolVar(&s.Details, "details", false, "every collection of recordings in a column of its own")
	return func(_ context.Context, _ *host, _ []string, w io.Writer) error {
		for gate := range strings.SplitSeq(*gates, ",") {
			s.Gates = append(s.Gates, adapt.Gate(gate))
		}
		return gaps.Run(w, s)
	}
}

func declareTruncation(f report.Flags) printed {
	var s benchmarks.TruncationSettings
	f.Shared(&s.Shared)
	f.Seeds(&s.Seeds, 3, "controlled streams of each kind")
	f.Steps(&s.Steps)
	f.Workers(&s.Workers)
	vectors := f.String("predictions", "", "instead, compare labels on the streams of a FILE of JSON lines that `oatta run --vectors` wrote")
	return func(_ context.Context, _ *host, _ []string, w io.Writer) error {
		if *vectors != "" {
			return benchmarks.RunLists(w, *vectors)
		}
		return benchmarks.RunTruncation(w, s)
	}
}

func declareDetection(f report.Flags) printed {
	var s detection.Settings
	f.Shared(&s.Shared)
	f.Seeds(&s.Seeds, 2, "controlled streams of each kind, run together")
	f.Steps(&s.Steps)
	f.BoolVar(&s.List, "list", false, "print every cell")
	f.BoolVar(&s.Transfer, "transfer", false, "instead, print what the temperature of the clean test set does on its corruptions")
	return func(_ context.Context, _ *host, _ []string, w io.Writer) error { return detection.Run(w, s) }
}

func declarePeers(report.Flags) printed {
	return func(_ context.Context, _ *host, _ []string, w io.Writer) error { return peers.Run(w) }
}

func declareUnpackCIFAR(f report.Flags) printed {
	s := datasets.CIFARStrips{Names: datasets.CIFARNames()}
	labels := f.String("labels", "", "class indices: a JSON array, an array of NumPy's, or a file with a byte each")
	f.IntVar(&s.Severity, "severity", 0, "the fifth of a CIFAR-10-C array to take, 1 to 5; 0 takes all")
	out := f.String("out", "", "new or empty folder")
	return func(ctx context.Context, _ *host, args []string, w io.Writer) (err error) {
		if *out == "" {
			return fmt.Errorf("--out: want a folder")
		}
		if *labels != "" {
			if s.Labels, err = datasets.ReadCIFARLabels(*labels); err != nil {
				return err
			}
		}
		s.Strips = args
		n, err := datasets.UnpackCIFAR(ctx, s, *out)
		if err == nil {
			fmt.Fprintf(w, "%d pictures in %s\n", n, *out)
		}
		return err
	}
}
