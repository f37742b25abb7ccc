package lock

import (
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"time"

	"github.com/gofrs/flock"

	"github.com/oatta/oatta/internal/replace"
)

// ErrBusy is the cause where another run holds the lock.
var ErrBusy = errors.New("another run is writing this output")

// Lock is the lock of an output, held until Release.
type Lock struct{ file *flock.Flock }

// Acquire takes the lock of the output at a path, or gives an error at once, which names the output.
func Acquire(path string) (*Lock, error) {
	l := &Lock{flock.New(path + ".oatta-lock")}
	// Its file is removed when a run ends, so what was locked may be a file that is no longer there while another run has a new one: then try again.
	for range 100 {
		locked, err := l.file.TryLock()
		if replace.Held(err) { // another run removes it at this moment
			time.Sleep(time.Millisecond)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("lock of %s: %w", path, err)
		}
		if !locked {
			break
		}
		if l.isThere() {
			return l, nil
		}
		if err := l.file.Unlock(); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: %w", path, ErrBusy)
}

// isThere tells whether the file that is locked is the one that has its name.
func (l *Lock) isThere() bool {
	held, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.file.Path())
	return err == nil && os.SameFile(held, there)
}

// Release removes the lock's file while it is still held, so that nobody else's is removed. Windows removes no open file: there it is let go
// of first, and stays if another run has it by then, which will remove it. No lock is released without an error.
func (l *Lock) Release() error {
	switch {
	case l == nil:
		return nil
	case goruntime.GOOS == "windows":
		return errors.Join(l.file.Unlock(), l.remove())
	}
	return errors.Join(l.remove(), l.file.Unlock())
}

func (l *Lock) remove() error {
	if err := os.Remove(l.file.Path()); err != nil && !errors.Is(err, os.ErrNotExist) && !replace.Held(err) {
		return err
	}
	return nil
}
