//go:build unix

package bench

import (
	"context"
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
	f.StringVar(&s.Net, "net", "cifar_resnet18", "cifar_resnet18 or resnet50")
	f.StringVar(&s.Weights, "weights", "", "file of weights (default: those of the reference, which a rule makes up)")
	methods := f.String("methods", strings.Join(torch.Methods(), ","), "what to time, after each other")
	f.IntVar(&s.Views, "views", 32, "views of MEMO")
	f.IntVar(&s.Rounds, "rounds", 7, "rounds, of which the medians count; one before them does not")
	f.StringVar(&s.JSON, "json", "", "file for the times of every round")
	return func(ctx context.Context, h report.Host) ([]report.Section, error) {
		s.Methods = strings.Split(*methods, ",")
		t, err := runTorch(ctx, h, s)
		return tablesIn("torch", "Gradient graphs beside PyTorch", []report.Table{t}, err)
	}
}

func runTorch(ctx context.Context, h report.Host, s torch.Settings) (report.Table, error) {
	engine, err := h.Engine(ctx)
	if err != nil {
		return report.Table{}, err
	}
	return torch.Run(ctx, engine, s)
}
