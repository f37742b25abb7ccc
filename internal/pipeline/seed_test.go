package pipeline

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/predict"
)

// The seed of an item depends on the job's seed and its own names alone, and is the same on every machine.
func TestSeeds(t *testing.T) {
	item := Item{Name: "a.jpg", Stream: "cam1"}
	if got := itemSeed(1, &item); got != 0x8b5aa4c2f55d7e33 {
		t.Errorf("seed %#x", got)
	}
	others := map[uint64]bool{itemSeed(1, &item): true}
	for _, i := range []Item{{Name: "b.jpg", Stream: "cam1"}, {Name: "a.jpg", Stream: "cam2"}, {Name: "1a.jpg", Stream: "cam"}} {
		others[itemSeed(1, &i)] = true
	}
	if others[itemSeed(2, &item)] = true; len(others) != 5 {
		t.Errorf("%d seeds of 5 items", len(others))
	}
}

// sower predicts from the seeds.
type sower struct{ predict.Predictor }

func sown(seed uint64) float32 { return float32(seed>>40) * 0x1p-23 }

func (p sower) Predict(ctx context.Context, dst, src []float32, seeds []uint64) error {
	err := p.Predictor.Predict(ctx, dst, src, seeds)
	for i, s := range seeds {
		if dst[i*classes] = sown(s); sown(s) != src[i*classes+1] {
			return errors.New("another seed than the loader's")
		}
	}
	return err
}

// Loader and predictor get the item's seed whatever is cut into which batch, fails to load or is tried alone.
func TestSeedsReachLoaderAndPredictor(t *testing.T) {
	b := newBench(40, 60)
	b.net.poison = 6
	b.inputs[11] = []float32{6, 6, 6}
	run := func(batch int, seed uint64) string {
		out, report := b.stream(t, func(j *Job) {
			j.Predictor, j.Batch, j.Seed = sower{j.Predictor}, batch, seed
			j.Load = func(dst []float32, i int, seed uint64) error {
				err := b.load(dst, i, seed)
				dst[1] = sown(seed)
				return err
			}
		})
		if failed := strings.Count(out, "cannot take it"); failed != 1 || report.Failures >= 30 {
			t.Fatalf("%+v, %d of them in the network", report, failed)
		}
		return out
	}
	want := run(4, 1)
	if run(1, 1) != want || run(60, 1) != want {
		t.Error("another batch, another output")
	}
	if run(4, 2) == want {
		t.Error("another seed, the same output")
	}
}
