package memo_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/onnx"
	imageprep "github.com/oatta/oatta/preprocess/image"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

func TestMain(m *testing.M) { orttest.Main(m) }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// MEMO on an ONNX file: one picture and its views in, and the prediction after a step on them out.
func Example() {
	ctx := context.Background()
	library, err := ortlib.Find(ctx, ortlib.Options{}) // that `oatta setup` fetched, or the system's
	check(err)
	engine, err := ort.Load(library.Path)
	check(err)
	m, err := models.Load("../models/embedded/resnet20-cifar10.onnx")
	check(err)
	transform, err := m.Transform()
	check(err)
	viewer, err := transform.NewViews(imageprep.Views{Set: imageprep.MemoCIFAR, Augmented: 4})
	check(err)
	s, err := memo.Preset("cifar")
	check(err)
	s.Views = 4
	session, err := m.OpenGraph(engine, runtime.Config{}, func(net *onnx.Model) (*onnx.Model, error) { return memo.Build(net, s) })
	check(err)
	p, err := memo.New(session, nil, 0)
	check(err)
	defer p.Close()
	x, logits := make([]float32, p.InputLen()), make([]float32, p.Classes())
	check(viewer.File(x, "../datasets/samples/heron/20210531082538-RCNX0032.JPG", 1))
	check(p.Predict(ctx, logits, x, nil))
	fmt.Println(p.Views(), "views,", len(logits), "logits of", m.Manifest.Labels[:3])
	// Output:
	// 4 views, 10 logits of [airplane automobile bird]
}
