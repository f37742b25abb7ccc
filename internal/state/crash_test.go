package state

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// The input of the crash test: items 0 to crashItems-1, each of one of crashStreams streams, as any process can make it anew.
const (
	crashItems   = 4000
	crashStreams = 25
)

func crashOptions() Options { return Options{Classes: classes, Key: testKey, Cache: 10} }

func crashStream(item int) string {
	return fmt.Sprint("camera ", rand.New(rand.NewPCG(uint64(item), 43)).IntN(crashStreams))
}

// feedAll feeds the input from the stored position to its end, with a commit every few items, and a line after each.
func feedAll(path string, progress io.Writer) error {
	s, err := Open(path, crashOptions())
	if err != nil {
		return err
	}
	defer s.Close()
	at := 0
	if p := s.Position(); p != nil {
		if at, err = strconv.Atoi(string(p)); err != nil {
			return err
		}
	}
	dst := make([]float64, classes)
	for ; at < crashItems; at++ {
		f, err := s.Filter(crashStream(at))
		if errors.Is(err, ErrFull) || err == nil && at%7 == 0 {
			if err := s.Commit(Position(strconv.Itoa(at))); err != nil {
				return err
			}
			fmt.Fprintln(progress, at)
			f, err = s.Filter(crashStream(at))
		}
		if err != nil {
			return err
		}
		f.Step(dst, prediction(at))
		if err := accompany(s, crashStream(at), at); err != nil {
			return err
		}
	}
	return s.Commit(Position(strconv.Itoa(at)))
}

// accompany notes the item in the stream's companion: a hash of all items so far, and their number.
func accompany(s *Store, stream string, item int) error {
	had, err := s.Companion(stream)
	if err != nil {
		return err
	}
	h, n := fnv.New64a(), uint64(1)
	if had != nil {
		n += binary.LittleEndian.Uint64(had)
	}
	fmt.Fprintf(h, "%x %d", had, item)
	return s.SetCompanion(stream, h.Sum(binary.LittleEndian.AppendUint64(nil, n)))
}

// A process that is killed again and again, wherever it happens to be, ends in the states of one that was left alone.
func TestKilledProcessesLoseNothing(t *testing.T) {
	calm, killed := temporary(t), temporary(t)
	if err := feedAll(calm, io.Discard); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 44)) // other places each time; the outcome is the same
	kills := 0
	for !feedAndKill(t, killed, 1+r.IntN(60), time.Duration(r.IntN(3000))*time.Microsecond) {
		kills++
	}
	if kills < 5 {
		t.Errorf("killed %d times only", kills)
	}
	compareStores(t, mustOpen(t, killed, crashOptions()), mustOpen(t, calm, crashOptions()))
	t.Logf("killed %d times", kills)
}

// feedAndKill starts a process on the store, kills it some time after so many commits, and tells whether it had come to the end.
func feedAndKill(t *testing.T, path string, commits int, later time.Duration) bool {
	cmd := child("feed", path)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for range commits {
		if !lines.Scan() {
			break
		}
	}
	time.Sleep(later)
	cmd.Process.Kill()
	io.Copy(io.Discard, stdout)
	err = cmd.Wait()
	if stderr.Len() > 0 {
		t.Fatalf("child: %v: %s", err, &stderr)
	}
	return err == nil
}

func child(role, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "OATTA_STATE_TEST_CHILD="+role, "OATTA_STATE_TEST_PATH="+path)
	return cmd
}

func compareStores(t *testing.T, got, want *Store) {
	t.Helper()
	if !bytes.Equal(got.Position(), want.Position()) {
		t.Errorf("position %q, want %q", got.Position(), want.Position())
	}
	names, err := want.Streams()
	if err != nil || len(names) != crashStreams {
		t.Fatalf("streams %v, %v", names, err)
	}
	steps := 0
	for _, name := range names {
		a, errA := got.Load(name)
		b, errB := want.Load(name)
		if !bytes.Equal(snapshot(t, a, errA), snapshot(t, b, errB)) {
			t.Errorf("%s: after %d steps a state that differs from the undisturbed after %d", name, a.Steps(), b.Steps())
		}
		x, errX := got.Companion(name)
		y, errY := want.Companion(name)
		if errX != nil || errY != nil || !bytes.Equal(x, y) || binary.LittleEndian.Uint64(x) != uint64(a.Steps()) {
			t.Errorf("%s: companion %x, %v after %d steps: want %x, %v", name, x, errX, a.Steps(), y, errY)
		}
		steps += a.Steps()
	}
	if steps != crashItems {
		t.Errorf("%d steps in all, want one for each of %d items", steps, crashItems)
	}
}
