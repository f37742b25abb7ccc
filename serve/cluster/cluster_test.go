package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/natsserver/natstest"
)

// group is the members that are there at a time.
type group struct {
	mu  sync.Mutex
	all []*node
}

func (g *group) members() []*node {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]*node{}, g.all...)
}

func (g *group) set(all ...*node) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all = all
}

// 200 streams at members at random, while members join and leave, give the numbers of as many filters, to the bit.
func TestJoinAndLeave(t *testing.T) {
	s := natstest.Start(t)
	var g group
	a, gate := join(t, s.Connect, "a", true, 1), join(t, s.Connect, "gate", false, 1)
	g.set(a, gate)
	waitFor(t, "the first member", func() bool { return a.Ready() && gate.Ready() })
	stop := make(chan struct{})
	var all sync.WaitGroup
	clients := make([]*client, 200)
	for i := range clients {
		clients[i] = newClient(t, i)
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if !clients[i].send(t, g.members) {
					return
				}
			}
		})
	}
	progress(t, clients)
	b := join(t, s.Connect, "b", true, 1)
	g.set(a, b, gate)
	waitFor(t, "b has its part", func() bool { return b.holds() == shards/2 && a.holds() == shards/2 })
	progress(t, clients)
	c := join(t, s.Connect, "c", true, 1)
	g.set(a, b, c, gate)
	waitFor(t, "c has its part", func() bool { return c.holds() >= shards/3 && a.holds()+b.holds()+c.holds() == shards })
	progress(t, clients)
	g.set(b, c, gate)
	a.leave(t)
	waitFor(t, "a's part is taken", func() bool { return b.holds()+c.holds() == shards })
	progress(t, clients)
	close(stop)
	all.Wait()
	items, again := 0, 0
	for _, c := range clients {
		items, again = items+c.item, again+c.again
	}
	t.Logf("%d items, %d of them sent again", items, again)
	list, err := gate.List(t.Context(), "filter", "ns", "", 1000)
	if err != nil || len(list) != len(clients) {
		t.Fatalf("%d streams, %v", len(list), err)
	}
	for _, info := range list {
		if int(info.Items) != clients[streamOf(t, info.ID)].item {
			t.Errorf("stream %s has %d items: want %d", info.ID, info.Items, clients[streamOf(t, info.ID)].item)
		}
	}
}

