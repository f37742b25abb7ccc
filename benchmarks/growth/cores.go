package growth

import (
	goruntime "runtime"
	"sync"
	"time"

	"github.com/oatta/oatta/internal/timing"
)

// cores is the time that passes for an item by the cores that Go may use.
func cores(rounds int, least float64) (*Axis, error) {
	a := &Axis{
		ID: "cores", Title: "The time that passes for an item against the cores", Grows: "cores",
		Note:   "Steps of 256 streams of 64 classes, and JPEGs of 0.3 megapixels. Perfect sharing is an exponent of -1; what else the machine does comes on top.",
		Series: []Series{{Name: "step of the filter"}, {Name: "JPEG, decoded and resized"}},
	}
	for n := 1; n < goruntime.NumCPU(); n *= 2 {
		a.X = append(a.X, float64(n))
	}
	a.X = append(a.X, float64(goruntime.NumCPU()))
	step, err := batch(64, 256)
	if err != nil {
		return nil, err
	}
	decode, err := decoding(0.3, 16)
	if err != nil {
		return nil, err
	}
	for s, p := range []point{{256, step}, {16, decode}} {
		if a.Series[s].Seconds, err = p.byCores(a.X, rounds, least); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// byCores returns the seconds that pass for an item with each number of cores, medians of rounds in turn.
func (p point) byCores(x []float64, rounds int, least float64) ([]float64, error) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	times := make([][]float64, len(x))
	for range rounds {
		for i, n := range x {
			goruntime.GOMAXPROCS(int(n))
			runs, start := 0, time.Now()
			for time.Since(start).Seconds() < least || runs == 0 {
				if err := p.run(); err != nil {
					return nil, err
				}
				runs++
			}
			times[i] = append(times[i], time.Since(start).Seconds()/float64(runs*p.items))
		}
	}
	out := make([]float64, len(x))
	for i, t := range times {
		out[i] = timing.Median(t)
	}
	return out, nil
}

// decoding returns a run over so many pictures, as many at a time as Go has cores.
func decoding(megapixels float64, pictures int) (func() error, error) {
	prep, err := transform()
	if err != nil {
		return nil, err
	}
	data, err := picture(megapixels)
	if err != nil {
		return nil, err
	}
	return func() error {
		errs := make([]error, goruntime.GOMAXPROCS(0))
		var wait sync.WaitGroup
		for w := range errs {
			wait.Go(func() {
				dst := make([]float32, 3*side*side)
				for i := w; i < pictures && errs[w] == nil; i += len(errs) {
					errs[w] = prep.Bytes(dst, data)
				}
			})
		}
		wait.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	}, nil
}
