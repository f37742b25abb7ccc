package state

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"
)

// What a damaged file may take until it is refused.
const (
	mostTime   = 2 * time.Second
	mostMemory = 100 << 20
)

// contents is all that a store keeps.
type contents struct {
	position           string
	snapshots, besides map[string]string
}

// readAll opens a store and reads everything in it.
func readAll(path string, o Options) (c contents, err error) {
	s, err := Open(path, o)
	if err != nil {
		return c, err
	}
	defer s.Close()
	c = contents{string(s.Position()), map[string]string{}, map[string]string{}}
	names, err := s.Streams()
	for _, name := range names {
		f, err := s.Load(name)
		if err != nil {
			return c, err
		}
		snapshot, err := f.MarshalBinary()
		if err != nil {
			return c, err
		}
		beside, err := s.Companion(name)
		if err != nil {
			return c, err
		}
		c.snapshots[name], c.besides[name] = string(snapshot), string(beside)
	}
	return c, err
}

// bounded is readAll, and an error if that takes too much.
func bounded(t *testing.T, path string, o Options) (contents, error) {
	t.Helper()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	begun := time.Now()
	c, err := readAll(path, o)
	took := time.Since(begun)
	goruntime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; took > mostTime || n > mostMemory {
		t.Errorf("%v and %d bytes until %v", took, n, err)
	}
	return c, err
}

func unpacked(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// deepSample returns a store whose tree has branches, pages that run on and a long list of free ones.
func deepSample(t testing.TB, key []byte) []byte {
	path := temporary(t)
	s := mustOpen(t, path, Options{Classes: classes, Key: key})
	name := func(i int) string {
		return fmt.Sprintf("%s %d", strings.Repeat("a camera with a long name ", 1+i%9), i)
	}
	for round := range 3 {
		for i := range 150 {
			if (i+round)%3 == 0 {
				continue
			}
			mustStep(t, s, name(i), i+round)
			mustAccompany(t, s, name(i), strings.Repeat(fmt.Sprint("item ", i), 1+i%7))
		}
		mustCommit(t, s, fmt.Sprint("after round ", round))
	}
	if err := s.Forget(name(7), name(120)); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// One turned bit, or a page of zeros, anywhere: an error that names the file, soon and in little memory, or everything is as it was.
func TestNoDamageIsSilent(t *testing.T) {
	for _, o := range []Options{{Classes: classes}, {Classes: classes, Key: testKey}} {
		raw, every := deepSample(t, o.Key), 1
		if o.Key != nil {
			every = 4
		}
		path := temporary(t)
		write := func(data []byte) {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(raw)
		want, err := readAll(path, o)
		if err != nil || len(want.snapshots) < 140 {
			t.Fatalf("%d streams, %v", len(want.snapshots), err)
		}
		r := rand.New(rand.NewPCG(8, 47))
		refused := 0
		for n := 0; n < 460; n += every {
			bad, what := bytes.Clone(raw), ""
			switch at := r.IntN(len(bad)); {
			case n < 300:
				what = fmt.Sprintf("bit %d of byte %d", n%8, at)
				bad[at] ^= 1 << (n % 8)
			case n < 400: // in the head or the table of a page
				at = at/4096*4096 + r.IntN(96)
				what = fmt.Sprintf("bit %d of byte %d", n%8, at)
				bad[at] ^= 1 << (n % 8)
			default:
				what = fmt.Sprint("page ", at/4096)
				clear(bad[at/4096*4096 : at/4096*4096+4096])
			}
			write(bad)
			got, err := bounded(t, path, o)
			switch {
			case err != nil:
				refused++
				fails(t, what, err, path)
			case !equal(got, want):
				t.Errorf("%s: other contents, and no error", what)
			}
		}
		t.Logf("%d of %d damaged files were refused", refused, 460/every)
		if refused*every < 100 {
			t.Error("the damage misses what matters")
		}
	}
}

func equal(a, b contents) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// Two files in which one bit was turned: one made bbolt take 6 GB, one hid all streams.
func TestDamagedFilesOfUsers(t *testing.T) {
	for _, name := range []string{"overflow.state.gz", "lost.state.gz"} {
		path := temporary(t)
		if err := os.WriteFile(path, unpacked(t, name), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := bounded(t, path, Options{})
		fails(t, name, err, path+": damaged: ")
	}
}

// Files that version 2 wrote, sealed and not, are read as ever, and counted from then on.
func TestFilesWithoutCensus(t *testing.T) {
	for name, o := range map[string]Options{"version2.state.gz": {}, "version2-sealed.state.gz": {Key: testKey}} {
		path := temporary(t)
		if err := os.WriteFile(path, unpacked(t, name), 0o600); err != nil {
			t.Fatal(err)
		}
		first, err := readAll(path, o)
		if err != nil {
			t.Fatal(err)
		}
		steps := 0
		for name, beside := range first.besides {
			if beside == "" {
				t.Errorf("%s: no companion", name)
			}
		}
		again, err := readAll(path, o)
		if err != nil || !equal(first, again) || len(again.snapshots) != 12 || !strings.Contains(again.position, `"lines":400`) {
			t.Errorf("%s: %v, position %s, %d streams", name, err, again.position, len(again.snapshots))
		}
		s := mustOpen(t, path, o)
		for n := range first.snapshots {
			f, err := s.Load(n)
			if err != nil {
				t.Fatal(err)
			}
			steps += f.Steps()
		}
		if steps != 400 || s.census.states.n != 12 || s.census.beside.n != 12 {
			t.Errorf("%s: %d steps, census %+v", name, steps, s.census)
		}
		mustClose(t, s)
	}
}

// FuzzOpen: whatever the bytes, Open and all that follows give an error or a store, soon and in little memory. The bytes are those of a store in
// which some are others, from place at on, and of which only so many pages are there. The heads get a checksum that fits, as otherwise nothing
// would pass them.
func FuzzOpen(f *testing.F) {
	raw := sample(f)
	f.Add(uint32(0), []byte{}, uint16(1000), false)
	f.Add(uint32(pageHead), []byte("time,camera"), uint16(2), false)
	f.Add(uint32(pageHead+16), []byte{7}, uint16(1000), true)               // the root
	f.Add(uint32(pageHead+40), []byte{0, 0, 1}, uint16(1000), true)         // the end
	f.Add(uint32(3*4096+8), []byte{1, 0, 255}, uint16(1000), true)          // a branch of 65280
	f.Add(uint32(2*4096+8), []byte{16, 0, 255, 255, 1}, uint16(1000), true) // a long list of free pages
	f.Fuzz(func(t *testing.T, at uint32, with []byte, pages uint16, mend bool) {
		data := bytes.Clone(raw[:min(len(raw), int(pages)*4096)])
		if int64(at) < int64(len(data)) {
			copy(data[at:], with)
		}
		if mend {
			mendHeads(data)
		}
		path := filepath.Join(t.TempDir(), "f.state")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := bounded(t, path, Options{}); err != nil {
			fails(t, "Open", err, path)
		}
		if err := tour(path); err != nil {
			fails(t, "tour", err, path)
		}
	})
}

// mendHeads gives both heads the checksum of what they say.
func mendHeads(data []byte) {
	for _, at := range []int{0, 4096} {
		if head := at + pageHead; len(data) >= head+metaSize {
			sum := fnv.New64a()
			sum.Write(data[head : head+metaSize-8])
			binary.NativeEndian.PutUint64(data[head+metaSize-8:], sum.Sum64())
		}
	}
}
