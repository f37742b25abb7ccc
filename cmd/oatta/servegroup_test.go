package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// trio is three real servers, each with a NATS server of the cluster in it.
type trio struct {
	args    [3][]string
	servers [3]atomic.Pointer[served]
}

// startTrio starts them on the loopback, and waits until they answer.
func startTrio(t *testing.T) *trio {
	t.Helper()
	dir, ports := t.TempDir(), freePorts(t, 3)
	keyFile := filepath.Join(dir, "key")
	writeFile(t, keyFile, strings.Repeat("0123456789abcdef", 4))
	if err := os.Chmod(keyFile, 0o600); err != nil {
		t.Fatal(err)
	}
	g := &trio{}
	for i := range g.args {
		g.args[i] = []string{
			"--classes", "3", "--nats", "embedded", "--state", filepath.Join(dir, fmt.Sprint("node", i)), "--state-key", keyFile, "--shards", "9",
			"--nats-name", fmt.Sprint("node", i), "--nats-cluster", ports[i],
		}
		for _, peer := range ports {
			g.args[i] = append(g.args[i], "--nats-peer", peer)
		}
		g.begin(t, i)
	}
	for i := range g.args {
		g.ready(t, i)
	}
	return g
}

func freePorts(t *testing.T, n int) (out []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		out = append(out, l.Addr().String())
	}
	return out
}

func (g *trio) begin(t *testing.T, i int) {
	t.Helper()
	g.servers[i].Store(startServer(t, g.args[i]...))
}

// ready waits until a server says that it is.
func (g *trio) ready(t *testing.T, i int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if status, _ := get(t, "http://"+g.servers[i].Load().at+"/v2/health/ready"); status == 200 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("server %d is not ready", i)
		}
	}
}

// One of three servers is killed again and again under load, at any moment and without a word. Clients that ask the others again with their keys find
// every acknowledged item there, once, and in order.
func TestServeGroupKilled(t *testing.T) {
	kills := 10
	if os.Getenv("OATTA_HEAVY") != "" {
		kills = 100
	}
	g := startTrio(t)
	const clients = 12
	last, retries, answered := make([]int, clients), atomic.Int64{}, atomic.Int64{}
	stop := make(chan struct{})
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			p := &patient{client: &http.Client{Timeout: 10 * time.Second}, random: rand.New(rand.NewPCG(uint64(i), 47))}
			p.server = func() *served { return g.servers[p.random.IntN(3)].Load() }
			lives, items, err := p.walk(fmt.Sprint("stream ", i), stop)
			if err != nil {
				t.Error(err)
			}
			last[i] = items
			retries.Add(int64(p.retries))
			answered.Add(int64(25*lives + items))
			p.client.CloseIdleConnections()
		})
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 48)) // other places each time; the outcome is the same
	for range kills {
		i := r.IntN(3)
		time.Sleep(time.Duration(r.IntN(1000)) * time.Millisecond)
		_ = g.servers[i].Load().Process.Kill()
		_ = g.servers[i].Load().Wait()
		time.Sleep(time.Duration(r.IntN(8000)) * time.Millisecond) // sooner than the others notice, or later
		g.begin(t, i)
		g.ready(t, i)
	}
	close(stop)
	all.Wait()
	if retries.Load() == 0 {
		t.Error("no request was cut off: no server was killed under load")
	}
	g.compare(t, last)
	t.Logf("%d kills, %d items answered, %d retries", kills, answered.Load(), retries.Load())
	for i := range g.servers {
		if err := g.servers[i].Load().stop(t); err != nil && i == 0 { // the others lack a majority then, and say so
			t.Errorf("%v: %s", err, g.servers[i].Load().errOut)
		}
	}
}

// compare asks for the items of every stream, which should be as many as were answered.
func (g *trio) compare(t *testing.T, last []int) {
	t.Helper()
	for i, items := range last {
		if items == 0 { // its stream has just ended
			continue
		}
		status, text := get(t, "http://"+g.servers[i%3].Load().at+"/v2/models/filter/streams/stream%20"+fmt.Sprint(i))
		var info struct{ Items int }
		if err := json.Unmarshal([]byte(text), &info); err != nil || status != 200 || info.Items != items {
			t.Errorf("stream %d: %d items were answered, and there is %s", i, items, text)
		}
	}
}
