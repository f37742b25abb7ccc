package lock

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	l, err := Acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(path); !errors.Is(err, ErrBusy) || !strings.HasPrefix(err.Error(), path) {
		t.Errorf("a second: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(path + "*"); left != nil {
		t.Errorf("left: %v", left)
	}
	if err := os.WriteFile(path+".oatta-lock", nil, 0o600); err != nil { // of a run that was killed
		t.Fatal(err)
	}
	if l, err = Acquire(path); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Release(), (*Lock)(nil).Release()); err != nil {
		t.Error(err)
	}
	if _, err := Acquire(filepath.Join(path, "no folder")); err == nil || errors.Is(err, ErrBusy) {
		t.Errorf("where no file can be: %v", err)
	}
}

// Eight goroutines want the same output again and again; two must never hold it at once.
func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.json")
	var holders, taken atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				l, err := Acquire(path)
				if err != nil {
					continue
				}
				taken.Add(1)
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d holders", n)
				}
				time.Sleep(10 * time.Microsecond)
				holders.Add(-1)
				if err := l.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if taken.Load() == 0 {
		t.Error("nobody ever had it")
	}
}
