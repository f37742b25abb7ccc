package controlled

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/method"
)

// Study is the study by name.
func Study() report.Study {
	return report.Study{
		Name: "controlled", Does: "the paper's main table: controlled streams, five predictors of a real network, plain and filtered, with tests of significance",
		Help: "The whole takes some 20 minutes of a core with ResNet-20, and three hours with ResNet-18, most of them Tent's. With --cache a run that was cut goes on. " +
			"The network is resnet20 (embedded), resnet18 (of --shared), or a name or path of a model with pictures as input.",
		Declare: declare,
	}
}

// options are the flags.
type options struct {
	shared, cifar, cache  string
	network               string
	pictures, labels      string
	steps, seeds, workers int
	memoPictures          int
	tentSteps             int
	only                  []string
	quick                 bool
	predictors            predictorOptions
}

// predictorOptions are the settings that the paper leaves open, and its own.
type predictorOptions struct {
	passes, ttaugViews int
	tentRate           float64
	tentItems          int
	memoViews          int
	memoRate           float64
}

func declare(f report.Flags) report.Run {
	var o options
	f.Shared(&o.shared)
	f.CIFAR(&o.cifar)
	f.Cache(&o.cache)
	f.StringVar(&o.network, "network", "resnet20", "resnet20, resnet18, or `NAME` or path of a model")
	f.StringVar(&o.pictures, "pictures", "", "folder with labels.csv, or file in a layout of CIFAR, as of CIFAR-10.1 or CIFAR-10-C: its `PATH` (default: the test set of --cifar)")
	f.StringVar(&o.labels, "labels", "", "`FILE` of their classes: a table for a folder, and else a list, which may have more behind them (default: labels.csv, and else those of the test set)")
	f.List(&o.only, "predictors", "names of predictors, separated by commas, which are the family of Holm's correction (default: all five)")
	f.Seeds(&o.seeds, 10, "streams of each kind, seeded 1, 2, ...")
	f.Steps(&o.steps)
	f.IntVar(&o.memoPictures, "memo-pictures", 2000, "pictures of the set, the first ones, that MEMO's streams are drawn from; 0 is all")
	f.IntVar(&o.tentSteps, "tent-steps", 0, "labels of each stream, the first ones, that are Tent's; 0 is all")
	p := &o.predictors
	f.IntVar(&p.passes, "passes", 30, "passes of MC dropout; the paper does not tell")
	f.IntVar(&p.ttaugViews, "ttaug-views", 9, "views of TTAug beside the plain one; the paper does not tell")
	f.Float64Var(&p.tentRate, "tent-rate", 1e-5, "learning rate of Tent; the paper does not tell")
	f.IntVar(&p.tentItems, "tent-items", 100, "items after which Tent begins anew; the paper's")
	f.IntVar(&p.memoViews, "memo-views", 32, "views of MEMO; the paper does not tell, the official code's for CIFAR")
	f.Float64Var(&p.memoRate, "memo-rate", 5e-3, "learning rate of MEMO; the paper does not tell, the official code's for CIFAR")
	f.Workers(&o.workers)
	f.Quick(&o.quick)
	return o.run
}

func (o *options) run(ctx context.Context, h report.Host) ([]report.Section, error) {
	paper, err := ReadPaper(filepath.Join(o.shared, "paper", "tables.json"))
	if err != nil {
		return nil, absent(err, "the paper's numbers (paper/tables.json of --shared)", "")
	}
	s, err := o.settings()
	if err != nil {
		return nil, err
	}
	runner := &networks.Runner{Engine: h.Engine, Folder: o.cache, Workers: o.workers, Progress: h.Progress}
	r, err := Run(ctx, runner, s)
	if err != nil {
		return nil, err
	}
	section, err := r.Section(paper)
	return []report.Section{section}, err
}

// absent makes a missing file the want of something.
func absent(err error, what, how string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &report.MissingError{What: what, How: how, Err: err}
	}
	return err
}

// quick is little of everything.
var quick = struct{ steps, seeds, pictures, memoPictures int }{200, 3, 400, 40}

