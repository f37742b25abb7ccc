package storetest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/state"
)

// Store is what the server wants of one, as package backend says it.
type Store interface {
	Has(stream string) (bool, error)
	Filter(stream string) (*adapt.Filter, error)
	Companion(stream string) ([]byte, error)
	SetCompanion(stream string, data []byte) error
	Remove(stream string)
	Adopt(stream string, snapshot []byte) error
	Commit(state.Position) error
	Discard()
	Position() state.Position
	Load(stream string) (*adapt.Filter, error)
	Streams() ([]string, error)
	Forget(streams ...string) error
	Len() int
	Live() int
	Close() error
}

// Classes is how many classes the stores are opened for, under the settings that [Settings] gives.
const Classes = 3

// Settings are those of the filters.
func Settings(t testing.TB) adapt.Settings {
	t.Helper()
	s, err := adapt.Settings{}.Resolved(Classes)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Place is where a store keeps streams: it can be opened again once the store is closed.
type Place func(t testing.TB) Store

// Run runs the suite on stores at new places. What a store forgets when it is closed, as memory does, says so by lasting.
func Run(t *testing.T, place func(t *testing.T) Place, lasting bool) {
	for name, f := range map[string]func(t *testing.T, s *subject){
		"streams": streams, "removed": removed, "anew": anew, "discarded": discarded, "adopted": adopted, "forgotten": forgotten, "random": random, "unknown": unknown, "large": large,
	} {
		t.Run(name, func(t *testing.T) {
			s := &subject{place: place(t), lasting: lasting}
			s.Store = s.place(t)
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			f(t, s)
		})
	}
}

// subject is a store under test.
type subject struct {
	Store
	place   Place
	lasting bool
}

// again opens the store anew, where it lasts: everything is read from where it is kept.
func (s *subject) again(t *testing.T) {
	t.Helper()
	if !s.lasting {
		return
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s.Store = s.place(t)
}

// step steps a stream by a prediction that its number makes, and sets its companion.
func (s *subject) step(t *testing.T, stream string, item int, beside string) {
	t.Helper()
	f, err := s.Filter(stream)
	if err == nil {
		f.Step(make([]float64, Classes), prediction(item))
		err = s.SetCompanion(stream, []byte(beside))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (s *subject) commit(t *testing.T, position string) {
	t.Helper()
	if err := s.Commit(state.Position(position)); err != nil {
		t.Fatal(err)
	}
}

// holds compares everything that a store tells with what it should be: the items of each stream, and its companion.
func (s *subject) holds(t *testing.T, position string, want map[string][]int, beside map[string]string) {
	t.Helper()
	names, err := s.Streams()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(names) || len(names) != len(want) || s.Len() != len(want) || string(s.Position()) != position {
		t.Fatalf("streams %q, %d of them, at %q: want %d at %q", names, s.Len(), s.Position(), len(want), position)
	}
	for _, name := range names {
		items, known := want[name]
		there, err := s.Has(name)
		f, loaded := s.Load(name)
		data, kept := s.Companion(name)
		if !known || !there || err != nil || loaded != nil || kept != nil || string(data) != beside[name] {
			t.Fatalf("stream %q: known %t, there %t, %v, %v, %v, companion %q", name, known, there, err, loaded, kept, data)
		}
		if !slices.Equal(snapshot(t, f), snapshot(t, stepped(t, items))) {
			t.Errorf("stream %q is not what its %d items make", name, len(items))
		}
	}
}

func prediction(item int) []float64 {
	r := rand.New(rand.NewPCG(uint64(item), 7))
	q, sum := make([]float64, Classes), 0.0
	for k := range q {
		q[k] = 0.05 + r.Float64()
		sum += q[k]
	}
	for k := range q {
		q[k] /= sum
	}
	return q
}

func stepped(t *testing.T, items []int) *adapt.Filter {
	t.Helper()
	f, err := adapt.New(Classes, Settings(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		f.Step(make([]float64, Classes), prediction(item))
	}
	return f
}

func snapshot(t *testing.T, f *adapt.Filter) []byte {
	t.Helper()
	data, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func streams(t *testing.T, s *subject) {
	s.holds(t, "", nil, nil)
	s.step(t, "/a b", 1, "one")
	s.step(t, "ns/ü*.>", 2, "")
	if s.Len() != 0 {
		t.Error("a stream counts before it is committed")
	}
	if there, err := s.Has("/a b"); !there || err != nil {
		t.Error("a stream that is to be committed is not there", err)
	}
	s.commit(t, "here")
	want, beside := map[string][]int{"/a b": {1}, "ns/ü*.>": {2}}, map[string]string{"/a b": "one"}
	s.holds(t, "here", want, beside)
	s.again(t)
	s.holds(t, "here", want, beside)
	s.step(t, "/a b", 3, "two")
	s.commit(t, "there")
	s.again(t)
	want["/a b"], beside["/a b"] = []int{1, 3}, "two"
	s.holds(t, "there", want, beside)
	s.commit(t, "there") // of nothing
	s.holds(t, "there", want, beside)
}

func removed(t *testing.T, s *subject) {
	for i, name := range []string{"a", "b", "c"} {
		s.step(t, name, i, name)
	}
	s.commit(t, "1")
	s.Remove("b")
	s.Remove("never there")
	if there, err := s.Has("b"); there || err != nil {
		t.Error("a removed stream is there", err)
	}
	if data, err := s.Companion("b"); len(data) > 0 || err != nil {
		t.Errorf("a removed stream has a companion: %q, %v", data, err)
	}
	s.step(t, "short", 9, "")
	s.Remove("short")
	s.commit(t, "2")
	want, beside := map[string][]int{"a": {0}, "c": {2}}, map[string]string{"a": "a", "c": "c"}
	s.holds(t, "2", want, beside)
	s.again(t)
	s.holds(t, "2", want, beside)
	s.step(t, "b", 5, "")
	s.commit(t, "3")
	s.again(t)
	want["b"] = []int{5}
	s.holds(t, "3", want, beside)
}

// anew: a stream that is removed and begins again in one commit.
func anew(t *testing.T, s *subject) {
	s.step(t, "a", 1, "old")
	s.commit(t, "")
	s.Remove("a")
	s.step(t, "a", 2, "")
	s.commit(t, "")
	s.holds(t, "", map[string][]int{"a": {2}}, nil)
	s.again(t)
	s.holds(t, "", map[string][]int{"a": {2}}, nil)
}

func discarded(t *testing.T, s *subject) {
	if !s.lasting {
		t.Skip("what cannot fail need not take back")
	}
	s.step(t, "a", 1, "one")
	s.step(t, "b", 2, "two")
	s.commit(t, "1")
	s.step(t, "a", 3, "three")
	s.step(t, "c", 4, "four")
	s.Remove("b")
	s.Discard()
	want, beside := map[string][]int{"a": {1}, "b": {2}}, map[string]string{"a": "one", "b": "two"}
	s.holds(t, "1", want, beside)
	s.step(t, "a", 5, "one")
	s.commit(t, "2")
	want["a"] = []int{1, 5}
	s.again(t)
	s.holds(t, "2", want, beside)
}

func adopted(t *testing.T, s *subject) {
	if err := s.Adopt("a", snapshot(t, stepped(t, []int{1, 2, 3}))); err != nil {
		t.Fatal(err)
	}
	if err := s.SetCompanion("a", []byte("beside")); err != nil {
		t.Fatal(err)
	}
	s.commit(t, "")
	s.again(t)
	s.step(t, "a", 4, "beside")
	s.commit(t, "")
	s.again(t)
	s.holds(t, "", map[string][]int{"a": {1, 2, 3, 4}}, map[string]string{"a": "beside"})
	other, err := adapt.New(Classes+1, adapt.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Adopt("b", snapshot(t, other)); err == nil {
		t.Error("a snapshot of other classes was taken")
	}
	if err := s.Adopt("b", []byte("none")); err == nil {
		t.Error("what is no snapshot was taken")
	}
	s.Discard()
	s.holds(t, "", map[string][]int{"a": {1, 2, 3, 4}}, map[string]string{"a": "beside"})
}

func forgotten(t *testing.T, s *subject) {
	for i, name := range []string{"a", "b", "c"} {
		s.step(t, name, i, "")
	}
	s.commit(t, "1")
	if err := s.Forget("a", "nobody", "c"); err != nil {
		t.Fatal(err)
	}
	s.holds(t, "1", map[string][]int{"b": {1}}, nil)
	s.again(t)
	s.holds(t, "1", map[string][]int{"b": {1}}, nil)
	if err := s.Forget(); err != nil {
		t.Error(err)
	}
}

func unknown(t *testing.T, s *subject) {
	if _, err := s.Load("nobody"); !errors.Is(err, state.ErrUnknown) {
		t.Errorf("%v, want %v", err, state.ErrUnknown)
	}
	if data, err := s.Companion("nobody"); data != nil || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if there, err := s.Has("nobody"); there || err != nil {
		t.Errorf("%t, %v", there, err)
	}
}

// large: a companion and a position of the greatest size.
func large(t *testing.T, s *subject) {
	beside, position := string(make([]byte, state.MaxCompanion)), string(make([]byte, 256<<10))
	s.step(t, "a", 1, beside)
	s.commit(t, position)
	s.again(t)
	s.holds(t, position, map[string][]int{"a": {1}}, map[string]string{"a": beside})
}

// random does what a server may do in any order, and compares with maps.
func random(t *testing.T, s *subject) {
	r := rand.New(rand.NewPCG(11, 13))
	want, beside := map[string][]int{}, map[string]string{}
	for round := range 60 {
		next, besideNext := maps.Clone(want), maps.Clone(beside)
		for range r.IntN(12) {
			name := fmt.Sprint("ns/", r.IntN(9))
			if r.IntN(5) == 0 {
				s.Remove(name)
				delete(next, name)
				delete(besideNext, name)
				continue
			}
			item := r.IntN(1000)
			s.step(t, name, item, fmt.Sprint(item))
			next[name], besideNext[name] = append(slices.Clone(next[name]), item), fmt.Sprint(item)
		}
		if s.lasting && r.IntN(4) == 0 {
			s.Discard()
		} else {
			s.commit(t, fmt.Sprint(round))
			want, beside = next, besideNext
		}
		if r.IntN(6) == 0 {
			s.again(t)
		}
		s.holds(t, string(s.Position()), want, beside)
	}
}
