//go:build unix

package bench

import (
	"context"
	"errors"
	"strings"

	"github.com/oatta/oatta/benchmarks/peers/torch"
	"github.com/oatta/oatta/benchmarks/report"
)

func init() {
	more = append(more, report.Study{Name: "torch", Does: "the speed of gradient graphs beside PyTorch's", Declare: declareTorch})
	besidePyTorch = func(ctx context.Context, h report.Host, quick bool) (report.Table, error) {
		s := torch.Settings{Net: "cifar_resnet18", Methods: torch.Methods(), Views: 32, Rounds: 5}
		if quick {
			s.Methods, s.Rounds = []string{"forward", "tent2"}, 1
		}
		return runTorch(ctx, h, s)
	}
}

func declareTorch(f report.Flags) report.Run {
	var s torch.Settings
	f.StringVar(&s.Net, "net", "", "cifar_resnet18 or resnet50 (default: all of the first, and one item of the second)")
	f.StringVar(&s.Weights, "weights", "", "file of weights of cifar_resnet18, or of the network that is named (default: those of the reference, which a rule makes up)")
	f.List(&s.Methods, "methods", "what to time of a network that is named, separated by commas (default: all): "+strings.Join(torch.Methods(), ", "))
	f.IntVar(&s.Views, "views", 32, "views of MEMO")
	f.IntVar(&s.Rounds, "rounds", 7, "rounds, of which the medians count; one before them does not")
	f.BoolVar(&s.Tune, "tune", false, "write convolutions as is fastest here, which is timed before")
	f.StringVar(&s.JSON, "json", "", "file for the times of every round of a network that is named")
	return func(ctx context.Context, h report.Host) ([]report.Section, error) {
		list := []torch.Settings{s}
		if s.Net == "" {
			if list = torch.Usual(); s.JSON != "" || len(s.Methods) > 0 {
				return nil, errors.New("--methods and --json are of one network: name it by --net")
			}
		} else if len(s.Methods) == 0 {
			list[0].Methods = torch.Methods()
		}
		var tables []report.Table
		for i, one := range list {
			one.Views, one.Rounds, one.Tune = s.Views, s.Rounds, s.Tune
			if i == 0 {
				one.Weights = s.Weights
			}
			t, err := runTorch(ctx, h, one)
			if err != nil {
				return nil, err
			}
			tables = append(tables, t)
		}
		return tablesIn("torch", "Gradient graphs beside PyTorch", tables, nil)
	}
}

func runTorch(ctx context.Context, h report.Host, s torch.Settings) (report.Table, error) {
	engine, err := h.Engine(ctx)
	if err != nil {
		return report.Table{}, err
	}
	return torch.Run(ctx, engine, s)
}
