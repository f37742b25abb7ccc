package state

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/oatta/oatta/adapt"
)

// Stopping, going on, and a cache far smaller than the streams must change nothing: every stream ends in the state of a filter that
// was fed alone.
func TestStoreAgreesWithFiltersFedAlone(t *testing.T) {
	for _, key := range [][]byte{nil, testKey} {
		const streams, items = 40, 1200
		r := rand.New(rand.NewPCG(1, 42))
		o := Options{Classes: classes, Key: key, Cache: 7}
		path := temporary(t)
		s := mustOpen(t, path, o)
		alone := map[string]*adapt.Filter{}
		dst := make([]float64, classes)
		for i := range items {
			name := fmt.Sprint("stream ", r.IntN(streams))
			if s.Waiting() == o.Cache || r.IntN(9) == 0 {
				mustCommit(t, s, fmt.Sprint(i))
			}
			if r.IntN(300) == 0 {
				mustCommit(t, s, fmt.Sprint(i))
				mustClose(t, s)
				s = mustOpen(t, path, o)
				if got := string(s.Position()); got != fmt.Sprint(i) {
					t.Fatalf("position %q, want %d", got, i)
				}
			}
			mustStep(t, s, name, i)
			if alone[name] == nil {
				f, err := adapt.New(classes, adapt.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				alone[name] = f
			}
			alone[name].Step(dst, prediction(i))
			if s.live.Len() > o.Cache {
				t.Fatalf("%d filters in memory, want at most %d", s.live.Len(), o.Cache)
			}
		}
		mustCommit(t, s, "end")
		names, err := s.Streams()
		if err != nil || len(names) != len(alone) || !slices.IsSorted(names) {
			t.Fatalf("streams %v, %v: want %d", names, err, len(alone))
		}
		for _, name := range names {
			f, err := s.Load(name)
			if !bytes.Equal(snapshot(t, f, err), snapshot(t, alone[name], nil)) {
				t.Errorf("%s: state after %d steps differs from that of a filter fed alone", name, f.Steps())
			}
		}
	}
}

// What was not committed is as if it had not been, position and states alike.
func TestCloseWithoutCommit(t *testing.T) {
	path := temporary(t)
	s := mustOpen(t, path, testOptions())
	if s.Position() != nil {
		t.Errorf("position %q before the first commit", s.Position())
	}
	mustStep(t, s, "a", 1)
	mustCommit(t, s, "one")
	mustStep(t, s, "a", 2)
	mustStep(t, s, "b", 3)
	mustClose(t, s)
	s = mustOpen(t, path, testOptions())
	f, err := s.Load("a")
	if err != nil || f.Steps() != 1 || string(s.Position()) != "one" {
		t.Errorf("%v steps, position %q, %v: want those of the commit", f, s.Position(), err)
	}
	if _, err := s.Load("b"); !errors.Is(err, ErrUnknown) {
		t.Errorf("stream b: %v, want ErrUnknown", err)
	}
}

func TestErrFull(t *testing.T) {
	s := mustOpen(t, temporary(t), Options{Classes: classes, Cache: 2})
	mustStep(t, s, "a", 1)
	mustStep(t, s, "b", 2)
	if _, err := s.Filter("c"); !errors.Is(err, ErrFull) {
		t.Fatalf("third filter in a cache of two: %v, want ErrFull", err)
	}
	mustStep(t, s, "a", 3) // one that is there may go on
	mustCommit(t, s, "")
	mustStep(t, s, "c", 4)
	if s.live.Get("b") == nil == (s.live.Get("a") == nil) {
		t.Errorf("in memory: %v, want c and one of the others", s.live)
	}
}

func TestNamesOfAnyKind(t *testing.T) {
	for _, key := range [][]byte{nil, testKey} {
		s := mustOpen(t, temporary(t), Options{Classes: classes, Key: key})
		names := []string{"", "\x00", "=", "position", "ключ", string(bytes.Repeat([]byte{'x'}, MaxName))}
		for i, name := range names {
			mustStep(t, s, name, i)
		}
		mustCommit(t, s, "position")
		got, err := s.Streams()
		slices.Sort(names)
		if err != nil || !slices.Equal(got, names) {
			t.Errorf("streams %q, %v: want %q", got, err, names)
		}
		_, err = s.Filter(string(bytes.Repeat([]byte{'x'}, MaxName+1)))
		fails(t, "long name", err, "name of 4097 bytes")
		fails(t, "long position", s.Commit(make([]byte, MaxPosition+1)), "position of 1048577 bytes")
	}
}

func TestOtherSettings(t *testing.T) {
	path := temporary(t)
	paper := adapt.DefaultPaper()
	prior := []float64{0.1, 0.2, 0.3, 0.4}
	o := Options{Classes: classes, Settings: adapt.Settings{Gate: adapt.GateEWMA, Paper: &paper, Prior: prior}}
	s := mustOpen(t, path, o)
	mustStep(t, s, "a", 1)
	mustCommit(t, s, "")
	settings := s.options.Settings // the prior is normalised once more when it comes back
	mustClose(t, s)

	mustClose(t, mustOpen(t, path, Options{Classes: classes, Settings: settings}))
	changed := paper
	changed.Gamma, changed.Window = 0.25, 20
	_, err := Open(path, Options{Classes: classes, Settings: adapt.Settings{Gate: adapt.GateEWMA, Paper: &changed, Prior: prior}})
	fails(t, "other numbers", err, "made under other settings: paper.gamma was 0.1, now 0.25; paper.window was 50, now 20")
	_, err = Open(path, Options{Classes: classes, Settings: adapt.Settings{Gate: adapt.GateOff, Paper: &paper}})
	fails(t, "other gate", err, "gate was ewma, now off; prior[0] was 0.1, now not set")
	first := adapt.FirstAuto()
	old := temporary(t)
	s = mustOpen(t, old, Options{Classes: classes, Settings: adapt.Settings{Auto: &first}})
	mustStep(t, s, "a", 1)
	mustCommit(t, s, "")
	mustClose(t, s)
	_, err = Open(old, Options{Classes: classes})
	fails(t, "another edition", err, `made under edition 1 of the gate auto, now 3: --settings with {"auto": {"edition": 1}} continues it`)
	_, err = Open(path, Options{Classes: 3})
	fails(t, "other classes", err, "made for 4 classes: want 3")

	s = mustOpen(t, path, Options{}) // to look at
	if f, err := s.Load("a"); err != nil || f.Settings().Gate != adapt.GateEWMA {
		t.Errorf("loaded %v, %v", f, err)
	}
	_, err = s.Filter("a")
	fails(t, "live filter without classes", err, "without a number of classes")
}

func TestBadOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"cache of -1":     {Cache: -1},
		"key of 5 bytes":  {Key: []byte("short")},
		"adapt: gate":     {Classes: 2, Settings: adapt.Settings{Gate: "best"}},
		"adapt: -1 class": {Classes: -1},
	} {
		path := temporary(t)
		_, err := Open(path, o)
		fails(t, want, err, want)
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: a file was made all the same: %v", want, err)
		}
	}
}

