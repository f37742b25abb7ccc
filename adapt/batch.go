package adapt

import (
	"fmt"
	goruntime "runtime"
	"sync"
	"sync/atomic"
)

// StepBatch takes one step of each of many streams: filters[i] reads q[i] and writes dst[i], as [Filter.Step] does, and diags[i] is set
// to what that returns, unless diags is nil. Each filter may occur once only; filters of different settings and numbers of classes
// may be mixed. The results are to the bit those of single steps.
//
// Where the steps are long enough to be worth it, they are shared out among up to GOMAXPROCS goroutines, all of which have ended when
// StepBatch returns. It allocates nothing in one goroutine, and little, whatever the number of streams, in several. A wrong length
// and a q that does not pass [Check] panic before any filter has moved.
func StepBatch(filters []*Filter, dst, q [][]float64, diags []Diagnostics) {
	if len(dst) != len(filters) || len(q) != len(filters) || diags != nil && len(diags) != len(filters) {
		panic(fmt.Sprintf("adapt: StepBatch of %d filters with %d destinations, %d predictions and %d diagnostics", len(filters), len(dst), len(q), len(diags)))
	}
	work := 0
	for i, f := range filters {
		f.check(dst[i], q[i])
		work += f.work()
	}
	if helpers := min(goruntime.GOMAXPROCS(0), len(filters), work/workEach) - 1; helpers > 0 {
		stepShared(filters, dst, q, diags, helpers)
		return
	}
	for i := range filters {
		stepOne(filters, dst, q, diags, i)
	}
}

// workEach is the work, in entries of matrices and vectors touched, for which another goroutine is worth its start: some 20 microseconds.
const workEach = 1 << 15

// work estimates that of a dense step: one of sparse predictions takes less, and is too short to share either way.
func (f *Filter) work() int {
	n := f.classes
	if a := f.settings.Auto; a != nil {
		return len(a.Temperatures) * (a.counted(n)*2*max(len(a.FullErrors), 1) + n*n*len(a.PopulationErrors) + n*4*len(a.Grid)*(1+len(a.Errors)))
	}
	return n * (n + 16)
}

func stepOne(filters []*Filter, dst, q [][]float64, diags []Diagnostics, i int) {
	d := filters[i].advance(dst[i], q[i], false)
	if diags != nil {
		diags[i] = d
	}
}

// stepShared lets goroutines take the streams one by one as they come free.
func stepShared(filters []*Filter, dst, q [][]float64, diags []Diagnostics, helpers int) {
	var next atomic.Int64
	var wait sync.WaitGroup
	take := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(filters) {
				return
			}
			stepOne(filters, dst, q, diags, i)
		}
	}
	for range helpers {
		wait.Go(take)
	}
	take()
	wait.Wait()
}
