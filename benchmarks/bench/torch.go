//go:build unix

package main

import (
	"context"
	"io"
	"strings"

	"github.com/oatta/oatta/benchmarks/peers/torch"
)

func init() {
	commands = append(commands, command{"torch", "the speed of gradient graphs beside PyTorch's", "", declareTorch})
}

func declareTorch(f flags) func(context.Context, io.Writer) error {
	var s torch.Settings
	f.StringVar(&s.Net, "net", "cifar_resnet18", "cifar_resnet18 or resnet50")
	f.StringVar(&s.Weights, "weights", "", "file of weights (default: those of the reference, which a rule makes up)")
	methods := f.String("methods", strings.Join(torch.Methods(), ","), "what to time, after each other")
	f.IntVar(&s.Views, "views", 32, "views of MEMO")
	f.IntVar(&s.Rounds, "rounds", 7, "rounds, of which the medians count; one before them does not")
	f.StringVar(&s.JSON, "json", "", "file for the times of every round")
	return func(ctx context.Context, w io.Writer) error {
		s.Methods = strings.Split(*methods, ",")
		engine, err := loadEngine(ctx)
		if err != nil {
			return err
		}
		return torch.Run(ctx, w, engine, s)
	}
}
