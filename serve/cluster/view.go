package cluster

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"time"
)

// beat is what a member tells of itself.
type beat struct {
	ID      string `json:"id"`             // of the process
	Name    string `json:"name"`           // for people, and to have the same shards after a restart
	Worker  bool   `json:"worker"`         // it may hold shards
	Leaving bool   `json:"leaving"`        // and soon will hold none
	Holds   []int  `json:"holds,omitzero"` // shards
}

// view is who is there, as one member sees it. It has no clock and no goroutine: what time it is comes with each call.
type view struct {
	shards int
	dead   time.Duration // after which a member that is not heard is gone
	seen   map[string]*sighting
}

type sighting struct {
	beat
	at time.Time
}

func newView(shards int, dead time.Duration) *view {
	return &view{shards: shards, dead: dead, seen: map[string]*sighting{}}
}

// hear takes a beat, and tells whether it says anything new.
func (v *view) hear(b beat, now time.Time) (news bool) {
	was := v.seen[b.ID]
	v.seen[b.ID] = &sighting{b, now}
	return was == nil || was.Leaving != b.Leaving || !slices.Equal(was.Holds, b.Holds)
}

// bury drops members that were not heard for too long, and returns them.
func (v *view) bury(now time.Time) (gone []string) {
	for id, s := range v.seen {
		if now.Sub(s.at) > v.dead {
			delete(v.seen, id)
			gone = append(gone, id)
		}
	}
	return gone
}

// holder returns the member that says it holds a shard; of several, the one that should. It is empty if there is none.
func (v *view) holder(shard int) (id string) {
	for _, s := range v.seen {
		if slices.Contains(s.Holds, shard) && (id == "" || score(s.beat, shard) > score(v.seen[id].beat, shard)) {
			id = s.ID
		}
	}
	return id
}

// complete tells whether every shard has a holder.
func (v *view) complete() bool { return v.covered() == v.shards }

// covered counts the shards that have a holder.
func (v *view) covered() int {
	held := map[int]bool{}
	for _, s := range v.seen {
		for _, shard := range s.Holds {
			held[shard] = true
		}
	}
	return len(held)
}

// workers are those that may hold shards.
func (v *view) workers() (out []beat) {
	for _, s := range v.seen {
		if s.Worker && !s.Leaving {
			out = append(out, s.beat)
		}
	}
	slices.SortFunc(out, func(a, b beat) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return out
}

// targets returns who should hold each shard: the member of the highest score that has not its part of them yet (rendezvous hashing with bounded loads),
// so that few move when a member comes or goes, and none has more than one more than another. They are empty if there are no workers.
func (v *view) targets() []string {
	workers := v.workers()
	out := make([]string, v.shards)
	if len(workers) == 0 {
		return out
	}
	load, most := map[string]int{}, (v.shards+len(workers)-1)/len(workers)
	for shard := range out {
		best := -1
		for i, w := range workers {
			if load[w.ID] < most && (best < 0 || score(w, shard) > score(workers[best], shard)) {
				best = i
			}
		}
		out[shard] = workers[best].ID
		load[out[shard]]++
	}
	return out
}

func score(b beat, shard int) uint64 {
	h := fnv.New64a()
	h.Write([]byte(b.Name + "/" + strconv.Itoa(shard)))
	x := h.Sum64() // whose high bits hardly know the last bytes: mixed as in splitmix64
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
