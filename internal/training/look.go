package training

import (
	"context"
	"fmt"
	"math"
)

// look scores the network on the validation examples, and keeps it if it counts and is the best so far.
func (r *run) look(ctx context.Context, s Stepper) (over bool, err error) {
	accuracy, nll, err := r.validate(ctx, s)
	if err != nil {
		return false, err
	}
	sum := r.at.Sum
	r.at.Sum = sums{}
	r.at.Rows = append(r.at.Rows, Row{
		Rate: r.rate(), Step: r.at.Step, Epoch: float64(r.at.Step) / float64(r.plan.perEpoch),
		LearningRate: r.Settings.Schedule.at(r.rate(), r.at.Step-1, r.plan.total),
		Loss:         sum.Loss / float64(sum.Seen), Accuracy: float64(sum.Right) / float64(sum.Seen), ValidationNLL: nll, ValidationAccuracy: accuracy,
	})
	now := Best{r.rate(), r.at.Step, accuracy, nll}
	r.at.Stale++
	if now.better(r.at.Own) {
		r.at.Own, r.at.Stale = &now, 0
	}
	if counts := r.Settings.Keep != KeepLast || r.at.Step == r.plan.total; counts && now.better(r.at.Best) {
		r.at.Best = &now
		state, err := s.State()
		if err == nil {
			err = save(r.Folder, bestName, state, position{Identity: r.Identity, Best: &now})
		}
		if err != nil {
			return false, err
		}
	}
	return r.Settings.Patience > 0 && r.at.Stale >= r.Settings.Patience, nil
}

// validate returns accuracy and mean loss over the validation examples, as they are.
func (r *run) validate(ctx context.Context, s Stepper) (accuracy, nll float64, err error) {
	classes := len(r.Data.Labels)
	logs := make([]float64, classes)
	err = r.Data.logits(ctx, s, r.validation, r.plan.batch, func(item int, logits []float32) error {
		class := r.Data.Items[item].Class
		best := logSoftmax(logs, logits)
		nll -= logs[class]
		if best == class {
			accuracy++
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	n := float64(len(r.validation))
	if math.IsNaN(nll) {
		return 0, 0, fmt.Errorf("training: validation after step %d with the rate %g: %w", r.at.Step, r.rate(), ErrDiverged)
	}
	return accuracy / n, nll / n, nil
}

// logits calls f with the logits of each item in turn.
func (d *Data) logits(ctx context.Context, s Classifier, items []int, batch int, f func(item int, logits []float32) error) error {
	for from := 0; from < len(items); from += batch {
		part := items[from:min(from+batch, len(items))]
		in, err := d.Store.Batch(part, nil)
		if err != nil {
			return err
		}
		out, err := s.Logits(ctx, in)
		if err != nil {
			return err
		}
		classes := len(out) / len(part)
		for k, i := range part {
			if err := f(i, out[k*classes:(k+1)*classes]); err != nil {
				return err
			}
		}
	}
	return nil
}

// logSoftmax writes the log-probabilities of logits, and returns the most probable class.
func logSoftmax(dst []float64, logits []float32) (best int) {
	for k, v := range logits {
		if v > logits[best] {
			best = k
		}
	}
	sum, top := 0.0, float64(logits[best])
	for _, v := range logits {
		sum += math.Exp(float64(v) - top)
	}
	for k, v := range logits {
		dst[k] = float64(v) - top - math.Log(sum)
	}
	return best
}
