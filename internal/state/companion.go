package state

import (
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"
)

// MaxCompanion is the greatest length of a companion, in bytes.
const MaxCompanion = 1 << 16

// Companion returns what was last set to be kept beside the filter of a stream, whether it was committed yet or not; nil if there is
// nothing. The slice is the caller's.
func (s *Store) Companion(stream string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.live.Get(stream)
	if e != nil && e.Known {
		return slices.Clone(e.Beside), nil
	}
	if _, gone := s.live.Gone[stream]; gone {
		return nil, nil
	}
	data, err := s.loadCompanion(stream)
	if err != nil {
		return nil, s.failed(stream, err)
	}
	if e != nil {
		e.Beside, e.Known = data, true
	}
	return slices.Clone(data), nil
}

// SetCompanion sets what is kept beside the filter of a stream, at most MaxCompanion bytes that the store does not read: what else the
// reader of the stream must know to go on, such as when its last items came. It is written with the filter by the next Commit, sealed as
// the filter is, and forgotten with it. The filter must be one that Filter gave since the last commit. Nothing, an empty slice, takes the
// companion away. The data are not retained.
func (s *Store) SetCompanion(stream string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.live.Dirty[stream]
	switch {
	case s.broken != nil:
		return s.failed(stream, s.broken)
	case len(data) > MaxCompanion:
		return s.failed(stream, fmt.Errorf("companion of %d bytes: want at most %d", len(data), MaxCompanion))
	case e == nil:
		return s.failed(stream, errors.New("companion of a filter that does not wait for a commit"))
	}
	e.Beside, e.Known, e.Changed = append(e.Beside[:0], data...), true, true
	return nil
}

// loadCompanion returns nil, nil if the file has none for the stream.
func (s *Store) loadCompanion(stream string) ([]byte, error) {
	var data []byte
	err := s.guard(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			data = slices.Clone(tx.Bucket(bucketBeside).Get(s.vault.ID(stream)))
			return nil
		})
	})
	if err != nil || data == nil {
		return nil, err
	}
	return s.vault.Open("beside "+stream, data)
}
