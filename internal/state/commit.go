package state

import (
	"bytes"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/state/live"
)

// Filter returns the live filter of a stream, new if the store has none, for the caller to step. It will be part of the next Commit,
// and is good until then. The error is ErrFull if as many filters as Options.Cache wait for a commit, or says what is wrong with
// the stored state.
func (s *Store) Filter(stream string) (*adapt.Filter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return nil, s.failed(stream, s.broken)
	}
	if f := s.live.Use(stream); f != nil {
		return f, nil
	}
	f, err := s.fetch(stream)
	if err != nil {
		return nil, s.failed(stream, err)
	}
	s.live.Add(stream, f)
	return f, nil
}

func (s *Store) failed(stream string, err error) error {
	return fmt.Errorf("state: %s: stream %q: %w", s.path, stream, err)
}

// fetch makes the filter of a stream that is not in memory.
func (s *Store) fetch(stream string) (*adapt.Filter, error) {
	switch {
	case s.options.Classes == 0:
		return nil, fmt.Errorf("opened without a number of classes: there are no live filters")
	case len(stream) > MaxName:
		return nil, fmt.Errorf("name of %d bytes: want at most %d", len(stream), MaxName)
	case s.live.Full():
		return nil, ErrFull
	}
	var f *adapt.Filter
	var err error
	if _, gone := s.live.Gone[stream]; !gone {
		f, err = s.load(stream)
	}
	if f == nil && err == nil {
		return adapt.New(s.options.Classes, s.options.Settings)
	}
	return f, err
}

// Waiting returns how many filters wait for a commit. A caller who commits before they are Options.Cache never sees ErrFull.
func (s *Store) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.live.Dirty)
}

// Commit writes the filters handed out since the last commit, and the position of the input up to which they were fed, in one
// transaction, and returns when they are on the disk. After an error, a full disk among them, the file is as it was and the filters
// are still live: Commit may be called again.
func (s *Store) Commit(p Position) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.commit(p); err != nil {
		return fmt.Errorf("state: %s: commit: %w", s.path, err)
	}
	s.position = append(Position{}, p...)
	s.live.Committed()
	return nil
}

// write is one stream as it will be stored.
type write struct {
	id, value, name []byte
	stream          string
	beside          []byte
	changed         bool // beside is to be written, or, if it is empty, taken away
}

func (s *Store) commit(p Position) error {
	if len(p) > MaxPosition {
		return fmt.Errorf("position of %d bytes: want at most %d", len(p), MaxPosition)
	}
	writes, err := s.writes()
	if err != nil {
		return err
	}
	position, err := s.vault.Seal("position", slices.Clone(p)) // bbolt keeps what it is given until the transaction ends
	if err != nil {
		return err
	}
	return s.change(func(tx *bbolt.Tx, c *census) error {
		to := counted(tx, c)
		if err := s.empty(tx, to); err != nil {
			return err
		}
		for _, w := range writes {
			if err := w.put(to); err != nil {
				return fmt.Errorf("stream %q: %w", w.stream, err)
			}
		}
		return tx.Bucket(bucketMeta).Put(keyPosition, position)
	})
}

// change runs f in a transaction that counts streams anew.
func (s *Store) change(f func(tx *bbolt.Tx, c *census) error) error {
	return s.guard(func() error {
		now := s.census
		err := s.db.Update(func(tx *bbolt.Tx) error {
			if err := f(tx, &now); err != nil {
				return err
			}
			return tx.Bucket(bucketMeta).Put(keyCensus, now.encode())
		})
		if err == nil {
			s.census = now
		}
		return err
	})
}

// writes encodes all that is dirty, in the order of the tree, which then grows from left to right.
func (s *Store) writes() ([]write, error) {
	out := make([]write, 0, len(s.live.Dirty))
	for stream, e := range s.live.Dirty {
		w, err := s.encode(stream, e)
		if err != nil {
			return nil, fmt.Errorf("stream %q: %w", stream, err)
		}
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b write) int { return bytes.Compare(a.id, b.id) })
	return out, nil
}

func (s *Store) encode(stream string, e *live.Entry) (w write, err error) {
	w = write{id: s.vault.ID(stream), stream: stream, changed: e.Changed}
	snapshot, err := e.Filter.MarshalBinary()
	if err != nil {
		return w, err
	}
	if e.Changed && len(e.Beside) > 0 {
		if w.beside, err = s.vault.Seal("beside "+stream, e.Beside); err != nil {
			return w, err
		}
	}
	if w.value, err = s.vault.Seal("state "+stream, snapshot); err != nil || !s.vault.Sealed() {
		return w, err
	}
	w.name, err = s.vault.Seal("name "+string(w.id), []byte(stream))
	return w, err
}

func (w write) put(to streamBuckets) error {
	if w.changed {
		if err := to.beside.set(w.id, w.beside); err != nil {
			return err
		}
	}
	if w.name != nil && to.names.Get(w.id) == nil {
		if err := to.names.set(w.id, w.name); err != nil {
			return err
		}
	}
	return to.states.set(w.id, w.value)
}

// countedBucket keeps the tally of its keys.
type countedBucket struct {
	*bbolt.Bucket
	tally *tally
}

// streamBuckets are those with a key a stream.
type streamBuckets struct{ states, names, beside countedBucket }

func counted(tx *bbolt.Tx, c *census) streamBuckets {
	of := func(name []byte) countedBucket { return countedBucket{tx.Bucket(name), c.of(name)} }
	return streamBuckets{of(bucketStates), of(bucketNames), of(bucketBeside)}
}

// set puts a value, or takes the key away if the value is nil.
func (b countedBucket) set(key, value []byte) error {
	had := b.Get(key) != nil
	switch {
	case value == nil && had:
		b.tally.remove(key)
		return b.Delete(key)
	case value == nil:
		return nil
	case !had:
		b.tally.add(key)
	}
	return b.Put(key, value)
}
