package train

import (
	"fmt"
	"math"
	"slices"
)

// take checks a batch and makes targets of its labels. It returns the number of items that have one: without labels and targets, 0.
func (t *Trainer) take(b Batch) (items int, err error) {
	rows, err := t.fit(b)
	if err != nil {
		return 0, err
	}
	k := t.p.Classes
	shape := [2]int64{rows, int64(k)}
	sized(&t.targets, shape[:])
	sized(&t.logits, shape[:])
	t.labels = slices.Grow(t.labels[:0], int(rows))[:rows]
	targets := t.targets.Data.([]float32)
	if b.Targets != nil {
		if len(b.Targets) != len(targets) {
			return 0, fmt.Errorf("%d targets for %d items of %d classes", len(b.Targets), rows, k)
		}
		copy(targets, b.Targets)
		return t.soft(targets)
	}
	clear(targets)
	if b.Labels == nil {
		for i := range t.labels {
			t.labels[i] = -1
		}
		return 0, nil
	}
	if len(b.Labels) != int(rows) {
		return 0, fmt.Errorf("%d labels for %d items", len(b.Labels), rows)
	}
	for i, label := range b.Labels {
		if label < -1 || label >= k {
			return 0, fmt.Errorf("item %d: label %d is none of %d classes", i, label, k)
		}
		if t.labels[i] = label; label >= 0 {
			targets[i*k+label] = 1
			items++
		}
	}
	return items, nil
}

// soft checks targets that are probabilities, and finds the largest of each item.
func (t *Trainer) soft(targets []float32) (items int, err error) {
	k := t.p.Classes
	for i := range t.labels {
		row, sum := targets[i*k:(i+1)*k], 0.0
		for _, v := range row {
			if !(v >= 0 && v <= 1) {
				return 0, fmt.Errorf("item %d: target %v is not in [0, 1]", i, v)
			}
			sum += float64(v)
		}
		if t.labels[i] = -1; sum == 0 {
			continue
		}
		if math.Abs(sum-1) > 1e-3 {
			return 0, fmt.Errorf("item %d: the targets sum to %v, want 1, or 0 to leave it out", i, sum)
		}
		t.labels[i] = largest(row)
		items++
	}
	return items, nil
}

// weightless reports a batch all of whose targets are classes that weigh nothing: its loss would be 0/0.
func (t *Trainer) weightless() bool {
	weights := t.p.settings.Weights
	for i, v := range t.targets.Data.([]float32) {
		if v != 0 && (weights == nil || float32(weights[i%len(weights)]) != 0) {
			return false
		}
	}
	return true
}

// fit checks the inputs' shapes and notes them.
func (t *Trainer) fit(b Batch) (rows int64, err error) {
	if len(b.Inputs) != len(t.p.data) {
		return 0, fmt.Errorf("%d inputs, the network has %d", len(b.Inputs), len(t.p.data))
	}
	for i, x := range b.Inputs {
		want := t.p.data[i].Shape
		fits := len(x.Shape) == len(want)
		for a := 0; fits && a < len(want); a++ {
			fits = !want[a].Known() || want[a].Size == x.Shape[a]
		}
		if !fits || i > 0 && x.Shape[0] != rows {
			return 0, fmt.Errorf("input %d has shape %v, want %v", i, x.Shape, want)
		}
		rows = x.Shape[0]
		t.shapes[i] = x.Shape
	}
	if rows == 0 {
		return 0, fmt.Errorf("the batch is empty")
	}
	return rows, nil
}

// largest returns the index of the first largest number.
func largest(row []float32) int {
	best := 0
	for i, v := range row {
		if v > row[best] {
			best = i
		}
	}
	return best
}

// right counts the items whose largest logit is that of their class.
func (t *Trainer) right() int {
	n, k, logits := 0, t.p.Classes, t.logits.Data.([]float32)
	for i, label := range t.labels {
		if label >= 0 && largest(logits[i*k:(i+1)*k]) == label {
			n++
		}
	}
	return n
}

// crossEntropy is the mean over the items that have a target of -sum(t log softmax(logits)), 0 if none has.
func (t *Trainer) crossEntropy() float64 {
	k, logits, targets := t.p.Classes, t.logits.Data.([]float32), t.targets.Data.([]float32)
	sum, items := 0.0, 0
	for i, label := range t.labels {
		if label < 0 {
			continue
		}
		row := logits[i*k : (i+1)*k]
		top, total := float64(row[largest(row)]), 0.0
		for _, v := range row {
			total += math.Exp(float64(v) - top)
		}
		for j, v := range row {
			if w := float64(targets[i*k+j]); w != 0 {
				sum += w * (math.Log(total) + top - float64(v))
			}
		}
		items++
	}
	return sum / float64(max(1, items))
}
