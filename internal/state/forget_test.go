package state

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/oatta/oatta/adapt"
)

// marks returns what is looked for in the raw file: the bits of three numbers in a row of the filter's state, all different, which
// no other stream's has. They are taken near the end, where counts and carried sums of the last temperature lie.
func marks(t testing.TB, f *adapt.Filter) (out [][]byte) {
	data := snapshot(t, f, nil)
	data = data[:len(data)-4-16] // without total, started and checksum
	for n := len(data); n >= 24 && len(out) < 12; n -= 24 {
		a, b, c := data[n-24:n-16], data[n-16:n-8], data[n-8:n]
		if zero := make([]byte, 8); bytes.Equal(a, b) || bytes.Equal(b, c) || bytes.Equal(a, zero) || bytes.Equal(b, zero) || bytes.Equal(c, zero) {
			continue // a state at its start
		}
		out = append(out, data[n-24:n])
	}
	return out
}

func contains(t testing.TB, path string, texts ...[]byte) (out []string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if at := bytes.Index(raw, text); at >= 0 {
			out = append(out, fmt.Sprintf("%x at %d", text, at))
		}
	}
	return out
}

// Many streams come and go over many commits; after Forget, no state that a forgotten one ever had, nor its name, is in the file,
// and the others are as they were.
func TestForgetLeavesNoTrace(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 45))
		path := temporary(t)
		s := mustOpen(t, path, testOptions())
		name := func(i int) string { return fmt.Sprintf("person-%03d-%016x", i, uint64(i)*0x9e3779b97f4a7c15) }
		gone := map[string][][]byte{}
		const streams = 150
		forget := map[int]bool{}
		for range 20 {
			forget[r.IntN(streams)] = true
		}
		for i := range 1200 {
			n := r.IntN(streams)
			mustStep(t, s, name(n), i)
			companion := fmt.Sprintf("companion of %d at %016x", n, uint64(i)*0x9e3779b97f4a7c15)
			mustAccompany(t, s, name(n), companion)
			if forget[n] && i%3 == 0 {
				f, err := s.Filter(name(n))
				if err != nil {
					t.Fatal(err)
				}
				gone[name(n)] = append(append(gone[name(n)], marks(t, f)...), []byte(companion))
			}
			if i%10 == 9 {
				mustCommit(t, s, fmt.Sprint(i))
			}
		}
		mustCommit(t, s, "end")
		traces := 0
		var names []string
		for stream, m := range gone {
			names = append(names, stream)
			traces += len(contains(t, path, append(m, []byte(stream))...))
		}
		if traces < len(gone) {
			t.Fatalf("seed %d: only %d traces of %d streams before: the test looks for the wrong things", seed, traces, len(gone))
		}
		if err := s.Forget(names...); err != nil {
			t.Fatal(err)
		}
		for stream, m := range gone {
			if left := contains(t, path, append(m, []byte(stream))...); left != nil {
				t.Errorf("seed %d: of %s is left: %v", seed, stream, left)
			}
			if f, err := s.Filter(stream); err != nil || f.Steps() != 0 {
				t.Errorf("seed %d: %s after Forget: %v, %v", seed, stream, f, err)
			}
			if c, err := s.Companion(stream); err != nil || c != nil {
				t.Errorf("seed %d: %s after Forget: companion %q, %v", seed, stream, c, err)
			}
		}
		left, err := s.Streams()
		if err != nil || len(left) != streams-len(gone) {
			t.Errorf("seed %d: %d streams left, %v: want %d", seed, len(left), err, streams-len(gone))
		}
		for _, stream := range left {
			if _, err := s.Load(stream); err != nil {
				t.Error(err)
			}
		}
		mustCommit(t, s, "later")
		mustClose(t, s)
		mustClose(t, mustOpen(t, path, testOptions()))
	}
}

// A process killed in Forget, after the removal and before the traces are gone, leaves them to the next Open.
func TestOpenFinishesForgetting(t *testing.T) {
	path := temporary(t)
	s := mustOpen(t, path, testOptions())
	for i := range 20 {
		mustStep(t, s, "person", i)
		mustStep(t, s, "other", 1000+i)
		mustCommit(t, s, "")
	}
	f, err := s.Load("person")
	if err != nil {
		t.Fatal(err)
	}
	traces := append(marks(t, f), []byte("person"))
	if err := s.change(func(tx *bbolt.Tx, c *census) error { return s.remove(tx, c, []string{"person"}) }); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	if contains(t, path, traces...) == nil {
		t.Fatal("no traces before: the test looks for the wrong things")
	}
	s = mustOpen(t, path, testOptions())
	if left := contains(t, path, traces...); left != nil {
		t.Errorf("after Open: %v", left)
	}
	if f, err := s.Load("other"); err != nil || f.Steps() != 20 {
		t.Errorf("the other stream: %v, %v", f, err)
	}
}

// A killed commit may have written pages behind the end of the tree.
func TestForgetReachesBehindTheTree(t *testing.T) {
	path := temporary(t)
	s := mustOpen(t, path, testOptions())
	mustStep(t, s, "person", 1)
	mustCommit(t, s, "")
	info, err := s.file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	mark := binary.LittleEndian.AppendUint64([]byte("person"), math.Float64bits(0.123456789))
	if _, err := s.file.WriteAt(mark, info.Size()+1000); err != nil {
		t.Fatal(err)
	}
	if err := s.Forget("person", "unknown"); err != nil {
		t.Fatal(err)
	}
	if left := contains(t, path, mark, []byte("person")); left != nil {
		t.Errorf("left: %v", left)
	}
}

// What was stepped and not committed is forgotten too.
func TestForgetUncommitted(t *testing.T) {
	path := temporary(t)
	s := mustOpen(t, path, testOptions())
	mustStep(t, s, "person", 1)
	if err := s.Forget("person"); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, s, "")
	if names, err := s.Streams(); err != nil || len(names) != 0 {
		t.Errorf("streams %v, %v: want none", names, err)
	}
}
