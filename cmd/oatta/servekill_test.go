package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/cli/console"
)

// patient is a client that asks again, with the same key and number, until it has an answer.
type patient struct {
	server  func() *served // that is asked next
	client  *http.Client
	random  *rand.Rand
	numbers bool // are given
	retries int
}

func (p *patient) ask(stream string, parameters map[string]any, q []float64) ([]float64, error) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		rows, err := p.server().ask(p.client, stream, parameters, q)
		if err == nil {
			return rows[0], nil
		}
		if strings.Contains(err.Error(), "status 4") || time.Now().After(end) {
			return nil, err
		}
		p.retries++
	}
}

// walk sends items until stop, and compares every answer with that of a filter that took each item once and in order. Now and then the stream
// ends and begins anew. It returns how many items its last life has.
func (p *patient) walk(stream string, stop <-chan struct{}) (lives, items int, err error) {
	f, err := adapt.New(3, adapt.Settings{})
	if err != nil {
		return 0, 0, err
	}
	want := make([]float64, 3)
	for n := 0; ; n++ {
		select {
		case <-stop:
			return lives, items, nil
		default:
		}
		a, b := p.random.Float64(), p.random.Float64()
		q := []float64{min(a, b), max(a, b) - min(a, b), 1 - max(a, b)}
		end := n%25 == 24
		parameters := map[string]any{"oatta_key": fmt.Sprint("item ", n), "sequence_end": end}
		if p.numbers {
			parameters["oatta_number"] = n + 1
		}
		got, err := p.ask(stream, parameters, q)
		if err != nil {
			return lives, items, err
		}
		f.Step(want, q)
		items++
		if !slices.Equal(got, want) {
			return lives, items, fmt.Errorf("%s, item %d: %v, want %v: an item was lost, counted twice or out of order", stream, n, got, want)
		}
		if end {
			f.Reset()
			lives, items = lives+1, 0
		}
	}
}

// patients are such clients, each with a stream of its own.
type patients struct {
	last              []int // items of each stream's last life
	retries, answered atomic.Int64
	leave             func()
	all               sync.WaitGroup
}

// startPatients starts clients that ask the server which is drawn each time, and leave with the test.
func startPatients(t *testing.T, timeout time.Duration, server func(*rand.Rand) *served, numbers func(stream int) bool) *patients {
	t.Helper()
	stop := make(chan struct{})
	c := &patients{last: make([]int, 12), leave: sync.OnceFunc(func() { close(stop) })}
	for i := range c.last {
		c.all.Go(func() {
			p := &patient{client: &http.Client{Timeout: timeout}, numbers: numbers(i), random: rand.New(rand.NewPCG(uint64(i), 47))}
			p.server = func() *served { return server(p.random) }
			lives, items, err := p.walk(fmt.Sprint("stream ", i), stop)
			if err != nil {
				t.Error(err)
			}
			c.last[i] = items
			c.retries.Add(int64(p.retries))
			c.answered.Add(int64(25*lives + items))
			p.client.CloseIdleConnections()
		})
	}
	t.Cleanup(func() { c.leave(); c.all.Wait() }) // before the servers end, if the test ends early
	return c
}

// end waits until the clients have left.
func (c *patients) end(t *testing.T) {
	t.Helper()
	c.leave()
	c.all.Wait()
	if c.retries.Load() == 0 {
		t.Error("no request was cut off: nothing happened under load")
	}
}

// The server is killed again and again under load. Clients that ask again with their keys find every acknowledged item there, once, and in
// order: also those whose answers were lost on the way, and endings.
func TestServeKilled(t *testing.T) {
	kills := 20
	if os.Getenv("OATTA_HEAVY") != "" {
		kills = 100
	}
	dir := t.TempDir()
	state, keyFile := filepath.Join(dir, "state"), filepath.Join(dir, "key")
	writeFile(t, keyFile, strings.Repeat("0123456789abcdef", 4))
	if err := os.Chmod(keyFile, 0o600); err != nil {
		t.Fatal(err)
	}
	var server atomic.Pointer[served]
	begin := func() {
		server.Store(startServer(t, "--classes", "3", "--state", state, "--state-key", keyFile, "--max-memory", "200000"))
	}
	begin()
	load := startPatients(t, 10*time.Second, func(*rand.Rand) *served { return server.Load() }, func(int) bool { return false })
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 48)) // other places each time; the outcome is the same
	for range kills {
		time.Sleep(time.Duration(r.IntN(200_000)) * time.Microsecond)
		_ = server.Load().Process.Kill()
		_ = server.Load().Wait()
		begin()
	}
	time.Sleep(50 * time.Millisecond)
	load.end(t)
	if err := server.Load().stop(t); err != nil {
		t.Errorf("%v: %s", err, server.Load().errOut)
	}
	for i, items := range load.last {
		if items == 0 { // its stream has just ended
			continue
		}
		code, out, errOut := oatta(t, "state", "show", fmt.Sprint("/stream ", i), "--state", filepath.Join(state, "filter.state"), "--state-key", keyFile)
		if code != console.Fine || !strings.Contains(out, fmt.Sprintf(`"steps": %d,`, items)) {
			t.Errorf("stream %d: %d items were answered, and its state has %.200s%s", i, items, out, errOut)
		}
	}
	t.Logf("%d kills, %d items answered, %d retries", kills, load.answered.Load(), load.retries.Load())
}
