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
	"github.com/oatta/oatta/benchmarks/controlled"
	"github.com/oatta/oatta/benchmarks/corrections"
	"github.com/oatta/oatta/benchmarks/corruption"
	"github.com/oatta/oatta/benchmarks/detection"
	"github.com/oatta/oatta/benchmarks/flops"
	"github.com/oatta/oatta/benchmarks/gaps"
	"github.com/oatta/oatta/benchmarks/growth"
	"github.com/oatta/oatta/benchmarks/hindsight"
	"github.com/oatta/oatta/benchmarks/peers"
	"github.com/oatta/oatta/benchmarks/plasticity"
	"github.com/oatta/oatta/benchmarks/priors"
	"github.com/oatta/oatta/benchmarks/profile"
	"github.com/oatta/oatta/benchmarks/realworld"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/datasets"
)

// studies are those that return sections, in the order of the help: a line each.
func studies() []report.Study {
	return append([]report.Study{
		controlled.Study(),
		{Name: "study", Does: "the filter on controlled streams, real streams and replays of real orders, beside the paper's tables", Declare: declareStudy},
		{Name: "real", Does: "the filter and what others do on real predictions, in their order and shuffled", Declare: declareReal},
		realworld.Study(),
		baselines.Study(),
		priors.Study(),
		corruption.Study(),
		corruption.ThresholdStudy(),
		plasticity.Study(),
		flops.Study(),
		growth.Study(),
		corrections.Study(),
		{Name: "hindsight", Does: "what looking back is worth", Declare: declareHindsight},
		{Name: "gaps", Does: "what it is worth to know when items come", Declare: declareGaps},
		{Name: "truncation", Does: "what lists of the top few classes keep of the filter's gain on whole vectors", Declare: declareTruncation},
		{Name: "detection", Does: "how well over-confidence is found without labels", Declare: declareDetection},
		{Name: "movement", Does: "the five predictors with the embedded network for movement, on people whom it has not seen", Declare: declareMovement},
		{Name: "sleepnet", Does: "a small network for sleep on features of people whom it has not seen", Declare: declareSleepnet},
		{Name: "speed", Does: "the filter beside NumPy and gradient steps beside PyTorch, as ratios in one run", Declare: declareSpeed},
		profile.Study(),
		{Name: "peers", Does: "the filter's speed beside NumPy's", Declare: declarePeers},
	}, more...)
}

// more are the studies that not every system can build; they add themselves.
var more []report.Study

// printings are what prints what it has done: what prepares data for studies, and a study that shows each of its tables as soon as it is done.
func printings() []printing {
	return []printing{
		{"predictors", "the five predictors on real networks and pictures", "", declarePredictors},
		{"unpackcifar", "turn CIFAR files into a folder of pictures that `oatta eval images` scores", "FILE...", declareUnpackCIFAR},
	}
}

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

// tablesIn is the section of a study that is tables alone.
func tablesIn(id, title string, tables []report.Table, err error) ([]report.Section, error) {
	if err != nil {
		return nil, err
	}
	return []report.Section{{ID: id, Title: title, Tables: tables}}, nil
}

func declareHindsight(f report.Flags) report.Run {
	var s hindsight.Settings
	f.Shared(&s.Shared)
	sets := f.String("sets", "elastic_transform,impulse_noise", "sets of CIFAR predictions for the controlled streams, separated by commas, or all; empty leaves the controlled streams out")
	f.Seeds(&s.Seeds, 6, "controlled streams drawn of each kind")
	f.Steps(&s.Steps)
	f.Workers(&s.Workers)
	f.BoolVar(&s.Details, "details", false, "tell of every real stream, and what its hypotheses weigh")
	return func(context.Context, report.Host) ([]report.Section, error) {
		if *sets != "" {
			s.Sets = strings.Split(*sets, ",")
		}
		tables, err := hindsight.Run(s)
		return tablesIn("hindsight", "What looking back is worth", tables, err)
	}
}

func declareGaps(f report.Flags) report.Run {
	var s gaps.Settings
	f.Shared(&s.Shared)
	f.Seeds(&s.Seeds, 3, "draws of predictions and of the items that are missing")
	f.Workers(&s.Workers)
	gates := f.String("gates", "off,ewma,auto", "gates, separated by commas")
	f.BoolVar(&s.Smooth, "smooth", false, "the whole recording in view, in place of the causal filter")
	f.BoolVar(&s.Details, "details", false, "every collection of recordings in a column of its own")
	return func(context.Context, report.Host) ([]report.Section, error) {
		for gate := range strings.SplitSeq(*gates, ",") {
			s.Gates = append(s.Gates, adapt.Gate(gate))
		}
		tables, err := gaps.Run(s)
		return tablesIn("gaps", "What it is worth to know when items come", tables, err)
	}
}

func declareTruncation(f report.Flags) report.Run {
	var s benchmarks.TruncationSettings
	f.Shared(&s.Shared)
	f.Seeds(&s.Seeds, 3, "controlled streams of each kind")
	f.Steps(&s.Steps)
	f.Workers(&s.Workers)
	vectors := f.String("predictions", "", "instead, compare labels on the streams of a FILE of JSON lines that `oatta run --vectors` wrote")
	return func(context.Context, report.Host) ([]report.Section, error) {
		if *vectors != "" {
			t, err := benchmarks.RunLists(*vectors)
			return tablesIn("truncation", "Lists of the top few classes", []report.Table{t}, err)
		}
		t, err := benchmarks.RunTruncation(s)
		return tablesIn("truncation", "Lists of the top few classes", []report.Table{t}, err)
	}
}

func declareDetection(f report.Flags) report.Run {
	var s detection.Settings
	f.Shared(&s.Shared)
	f.Seeds(&s.Seeds, 2, "controlled streams of each kind, run together")
	f.Steps(&s.Steps)
	f.BoolVar(&s.List, "list", false, "a table of every cell")
	f.BoolVar(&s.Transfer, "transfer", false, "instead, what the temperature of the clean test set does on its corruptions")
	return func(context.Context, report.Host) ([]report.Section, error) {
		tables, err := detection.Run(s)
		return tablesIn("detection", "Over-confidence found without labels", tables, err)
	}
}

func declarePeers(report.Flags) report.Run {
	return func(ctx context.Context, _ report.Host) ([]report.Section, error) {
		t, err := peers.Run(ctx, false)
		return tablesIn("peers", "The filter beside NumPy", []report.Table{t}, err)
	}
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
