package realworld

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/scores"
	"github.com/oatta/oatta/runtime"
)

// Settings say what is measured. The zero value of a field but for the folders is its default.
type Settings struct {
	Shared     string   // folder of shared data
	Night      string   // folder of the recording SC4001E0-PSG.edf
	Sets       []string // patterns of path.Match on ids of collections; nil: all
	Predictors []string // names as package method has them; nil: all five
	Shuffles   int      // draws of an order without meaning; 0: 3
	Seeds      int      // draws of pictures for the camera; 0: 5
	AtOnce     int      // runs of the network at a time, each on one thread; 0: one
	Quick      bool     // a few identities of each, the plain predictor, one draw
	Resamples  int      // for intervals; 0: as often as scores.Bootstrap does
	Own        map[string]*Own
}

// What Quick leaves.
const (
	quickIdentities = 3
	quickResamples  = 200
)

func (s Settings) resolved() (Settings, error) {
	if s.Quick {
		s.Shuffles, s.Seeds, s.Resamples = cmp.Or(s.Shuffles, 1), cmp.Or(s.Seeds, 1), cmp.Or(s.Resamples, quickResamples)
		if s.Predictors == nil {
			s.Predictors = []string{method.Base}
		}
	}
	s.Shuffles, s.Seeds = cmp.Or(s.Shuffles, 3), cmp.Or(s.Seeds, 5)
	if s.Predictors == nil {
		s.Predictors = method.Names()
	}
	for _, name := range s.Predictors {
		if !slices.Contains(method.Names(), name) {
			return s, fmt.Errorf("realworld: predictor %q: want %s", name, strings.Join(method.Names(), ", "))
		}
	}
	if s.Shuffles < 1 || s.Seeds < 1 || s.AtOnce < 0 {
		return s, fmt.Errorf("realworld: %d shuffles, %d seeds, %d runs: want 1 or more of the first two", s.Shuffles, s.Seeds, s.AtOnce)
	}
	return s, nil
}

// Study is the study by name.
func Study() report.Study {
	return report.Study{
		Name: "realworld", Does: "identities as streams on real data: people, sleepers, accounts, a camera, and the paper's own collections", Declare: declare,
		Help: "What lies at hand stands in for the paper's collections. --cct, --unsw, --harth, --sleep-edf and --sent140 take these themselves, as they are\n" +
			"published, each with a model that was trained by the command that stands with its flag. Models are not trained here.",
	}
}

func declare(f report.Flags) report.Run {
	s := Settings{Own: map[string]*Own{}}
	f.Shared(&s.Shared)
	f.StringVar(&s.Night, "night", report.Asset("sleep-psg"), "`DIR` of the recording SC4001E0-PSG.edf (default: sleep-psg in OATTA_ASSETS, else in ~/.cache/oatta/assets)")
	f.List(&s.Sets, "sets", "collections, separated by commas; * stands for anything: people, sleepers, night, accounts, speakers, camera, and the paper's own (default: all that there are)")
	f.List(&s.Predictors, "predictors", "of networks: "+strings.Join(method.Names(), ", ")+" (default: all)")
	f.IntVar(&s.Shuffles, "shuffles", 0, "draws of the order without meaning (default: 3)")
	f.IntVar(&s.Seeds, "seeds", 0, "draws of pictures for the labels of the camera (default: 5)")
	f.IntVar(&s.AtOnce, "runs", 1, "runs of the network at a time, each on one thread")
	f.Quick(&s.Quick)
	declareOwn(f, s.Own)
	return func(ctx context.Context, h report.Host) ([]report.Section, error) { return Run(ctx, h, s) }
}

// Run measures every collection that is there. One that is not is a section that says so; if none is, that is the error.
func Run(ctx context.Context, h report.Host, s Settings) ([]report.Section, error) {
	s, err := s.resolved()
	if err != nil {
		return nil, err
	}
	parts, err := s.parts()
	if err != nil {
		return nil, err
	}
	st := &study{Settings: s, host: h}
	if st.paper, err = readPaper(filepath.Join(s.Shared, "paper", "tables.json")); err != nil {
		return nil, err
	}
	var sections []report.Section
	var found []*found
	missing := 0
	for _, p := range parts {
		f, err := p.measure(ctx, st)
		var gone *report.MissingError
		if errors.As(err, &gone) {
			missing++
			sections = append(sections, report.Section{ID: sectionID(p.source), Title: p.title, Intro: p.intro, Missing: []string{gone.Error()}})
			if missing == len(parts) {
				return nil, gone
			}
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("realworld: %s: %w", p.id, err)
		}
		found = append(found, f)
		section, err := f.section(st)
		if err != nil {
			return nil, fmt.Errorf("realworld: %s: %w", p.id, err)
		}
		sections = append(sections, section)
	}
	return append([]report.Section{st.overview(found)}, sections...), nil
}

