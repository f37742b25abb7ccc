package state

import (
	"bytes"
	"errors"
	"testing"
)

func TestRemoveWithTheNextCommit(t *testing.T) {
	for _, key := range [][]byte{nil, testKey} {
		path, o := temporary(t), testOptions()
		o.Key = key
		s := mustOpen(t, path, o)
		for i, name := range []string{"ends", "anew", "stays"} {
			mustStep(t, s, name, i)
			mustAccompany(t, s, name, "beside "+name)
		}
		mustCommit(t, s, "1")
		gone, err := s.Load("ends")
		traces := marks(t, gone)
		if err != nil || s.Len() != 3 {
			t.Fatal(s.Len(), err)
		}

		s.Remove("ends")
		s.Remove("anew")
		s.Remove("was never there")
		if there, err := s.Has("ends"); there || err != nil {
			t.Error("removed, and still there", err)
		}
		mustStep(t, s, "anew", 7)
		if data, err := s.Companion("anew"); data != nil || err != nil {
			t.Errorf("companion of a stream that begins anew: %q, %v", data, err)
		}
		if s.Len() != 3 {
			t.Errorf("%d streams before the commit", s.Len())
		}
		mustCommit(t, s, "2")
		if _, err := s.Load("ends"); !errors.Is(err, ErrUnknown) || s.Len() != 2 {
			t.Errorf("after the commit: %v, %d streams", err, s.Len())
		}
		mustClose(t, s)

		s = mustOpen(t, path, o) // which counts streams, and finishes
		if f, err := s.Load("anew"); err != nil || f.Steps() != 1 {
			t.Errorf("the stream that began anew: %v", err)
		}
		if data, err := s.Companion("stays"); string(data) != "beside stays" || err != nil {
			t.Errorf("companion %q, %v", data, err)
		}
		if data, err := s.Companion("anew"); data != nil || err != nil {
			t.Errorf("companion %q, %v", data, err)
		}
		mustClose(t, s)
		if left := contains(t, path, append(traces, []byte("beside ends"))...); len(left) > 0 {
			t.Errorf("traces after the next Open: %v", left)
		}
	}
}

func TestDiscardIsTheLastCommit(t *testing.T) {
	s := mustOpen(t, temporary(t), testOptions())
	mustStep(t, s, "old", 1)
	mustAccompany(t, s, "old", "one")
	mustCommit(t, s, "1")
	f, err := s.Load("old")
	before := snapshot(t, f, err)

	mustStep(t, s, "old", 2)
	mustAccompany(t, s, "old", "two")
	mustStep(t, s, "new", 3)
	s.Remove("old")
	s.Discard()
	if s.Waiting() != 0 || s.Len() != 1 || s.Live() != 0 {
		t.Errorf("%d waiting, %d streams, %d live", s.Waiting(), s.Len(), s.Live())
	}
	if there, err := s.Has("new"); there || err != nil {
		t.Error("a stream that was never committed is there", err)
	}
	if data, err := s.Companion("old"); string(data) != "one" || err != nil {
		t.Errorf("companion %q, %v", data, err)
	}
	f, err = s.Filter("old")
	if !bytes.Equal(snapshot(t, f, err), before) {
		t.Error("the filter is not that of the last commit")
	}
}

func TestAdopt(t *testing.T) {
	s := mustOpen(t, temporary(t), testOptions())
	mustStep(t, s, "from", 1)
	mustAccompany(t, s, "from", "beside")
	f, err := s.Filter("from")
	data := snapshot(t, f, err)
	mustCommit(t, s, "1")
	if err := s.Adopt("to", data); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, s, "2")
	f, err = s.Load("to")
	if !bytes.Equal(snapshot(t, f, err), data) {
		t.Error("another state than was adopted")
	}
	fails(t, "cut snapshot", s.Adopt("to", data[:len(data)-9]), "")
	other := mustOpen(t, temporary(t), Options{Classes: classes + 1})
	fails(t, "snapshot of other classes", other.Adopt("to", data), "classes")
}
