package predictors

import (
	"context"
	"fmt"
	"io"

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
	s := study{engine: engine, cache: cache{o.Cache}, workers: o.Workers, temperature: o.Temperature, progress: o.Progress}
	if err := s.filter().Validate(classes); err != nil {
		return err
	}
	if o.Choose {
		return s.compareSettings(ctx, w, o)
	}
	return s.compareMethods(ctx, w, o)
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
		load func(Settings) (*network, error)
		Extent
	}{{resnet20, o.Small}, {resnet18, o.Large}} {
		if one.Pictures == 0 {
			continue
		}
		net, err := one.load(o)
		if err != nil {
			return err
		}
		r, err := s.measure(ctx, net, sets, one.Extent)
		if err == nil {
			err = r.write(w)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", net.name, err)
		}
	}
	return nil
}
