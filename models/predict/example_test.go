package predict_test

import (
	"context"
	"fmt"
	"log"

	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/runtimetest"
)

// What a network puts out becomes probabilities, whatever it is.
func ExampleKind_Probabilities() {
	q := make([]float64, 3)
	for _, c := range []struct {
		kind predict.Kind
		raw  []float32
	}{{predict.Logits, []float32{2, 2, 2}}, {predict.Probabilities, []float32{0.5, 0.25, 0.25}}, {predict.Probabilities, []float32{4, 1, 0}}} {
		if err := c.kind.Probabilities(q, c.raw); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%.2f\n", q)
	}
	// Output:
	// [0.33 0.33 0.33]
	// [0.50 0.25 0.25]
	// predict: the network's output for class 0 is 4: not a probability (are these logits?)
}

// mirror is a network of two classes that compares the two numbers of an item; here a fake one, as tests have it.
func mirror() runtime.Session {
	port := func(name string) runtime.Port {
		return runtime.Port{Name: name, Type: runtime.Float32, Shape: []int64{runtime.Dynamic, 2}}
	}
	return runtimetest.Model{
		Inputs: []runtime.Port{port("x")}, Outputs: []runtime.Port{port("logits")},
		Run: func(_ context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) { return src, nil },
	}.Open()
}

// The plain network takes any number of items.
func ExampleBase() {
	base, err := predict.NewBase(mirror(), []int64{2}, 0, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer base.Close()
	logits := make([]float32, 2*base.Classes())
	if err := base.Predict(context.Background(), logits, []float32{1, 0, 0, 3}, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(logits)
	// Output:
	// [1 0 0 3]
}

// Augmentation at test time merges the predictions for several views of each item.
func ExampleAugmented() {
	base, err := predict.NewBase(mirror(), []int64{2}, 0, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer base.Close()
	views, err := predict.NewAugmented(base, predict.AugmentSettings{Views: 2, Merge: predict.MergeMean})
	if err != nil {
		log.Fatal(err)
	}
	p := make([]float32, views.Classes())
	if err := views.Predict(context.Background(), p, []float32{1, 0, 0, 1}, nil); err != nil { // one item: an input, and its mirror image
		log.Fatal(err)
	}
	fmt.Println(p, views.Kind())
	// Output:
	// [0.5 0.5] probabilities
}

// A network for texts becomes one like all others: a row is the ids of a text, and -1 behind its end.
func ExampleTokens() {
	network := runtimetest.Model{
		Inputs:  []runtime.Port{{Name: "input_ids", Type: runtime.Int64, Shape: []int64{runtime.Dynamic, runtime.Dynamic}}},
		Outputs: []runtime.Port{{Name: "ids", Type: runtime.Int64, Shape: []int64{runtime.Dynamic, runtime.Dynamic}}},
		Run:     func(_ context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) { return src, nil },
	}
	session, err := predict.Tokens(network.Open(), predict.TokenSettings{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	dst := make([]runtime.Tensor, 1)
	rows := runtime.TensorOf([]float32{101, 7, 102, -1, 101, 102, -1, -1}, 2, 4)
	if err := session.Run(context.Background(), dst, []runtime.Tensor{rows}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(dst[0].Shape, dst[0].Data)
	// Output:
	// [2 3] [101 7 102 101 102 0]
}
