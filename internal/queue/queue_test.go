package queue

import (
	"math/rand/v2"
	"testing"
)

func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var q Queue[int]
	var want []int
	for i := range 10_000 {
		if r.IntN(100) < 48 && len(want) > 0 {
			first := *q.First()
			if got := q.Pop(); got != want[0] || first != got {
				t.Fatalf("%d and %d, want %d", first, got, want[0])
			}
			want = want[1:]
		} else {
			q.Push(i)
			want = append(want, i)
		}
		if q.Len() != len(want) {
			t.Fatalf("%d wait, want %d", q.Len(), len(want))
		}
	}
}
