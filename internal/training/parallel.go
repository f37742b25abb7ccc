package training

import (
	goruntime "runtime"
	"sync"
	"sync/atomic"
)

// goroutines is how many work beside each other.
func goroutines() int { return goruntime.GOMAXPROCS(0) }

// forEach calls f for 0 to n-1 on all cores, each with a workplace of its own.
func forEach[W any](n int, workplace func() W, f func(w W, i int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, goroutines()) {
		wait.Go(func() {
			w := workplace()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(w, i)
			}
		})
	}
	wait.Wait()
}
