package predict_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

func TestMain(m *testing.M) { orttest.Main(m) }

// Monte Carlo dropout: the mean over passes whose masks depend on the item's seed alone.
func ExampleMCDropout() {
	library, err := ortlib.Find(context.Background(), ortlib.Options{}) // that `oatta setup` fetched, or the system's
	check(err)
	engine, err := ort.Load(library.Path)
	check(err)
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 4, Samples: 64})
	check(err)
	g, err := dropout.Build(onnx.New(net.Graph), dropout.Settings{Passes: 20})
	check(err)
	data, err := g.Bytes()
	check(err)
	session, err := engine.Open(data, runtime.Config{})
	check(err)
	defer session.Close()
	p, err := predict.NewMCDropout(session, []int64{3, 64}, 4, predict.MCDropoutSettings{})
	check(err)
	window := make([]float32, p.InputLen())
	for i := range window {
		window[i] = float32(i % 7)
	}
	first, again := make([]float32, 4), make([]float32, 4)
	check(p.Predict(context.Background(), first, window, []uint64{1}))
	check(p.Predict(context.Background(), again, window, []uint64{1}))
	fmt.Println(p.Passes(), "passes,", p.Kind(), first[0] == again[0])
	// Output:
	// 20 passes, probabilities true
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
