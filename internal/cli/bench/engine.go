package bench

import (
	"context"
	"io"

	"github.com/oatta/oatta/benchmarks/movement"
	"github.com/oatta/oatta/benchmarks/predictors"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/benchmarks/sleepnet"
)

func declarePredictors(f report.Flags) printed {
	s := predictors.Settings{}
	f.Shared(&s.Shared)
	f.CIFAR(&s.CIFAR)
	f.Cache(&s.Cache)
	f.BoolVar(&s.Choose, "settings", false, "compare settings of Tent, TTAug and MEMO on other pictures")
	f.IntVar(&s.Small.Pictures, "pictures20", 500, "pictures of each set for ResNet-20, 1 to 1000")
	f.IntVar(&s.Small.Steps, "steps20", 1000, "items of a stream for ResNet-20")
	f.IntVar(&s.Small.Seeds, "seeds20", 2, "seeds of orders for ResNet-20")
	f.IntVar(&s.Large.Pictures, "pictures18", 50, "pictures of each set for ResNet-18, 0 (without that network) to 1000")
	f.IntVar(&s.Large.Steps, "steps18", 100, "items of a stream for ResNet-18")
	f.IntVar(&s.Large.Seeds, "seeds18", 1, "seeds of orders for ResNet-18")
	f.IntVar(&s.Views, "ttaug-pictures", 400, "with --settings: pictures of each set for TTAug, 1 to 1000")
	f.IntVar(&s.MEMO, "memo-pictures", 100, "with --settings: pictures of each set for MEMO, 1 to 1000")
	f.Float64Var(&s.Temperature, "temperature", 1, "of the filter, over 0: more than 1 trusts predictions less")
	f.IntVar(&s.Workers, "workers", 1, "sets that are predicted at a time, each on one thread")
	return func(ctx context.Context, h *host, _ []string, w io.Writer) error {
		s.Progress = h.lent().Log
		engine, err := h.engine(ctx)
		if err != nil {
			return err
		}
		return predictors.Run(ctx, w, engine, s)
	}
}

func declareMovement(f report.Flags) report.Run {
	s := movement.Settings{}
	f.Shared(&s.Shared)
	f.StringVar(&s.Data, "data", "", "recordings that `oatta eval motion` reads (default: HAPT of --shared)")
	f.StringVar(&s.Model, "model", "", "name or path of a model (default: the embedded one)")
	f.StringVar(&s.People, "people", "", "regular expression on recordings, whose first group is the person (default: users 21 to 30 of HAPT)")
	f.Float64Var(&s.Purity, "purity", 0.5, "share of a window that its label must have to be scored")
	f.IntVar(&s.Shuffles, "shuffles", 3, "draws of the order without meaning")
	f.IntVar(&s.Runs, "runs", 1, "runs of the network at a time, each on one thread")
	return func(ctx context.Context, h report.Host) ([]report.Section, error) {
		s.Progress = h.Log
		engine, err := h.Engine(ctx)
		if err != nil {
			return nil, err
		}
		tables, err := movement.Run(ctx, engine, s)
		return tablesIn("movement", "People moving, five predictors", tables, err)
	}
}

func declareSleepnet(f report.Flags) report.Run {
	s := sleepnet.Settings{}
	f.Shared(&s.Shared)
	f.StringVar(&s.Data, "data", "", "archive of recordings (default: that of --shared)")
	f.IntVar(&s.Sides, "sides", 4, "epochs that the network sees on each side, 0 to 20")
	f.IntVar(&s.Epochs, "epochs", 6, "times that it sees each epoch for training")
	f.IntVar(&s.Folds, "folds", 5, "folds of people")
	f.Seeds(&s.Seeds, 2, "networks, by the draw of their weights")
	f.IntVar(&s.Shuffles, "shuffles", 3, "draws of the order without meaning")
	return func(ctx context.Context, h report.Host) ([]report.Section, error) {
		s.Progress = h.Log
		engine, err := h.Engine(ctx)
		if err != nil {
			return nil, err
		}
		tables, err := sleepnet.Run(ctx, engine, s)
		return tablesIn("sleepnet", "A small network for sleep", tables, err)
	}
}
