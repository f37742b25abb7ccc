package predictors

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/runtime"
)

// Settings say what is measured.
type Settings struct {
	Shared      string    // folder of shared data
	CIFAR       string    // folder of lossless CIFAR-10
	Cache       string    // folder that keeps predictions; empty: none are kept
	Choose      bool      // compare settings of Tent, TTAug and MEMO on other pictures
	Small       Extent    // for ResNet-20
	Large       Extent    // for ResNet-18; no pictures: without that network
	Views       int       // with Choose: pictures of each set for TTAug, 1 to 1000
	MEMO        int       // with Choose: pictures of each set for MEMO, 1 to 1000
	Temperature float64   // of the filter; 0 is its default of 1
	Workers     int       // sets that are predicted at a time, each on one thread; 0: 1
	Progress    io.Writer // what was predicted, a line for each method and set
}

// Extent is how much of everything a network gets.
type Extent struct {
	Pictures int // of each set, up to 1000
	Steps    int // of each stream
	Seeds    int // of orders
}

// Run writes the tables of a network as soon as they are done.
func Run(ctx context.Context, w io.Writer, engine runtime.Engine, o Settings) error {
	if err := o.validate(); err != nil {
		return err
	}
	s := newStudy(engine, o)
	if err := s.filter().Validate(classes); err != nil {
		return err
	}
	if o.Choose {
		return s.compareSettings(ctx, w, o)
	}
	return s.compareMethods(ctx, w, o)
}

// classes of CIFAR-10.
const classes = 10

// study runs networks and keeps what they said.
type study struct {
	runner      networks.Runner
	temperature float64 // of the filter; 0 is its default of 1
}

func newStudy(engine runtime.Engine, o Settings) *study {
	return &study{temperature: o.Temperature, runner: networks.Runner{
		Engine: func(context.Context) (runtime.Engine, error) { return engine, nil },
		Folder: o.Cache, Workers: max(1, o.Workers), Progress: lines(o.Progress),
	}}
}

// lines writes a line for what is done.
func lines(w io.Writer) func(what string, done, total int) {
	var start time.Time
	return func(what string, done, total int) {
		if done == 0 {
			start = time.Now()
		}
		if done == total {
			fmt.Fprintf(w, "%s: %d in %.0f s\n", what, total, time.Since(start).Seconds())
		}
	}
}

func (o Settings) validate() error {
	switch {
	case min(o.Small.Pictures, o.Large.Pictures+1, o.Views, o.MEMO) < 1, max(o.Small.Pictures, o.Large.Pictures, o.Views, o.MEMO) > setSize:
		return fmt.Errorf("predictors: pictures: want 1 to %d", setSize)
	case min(o.Small.Steps, o.Small.Seeds, o.Large.Steps, o.Large.Seeds) < 1:
		return fmt.Errorf("predictors: steps and seeds: want 1 or more")
	}
	return nil
}

// compareMethods is the study: each network's tables as soon as they are done.
func (s *study) compareMethods(ctx context.Context, w io.Writer, o Settings) error {
	sets, err := readSets(o, 0, corruptions)
	if err != nil {
		return err
	}
	for _, one := range []struct {
		load func() (*networks.Network, error)
		Extent
	}{{networks.ResNet20, o.Small}, {func() (*networks.Network, error) { return networks.ResNet18(o.Shared) }, o.Large}} {
		if one.Pictures == 0 {
			continue
		}
		net, err := one.load()
		if err != nil {
			return err
		}
		r, err := s.measure(ctx, net, sets, one.Extent)
		if err == nil {
			err = r.write(w)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", net.Name, err)
		}
	}
	return nil
}
