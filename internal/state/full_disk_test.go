//go:build linux || darwin

package state

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

func init() { children["full"] = fillUp }

// A limit on the size of files stands in for a full disk: writes fail in the middle of a commit. The child bounds itself, runs into
// the bound, is given room, and goes on.
func TestFullDisk(t *testing.T) {
	path := temporary(t)
	var stderr bytes.Buffer
	cmd := child("full", path)
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	s := mustOpen(t, path, testOptions())
	names, err := s.Streams()
	if err != nil || len(names) < 50 || string(s.Position()) != fmt.Sprint(len(names)) {
		t.Fatalf("%d streams at position %q, %v", len(names), s.Position(), err)
	}
	for _, name := range names {
		if f, err := s.Load(name); err != nil || f.Steps() != 1 {
			t.Errorf("%s: %v, %v: want one step", name, f, err)
		}
	}
}

// fillUp commits a new stream at a time until it fails, looks that nothing was lost, and commits the same with more room.
func fillUp(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := Open(path, testOptions())
	if err != nil {
		return err
	}
	defer s.Close()
	if err := limitFiles(200_000); err != nil {
		return err
	}
	n := 0
	for ; err == nil; n++ {
		if n == 10_000 {
			return errors.New("the bound was never met")
		}
		f, e := s.Filter(fmt.Sprint(n))
		if e != nil {
			return e
		}
		f.Step(make([]float64, classes), prediction(n))
		err = s.Commit(Position(fmt.Sprint(n + 1)))
	}
	if !strings.HasPrefix(err.Error(), "state: "+path+": commit: ") || string(s.Position()) != fmt.Sprint(n-1) || s.Waiting() != 1 {
		return fmt.Errorf("full at %d: %w; position %q, %d waiting", n, err, s.Position(), s.Waiting())
	}
	if again := s.Commit(Position(fmt.Sprint(n))); again == nil {
		return errors.New("committed without room")
	}
	if f, err := s.Load(fmt.Sprint(n - 2)); err != nil || f.Steps() != 1 {
		return fmt.Errorf("the last stream before: %w", err)
	}
	if err := limitFiles(1 << 30); err != nil {
		return err
	}
	for ; n < 60; n++ {
		f, e := s.Filter(fmt.Sprint(n))
		if e != nil {
			return e
		}
		f.Step(make([]float64, classes), prediction(n))
	}
	fmt.Fprintln(os.Stdout, "met the bound at", n)
	return s.Commit(Position(fmt.Sprint(n)))
}

// limitFiles sets the soft limit; the hard one stays.
func limitFiles(bytes uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = bytes
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}
