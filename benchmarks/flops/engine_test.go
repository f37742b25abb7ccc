package flops

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

func TestMain(m *testing.M) { orttest.Main(m) }

// On the engine, every predictor is timed, and what costs a hundred times as much takes longer.
func TestMeasured(t *testing.T) {
	engine := orttest.Engine(t)
	r, err := Run(context.Background(), func(context.Context) (runtime.Engine, error) { return engine, nil }, os.Stderr, Settings{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]float64{}
	for _, c := range r.Networks[0].Costs {
		times[c.Predictor] = c.Seconds
	}
	if times[method.Memo] < 5*times[method.Base] || times[method.Base] < r.Networks[0].Filter["off"] || len(r.Missing) > 0 {
		t.Errorf("%v, filter %v, missing %v", times, r.Networks[0].Filter, r.Missing)
	}
	if text := write(t, r); !strings.Contains(text, "CPU ms") {
		t.Errorf("no times in\n%s", text)
	}
}
