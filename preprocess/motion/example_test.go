package motion_test

import (
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/oatta/oatta/preprocess/motion"
)

// still is a recording of a sensor that lies on a table, of 100 Hz.
type still struct{ read, samples int }

func (s *still) Names() []string  { return []string{"x", "y", "z"} }
func (s *still) Units() []string  { return []string{"g", "g", "g"} }
func (s *still) Rate() float64    { return 100 }
func (s *still) Labels() []string { return []string{"lying"} }

func (s *still) Read(times []float64, values []float32, labels []int32) (int, error) {
	n := min(len(times), s.samples-s.read)
	for i := range n {
		times[i], labels[i] = float64(s.read+i)/100, 0
		copy(values[3*i:], []float32{0, 0, 1})
	}
	if s.read += n; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// A recording becomes windows as it is read: none of it is held.
func ExampleStream() {
	s, err := motion.NewStream(&still{samples: 1000}, motion.Settings{Channels: []string{"x", "y", "z"}, Rate: 50, Samples: 100})
	if err != nil {
		log.Fatal(err)
	}
	var w motion.Window
	for err = s.Next(&w); err == nil; err = s.Next(&w) {
		fmt.Printf("window %d at %g s: %v, z %.2f, label %d\n", w.Index, w.Start, w.Tensor().Shape, w.Data[200+50], w.Label)
	}
	if !errors.Is(err, io.EOF) {
		log.Fatal(err)
	}
	// Output:
	// window 0 at 0 s: [1 3 100], z 1.00, label 0
	// window 1 at 2 s: [1 3 100], z 1.00, label 0
	// window 2 at 4 s: [1 3 100], z 1.00, label 0
	// window 3 at 6 s: [1 3 100], z 1.00, label 0
	// window 4 at 8 s: [1 3 100], z 1.00, label 0
}

// The same without the samples: what there will be, and of which mean and deviation.
func ExampleScan() {
	plan, err := motion.Scan(&still{samples: 1000}, motion.Settings{Channels: []string{"z"}, Rate: 50, Samples: 100, Hop: 50})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d windows in %.1f s, mean %.2f\n", len(plan.Windows), plan.Seconds, plan.Mean[0])
	// Output:
	// 9 windows in 10.0 s, mean 1.00
}
