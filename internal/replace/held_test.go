package replace

import (
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"testing"
	"time"
)

func TestPatiently(t *testing.T) {
	busy, other := errors.New("busy"), errors.New("other")
	held := func(err error) bool { return errors.Is(err, busy) }
	for name, test := range map[string]struct {
		errs  []error // of the calls in order; the last one stays
		most  time.Duration
		want  error
		calls int // 0: any number over one
	}{
		"at once":      {[]error{nil}, time.Minute, nil, 1},
		"after a bit":  {[]error{busy, busy, nil}, time.Minute, nil, 3},
		"another":      {[]error{busy, other}, time.Minute, other, 2},
		"never":        {[]error{busy}, 10 * time.Millisecond, busy, 0},
		"no patience":  {[]error{busy}, 0, busy, 1},
		"not its kind": {[]error{other}, time.Minute, other, 1},
	} {
		calls := 0
		err := patiently(test.most, held, func() error {
			calls++
			return test.errs[min(calls, len(test.errs))-1]
		})
		if !errors.Is(err, test.want) || test.calls > 0 && calls != test.calls || test.calls == 0 && calls < 2 {
			t.Errorf("%s: %v after %d calls", name, err, calls)
		}
	}
}

// A reader that opened the old file keeps Windows from replacing it, until it is closed.
func TestReplacesWhatIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := Bytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() {
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := Bytes(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "new" {
		t.Errorf("%q, %v", got, err)
	}
}

// One that stays open is told, and nothing is lost.
func TestTellsWhatIsHeld(t *testing.T) {
	if goruntime.GOOS != "windows" {
		t.Skip("an open file is in nobody's way here")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := Bytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := Bytes(path, []byte("new")); !Held(err) {
		t.Errorf("got %v: want that it is held", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("%q, %v", got, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left beside it: %v", left)
	}
}
