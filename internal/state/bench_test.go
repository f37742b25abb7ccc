package state

import (
	"fmt"
	"testing"

	"github.com/oatta/oatta/adapt"
)

// BenchmarkCommit steps so many streams of ten classes and commits them, each commit synced to the disk, in a file of 2000 streams.
func BenchmarkCommit(b *testing.B) {
	for _, key := range [][]byte{nil, testKey} {
		for _, dirty := range []int{1, 100, 1000} {
			b.Run(fmt.Sprintf("sealed=%t/dirty=%d", key != nil, dirty), func(b *testing.B) {
				const streams = 2000
				s := mustOpen(b, temporary(b), Options{Classes: 10, Key: key, Cache: streams})
				q, dst := make([]float64, 10), make([]float64, 10)
				for k := range q {
					q[k] = 0.1
				}
				next := 0
				step := func(n int) {
					for range n {
						f, err := s.Filter(fmt.Sprint(next % streams))
						if err != nil {
							b.Fatal(err)
						}
						f.Step(dst, q)
						next += 7 // apart in the tree
					}
					mustCommit(b, s, fmt.Sprint(next))
				}
				for range 4 {
					step(streams / 2)
				}
				b.ReportAllocs()
				for b.Loop() {
					step(dirty)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
			})
		}
	}
}

// BenchmarkFilter asks for streams in turn, of which one in a hundred is in memory: what a stream costs that is not.
func BenchmarkFilter(b *testing.B) {
	for _, key := range [][]byte{nil, testKey} {
		b.Run(fmt.Sprintf("sealed=%t", key != nil), func(b *testing.B) {
			const streams = 2000
			s := mustOpen(b, temporary(b), Options{Classes: 10, Key: key, Cache: streams})
			for i := range streams {
				if _, err := s.Filter(fmt.Sprint(i)); err != nil {
					b.Fatal(err)
				}
			}
			mustCommit(b, s, "")
			s.live.Limit = 20
			for s.live.Len() > 20 {
				s.live.Drop(s.live.Oldest())
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := s.Filter(fmt.Sprint(i % streams)); err != nil {
					b.Fatal(err)
				}
				s.live.Committed() // nothing is written: the cost is that of fetching
			}
		})
	}
}

// BenchmarkMemory tells what a live filter takes, beside the length of its snapshot.
func BenchmarkMemory(b *testing.B) {
	for _, classes := range []int{2, 10, 100} {
		b.Run(fmt.Sprintf("K=%d", classes), func(b *testing.B) {
			b.ReportAllocs() // B/op is the answer
			var f *adapt.Filter
			for b.Loop() {
				var err error
				if f, err = adapt.New(classes, adapt.Settings{}); err != nil {
					b.Fatal(err)
				}
			}
			data, err := f.MarshalBinary()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(data)), "snapshot-bytes")
		})
	}
}
