package state

import (
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/oatta/oatta/adapt"
)

// Load returns the filter of a stream as it was last committed, a copy. The error is ErrUnknown if there is none.
func (s *Store) Load(stream string) (*adapt.Filter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.load(stream)
	if f == nil && err == nil {
		err = ErrUnknown
	}
	if err != nil {
		return nil, s.failed(stream, err)
	}
	return f, nil
}

// load returns nil, nil if the file has no such stream.
func (s *Store) load(stream string) (*adapt.Filter, error) {
	var data []byte
	err := s.guard(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			data = slices.Clone(tx.Bucket(bucketStates).Get(s.vault.ID(stream)))
			return nil
		})
	})
	if err != nil || data == nil {
		return nil, err
	}
	return s.decode(stream, data)
}

// decode opens and restores a state.
func (s *Store) decode(stream string, data []byte) (*adapt.Filter, error) {
	snapshot, err := s.vault.Open("state "+stream, data)
	if err != nil {
		return nil, err
	}
	return s.restore(snapshot)
}

// restore makes a filter of a snapshot, and holds it to the settings.
func (s *Store) restore(snapshot []byte) (*adapt.Filter, error) {
	f, err := adapt.Restore(snapshot)
	if err != nil || s.options.Classes == 0 {
		return f, err
	}
	return f, matches(f, s.options.Classes, s.options.Settings)
}

// Streams returns the names of all streams that were committed, in their order; a stream that is new since the last commit is not
// among them.
func (s *Store) Streams() ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	err := s.guard(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			names := tx.Bucket(bucketNames)
			return tx.Bucket(bucketStates).ForEach(func(id, _ []byte) error {
				name, err := s.vault.Name(id, names.Get(id))
				out = append(out, name)
				return err
			})
		})
	})
	if err != nil {
		return nil, fmt.Errorf("state: %s: %w", s.path, err)
	}
	slices.Sort(out)
	return out, nil
}

// Forget removes streams from memory and from the file, with every trace of their names and of any state or companion that they had: where old
// versions of pages lie, the file is overwritten with zeros. What the disk or a copying file system keeps beneath the file is out of
// its reach; sealed, such remains are of no use without the key. A stream that the store does not have is no error. The time is that
// of reading the unused part of the file, so forget many streams in one call.
//
// The position stays. Input behind the last commit that is fed again after a crash starts a forgotten stream anew.
func (s *Store) Forget(streams ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stream := range streams {
		s.live.Drop(stream)
	}
	err := s.change(func(tx *bbolt.Tx, c *census) error { return s.remove(tx, c, streams) })
	if err == nil {
		err = s.guard(s.finishForgetting)
	}
	if err != nil {
		return fmt.Errorf("state: %s: forget: %w", s.path, err)
	}
	return nil
}

// remove takes streams out of the tree and notes, in the same transaction, that their traces are still to go: a process that is
// killed between the two leaves the rest to the next Open.
func (s *Store) remove(tx *bbolt.Tx, c *census, streams []string) error {
	from := counted(tx, c)
	for _, stream := range streams {
		if err := from.take(s.vault.ID(stream)); err != nil {
			return fmt.Errorf("stream %q: %w", stream, err)
		}
	}
	return tx.Bucket(bucketMeta).Put(keyScrub, []byte{1})
}
