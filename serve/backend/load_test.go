package backend

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/testdata"
)

// loadClients ask at the same time, each for a stream of its own.
const loadClients = 128

// What the server does in a second, as ratios in one run: the filter called in process, gRPC over the loopback with commits on the disk, and the same
// with a commit for each row; then the times to an answer while half of what it can do is asked for, at times that do not depend on the answers.
// Client and server share the cores. The rounds take turns, so that what else the machine does falls on all of them.
func TestLoad(t *testing.T) {
	testdata.Heavy(t, "it takes a minute, and measures")
	rows := benchTrack()
	const rounds, last = 3, 4 * time.Second
	shared, alone := loadClient(t, Options{}), loadClient(t, Options{Commit: 1})
	var process, grpc, single []float64
	for range rounds {
		process = append(process, inProcess(t, rows, last/4))
		grpc = append(grpc, throughput(t, shared, rows, last))
		single = append(single, throughput(t, alone, rows, last))
	}
	p, g, s := median(process), median(grpc), median(single)
	t.Logf("items a second: in process %.0f, gRPC %.0f, gRPC with a commit for each %.0f", p, g, s)
	t.Logf("in process / gRPC %.0f; batched / not batched %.1f", p/g, g/s)
	for _, part := range []float64{0.5, 0.25} {
		full := throughput(t, shared, rows, last/2) // just now: what else the machine does changes
		times, refused := latencies(t, shared, rows, full*part, 2*last)
		t.Logf("at %.2f of %.0f: %d answers, %d refused, p50 %v, p90 %v, p99 %v", part, full, len(times), refused, at(times, 0.5), at(times, 0.9), at(times, 0.99))
	}
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}

func at(sorted []time.Duration, p float64) time.Duration {
	return sorted[int(p*float64(len(sorted)-1))].Round(10 * time.Microsecond)
}

// inProcess is how many items a second one filter takes.
func inProcess(t *testing.T, rows [][]float64, last time.Duration) float64 {
	t.Helper()
	f, err := adapt.New(benchClasses, adapt.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	dst, n, begun := make([]float64, benchClasses), 0, time.Now()
	for time.Since(begun) < last {
		for i := range 1000 {
			f.Step(dst, rows[i%benchRows])
		}
		n += 1000
	}
	return float64(n) / time.Since(begun).Seconds()
}

// asker asks for a row of a stream, and returns when it is answered.
type asker func(stream string, row []float64) error

// loadClient is a client of gRPC of a server on the loopback.
func loadClient(t *testing.T, o Options) asker {
	t.Helper()
	o.Models, o.File = []Source{filterOf(benchClasses)}, inFolder(t.TempDir())
	c := grpcClient(t, mustNew(t, o))
	return func(stream string, row []float64) error {
		_, err := c.ModelInfer(t.Context(), grpcQuestion(stream, row))
		return err
	}
}

// throughput is how many items a second are answered when every client asks again at once.
func throughput(t *testing.T, ask asker, rows [][]float64, last time.Duration) float64 {
	t.Helper()
	var n atomic.Int64
	var all sync.WaitGroup
	begun := time.Now()
	for c := range loadClients {
		all.Go(func() {
			for i := c; time.Since(begun) < last; i++ {
				if err := ask(streamID(c), rows[i%benchRows]); err != nil {
					t.Error(err)
					return
				}
				n.Add(1)
			}
		})
	}
	all.Wait()
	return float64(n.Load()) / time.Since(begun).Seconds()
}

// latencies are the times to an answer, sorted, when so many items a second come at random moments (a Poisson process), whatever became of those before,
// and how many were refused, to come later.
func latencies(t *testing.T, ask asker, rows [][]float64, rate float64, last time.Duration) (times []time.Duration, refused int) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	r := rand.New(rand.NewPCG(1, 60))
	begun := time.Now()
	for due, i := time.Duration(0), 0; due < last; i++ {
		due += time.Duration(r.ExpFloat64() / rate * float64(time.Second))
		time.Sleep(due - time.Since(begun))
		all.Go(func() {
			err := ask(fmt.Sprint("open ", i%1000), rows[i%benchRows])
			took := time.Since(begun) - due // also what it waited before it was sent
			mu.Lock()
			defer mu.Unlock()
			switch {
			case connect.CodeOf(err) == connect.CodeResourceExhausted:
				refused++
			case err != nil:
				t.Error(err)
			default:
				times = append(times, took)
			}
		})
	}
	all.Wait()
	slices.Sort(times)
	return times, refused
}
