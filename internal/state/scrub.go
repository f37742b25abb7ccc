package state

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.etcd.io/bbolt"
)

// bbolt copies pages on write: what is deleted or replaced lies on in pages that are free now, until they happen to be used again.
// And a process killed in a commit leaves pages behind the end of the tree. Both are overwritten here.

// finishForgetting scrubs if a removal asks for it, then takes the note away.
func (s *Store) finishForgetting() error {
	due := false
	err := s.db.View(func(tx *bbolt.Tx) error {
		due = tx.Bucket(bucketMeta).Get(keyScrub) != nil
		if !due {
			return nil
		}
		return s.scrub(tx)
	})
	if err != nil || !due {
		return err
	}
	return s.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Delete(keyScrub) })
}

// scrub overwrites every page that the tree of tx does not use. The meta page of the transaction before still names some of them;
// bbolt would go back to it only if the latest, already synced, were damaged, and finishForgetting's own commit replaces it.
func (s *Store) scrub(tx *bbolt.Tx) error {
	size := int64(s.db.Info().PageSize)
	zero, page := make([]byte, size), make([]byte, size)
	end := tx.Size()
	for at := 2 * size; at < end; at += size {
		info, err := tx.Page(int(at / size))
		if err != nil {
			return err
		}
		if info == nil || info.Type != "free" {
			continue
		}
		if err := s.blank(at, page, zero); err != nil {
			return err
		}
	}
	stat, err := s.file.Stat()
	if err != nil {
		return err
	}
	for at := end; at < stat.Size(); at += size {
		n := min(size, stat.Size()-at)
		if err := s.blank(at, page[:n], zero[:n]); err != nil {
			return err
		}
	}
	return s.file.Sync()
}

// blank writes zeros at an offset unless they are there: a free page may be a hole that takes no space.
func (s *Store) blank(at int64, page, zero []byte) error {
	if _, err := s.file.ReadAt(page, at); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("scrub at %d: %w", at, err)
	}
	if bytes.Equal(page, zero) {
		return nil
	}
	if _, err := s.file.WriteAt(zero, at); err != nil {
		return fmt.Errorf("scrub at %d: %w", at, err)
	}
	return nil
}
