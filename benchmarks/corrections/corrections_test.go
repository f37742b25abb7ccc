package corrections

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
)

// noisy draws a stream of labels that stay, and predictions that are right six times of ten.
func noisy(seed uint64) *benchmarks.Stream {
	rng := rand.New(rand.NewPCG(seed, 9))
	s := &benchmarks.Stream{Name: "s"}
	for t := range 400 {
		y, q := t/20%4, []float64{.15, .15, .15, .15}
		s.Truth = append(s.Truth, y)
		if rng.Float64() > .6 {
			y = rng.IntN(4)
		}
		q[y] = .55
		s.Q = append(s.Q, q)
	}
	return s
}

// Where order is strong, corrections help the rest, and a mistake costs something; where there is none, neither reaches other items much.
func TestCorrectionsReachTheRest(t *testing.T) {
	s := Settings{Percent: []float64{5}, Seeds: 1}
	for _, m := range methods() {
		var o outcome
		for seed := range uint64(5) {
			one, err := s.run(draw{noisy(seed), seed, 4}, m)
			if err != nil {
				t.Fatal(err)
			}
			for _, pair := range [][2]*tally{{&o.whole, &one.whole}, {&o.mistake, &one.mistake}, {&o.mistakeShuffled, &one.mistakeShuffled}} {
				pair[0].add(*pair[1])
			}
			o.random, o.shuffled = append(o.random, one.random...), append(o.shuffled, one.shuffled...)
		}
		var random, shuffled tally
		for i := range o.random {
			random.add(o.random[i])
			shuffled.add(o.shuffled[i])
		}
		if random.points() <= 0 || shuffled.points() < -0.5 || random.items != 5*380 {
			t.Errorf("%s: %+.2f points in order, %+.2f shuffled, of %d items", m.name, random.points(), shuffled.points(), random.items)
		}
		if lost := o.mistake.before - o.mistake.after; lost < -5 || lost > 30 {
			t.Errorf("%s: five mistakes cost %d items", m.name, lost)
		}
	}
}

func TestCorrected(t *testing.T) {
	d := draw{noisy(1), 3, 4}
	count := 0
	for i, k := range d.corrected(5, []int{4, 5, 6, 7}) {
		if k != adapt.Unknown {
			count++
		}
		if k != adapt.Unknown && (k != d.stream.Truth[i] || i < 4 || i > 7) {
			t.Errorf("item %d is %d", i, k)
		}
	}
	if count != 4 {
		t.Errorf("%d items corrected", count)
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	s := Settings{Percent: Shares(), Seeds: 2}
	table, err := s.table(&benchmarks.Collection{Name: "made", Classes: 4, Streams: []*benchmarks.Stream{noisy(1), noisy(2)}})
	if err == nil {
		err = table.WriteMarkdown(&out)
	}
	if text := out.String(); err != nil || len(table.Rows) != 2+len(s.Percent) || !strings.Contains(text, "0.5 %") || !strings.Contains(text, "one mistake") {
		t.Error(err, text)
	}
}
