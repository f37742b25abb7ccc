package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"go.etcd.io/bbolt"
)

func companion(t testing.TB, s *Store, stream string) string {
	t.Helper()
	c, err := s.Companion(stream)
	if err != nil {
		t.Fatal(err)
	}
	return string(c)
}

// A companion is committed with its filter or not at all, is there for as long as nobody takes it away, and leaves memory and comes back.
func TestCompanions(t *testing.T) {
	for _, key := range [][]byte{nil, testKey} {
		path, o := temporary(t), Options{Classes: classes, Key: key, Cache: 2}
		s := mustOpen(t, path, o)
		expect := func(stream, want string) {
			t.Helper()
			if got := companion(t, s, stream); got != want {
				t.Errorf("companion of %s: %q, want %q", stream, got, want)
			}
		}
		expect("a", "")
		mustStep(t, s, "a", 1)
		expect("a", "")
		data := []byte("one")
		if err := s.SetCompanion("a", data); err != nil {
			t.Fatal(err)
		}
		data[0] = 'X' // the caller's
		expect("a", "one")
		mustCommit(t, s, "1")
		for i, name := range []string{"b", "c", "d"} { // a leaves memory
			mustStep(t, s, name, i)
			mustAccompany(t, s, name, name)
			mustCommit(t, s, "2")
		}
		expect("a", "one")
		mustStep(t, s, "a", 2) // and comes back, its companion untouched
		expect("a", "one")
		mustCommit(t, s, "3")
		expect("a", "one")
		mustStep(t, s, "a", 3)
		mustAccompany(t, s, "a", "two")
		mustStep(t, s, "b", 3)
		mustAccompany(t, s, "b", "")
		expect("b", "")
		mustClose(t, s) // without a commit
		s = mustOpen(t, path, o)
		expect("a", "one")
		expect("b", "b")
		mustStep(t, s, "b", 3)
		mustAccompany(t, s, "b", "")
		mustCommit(t, s, "4")
		mustClose(t, s)
		s = mustOpen(t, path, o)
		expect("b", "")
		expect("c", "c")
		got, _ := s.Companion("c")
		got[0] = 'X' // the caller's, too
		expect("c", "c")
	}
}

func TestCompanionsRefused(t *testing.T) {
	s := mustOpen(t, temporary(t), testOptions())
	fails(t, "no filter", s.SetCompanion("a", []byte("x")), "does not wait for a commit")
	mustStep(t, s, "a", 1)
	fails(t, "too long", s.SetCompanion("a", make([]byte, MaxCompanion+1)), "companion of 65537 bytes")
	mustAccompany(t, s, "a", string(bytes.Repeat([]byte{'x'}, MaxCompanion)))
	mustCommit(t, s, "")
	fails(t, "after the commit", s.SetCompanion("a", []byte("x")), "does not wait for a commit")
	mustClose(t, s)
	_, err := s.Companion("b")
	fails(t, "closed", err, "closed")
	fails(t, "closed", s.SetCompanion("a", nil), "closed")
}

// A sealed companion that is put in the place of another's is refused.
func TestSwappedCompanions(t *testing.T) {
	s := mustOpen(t, temporary(t), Options{Classes: classes, Key: testKey})
	for i, name := range []string{"a", "b"} {
		mustStep(t, s, name, i)
		mustAccompany(t, s, name, name)
	}
	mustCommit(t, s, "")
	err := s.db.Update(func(tx *bbolt.Tx) error {
		beside := tx.Bucket(bucketBeside)
		return beside.Put(s.vault.ID("a"), bytes.Clone(beside.Get(s.vault.ID("b"))))
	})
	if err != nil {
		t.Fatal(err)
	}
	s.live.Drop("a")
	_, err = s.Companion("a")
	fails(t, "swapped", err, "another key or for a stream other than")
}

// A file of version 1 opens as ever, and can have companions from then on.
func TestFilesWithoutCompanions(t *testing.T) {
	path := edited(t, func(tx *bbolt.Tx) error {
		if err := tx.DeleteBucket(bucketBeside); err != nil {
			return err
		}
		if err := errors.Join(tx.Bucket(bucketMeta).Delete(keyCensus), tx.Bucket(bucketMeta).Put(keyPosition, nil)); err != nil {
			return err
		}
		return tx.Bucket(bucketMeta).Put(keySchema, binary.LittleEndian.AppendUint32(nil, 1))
	})
	s := mustOpen(t, path, testOptions())
	if f, err := s.Load("a"); err != nil || f.Steps() != 1 || companion(t, s, "a") != "" {
		t.Fatalf("%v, %v, companion %q", f, err, companion(t, s, "a"))
	}
	mustStep(t, s, "a", 2)
	mustAccompany(t, s, "a", "from now on")
	mustCommit(t, s, fmt.Sprint(2))
	mustClose(t, s)
	if got := companion(t, mustOpen(t, path, testOptions()), "a"); got != "from now on" {
		t.Errorf("companion %q", got)
	}
}
