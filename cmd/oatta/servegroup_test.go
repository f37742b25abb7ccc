package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oatta/oatta/serve/servetest"
)

// trio is three real servers, each with a NATS server of the cluster in it.
type trio struct {
	commands [3]func() *exec.Cmd
	servers  [3]atomic.Pointer[served]
}

// trioArgs are the flags of three servers whose NATS servers find each other at some addresses.
func trioArgs(t *testing.T, addresses []string) (args [3][]string) {
	t.Helper()
	dir := t.TempDir()
	key, secret := filepath.Join(dir, "key"), filepath.Join(dir, "secret")
	for _, file := range []string{key, secret} {
		writeFile(t, file, strings.Repeat("0123456789abcdef", 4))
		if err := os.Chmod(file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range args {
		args[i] = []string{
			"serve", "--classes", "3", "--nats", "embedded", "--state", filepath.Join(dir, fmt.Sprint("node", i)), "--state-key", key, "--shards", "9",
			"--nats-name", fmt.Sprint("node", i), "--nats-cluster", addresses[i], "--nats-secret", secret,
		}
		for _, peer := range addresses {
			args[i] = append(args[i], "--nats-peer", peer)
		}
	}
	return args
}

// startTrio starts them on the loopback, and waits until they answer.
func startTrio(t *testing.T) *trio {
	t.Helper()
	g := &trio{}
	for i, args := range trioArgs(t, servetest.Addresses(t, 3)) {
		g.commands[i] = func() *exec.Cmd { return program(t, append(args, "--listen", "127.0.0.1:0")...) }
	}
	g.start(t)
	return g
}

func (g *trio) start(t *testing.T) {
	t.Helper()
	for i := range g.commands {
		g.begin(t, i)
	}
	for i := range g.commands {
		waitReady(t, g.servers[i].Load())
	}
}

func (g *trio) begin(t *testing.T, i int) {
	t.Helper()
	cmd := g.commands[i]()
	g.servers[i].Store(startCommand(t, cmd, cmd.Env))
}

// One of three servers is killed again and again under load, at any moment and without a word. Clients that ask the others again with their keys find
// every acknowledged item there, once, and in order.
func TestServeGroupKilled(t *testing.T) {
	kills := 6
	if os.Getenv("OATTA_HEAVY") != "" {
		kills = 100
	}
	g := startTrio(t)
	load := g.load(t, func(stream int) bool { return stream%2 == 0 })
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 48)) // other places each time; the outcome is the same
	for range kills {
		i := r.IntN(3)
		time.Sleep(time.Duration(r.IntN(1000)) * time.Millisecond)
		_ = g.servers[i].Load().Process.Kill()
		_ = g.servers[i].Load().Wait()
		time.Sleep(time.Duration(r.IntN(8000)) * time.Millisecond) // sooner than the others notice, or later
		g.begin(t, i)
		waitReady(t, g.servers[i].Load())
	}
	g.end(t, load)
	t.Logf("%d kills, %d items answered, %d retries", kills, load.answered.Load(), load.retries.Load())
	for i := range g.servers {
		if err := g.servers[i].Load().stop(t); err != nil && i == 0 { // the others lack a majority then, and say so
			t.Errorf("%v: %s", err, g.servers[i].Load().errOut)
		}
	}
}

func (g *trio) load(t *testing.T, numbers func(stream int) bool) *patients {
	t.Helper()
	return startPatients(t, 3*time.Second, func(r *rand.Rand) *served { return g.servers[r.IntN(3)].Load() }, numbers)
}

// end ends the clients, and asks for the items of every stream, which should be as many as were answered.
func (g *trio) end(t *testing.T, l *patients) {
	t.Helper()
	l.end(t)
	for i, items := range l.last {
		if items == 0 { // its stream has just ended
			continue
		}
		status, text := get(t, "http://"+g.servers[i%3].Load().at+"/v2/models/filter/streams/stream%20"+fmt.Sprint(i))
		var info struct{ Items int }
		if err := json.Unmarshal([]byte(text), &info); err != nil || status != http.StatusOK || info.Items != items {
			t.Errorf("stream %d: %d items were answered, and there is %s", i, items, text)
		}
	}
}