func streamOf(t *testing.T, id string) (n int) {
	t.Helper()
	if _, err := fmt.Sscanf(id, "camera \xff%d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// progress waits until every client has had three more answers.
func progress(t *testing.T, clients []*client) {
	t.Helper()
	was := make([]int64, len(clients))
	for i, c := range clients {
		was[i] = c.done.Load()
	}
	for i, c := range clients {
		waitFor(t, "answers", func() bool { return t.Failed() || c.done.Load() >= was[i]+3 })
	}
	if t.Failed() {
		t.FailNow()
	}
}

// Operations reach a stream from every member, and errors keep their codes.
func TestOperations(t *testing.T) {
	s := natstest.Start(t)
	a, b, gate := join(t, s.Connect, "a", true, 1), join(t, s.Connect, "b", true, 1), join(t, s.Connect, "gate", false, 1)
	nodes := []*node{a, b, gate}
	waitFor(t, "members", func() bool {
		return a.Ready() && b.Ready() && gate.Ready() && a.holds() == shards/2 && b.holds() == shards/2
	})
	for i := range 20 {
		c := newClient(t, i)
		c.send(t, func() []*node { return nodes })
		id := fmt.Sprint("camera \xff", i)
		var first []byte
		for _, n := range nodes {
			info, err := n.Show(t.Context(), "filter", "ns", id)
			if err != nil || info.ID != id || info.Items != 1 || info.Last.IsZero() {
				t.Fatalf("%+v, %v", info, err)
			}
			var out bytes.Buffer
			if err := n.Export(t.Context(), "filter", "ns", id, &out); err != nil || first != nil && !bytes.Equal(out.Bytes(), first) {
				t.Fatalf("export: %v", err)
			}
			first = out.Bytes()
		}
		if err := nodes[i%3].Import(t.Context(), "filter", "other", id, first); err != nil {
			t.Fatal(err)
		}
		code(t, nodes[(i+1)%3].Import(t.Context(), "filter", "other", id, first), serve.Conflict)
		code(t, nodes[(i+1)%3].Forget(t.Context(), "filter", "nobody", id), serve.NotFound)
		if err := nodes[(i+2)%3].Forget(t.Context(), "filter", "other", id); err != nil {
			t.Fatal(err)
		}
		bad := request(i, 2)
		bad.Outputs = []string{"nosuch"}
		_, err := nodes[i%3].Infer(t.Context(), bad)
		code(t, err, serve.InvalidArgument)
	}
	for _, n := range nodes {
		list, err := n.List(t.Context(), "filter", "ns", "camera \xff1", 4)
		if err != nil || len(list) != 4 || list[0].ID != "camera \xff10" {
			t.Errorf("%v, %v", list, err)
		}
		model, err := n.Model("filter", "")
		if err != nil || model.Inputs[0].Name != "probs" || len(n.Models()) != 1 {
			t.Errorf("%+v, %v", model, err)
		}
		_, err = n.Model("nosuch", "")
		code(t, err, serve.NotFound)
		if s, err := n.Statistics("", ""); err != nil || len(s) != 1 {
			t.Errorf("%v, %v", s, err)
		}
		alone := request(1, 1)
		alone.Sequence = serve.Sequence{}
		if a, err := n.Infer(t.Context(), alone); err != nil || len(a.Outputs) != 1 || a.Outputs[0].Name != "adapted" {
			t.Error(a, err)
		}
	}
	code(t, gate.Load(t.Context(), "filter"), serve.Unavailable)
	large := request(1, 1)
	large.Inputs[0].Data = make([]byte, 9<<20)
	large.Inputs[0].Shape[0] = 9 << 20 / 8 / classes
	_, err := gate.Infer(t.Context(), large)
	code(t, err, serve.TooLarge)
}

func code(t *testing.T, err error, want serve.Code) {
	t.Helper()
	var told *serve.Error
	if !errors.As(err, &told) || told.Code != want {
		t.Errorf("%v: want code %d", err, want)
	}
}

// Requests of a stream that are under way at once keep their order on the way to another member.
func TestOrder(t *testing.T) {
	s := natstest.Start(t)
	a, gate := join(t, s.Connect, "a", true, 1), join(t, s.Connect, "gate", false, 1)
	waitFor(t, "members", func() bool { return a.Ready() && gate.Ready() })
	c := newClient(t, 1)
	var all sync.WaitGroup
	for item := range 200 {
		want := make([]float64, classes)
		c.filter.Step(want, prediction(1, item))
		taken := make(chan struct{})
		r := request(1, item)
		r.Taken = sync.OnceFunc(func() { close(taken) })
		all.Go(func() {
			defer r.Taken()
			out, err := gate.Infer(context.Background(), r)
			if err != nil || string(out.Outputs[0].Data) != string(floatBytes(want)) {
				t.Errorf("item %d: %v", item, err)
			}
		})
		<-taken
		if rand.IntN(50) == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	all.Wait()
}

// A member that is gone without a word: who waits for it is told, and others take its shards.
func TestGone(t *testing.T) {
	s := natstest.Start(t)
	a, b := join(t, s.Connect, "a", true, 1), join(t, s.Connect, "b", true, 1)
	waitFor(t, "members", func() bool { return a.holds() == shards/2 && b.holds() == shards/2 && b.Ready() })
	clients := make([]*client, 20)
	for i := range clients {
		clients[i] = newClient(t, i)
		clients[i].send(t, func() []*node { return []*node{a, b} })
	}
	a.nc.Close()
	for _, c := range clients {
		for range 3 {
			if !c.send(t, func() []*node { return []*node{b} }) {
				return
			}
		}
	}
	if b.holds() != shards {
		t.Errorf("b holds %d shards", b.holds())
	}
}

// Whichever member it reaches, and whoever has the stream by then: what was passed by on its way is no step, and the highest number is told.
func TestNumbers(t *testing.T) {
	s := natstest.Start(t)
	a, gate := join(t, s.Connect, "a", true, 1), join(t, s.Connect, "gate", false, 1)
	waitFor(t, "members", func() bool { return a.Ready() && gate.Ready() })
	numbered := func(stream, item int) *serve.Request {
		r := request(stream, item)
		r.Sequence.Number = uint64(item + 1)
		return r
	}
	const streams, items = 20, 30 // more than the keys that have their answers
	for stream := range streams {
		for item := range items {
			if item == 5 { // held back
				continue
			}
			if _, err := gate.Infer(t.Context(), numbered(stream, item)); err != nil {
				t.Fatal(err)
			}
		}
	}
	late := func(nodes ...*node) {
		t.Helper()
		for stream := range streams {
			_, err := nodes[stream%len(nodes)].Infer(t.Context(), numbered(stream, 5))
			code(t, err, serve.Aborted)
			var told *serve.Error
			if errors.As(err, &told) && told.Number != items {
				t.Errorf("the highest is %d, want %d", told.Number, items)
			}
			info, err := nodes[stream%len(nodes)].Show(t.Context(), "filter", "ns", fmt.Sprint("camera \xff", stream))
			if err != nil || info.Items != items-1 || info.Number != items {
				t.Errorf("%+v, %v", info, err)
			}
		}
	}
	late(a, gate)
	b := join(t, s.Connect, "b", true, 1)
	waitFor(t, "b has its part", func() bool { return b.holds() == shards/2 && a.holds() == shards/2 && gate.Ready() })
	late(a, b, gate)
	a.leave(t)
	waitFor(t, "b has all", func() bool { return b.holds() == shards && gate.Ready() })
	late(b, gate)
}
