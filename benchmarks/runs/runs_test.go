package runs

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// What is held is predicted as what is loaded anew, in any order, and every item is told.
func TestPredict(t *testing.T) {
	m, err := models.Load(models.DefaultMotion)
	if err != nil {
		t.Fatal(err)
	}
	in, err := inputs.OpenMotion(t.Context(), []string{filepath.Join(testdata.Root(), "datasets", "samples", "walk.csv.gz")}, m.Manifest, inputs.MotionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	order := make([]int, 40)
	for i := range order {
		order[i] = i
	}
	told := 0
	r := Runs{Engine: orttest.Engine(t), Model: m, Input: in, Progress: func() { told++ }}
	plain, err := r.Predict(t.Context(), method.Settings{Name: method.Base}, order)
	if err != nil {
		t.Fatal(err)
	}
	r.Held = order
	held, err := r.Predict(t.Context(), method.Settings{Name: method.Base}, Shuffled(in.Items(), order, 1))
	if err != nil {
		t.Fatal(err)
	}
	if len(plain) != len(order) || fmt.Sprint(held) != fmt.Sprint(plain) {
		t.Errorf("%d of %d predicted; held, %v, and not, %v", len(plain), len(order), held, plain)
	}
	if told != 2*len(order) {
		t.Errorf("told of %d items", told)
	}
}

// Streams stay where they are, and items in their streams.
func TestShuffled(t *testing.T) {
	var items []pipeline.Item
	var order []int
	for i := range 60 {
		items, order = append(items, pipeline.Item{Stream: string(rune('a' + i/30))}), append(order, i)
	}
	one := Shuffled(items, order, 1)
	if slices.Equal(one, order) || slices.Equal(one, Shuffled(items, order, 2)) || !slices.Equal(one, Shuffled(items, order, 1)) {
		t.Errorf("%v", one)
	}
	if slices.Max(one[:30]) != 29 || slices.Min(one[30:]) != 30 {
		t.Errorf("items left their streams: %v", one)
	}
	if slices.Sort(one); !slices.Equal(one, order) {
		t.Errorf("items were lost: %v", one)
	}
}
