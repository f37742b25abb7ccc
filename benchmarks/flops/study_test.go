package flops

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/runtime"
)

func without(context.Context) (runtime.Engine, error) { return nil, errors.New("none here") }

// What each predictor of ResNet-20 costs beside the forward pass.
func TestPredictors(t *testing.T) {
	m, err := models.Load("resnet20-cifar10")
	if err != nil {
		t.Fatal(err)
	}
	n, err := count("ResNet-20", m)
	if err != nil {
		t.Fatal(err)
	}
	forward := n.Costs[0].Count.Products
	if forward != 40_551_040 {
		t.Errorf("the forward pass has %d", forward)
	}
	ratio := map[string]float64{}
	for _, c := range n.Costs {
		ratio[c.Predictor] = float64(c.Count.Products) / float64(forward)
	}
	// A backward pass to normalisations alone costs no more than the forward one, but for the first convolution, whose input needs none;
	// one to all parameters costs two, of which that of 3 x 3 weights has minimal filtering, with 16 products in place of 36.
	for name, want := range map[string][2]float64{
		method.TTAug: {10, 10}, method.MCDropout: {1, 1.001}, method.Tent: {2.95, 3}, method.Memo: {1 + 32*(1.9+4./9), 1 + 32*(2+16./36+.2)},
	} {
		if got := ratio[name]; got < want[0] || got > want[1] {
			t.Errorf("%s costs %.3f forward passes, want %v", name, got, want)
		}
	}
}

func TestWithoutEngine(t *testing.T) {
	r, err := Run(context.Background(), without, io.Discard, Settings{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Networks) != 1 || r.Networks[0].Filter != nil || len(r.Missing) != 1 || !strings.Contains(r.Missing[0], "none here") {
		t.Errorf("%+v", r)
	}
	text := write(t, r)
	for _, want := range []string{"Missing: times of the predictors", "| 10 (CIFAR-10)   |", "|     700 |", "  0.184 |", "| tent "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "CPU ms") {
		t.Error("times that nobody measured")
	}
	if _, err := Run(context.Background(), without, io.Discard, Settings{Rounds: -1}); err == nil {
		t.Error("-1 rounds is no error")
	}
}

func write(t *testing.T, r *Result) string {
	t.Helper()
	section, err := r.Section()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := report.WriteMarkdown(&b, []report.Section{section}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
