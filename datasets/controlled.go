package datasets

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
)

// Controlled is a stream of labels with a known law: a Markov chain over K classes whose first label is uniform. The paper's five
// are [S1] to [S5]; what it leaves open (S5's permutations and schedule, the drawing of items) is fixed here.
type Controlled struct {
	Name string
	// Transition writes P(y_t = . | y_{t-1} = from) into dst, whose length is the number of classes. t counts from 0 and is at least 1
	// here; steps is the length T of the stream, which laws that change over time refer to.
	Transition func(dst []float64, from, t, steps int)
}

// S1 has no order: every label is drawn anew.
func S1() Controlled {
	return Controlled{"s1", func(dst []float64, _, _, _ int) { peak(dst, 0, 1/float64(len(dst))) }}
}

// Unequal has no order: every label but the first, which is uniform, is drawn anew, class 0 with the share given and the others evenly.
// It is not one of the paper's.
func Unequal(share float64) Controlled {
	if !(share >= 0 && share <= 1) {
		panic(fmt.Sprintf("datasets: a class with a share of %g: want 0 to 1", share))
	}
	return Controlled{
		fmt.Sprintf("unequal share=%.2f", share),
		func(dst []float64, _, _, _ int) { peak(dst, 0, share) },
	}
}

// S2 repeats the last label with probability alpha, in [0, 1], and else takes one of the others. The paper's default is 0.7.
func S2(alpha float64) Controlled {
	if !(alpha >= 0 && alpha <= 1) {
		panic(fmt.Sprintf("datasets: S2 with alpha %g: want 0 to 1", alpha))
	}
	return Controlled{
		fmt.Sprintf("s2 alpha=%.2f", alpha),
		func(dst []float64, from, _, _ int) { peak(dst, from, alpha) },
	}
}

// cycleMass is the probability that S3 and S5 follow their permutation.
const cycleMass = 0.7

// S3 goes from class i to i+1 (mod K) with probability 0.7, and else to one of the others, i among them.
func S3() Controlled {
	return Controlled{"s3", func(dst []float64, from, _, _ int) { peak(dst, (from+1)%len(dst), cycleMass) }}
}

// S4 is S2(0.7) until the middle of the stream, and S2(0.5) from label T/2 on.
func S4() Controlled {
	return Controlled{"s4", func(dst []float64, from, t, steps int) {
		if t < steps/2 {
			peak(dst, from, 0.7)
		} else {
			peak(dst, from, 0.5)
		}
	}}
}

// S5 is S3 with a shift of 1 for the first third of the stream and of 3 for the last; over the second the one matrix turns into the
// other, linearly.
func S5() Controlled {
	return Controlled{"s5", func(dst []float64, from, t, steps int) {
		third := float64(steps) / 3
		late := min(max((float64(t)-third)/third, 0), 1)
		k := len(dst)
		rest := fillRest(dst, cycleMass)
		dst[(from+1)%k] += (1 - late) * (cycleMass - rest)
		dst[(from+3)%k] += late * (cycleMass - rest)
	}}
}

// peak is the row with mass at one class and the rest uniform over the others.
func peak(dst []float64, at int, mass float64) {
	rest := fillRest(dst, mass) // before the sum reads dst
	dst[at] += mass - rest
}

// fillRest writes what each of the others gets where one class has the mass, and returns it. A single class has no others, and all.
func fillRest(dst []float64, mass float64) (rest float64) {
	if len(dst) == 1 {
		dst[0] = 1
		return mass
	}
	rest = (1 - mass) / float64(len(dst)-1)
	for i := range dst {
		dst[i] = rest
	}
	return rest
}

// Labels and items are drawn from generators of their own, so that the order of a stream does not depend on what is drawn for it.
const (
	labelDraws = 0x6f617474612d6c62
	itemDraws  = 0x6f617474612d6974
)

// Labels draws the labels y_0 ... y_{steps-1}, classes counted from 0. It depends on the name, the law and the arguments alone. The
// name is part of the seed, so that two streams of one law, S1 and S2(1/K), are two draws of it and not one seen twice.
func (c Controlled) Labels(seed uint64, classes, steps int) []int {
	if classes < 1 || steps < 0 {
		panic(fmt.Sprintf("datasets: %s with %d classes and %d steps", c.Name, classes, steps))
	}
	rng := rand.New(rand.NewPCG(seed, labelDraws^hashOf(c.Name)))
	labels, row := make([]int, steps), make([]float64, classes)
	for t := range labels {
		if t == 0 {
			labels[t] = rng.IntN(classes)
			continue
		}
		c.Transition(row, labels[t-1], t, steps)
		labels[t] = pick(row, rng.Float64())
	}
	return labels
}

func hashOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return h.Sum64()
}

// pick returns the class in whose share of [0, 1) u falls. Rounding may leave the sum of the row below u: then it is the last class
// that has a share at all.
func pick(row []float64, u float64) int {
	last := 0
	for i, p := range row {
		if p <= 0 {
			continue
		}
		if u < p {
			return i
		}
		u -= p
		last = i
	}
	return last
}

// DrawItems draws an item of the right class for every label, with replacement. truth holds the class of each item; the result holds
// indices into it. It depends on its arguments alone; a label without any item is an error.
func DrawItems(seed uint64, labels, truth []int) ([]int, error) {
	pools := map[int][]int{}
	for i, class := range truth {
		pools[class] = append(pools[class], i)
	}
	rng := rand.New(rand.NewPCG(seed, itemDraws))
	items := make([]int, len(labels))
	for t, label := range labels {
		pool := pools[label]
		if len(pool) == 0 {
			return nil, fmt.Errorf("datasets: label %d of the stream: class %d has no item to draw", t, label)
		}
		items[t] = pool[rng.IntN(len(pool))]
	}
	return items, nil
}
