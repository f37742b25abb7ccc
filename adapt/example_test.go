package adapt_test

import (
	"crypto/sha256"
	"fmt"
	"log"

	"github.com/oatta/oatta/adapt"
)

// guess is a predictor of one's own: anything that gives a probability for each class. Herons and storks stay for ten pictures; of every
// seventh picture it is not sure.
func guess(picture int) []float64 {
	q := []float64{0.1, 0.1, 0.1, 0.1}
	q[picture/10%2] = 0.7
	if picture%7 == 5 {
		q[picture/10%2], q[2] = 0.35, 0.45
	}
	return q
}

// A predictor of one's own behind the filter: nothing else of the module is needed.
func Example() {
	classes := []string{"heron", "stork", "crane", "empty"}
	filter, err := adapt.New(len(classes), adapt.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	p := make([]float64, len(classes))
	for picture := range 100 { // of one camera, in order
		q := guess(picture)
		if err := adapt.Check(q, len(classes)); err != nil {
			log.Fatal(err)
		}
		filter.Step(p, q)
		if picture > 80 && top(p) != top(q) {
			fmt.Printf("picture %d: %s %.2f, not %s %.2f\n", picture, classes[top(p)], p[top(p)], classes[top(q)], q[top(q)])
		}
	}
	// Output:
	// picture 82: heron 0.53, not crane 0.45
	// picture 89: heron 0.55, not crane 0.45
	// picture 96: stork 0.53, not crane 0.45
}

func top(p []float64) (best int) {
	for i := range p {
		if p[i] > p[best] {
			best = i
		}
	}
	return best
}

// night is a recording of two of four classes, 40 items each; every seventh is taken for another.
var night = func() (q [][]float64) {
	for t := range 80 {
		row := []float64{0.1, 0.1, 0.1, 0.1}
		row[t/40] = 0.7
		if t%7 == 5 {
			row[t/40], row[3-t/40] = 0.35, 0.45
		}
		q = append(q, row)
	}
	return q
}()

func rows(n int) [][]float64 {
	out := make([][]float64, n)
	for t := range out {
		out[t] = make([]float64, 4)
	}
	return out
}

func labels(p [][]float64) []int {
	out := make([]int, len(p))
	for t := range p {
		out[t] = top(p[t])
	}
	return out
}

// wrong counts the items whose label is not that of their half of the night.
func wrong(labels []int) (n int) {
	for t, label := range labels {
		if label != t/40 {
			n++
		}
	}
	return n
}

// A stream that is interrupted goes on from a snapshot, bit for bit.
func ExampleRestore() {
	filter, err := adapt.New(4, adapt.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	p := make([]float64, 4)
	for _, q := range night[:5] {
		filter.Step(p, q)
	}
	snapshot, err := filter.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	again, err := adapt.Restore(snapshot)
	if err != nil {
		log.Fatal(err)
	}
	other := make([]float64, 4)
	filter.Step(p, night[5])
	again.Step(other, night[5])
	fmt.Println(again.Steps(), p[0] == other[0])
	// Output:
	// 6 true
}

// A recording that is complete is looked at as a whole.
func ExampleSmooth() {
	p := rows(len(night))
	if _, err := adapt.Smooth(4, adapt.Settings{}, p, night); err != nil {
		log.Fatal(err)
	}
	fmt.Println(wrong(labels(night)), "wrong, now", wrong(labels(p)))
	// Output:
	// 11 wrong, now 0
}

// The most probable sequence of classes of a recording, in segments.
func ExampleViterbi() {
	path := make([]int, len(night))
	if _, err := adapt.Viterbi(4, adapt.Settings{}, path, night); err != nil {
		log.Fatal(err)
	}
	fmt.Println(path[30:50], wrong(path))
	// Output:
	// [0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1] 0
}

// Answers that come two items late know what followed.
func ExampleLagged() {
	lagged, err := adapt.NewLagged(4, adapt.Settings{}, 2)
	if err != nil {
		log.Fatal(err)
	}
	p, answers := make([]float64, 4), []int{}
	for _, q := range night {
		if _, ok := lagged.Step(p, q); ok {
			answers = append(answers, top(p))
		}
	}
	for _, ok := lagged.Flush(p); ok; _, ok = lagged.Flush(p) {
		answers = append(answers, top(p))
	}
	fmt.Println(len(answers), "answers,", wrong(answers), "wrong")
	// Output:
	// 80 answers, 6 wrong
}

// Many streams take a step each.
func ExampleStepBatch() {
	var cameras []*adapt.Filter
	for range 3 {
		filter, err := adapt.New(4, adapt.Settings{})
		if err != nil {
			log.Fatal(err)
		}
		cameras = append(cameras, filter)
	}
	p := rows(3)
	adapt.StepBatch(cameras, p, night[38:41], nil)
	fmt.Println(labels(p))
	// Output:
	// [0 0 2]
}

// A state that is kept elsewhere can be sealed: nobody reads it, or gives it to another stream.
func ExampleSeal() {
	key := sha256.Sum256([]byte("an example: take 32 random bytes"))
	sealed, err := adapt.Seal(key[:], "camera 1", []byte("a snapshot"))
	if err != nil {
		log.Fatal(err)
	}
	opened, err := adapt.Open(key[:], "camera 1", sealed)
	fmt.Printf("%s %v\n", opened, err)
	_, err = adapt.Open(key[:], "camera 2", sealed)
	fmt.Println(err != nil)
	// Output:
	// a snapshot <nil>
	// true
}

// A predictor that is more certain than the order of its predictions bears out is told of, without labels.
func ExampleStarvation() {
	watch, err := adapt.NewStarvation(4, adapt.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 50 * len(night) { // many nights
		sure := []float64{1e-9, 1e-9, 1e-9, 1e-9}
		sure[top(night[i%len(night)])] = 1 - 3e-9 // whatever it was
		watch.Add("camera 1", sure)
	}
	fmt.Printf("%t, try temperature %.1f\n", watch.Warning() != "", watch.Remedy())
	// Output:
	// true, try temperature 3.3
}
