package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/pipeline"
)

// collection is an input of some streams of windows [1, 4] with one file that cannot be listed.
type collection struct {
	inputs.Input // what the reading does not ask for
	items        []pipeline.Item
	labels       []string
	spoil        func(dst []float32, i int) error
}

func newCollection(streams, each int) *collection {
	l := &collection{spoil: func([]float32, int) error { return nil }}
	for s := range streams {
		for k := range each {
			l.items = append(l.items, pipeline.Item{Name: fmt.Sprintf("s%d#%d", s, k), Stream: fmt.Sprint("s", s), Offset: float64(k) / 5})
			l.labels = append(l.labels, []string{"a", "b", "", "c"}[k%4])
		}
	}
	l.items = append(l.items, pipeline.Item{Name: "broken.csv"})
	l.labels = append(l.labels, "")
	return l
}

func (l *collection) Noun() string                  { return "window" }
func (l *collection) Items() []pipeline.Item        { return l.items }
func (l *collection) Label(i int) string            { return l.labels[i] }
func (l *collection) Unread() (string, string, int) { return "broken.csv", "it is broken", 1 }
func (l *collection) Shape() []int64                { return []int64{1, 4} }

func (l *collection) Loader(inputs.Views, int) (pipeline.Loader, error) {
	return func(dst []float32, i int, _ uint64) error {
		if i == len(l.items)-1 {
			return errors.New("it is broken")
		}
		for k := range dst {
			dst[k] = float32(100*i + k)
		}
		return l.spoil(dst, i)
	}, nil
}

func reading() Reading {
	return Reading{
		Noun: "window", Labels: []string{"a", "b"}, Group: func(stream string) string { return "of " + stream },
		Class: func(label string) int { return slices.Index([]string{"a", "b"}, label) },
	}
}

// What cannot be read is told, is in its stream without a class, and is never asked for again.
func TestReadWindowsWithBadItems(t *testing.T) {
	in := newCollection(3, 8)
	in.spoil = func(dst []float32, i int) error {
		switch i {
		case 1:
			return errors.New("torn")
		case 9:
			dst[2] = float32(math.NaN())
		}
		return nil
	}
	d, w, err := ReadWindows(context.Background(), in, 50, reading())
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Items) != 24 || d.Free != 6 || d.Other != 6 || fmt.Sprint(d.Bad) != "[{broken.csv it is broken} {s0#1 torn} {s1#1 holds a value that is no finite number}]" {
		t.Errorf("%d items, %d free, %d other, bad %v", len(d.Items), d.Free, d.Other, d.Bad)
	}
	if d.Items[1].Class != -1 || d.Items[9].Class != -1 || d.Items[17].Class != 1 || d.Items[17].Group != "of s2" {
		t.Errorf("%+v", d.Items)
	}
	if counts := d.Counts(d.Of(d.Groups())); !slices.Equal(counts, []int{6, 4}) {
		t.Errorf("%v", counts)
	}
	if x := floats(t, w, []int{17}, nil); x[0] != 1700 || x[3] != 1703 {
		t.Errorf("%v", x)
	}
	if _, err := w.Batch([]int{9}, nil); err == nil || !strings.Contains(err.Error(), "is not held") {
		t.Error(err)
	}
}

func TestReadStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := ReadWindows(ctx, newCollection(2, 2), 50, reading()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestReadTokens(t *testing.T) {
	in := newCollection(1, 4)
	in.spoil = func(dst []float32, i int) error {
		copy(dst, []float32{7, float32(30 + i), -1, -1})
		return nil
	}
	d, tokens, err := ReadTokens(context.Background(), in, 0, TokenInputs{Mask: true}, reading())
	if err != nil || len(d.Bad) != 1 || !slices.Equal(tokens.ids[2], []int32{7, 32}) || tokens.Vocabulary(10) != 34 || tokens.Vocabulary(50) != 50 {
		t.Errorf("%+v, %v, %v", d, tokens, err)
	}
}
