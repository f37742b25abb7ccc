package training_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/runtime"
)

// numbers holds of each item its number alone.
type numbers struct{}

func (numbers) Batch(items []int, _ func(int) uint64) ([]runtime.Tensor, error) {
	out := make([]float32, len(items))
	for k, i := range items {
		out[k] = float32(i)
	}
	return []runtime.Tensor{runtime.TensorOf(out, int64(len(items)))}, nil
}

func (numbers) Changes() bool { return false }

func (numbers) Digest(io.Writer, int) {}

// guesses are probabilities of two classes that are right more often than not.
type guesses []float64

func (g guesses) Logits(_ context.Context, in []runtime.Tensor) ([]float32, error) {
	var out []float32
	for _, i := range in[0].Data.([]float32) {
		out = append(out, float32(math.Log(g[int(i)])), float32(math.Log(1-g[int(i)])))
	}
	return out, nil
}

// people makes streams of a group each, in which the class stays with some probability, and what a network would say of them.
func people(random *rand.Rand, d *training.Data, g guesses, name string, streams int, stay float64) (guesses, []training.Group) {
	var groups []training.Group
	for s := range streams {
		group := fmt.Sprintf("%s%d", name, s)
		groups = append(groups, training.Group{Name: group, Items: 400})
		class := random.IntN(2)
		for i := range 400 {
			if random.Float64() >= stay {
				class = 1 - class
			}
			d.Items = append(d.Items, training.Item{Name: fmt.Sprint(i), Stream: group, Group: group, Class: class})
			p := 0.35 + 0.45*random.Float64()
			g = append(g, map[int]float64{0: p, 1: 1 - p}[class])
		}
	}
	return g, groups
}

// An order that the training teaches and the validation has, too, is kept; one that harms there is not.
func TestTransitionsThatHarm(t *testing.T) {
	for _, test := range []struct {
		stay float64
		kept bool
	}{{0.97, true}, {0.03, false}} {
		random := rand.New(rand.NewPCG(3, 5))
		d, split := &training.Data{Noun: "item", Labels: []string{"a", "b"}, Store: numbers{}}, &training.Split{}
		g, groups := people(random, d, nil, "train", 4, 0.97)
		split.Train = groups
		g, split.Validation = people(random, d, g, "held", 4, test.stay)
		l, err := training.Learn(context.Background(), d, split, g, training.Settings{Batch: 64})
		if err != nil {
			t.Fatal(err)
		}
		if l.Taught == nil || (l.Transitions != nil) != test.kept || l.Taught.Harm() == test.kept {
			t.Errorf("stay %v: %+v, transitions %v", test.stay, l.Taught, l.Transitions != nil)
		}
		t.Logf("stay %v: %+v", test.stay, l.Taught)
	}
}
