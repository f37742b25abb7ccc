package tent_test

import (
	"context"
	"fmt"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"testing"

	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/tent"
)

// residentPages returns the resident size of the process.
func residentPages(t *testing.T) float64 {
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skipf("no /proc here: %v", err)
	}
	var size, resident float64
	if _, err := fmt.Sscan(string(data), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return resident
}

// TestMemoryIsFlat: neither a long stream nor many streams, nor runs of changing numbers of rows, make the process grow.
func TestMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("two thousand steps")
	}
	net, _ := backbonetest.Golden(t, "cnn1d")
	p := predictorOf(t, build(t, onnx.New(net.Graph), tent.Settings{Optimizer: optim.Settings{Method: optim.Adam}}), tent.Options{})
	advance := func(stream, from, to int) {
		for at := from; at < to; at++ {
			stepped(t, p, item(p, stream, at%7), stream%3)
		}
	}
	for lane := range 3 {
		p.Begin(lane)
	}
	rows := func() {
		stepped(t, p, append(item(p, 0, 1), item(p, 1, 2)...), 0, 1)
		stepped(t, p, append(append(item(p, 0, 1), item(p, 1, 2)...), item(p, 2, 3)...), 0, 1, 2)
	}
	rows()
	advance(0, 0, 200)
	before := residentPages(t)
	advance(0, 200, 2000)
	long := residentPages(t)
	for stream := range 100 {
		p.Begin(stream % 3)
		advance(stream, 0, 10)
		rows()
	}
	many := residentPages(t)
	if long > 1.05*before || many > 1.05*before {
		t.Errorf("resident pages: %v after warming up, %v after 2,000 steps, %v after 100 streams", before, long, many)
	}
	goruntime.KeepAlive(p)
}

// TestStepAllocates: what a step allocates does not depend on the sizes of the network or its parameters.
func TestStepAllocates(t *testing.T) {
	p := predictorOf(t, build(t, smallNet("batch", n), tent.Settings{}), tent.Options{})
	p.Begin(0)
	src, dst, lanes := item(p, 0, 0), make([]float32, p.Classes()), []int{0}
	got := testing.AllocsPerRun(50, func() {
		if err := p.Step(context.Background(), dst, src, lanes); err != nil {
			t.Fatal(err)
		}
	})
	if got > 20 {
		t.Errorf("%v allocations a step", got)
	}
	t.Logf("%v allocations a step", got)
}
