package pipeline

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Every item is dealt once, in the order of its stream, each stream to one lane, and no more is held than allowed.
func TestPlan(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		var items []Item
		for s := range 1 + r.IntN(12) {
			for range 1 + r.IntN(1+r.IntN(40)) {
				items = append(items, Item{Stream: fmt.Sprint(s)})
			}
		}
		p := plan{items: items, lanes: make([]laneState, 1+r.IntN(6)), limit: 1 + r.IntN(30)}
		done, lane, last, written := make([]bool, len(items)), map[string]int{}, map[string]int{}, 0
		dealt := 0
		for slots := p.nextRound(nil); len(slots) > 0; slots = p.nextRound(nil) {
			advanced := false
			for _, s := range slots {
				stream := items[s.item].Stream
				_, known := lane[stream]
				if done[s.item] || known && (lane[stream] != s.lane || last[stream] != s.item-1) || known == s.begin {
					t.Fatalf("item %d of stream %s: %+v", s.item, stream, s)
				}
				done[s.item], lane[stream], last[stream] = true, s.lane, s.item
				advanced = advanced || s.item == written
				dealt++
			}
			for written < len(items) && done[written] {
				written++
			}
			if held := dealt - written; held > p.limit || !advanced {
				t.Fatalf("%d held of %d, the oldest stream advanced: %v", held, p.limit, advanced)
			}
		}
		if written != len(items) {
			t.Fatalf("%d of %d items", written, len(items))
		}
	}
}

// One long stream beside many short ones holds what it may, all the while in lockstep.
func TestHeldMemoryIsBounded(t *testing.T) {
	items := make([]Item, 0, 20000)
	for range 10000 {
		items = append(items, Item{Stream: "long"})
	}
	for i := range 10000 {
		items = append(items, Item{Stream: fmt.Sprint(i / 10)})
	}
	p := plan{items: items, lanes: make([]laneState, 4), limit: 500}
	q := sequence{of: make([]*segment, 4)}
	most := 0
	for slots := p.nextRound(nil); len(slots) > 0; slots = p.nextRound(slots[:0]) {
		for _, s := range slots {
			q.add(s, outcome{})
		}
		q.drain(nil, len(items))
		held := 0
		for _, s := range q.segments {
			held += len(s.outcomes)
		}
		most = max(most, held)
	}
	if most != 500 || q.next != len(items) {
		t.Errorf("%d outcomes held, want 500; %d items written", most, q.next)
	}
}

func TestRing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		n := 1 + r.IntN(8)
		m := ring{rows: 3*n + r.IntN(5)}
		owner := make([]int, m.rows)
		type piece struct{ at, n, used, id int }
		var taken []piece
		for id := 1; id < 200; id++ {
			want := 1 + r.IntN(n)
			at, used, ok := m.take(want)
			for ; !ok; at, used, ok = m.take(want) {
				if len(taken) == 0 {
					t.Fatalf("%d rows do not fit into %d that are free", want, m.rows)
				}
				p := taken[0]
				taken = taken[1:]
				for i := range p.n {
					if owner[p.at+i] != p.id {
						t.Fatal("a row was given away twice")
					}
				}
				m.used -= p.used
			}
			for i := range want {
				owner[at+i] = id
			}
			taken = append(taken, piece{at, want, used, id})
		}
	}
}

// Rounds are full while there are streams for all lanes, and what a long stream has alone counts as one.
func TestMeanRows(t *testing.T) {
	for _, c := range []struct {
		lengths        []int
		lanes, classes int
		want           int
	}{
		{nil, 4, 10, 0},
		{[]int{9}, 4, 10, 1},
		{[]int{9, 9, 9}, 4, 10, 3},
		{[]int{9, 9, 9, 9, 9, 9, 9, 9}, 4, 10, 4},
		{[]int{9, 9, 9, 9, 9}, 4, 10, 3}, // nine rounds of four, nine of one
		{[]int{90, 1, 1, 1}, 4, 10, 1},
		{[]int{30, 30}, 1, 10, 1},
		{[]int{1000, 500}, 2, 10, 2},
		{[]int{1000, 500}, 2, 1 << 24, 1}, // outcomes so large that few of the second stream may wait for the first
	} {
		var items []Item
		for s, n := range c.lengths {
			for range n {
				items = append(items, Item{Stream: fmt.Sprint(s)})
			}
		}
		if got := MeanRows(items, c.lanes, c.classes); got != c.want {
			t.Errorf("%v in %d lanes: %d, want %d", c.lengths, c.lanes, got, c.want)
		}
	}
}
