package backend

import (
	"math"
	"math/rand/v2"
	"os"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/testdata"
)

// 100,000 streams come and go, most of them in the file, for minutes (OATTA_SOAK says how long): after they have all been there, neither memory nor
// goroutines grow, and the file stays in proportion to what it holds.
func TestSoak(t *testing.T) {
	testdata.Heavy(t, "it takes minutes")
	last := 3 * time.Minute
	if d, err := time.ParseDuration(os.Getenv("OATTA_SOAK")); err == nil {
		last = d
	}
	const streams, workers = 100_000, 64
	file := inFolder(t.TempDir())
	b := mustNew(t, Options{File: file, Memory: 64 << 20})
	items := atomic.Int64{}
	infer := func(r *rand.Rand, s int) {
		q := ask(streamID(s), prediction(r.IntN(1000)))
		q.Sequence.End = r.IntN(200) == 0
		q.Sequence.Key = []string{"", streamID(r.IntN(1 << 30))}[r.IntN(2)]
		if _, err := b.Infer(t.Context(), q); err != nil {
			t.Error(err)
		}
		items.Add(1)
	}
	var first sync.WaitGroup
	for w := range workers {
		first.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 50))
			for s := w; s < streams; s += workers {
				infer(r, s)
			}
		})
	}
	first.Wait()
	t.Logf("all were there after %d items", items.Load())
	stop := make(chan struct{})
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 51))
			for {
				select {
				case <-stop:
					return
				default:
					infer(r, r.IntN(streams))
				}
			}
		})
	}
	measure := func() (heap, most uint64, goroutines int, size int64) {
		heap = math.MaxUint64
		for range 10 { // a look may fall into a transaction, which holds its pages until it is written
			goruntime.GC()
			var m goruntime.MemStats
			goruntime.ReadMemStats(&m)
			heap, most = min(heap, m.HeapAlloc), max(most, m.HeapAlloc)
			time.Sleep(50 * time.Millisecond)
		}
		info, err := os.Stat(file("filter"))
		if err != nil {
			t.Fatal(err)
		}
		return heap, most, goruntime.NumGoroutine(), info.Size()
	}
	const parts = 8
	var heaps []uint64
	var goroutines []int
	var sizes []int64
	for range parts {
		time.Sleep(last / parts)
		heap, most, n, size := measure()
		t.Logf("%d items: heap %d to %d MB, %d goroutines, file %d MB", items.Load(), heap>>20, most>>20, n, size>>20)
		heaps, goroutines, sizes = append(heaps, heap), append(goroutines, n), append(sizes, size)
	}
	close(stop)
	all.Wait()
	const warm = parts/4 - 1 // the part after which nothing may grow
	if heaps[parts-1] > heaps[warm]+heaps[warm]/4+16<<20 || goroutines[parts-1] > goroutines[warm]+8 || sizes[parts-1] > sizes[warm]*3/2 {
		t.Error("it grows")
	}
	state := int64(0)
	for after, more := "", true; more; {
		page, err := b.List(t.Context(), "filter", "", after, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range page {
			state, after = state+int64(s.Bytes), s.ID
		}
		more = len(page) > 0
	}
	t.Logf("the file takes %.2f times the %d MB of the streams that live", float64(sizes[parts-1])/float64(state), state>>20)
	if sizes[parts-1] > 3*state {
		t.Error("the file is much larger than what is in it")
	}
}
