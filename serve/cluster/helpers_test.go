package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/backend"
	"github.com/oatta/oatta/serve/jetstore"
	"github.com/oatta/oatta/serve/servetest"
)

const (
	classes = 3
	shards  = 8
	rhythm  = 100 * time.Millisecond // of beats
)

// node is a member with all that is under it.
type node struct {
	*Member
	backend *backend.Backend
	nc      *nats.Conn
	closed  sync.Once
}

// join starts a member; a gateway where worker is false.
func join(t testing.TB, connect func(...nats.Option) (*nats.Conn, error), name string, worker bool, replicas int) *node {
	t.Helper()
	nc, err := connect(nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	n, member := &node{nc: nc}, atomic.Pointer[Member]{}
	o := Options{Name: name, Shards: shards, Beat: rhythm, Dead: 3 * time.Second}
	if os.Getenv("OATTA_LOG") != "" {
		o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil)).With("member", name)
	}
	if worker {
		g, err := jetstore.New(nc, jetstore.Options{Shards: shards, Replicas: replicas, Member: name, Wait: 3 * time.Second, Lost: func(_ string, shard int) {
			if m := member.Load(); m != nil {
				m.Lost(shard)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		n.backend, err = backend.New(t.Context(), backend.Options{
			Shards: shards,
			Open: func(ctx context.Context, model string, shard int, o state.Options) (backend.Store, error) {
				return g.Open(ctx, model, shard, o)
			},
			Models: []backend.Source{{Name: "filter", Open: func(context.Context) (*backend.Opened, error) { return &backend.Opened{Classes: classes}, nil }}},
			Log:    o.Log,
		})
		if err != nil {
			t.Fatal(err)
		}
		o.Backend = n.backend
	}
	if n.Member, err = New(nc, o); err != nil {
		t.Fatal(err)
	}
	member.Store(n.Member)
	t.Cleanup(func() { n.leave(t) })
	return n
}

// leave ends a member in order.
func (n *node) leave(t testing.TB) {
	n.closed.Do(func() {
		if err := n.Member.Close(); err != nil {
			t.Error(err)
		}
		if n.backend != nil {
			if err := n.backend.Close(); err != nil {
				t.Error(err)
			}
		}
		n.nc.Close()
	})
}

func waitFor(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain: " + what)
		}
	}
}

func (n *node) holds() (count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, held := range n.held {
		if held {
			count++
		}
	}
	return count
}

func prediction(stream, item int) []float64 {
	return servetest.Prediction(rand.New(rand.NewPCG(uint64(stream), uint64(item))), classes)
}

func floatBytes(values []float64) (out []byte) {
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// request is that of an item, with a key.
func request(stream, item int) *serve.Request {
	return &serve.Request{
		Model: "filter", Namespace: "ns", Outputs: []string{"adapted"},
		Sequence: serve.Sequence{ID: fmt.Sprint("camera \xff", stream), Key: fmt.Sprint("item ", item)}, // not UTF-8: nothing on the way may change it
		Inputs:   []serve.Tensor{{Name: "probs", Type: "FP64", Shape: []int64{1, classes}, Data: floatBytes(prediction(stream, item))}},
	}
}

// client sends the items of a stream in order to members at random, each until it is answered, and compares the answers with a filter of its own.
type client struct {
	stream int
	random *rand.Rand
	filter *adapt.Filter
	item   int
	done   atomic.Int64 // items, for others
	again  int          // requests that were sent once more
}

func newClient(t testing.TB, stream int) *client {
	f, err := adapt.New(classes, adapt.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return &client{stream: stream, random: rand.New(rand.NewPCG(uint64(stream), 5)), filter: f}
}

// send sends the next item; false if it was not right.
func (c *client) send(t testing.TB, members func() []*node) bool {
	for begun := time.Now(); ; c.again++ {
		all := members()
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		a, err := all[c.random.IntN(len(all))].Infer(ctx, request(c.stream, c.item))
		cancel()
		var told *serve.Error
		switch {
		case err == nil:
			want := make([]float64, classes)
			c.filter.Step(want, prediction(c.stream, c.item))
			if string(a.Outputs[0].Data) != string(floatBytes(want)) {
				t.Errorf("stream %d, item %d: another answer than the filter's", c.stream, c.item)
				return false
			}
			c.item++
			c.done.Add(1)
			return true
		case errors.As(err, &told) && told.Code == serve.Unavailable && time.Since(begun) < time.Minute:
			time.Sleep(time.Duration(c.random.IntN(int(20 * time.Millisecond))))
		default:
			t.Errorf("stream %d, item %d: %v", c.stream, c.item, err)
			return false
		}
	}
}
