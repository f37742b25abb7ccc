package sleepnet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/runtime"
)

// Settings say what is measured.
type Settings struct {
	Shared   string    // folder of shared data
	Data     string    // archive of recordings in place of that below Shared
	Sides    int       // neighbours that the network sees on each side, 0 to 20
	Epochs   int       // times that it sees each epoch for training, 1 or more
	Folds    int       // 2 or more, and fewer than people
	Seeds    int       // networks, each with folds of its own draw of weights, 1 or more
	Shuffles int       // draws of the order without meaning, 1 or more
	Progress io.Writer // a line for each fold; nil: none
}

func (s Settings) validate() error {
	if s.Sides < 0 || s.Sides > 20 || s.Epochs < 1 || s.Folds < 2 || s.Seeds < 1 || s.Shuffles < 1 {
		return fmt.Errorf("%d neighbours, %d epochs, %d folds, %d seeds, %d shuffles: want 0 to 20, and 1 or more of each, of folds 2", s.Sides, s.Epochs, s.Folds, s.Seeds, s.Shuffles)
	}
	return nil
}

// Run returns the tables.
func Run(ctx context.Context, engine runtime.Engine, s Settings) ([]report.Table, error) {
	r, err := measure(ctx, engine, s)
	if err != nil {
		return nil, fmt.Errorf("sleepnet: %w", err)
	}
	return r.tables(s), nil
}

// measure trains and scores every fold.
func measure(ctx context.Context, engine runtime.Engine, s Settings) (*result, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	name := s.Data
	if name == "" {
		name = filepath.Join(s.Shared, "data", "sleep", "sleep_edf_logpsd72_20rec_f32.tar.gz")
	}
	recordings, err := read(name)
	if err != nil {
		return nil, err
	}
	d := dataOf(recordings, s.Sides)
	people := d.Groups()
	if s.Folds+1 > len(people) {
		return nil, fmt.Errorf("%d folds of %d people: want fewer", s.Folds, len(people))
	}
	r := &result{recordings: len(recordings), people: map[string]*right{}}
	for seed := range s.Seeds {
		for fold := range s.Folds {
			if err := r.fold(ctx, engine, d, splitOf(people, s.Folds, fold), s, uint64(seed)); err != nil {
				return nil, fmt.Errorf("fold %d: %w", fold+1, err)
			}
			if s.Progress != nil {
				fmt.Fprintf(s.Progress, "seed %d, fold %d of %d\n", seed, fold+1, s.Folds)
			}
		}
	}
	return r, nil
}

// splitOf takes every so many-th person for the test of a fold, and the one behind the first of them for the validation.
func splitOf(people []training.Group, folds, fold int) *training.Split {
	out := &training.Split{}
	for i, p := range people {
		switch {
		case i%folds == fold:
			out.Test = append(out.Test, p)
		case i == (fold+1)%len(people):
			out.Validation = append(out.Validation, p)
		default:
			out.Train = append(out.Train, p)
		}
	}
	return out
}

// settingsOf is how the network learns.
func settingsOf(s Settings, seed uint64) training.Settings {
	return training.Settings{
		Epochs: s.Epochs, Batch: 64, Rates: []float64{1e-3}, Schedule: training.Schedule{Course: training.Cosine, Warmup: 50}, Optimizer: "adamw", Decay: 1e-2,
		Keep: training.KeepLast, Seed: seed,
	}
}

// fold trains a network, and adds its scores on the test, in order and not.
func (r *result) fold(ctx context.Context, engine runtime.Engine, d *training.Data, split *training.Split, s Settings, seed uint64) (err error) {
	dir, err := os.MkdirTemp("", "sleepnet")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	set, config := settingsOf(s, seed), runtime.Config{IntraThreads: 1}
	network := training.Network{Model: perceptron(int64((2*s.Sides+1)*features), seed), Engine: engine, Config: config}
	open, err := network.Opener(set, d.Counts(d.Of(split.Train)))
	if err != nil {
		return err
	}
	o, err := training.Run(ctx, training.Job{Data: d, Split: split, Settings: set, Open: open, Folder: dir})
	if err != nil {
		return err
	}
	session, err := network.Session(o.Network)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	return r.score(ctx, d, split, session, set, s.Shuffles)
}

// score adds what the network and the filter are worth on the test.
func (r *result) score(ctx context.Context, d *training.Data, split *training.Split, c training.Classifier, set training.Settings, shuffles int) error {
	l, err := training.Learn(ctx, d, split, c, set)
	if err != nil {
		return err
	}
	r.ordered.learned(l)
	for i, p := range l.Test.Streams {
		if r.people[p.Stream] == nil {
			r.people[p.Stream] = &right{}
		}
		r.people[p.Stream].add(p.Raw, p.Adapted, l.Smoothed.Streams[i].Adapted)
	}
	for seed := range shuffles {
		if l, err = training.Learn(ctx, shuffled(d, split.Test, uint64(seed)+1), split, c, set); err != nil {
			return err
		}
		r.shuffled.learned(l)
	}
	r.temperatures = append(r.temperatures, l.Temperature)
	slices.Sort(r.temperatures)
	return nil
}