// study is a run of it.
type study struct {
	Settings
	host   report.Host
	engine runtime.Engine
	paper  *paper
}

// part is one collection.
type part struct {
	source
	measure func(ctx context.Context, st *study) (*found, error)
}

// found is what was measured of a collection.
type found struct {
	source
	labels   []string
	network  string
	hash     string // of the model; empty: there is none
	auto     adapt.Settings
	said     []predicted
	outcomes []outcome
}

// parts are the collections that are wanted.
func (s Settings) parts() ([]part, error) {
	var all []part
	for _, c := range collections() {
		own := s.Own[c.name]
		if own == nil || own.Path == "" {
			if own != nil && own.Model != "" {
				return nil, fmt.Errorf("realworld: --%s-model without --%s", c.name, c.name)
			}
			continue
		}
		src, err := c.source(*own)
		if err != nil {
			return nil, fmt.Errorf("realworld: %w", err)
		}
		all = append(all, networked(src))
	}
	hand := atHand(s)
	all = append(all, networked(hand[0]), lying(sleepers), networked(hand[1]), networked(hand[2]), networked(hand[3]), lying(camera))
	if s.Sets == nil {
		return all, nil
	}
	var out []part
	for _, p := range all {
		for _, pattern := range s.Sets {
			if ok, err := path.Match(pattern, p.id); err != nil {
				return nil, fmt.Errorf("realworld: set %q: %w", pattern, err)
			} else if ok {
				out = append(out, p)
				break
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("realworld: sets %q: none of them is here", s.Sets)
	}
	return out, nil
}

// networked is a collection that a network predicts.
func networked(src source) part {
	return part{src, func(ctx context.Context, st *study) (*found, error) { return st.network(ctx, src) }}
}

// lying is one whose predictions lie at hand.
func lying(read func(s Settings) (ready, error)) part {
	r, _ := read(Settings{}) // without a folder nothing is read, and it says what it is
	return part{r.source, func(_ context.Context, st *study) (*found, error) {
		r, err := read(st.Settings)
		if err != nil {
			return nil, err
		}
		f := &found{source: r.source, labels: r.labels, network: r.network, said: []predicted{r.said}}
		return f, f.measure(st)
	}}
}

// network lets every predictor say what the items are, and measures that.
func (st *study) network(ctx context.Context, src source) (f *found, err error) {
	if st.Quick {
		src.test = quickIdentities
	}
	o, err := src.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.input.Close()) }()
	if st.engine == nil {
		if st.engine, err = st.host.Engine(ctx); err != nil {
			return nil, err
		}
	}
	f = &found{source: src, labels: o.model.Manifest.Labels, network: o.model.Manifest.Name, hash: o.model.Hash(), auto: o.auto}
	r := o.runs()
	r.Engine, r.AtOnce = st.engine, st.AtOnce
	names := o.predictors(st.Predictors)
	if len(names) == 0 {
		return nil, &report.MissingError{What: fmt.Sprintf("a predictor that %s can have: of %s none, as it has no gradients and nothing to drop", o.model.Manifest.Name, strings.Join(st.Predictors, ", "))}
	}
	for _, name := range names {
		r.Progress = st.progress(src.id+", "+name, len(o.order))
		said, err := o.predict(ctx, r, name, st.Shuffles)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		f.said = append(f.said, said)
	}
	return f, f.measure(st)
}

func (st *study) progress(what string, total int) func() {
	done := 0
	return func() {
		if done++; st.host.Progress != nil {
			st.host.Progress(what, min(done, total), total)
		}
	}
}

func (f *found) measure(st *study) error {
	for _, said := range f.said {
		out, err := said.measure(f.labels, f.auto, scores.BootstrapOptions{Resamples: st.Resamples})
		if err != nil {
			return err
		}
		f.outcomes = append(f.outcomes, out)
	}
	return nil
}
