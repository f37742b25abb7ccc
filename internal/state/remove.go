package state

import (
	"fmt"
	"maps"
	"slices"

	"go.etcd.io/bbolt"
)

// Remove takes a stream away by the next Commit: Filter gives a new one from here on, and the file has none after the Commit. Where it lay,
// traces may stay until the next Forget, which may be one of no stream at all, or the next Open. A stream that the store does not have is no error.
func (s *Store) Remove(stream string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live.Remove(stream)
}

// Discard makes the store what it was after the last commit: filters handed out since, and removals, are as if they had not been.
func (s *Store) Discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live.Discard()
}

// Len returns how many streams were committed.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(s.census.states.n)
}

// Live returns how many filters are in memory.
func (s *Store) Live() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live.Len()
}

// Has tells whether Filter would give a filter that has been there before.
func (s *Store) Has(stream string) (there bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live.Get(stream) != nil {
		return true, nil
	}
	if _, gone := s.live.Gone[stream]; gone {
		return false, nil
	}
	err = s.guard(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			there = tx.Bucket(bucketStates).Get(s.vault.ID(stream)) != nil
			return nil
		})
	})
	if err != nil {
		err = s.failed(stream, err)
	}
	return there, err
}

// Adopt makes a stream of a snapshot of package adapt, which must be of the store's settings and classes; it is part of the next Commit.
// What the store has of the stream is replaced.
func (s *Store) Adopt(stream string, snapshot []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.adopt(stream, snapshot); err != nil {
		return s.failed(stream, err)
	}
	return nil
}

func (s *Store) adopt(stream string, snapshot []byte) error {
	f, err := s.restore(snapshot)
	switch {
	case err != nil:
		return err
	case s.broken != nil:
		return s.broken
	case len(stream) > MaxName:
		return fmt.Errorf("name of %d bytes: want at most %d", len(stream), MaxName)
	}
	s.live.Remove(stream)
	if s.live.Full() {
		return ErrFull
	}
	s.live.Add(stream, f)
	return nil
}

// empty takes the streams out of the tree that are to go, and notes that their traces are still there.
func (s *Store) empty(tx *bbolt.Tx, from streamBuckets) error {
	if len(s.live.Gone) == 0 {
		return nil
	}
	for _, stream := range slices.Sorted(maps.Keys(s.live.Gone)) {
		if s.live.Dirty[stream] != nil {
			continue
		}
		if err := from.take(s.vault.ID(stream)); err != nil {
			return fmt.Errorf("stream %q: %w", stream, err)
		}
	}
	return tx.Bucket(bucketMeta).Put(keyScrub, []byte{1})
}

// take removes a stream.
func (b streamBuckets) take(id []byte) error {
	for _, bucket := range []countedBucket{b.states, b.names, b.beside} {
		if err := bucket.set(id, nil); err != nil {
			return err
		}
	}
	return nil
}
