// Command predictors is the study of the five predictors on real networks and pictures, each with and without the filter: accuracy on clean
// and corrupted CIFAR-10, in an order without meaning and in a sticky one.
//
//	go run ./benchmarks/predictors -shared ../shared -cifar DIR -cache DIR
//
// The networks are the embedded ResNet-20 and the project's ResNet-18. Pictures are the first ones of the lossless test set (the folder
// -cifar, of fetch_assets.sh cifar10) and of one corruption of each family of CIFAR-10-C at severity 5 (data/cifar10c of -shared). Predictors
// and filter have the settings that `oatta eval` gives them where nobody asks for others. A stream's labels follow S1 (shuffled: each drawn anew) or
// S2 (sticky: repeated with probability 0.9) of package datasets, and its pictures are drawn for them, with replacement. What predictors
// other than Tent say of a picture does not depend on the order, so it is computed once; Tent runs along every stream.
//
// With -settings it compares settings of Tent, TTAug and MEMO in place of that, on other pictures: from number 1000 of the test set on, and
// another corruption of each family. So no setting is chosen on what the study measures.
//
// MEMO takes a fifth of a second a picture with ResNet-20 on a core, and a second with ResNet-18. -cache keeps predictions as they come: a
// run that was cut goes on, and more pictures cost only what is new. The folder knows the network's bytes and the settings, not this program's
// code: empty it when a predictor changes. The same arguments give the same tables on the same kind of machine.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "predictors:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	shared, cifar string
	settings      bool
	small, large  extent
	viewPictures  int
	memoPictures  int
}

// extent is how much of everything a network gets.
type extent struct {
	pictures int // of each set
	steps    int // of each stream
	seeds    int // of orders
}

func run(ctx context.Context, args []string, w io.Writer) error {
	home, _ := os.UserHomeDir() // without one, -cifar must say
	var o options
	s := study{progress: os.Stderr}
	flags := flag.NewFlagSet("predictors", flag.ExitOnError)
	flags.StringVar(&o.shared, "shared", cmp.Or(os.Getenv("OATTA_SHARED"), filepath.Join("..", "shared")), "folder of shared data")
	flags.StringVar(&o.cifar, "cifar", filepath.Join(cmp.Or(os.Getenv("OATTA_ASSETS"), filepath.Join(home, ".cache", "oatta", "assets")), "cifar10"), "folder of lossless CIFAR-10")
	flags.StringVar(&s.cache.dir, "cache", "", "folder that keeps predictions (default: none are kept)")
	flags.BoolVar(&o.settings, "settings", false, "compare settings of Tent, TTAug and MEMO on other pictures")
	flags.IntVar(&o.small.pictures, "pictures20", 500, "pictures of each set for ResNet-20, 1 to 1000")
	flags.IntVar(&o.small.steps, "steps20", 1000, "items of a stream for ResNet-20")
	flags.IntVar(&o.small.seeds, "seeds20", 2, "seeds of orders for ResNet-20")
	flags.IntVar(&o.large.pictures, "pictures18", 50, "pictures of each set for ResNet-18, 0 (without that network) to 1000")
	flags.IntVar(&o.large.steps, "steps18", 100, "items of a stream for ResNet-18")
	flags.IntVar(&o.large.seeds, "seeds18", 1, "seeds of orders for ResNet-18")
	flags.IntVar(&o.viewPictures, "ttaug-pictures", 400, "with -settings: pictures of each set for TTAug, 1 to 1000")
	flags.IntVar(&o.memoPictures, "memo-pictures", 100, "with -settings: pictures of each set for MEMO, 1 to 1000")
	flags.Float64Var(&s.temperature, "temperature", 1, "of the filter, over 0: more than 1 trusts predictions less")
	flags.IntVar(&s.workers, "workers", 1, "sets that are predicted at a time, each on one thread")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := o.validate(flags.NArg()); err != nil {
		return err
	}
	if err := s.filter().Validate(classes); err != nil {
		return err
	}
	engine, err := loadEngine(ctx)
	if err != nil {
		return err
	}
	s.engine = engine
	if o.settings {
		return s.compareSettings(ctx, w, o)
	}
	return s.compareMethods(ctx, w, o)
}

func (o options) validate(more int) error {
	switch {
	case more > 0:
		return fmt.Errorf("%d arguments that are no flags", more)
	case min(o.small.pictures, o.large.pictures+1, o.viewPictures, o.memoPictures) < 1,
		max(o.small.pictures, o.large.pictures, o.viewPictures, o.memoPictures) > setSize:
		return fmt.Errorf("pictures: want 1 to %d", setSize)
	case min(o.small.steps, o.small.seeds, o.large.steps, o.large.seeds) < 1:
		return fmt.Errorf("steps and seeds: want 1 or more")
	}
	return nil
}

// loadEngine is the one place that knows which engine runs the networks.
func loadEngine(ctx context.Context) (runtime.Engine, error) {
	lib, err := ortlib.Find(ctx, ortlib.Options{})
	if err != nil {
		return nil, err
	}
	return ort.Load(lib.Path)
}

// compareMethods is the study: each network's tables as soon as they are done.
func (s *study) compareMethods(ctx context.Context, w io.Writer, o options) error {
	sets, err := readSets(o, 0, corruptions)
	if err != nil {
		return err
	}
	for _, one := range []struct {
		load func(options) (*network, error)
		extent
	}{{resnet20, o.small}, {resnet18, o.large}} {
		if one.pictures == 0 {
			continue
		}
		net, err := one.load(o)
		if err != nil {
			return err
		}
		r, err := s.measure(ctx, net, sets, one.extent)
		if err == nil {
			err = r.write(w)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", net.name, err)
		}
	}
	return nil
}
