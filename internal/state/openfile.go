package state

import (
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// firstTransaction is that of a file which bbolt has just made.
const firstTransaction = 1

// openFile opens and locks the file, after its pages were inspected. Between the two another process may commit; then it begins again.
func (s *Store) openFile() error {
	for range 100 {
		seen, err := s.inspect()
		if err != nil {
			return err
		}
		if err := s.openDB(false); err != nil {
			return err
		}
		same := false
		if err := s.db.View(func(tx *bbolt.Tx) error { same = uint64(tx.ID()) == seen.transaction; return nil }); err != nil {
			return err
		}
		if s.census = seen.census; same {
			return nil
		}
		if err := s.db.Close(); err != nil {
			return err
		}
	}
	return errors.New("other processes change it without end")
}

// inspect reads the pages of the file under a lock that keeps writers out: opened to read only, bbolt reads nothing but the two heads.
func (s *Store) inspect() (inspection, error) {
	if info, err := os.Stat(s.path); errors.Is(err, os.ErrNotExist) || err == nil && (info.Size() == 0 || info.IsDir()) {
		return inspection{transaction: firstTransaction}, nil
	}
	if err := s.openDB(true); err != nil {
		return inspection{}, err
	}
	info, err := s.file.Stat()
	if err != nil {
		return inspection{}, errors.Join(err, s.db.Close())
	}
	seen, err := inspect(s.file, info.Size())
	return seen, errors.Join(err, s.db.Close())
}

// openDB opens the file by bbolt. The hook keeps the file at hand: for reading its pages, for scrubbing, and for letting go of the lock where bbolt
// has lost itself in a damaged page.
func (s *Store) openDB(readOnly bool) (err error) {
	s.db, err = bbolt.Open(s.path, 0o600, &bbolt.Options{
		ReadOnly:     readOnly,
		Timeout:      s.options.Wait,
		FreelistType: bbolt.FreelistMapType,
		NoStatistics: true,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := os.OpenFile(name, flag, mode)
			s.file = f
			return f, err
		},
	})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("in use by another process: waited %v for its lock", s.options.Wait)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, berrors.ErrChecksum):
		return fmt.Errorf("not a file of states, or damaged: %w", err)
	}
	return err
}