func TestKeys(t *testing.T) {
	plain, sealed := temporary(t), temporary(t)
	for path, key := range map[string][]byte{plain: nil, sealed: testKey} {
		s := mustOpen(t, path, Options{Classes: classes, Key: key})
		mustStep(t, s, "camera at the gate", 1)
		mustAccompany(t, s, "camera at the gate", "seen at dawn")
		mustCommit(t, s, "offset of the input")
		mustClose(t, s)
	}
	_, err := Open(sealed, testOptions())
	fails(t, "no key", err, "it is sealed: a key is needed")
	_, err = Open(plain, Options{Key: testKey})
	fails(t, "superfluous key", err, "it is not sealed")
	_, err = Open(sealed, Options{Key: bytes.Repeat([]byte{8}, adapt.KeySize)})
	fails(t, "another key", err, "sealed with another key")
	for path, there := range map[string]bool{plain: true, sealed: false} {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"camera at the gate", "offset of the input", "seen at dawn", "OATTAFLT", `"gate"`} {
			if bytes.Contains(raw, []byte(text)) != there {
				t.Errorf("%q in the file: %t, want %t", text, !there, there)
			}
		}
	}
}

// A sealed state that is put in the place of another's is refused.
func TestSwappedStates(t *testing.T) {
	path := temporary(t)
	o := Options{Classes: classes, Key: testKey}
	s := mustOpen(t, path, o)
	mustStep(t, s, "a", 1)
	mustStep(t, s, "b", 2)
	mustCommit(t, s, "")
	err := s.db.Update(func(tx *bbolt.Tx) error {
		states := tx.Bucket(bucketStates)
		return states.Put(s.vault.ID("a"), bytes.Clone(states.Get(s.vault.ID("b"))))
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Load("a")
	fails(t, "swapped", err, "another key or for a stream other than")
}

func TestOneProcessAtATime(t *testing.T) {
	path := temporary(t)
	s := mustOpen(t, path, testOptions())
	_, err := Open(path, Options{Classes: classes, Wait: time.Millisecond})
	fails(t, "second open", err, "in use by another process")
	mustClose(t, s)
	mustClose(t, mustOpen(t, path, testOptions()))
}

func TestClosedStore(t *testing.T) {
	s := mustOpen(t, temporary(t), testOptions())
	mustStep(t, s, "a", 1)
	mustClose(t, s)
	_, err := s.Filter("a")
	fails(t, "Filter", err, "closed")
	_, err = s.Load("a")
	fails(t, "Load", err, "closed")
	_, err = s.Streams()
	fails(t, "Streams", err, "closed")
	fails(t, "Commit", s.Commit(nil), "closed")
	fails(t, "Forget", s.Forget("a"), "closed")
	mustClose(t, s) // twice is once
}

// The cache is what the memory allows, and one filter at least.
func TestMemory(t *testing.T) {
	size, err := FilterBytes(classes, adapt.Settings{})
	if err != nil || size < 4096 {
		t.Fatalf("a filter of %d bytes, %v", size, err)
	}
	for memory, want := range map[int64]int{0: int(256 << 20 / size), 1: 1, 60 * size: 10} {
		s := mustOpen(t, temporary(t), Options{Classes: classes, Memory: memory})
		if s.live.Limit != want {
			t.Errorf("%d filters in %d bytes, want %d", s.live.Limit, memory, want)
		}
	}
	_, err = Open(temporary(t), Options{Classes: classes, Memory: -1})
	fails(t, "negative", err, "memory of -1 bytes")
}
