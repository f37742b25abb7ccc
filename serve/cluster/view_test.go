package cluster

import (
	"fmt"
	"testing"
	"time"
)

func worker(i int) beat {
	return beat{ID: fmt.Sprint("id", i), Name: fmt.Sprint("node", i), Worker: true}
}

func viewOf(now time.Time, beats ...beat) *view {
	v := newView(32, 5*time.Second)
	for _, b := range beats {
		v.hear(b, now)
	}
	return v
}

// Shards are spread evenly, alike at every member, and few move when one comes or goes.
func TestTargets(t *testing.T) {
	now := time.Unix(0, 0)
	var before []string
	for n := 1; n <= 8; n++ {
		var beats []beat
		for i := range n {
			beats = append(beats, worker(i))
		}
		targets, load := viewOf(now, beats...).targets(), map[string]int{}
		for _, id := range targets {
			load[id]++
		}
		for id, shards := range load {
			if shards > (32+n-1)/n {
				t.Errorf("%d of %d members: %s has %d shards", len(load), n, id, shards)
			}
		}
		moved := 0
		for shard := range before {
			if before[shard] != targets[shard] {
				moved++
			}
		}
		if before != nil && moved > 2*32/n+2 {
			t.Errorf("%d shards move when there are %d members", moved, n)
		}
		before = targets
	}
	if got := viewOf(now, beat{ID: "g", Name: "gateway"}).targets()[0]; got != "" {
		t.Errorf("a gateway should hold a shard: %q", got)
	}
}

func TestView(t *testing.T) {
	now := time.Unix(100, 0)
	a, b := worker(1), worker(2)
	a.Holds = []int{0, 1}
	v := viewOf(now, a, b)
	if v.hear(b, now) {
		t.Error("the same beat again was news")
	}
	b.Holds = []int{1, 2}
	if !v.hear(b, now.Add(4*time.Second)) {
		t.Error("another shard was no news")
	}
	if v.holder(0) != a.ID || v.holder(2) != b.ID || v.holder(3) != "" || v.complete() {
		t.Error(v.holder(0), v.holder(2), v.holder(3))
	}
	if gone := v.bury(now.Add(6 * time.Second)); len(gone) != 1 || gone[0] != a.ID || v.holder(0) != "" || v.holder(1) != b.ID {
		t.Errorf("%v are gone", gone)
	}
	b.Leaving = true
	v.hear(b, now.Add(6*time.Second))
	if len(v.workers()) != 0 || v.targets()[0] != "" {
		t.Error("who leaves should hold a shard")
	}
}
