package state

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/testdata"
)

// Some tests start this binary again, to kill it or to bound what it may write: see crash_test.go and full_unix_test.go.
func TestMain(m *testing.M) {
	switch role := os.Getenv("OATTA_STATE_TEST_CHILD"); role {
	case "":
		os.Exit(m.Run())
	default:
		if err := children[role](os.Getenv("OATTA_STATE_TEST_PATH")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// children are what the binary does when it is started again, by name.
var children = map[string]func(path string) error{
	"feed": func(path string) error { return feedAll(path, os.Stdout) },
}

const classes = 4

var testKey = bytes.Repeat([]byte{9}, adapt.KeySize)

func testOptions() Options { return Options{Classes: classes} }

// prediction is a deterministic function of the item's number, so that any process can make the same input.
func prediction(item int) []float64 {
	r := rand.New(rand.NewPCG(uint64(item), 41))
	q, sum := make([]float64, classes), 0.0
	for k := range q {
		q[k] = math.Exp(2 * r.NormFloat64())
		sum += q[k]
	}
	for k := range q {
		q[k] /= sum
	}
	return q
}

func temporary(t testing.TB) string { return filepath.Join(t.TempDir(), "streams.state") }

func mustOpen(t testing.TB, path string, o Options) *Store {
	t.Helper()
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func mustStep(t testing.TB, s *Store, stream string, item int) {
	t.Helper()
	f, err := s.Filter(stream)
	if err != nil {
		t.Fatal(err)
	}
	f.Step(make([]float64, f.Classes()), prediction(item))
}

func mustAccompany(t testing.TB, s *Store, stream, companion string) {
	t.Helper()
	if err := s.SetCompanion(stream, []byte(companion)); err != nil {
		t.Fatal(err)
	}
}

func mustCommit(t testing.TB, s *Store, position string) {
	t.Helper()
	if err := s.Commit(Position(position)); err != nil {
		t.Fatal(err)
	}
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func snapshot(t testing.TB, f *adapt.Filter, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	data, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fails asserts an error that names the place and has want in it.
func fails(t testing.TB, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), "state: ") || !strings.Contains(testdata.Plain(err.Error()), want) {
		t.Errorf("%s: error %v, want one from state with %q", what, err, want)
	}
}
