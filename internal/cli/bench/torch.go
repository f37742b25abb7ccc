//go:build unix

package bench

import (
	"context"
	"io"
	"strings"

	"github.com/oatta/oatta/benchmarks/peers/torch"
	"github.com/oatta/oatta/benchmarks/report"
)

func init() {
	more = append(more, printing{"torch", "the speed of gradient graphs beside PyTorch's", "", declareTorch})
}

func declareTorch(f report.Flags) printed {
	var s torch.Settings
	f.StringVar(&s.Net, "net", "cifar_resnet18", "cifar_resnet18 or resnet50")
	f.StringVar(&s.Weights, "weights", "", "file of weights (default: those of the reference, which a rule makes up)")
	methods := f.String("methods", strings.Join(torch.Methods(), ","), "what to time, after each other")
	f.IntVar(&s.Views, "views", 32, "views of MEMO")
	f.IntVar(&s.Rounds, "rounds", 7, "rounds, of which the medians count; one before them does not")
	f.StringVar(&s.JSON, "json", "", "file for the times of every round")
	return func(ctx context.Context, h *host, _ []string, w io.Writer) error {
		s.Methods = strings.Split(*methods, ",")
		engine, err := h.engine(ctx)
		if err != nil {
			return err
		}
		return torch.Run(ctx, w, engine, s)
	}
}