func (o *options) settings() (s Settings, err error) {
	if s.Network, err = networks.Open(o.network, o.shared); err != nil {
		return s, absent(err, "the network "+o.network, "")
	}
	if s.Set, err = o.set(s.Network); err != nil {
		return s, err
	}
	s.Steps, s.Seeds, s.MEMOPictures, s.TentSteps = o.steps, o.seeds, o.memoPictures, o.tentSteps
	if o.quick {
		s.Steps, s.Seeds, s.MEMOPictures = min(s.Steps, quick.steps), min(s.Seeds, quick.seeds), quick.memoPictures
		s.Set = s.Set.First(quick.pictures)
		s.Rows = slices.DeleteFunc(PaperRows(), func(r Row) bool { return !slices.Contains([]string{"s1", "s2 alpha=0.90", "s3"}, r.Name) })
	}
	s.Predictors, err = o.candidates(s.Network)
	return s, err
}

// candidates are the predictors that are wanted.
func (o *options) candidates(net *networks.Network) (list []networks.Candidate, err error) {
	for _, name := range o.only {
		if !slices.Contains(method.Names(), name) {
			return nil, fmt.Errorf("--predictors: %q: want some of %s", name, strings.Join(method.Names(), ", "))
		}
	}
	all, err := Five(net)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if len(o.only) > 0 && !slices.Contains(o.only, c.Name) {
			continue
		}
		if c, err = o.predictors.apply(c); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// set reads the pictures and their classes.
func (o *options) set(net *networks.Network) (*networks.Set, error) {
	if info, err := os.Stat(o.pictures); err == nil && info.IsDir() {
		return networks.ReadFolder(net, o.pictures, o.labels)
	}
	if k := len(datasets.CIFARNames()); net.Classes() != k {
		return nil, fmt.Errorf("%s has %d classes: pictures of CIFAR have %d", net.Name, net.Classes(), k)
	}
	file, labels, name := o.pictures, o.labels, filepath.Base(o.pictures)
	if file == "" {
		file, name = filepath.Join(o.cifar, "test_batch.png"), "the test set of CIFAR-10"
	}
	labels = cmp.Or(labels, filepath.Join(o.cifar, "test_lables.json"))
	classes, err := datasets.ReadCIFARLabels(labels)
	if err != nil {
		return nil, absent(err, "the classes of the pictures ("+labels+")", "fetch_assets.sh cifar10")
	}
	set, err := networks.ReadSet(strings.TrimSuffix(name, filepath.Ext(name)), file, 0, 0, classes)
	return set, absent(err, "pictures ("+file+")", "fetch_assets.sh cifar10")
}

// apply gives a predictor what flags say.
func (p predictorOptions) apply(c networks.Candidate) (networks.Candidate, error) {
	s := c.Settings
	switch s.Name {
	case method.MCDropout:
		s.Dropout.Passes = p.passes
	case method.TTAug:
		s.Views.Count = p.ttaugViews
	case method.Tent:
		s.Tent.Rate, s.Tent.Items = p.tentRate, p.tentItems
	case method.Memo:
		s.Views.Count, s.Memo.Rate = p.memoViews, p.memoRate
	}
	if err := s.Validate(); err != nil {
		return c, err
	}
	return networks.Of(c.Name, s)
}

// details is the result as JSON, with the tests.
func (r *Result) details() (json.RawMessage, error) {
	type test struct {
		Row       string         `json:"row"`
		Filter    string         `json:"filter"`
		Predictor string         `json:"predictor"`
		Change    report.Number  `json:"change_points"`
		Std       report.Number  `json:"std_points"`
		P         report.Number  `json:"p"`
		Holm      *report.Number `json:"p_holm,omitempty"`
	}
	out := struct {
		*Result
		Tests []test `json:"tests"`
	}{Result: r}
	for row := range r.Rows {
		for filter := range r.Filters {
			for i, p := range r.Compare(row, filter).Pairs {
				one := test{r.Rows[row].Name, r.Filters[filter], r.Columns[i].Name, report.Number(p.Change), report.Number(p.Std), report.Number(p.P), nil}
				if holm := report.Number(p.Holm); !r.Columns[i].Beside {
					one.Holm = &holm
				}
				out.Tests = append(out.Tests, one)
			}
		}
	}
	return json.Marshal(out)
}
