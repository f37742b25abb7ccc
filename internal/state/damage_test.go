package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"go.etcd.io/bbolt"
)

// sample returns the bytes of a store with some streams and a history.
func sample(t testing.TB) []byte {
	path := temporary(t)
	s := mustOpen(t, path, testOptions())
	for i := range 300 {
		mustStep(t, s, fmt.Sprint("stream ", i%40), i)
		mustAccompany(t, s, fmt.Sprint("stream ", i%40), fmt.Sprint("item ", i))
		if i%30 == 29 {
			mustCommit(t, s, fmt.Sprint(i))
		}
	}
	mustClose(t, s)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// tour uses a store in every way, and returns the first error.
func tour(path string) (err error) {
	s, err := Open(path, testOptions())
	if err != nil {
		return err
	}
	note := func(e error) {
		if err == nil {
			err = e
		}
	}
	names, e := s.Streams()
	note(e)
	for i, name := range names {
		_, e := s.Load(name)
		note(e)
		_, e = s.Companion(name)
		note(e)
		f, e := s.Filter(name)
		note(e)
		if e == nil {
			f.Step(make([]float64, classes), prediction(i))
			note(s.SetCompanion(name, []byte("further")))
		}
	}
	note(s.Commit(Position("further")))
	note(s.Forget("stream 3"))
	note(s.Close())
	return err
}

// Bits turned, stretches overwritten, files cut: an error or, where nothing in use was hit, none; never a panic.
func TestDamagedFiles(t *testing.T) {
	raw := sample(t)
	path := temporary(t)
	r := rand.New(rand.NewPCG(1, 46))
	failed := 0
	for n := range 200 {
		bad := damaged(r, n, raw)
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := tour(path); err != nil {
			failed++
			fails(t, "damage", err, path)
		}
	}
	if failed < 50 {
		t.Errorf("%d of 200 damaged files gave an error: the damage misses what matters", failed)
	}
	t.Logf("%d of 200 damaged files gave an error", failed)
}

func damaged(r *rand.Rand, kind int, raw []byte) []byte {
	bad := bytes.Clone(raw)
	switch kind % 4 {
	case 0: // a bit in the head of a page, where bbolt's own structure lies
		at := r.IntN(len(bad)/4096)*4096 + r.IntN(160)
		bad[at] ^= 1 << r.IntN(8)
	case 1: // a bit anywhere
		bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
	case 2: // a stretch of noise
		at := r.IntN(len(bad))
		for i := at; i < min(at+4096, len(bad)); i++ {
			bad[i] = byte(r.Uint32())
		}
	default:
		bad = bad[:r.IntN(len(bad))]
	}
	return bad
}

func TestForeignFiles(t *testing.T) {
	for name, data := range map[string][]byte{
		"text":  bytes.Repeat([]byte("time,camera,probability\n"), 1000),
		"short": []byte("x"),
		"zeros": make([]byte, 65536),
	} {
		path := temporary(t)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path, testOptions())
		fails(t, name, err, "")
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data) {
			t.Errorf("%s: the file was changed, %v", name, err)
		}
	}
	_, err := Open(t.TempDir(), testOptions())
	fails(t, "a folder", err, "is a directory")
}

// edited returns a store in which something was changed through bbolt, and that Open should refuse.
func edited(t *testing.T, change func(tx *bbolt.Tx) error) string {
	path := temporary(t)
	s := mustOpen(t, path, testOptions())
	mustStep(t, s, "a", 1)
	mustCommit(t, s, "")
	err := s.db.Update(func(tx *bbolt.Tx) error { return errors.Join(change(tx), recount(tx)) })
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	return path
}

// recount makes the count of streams what is there now, if the file has one.
func recount(tx *bbolt.Tx) error {
	meta := tx.Bucket(bucketMeta)
	if meta == nil || meta.Get(keyCensus) == nil {
		return nil
	}
	var c census
	for _, name := range buckets {
		if b := tx.Bucket(name); b != nil {
			tally := c.of(name)
			if err := b.ForEach(func(key, _ []byte) error { tally.add(key); return nil }); err != nil {
				return err
			}
		}
	}
	return meta.Put(keyCensus, c.encode())
}

func TestOtherSchemas(t *testing.T) {
	for want, change := range map[string]func(tx *bbolt.Tx) error{
		"version 4: this program reads versions 1 to 3": func(tx *bbolt.Tx) error {
			return tx.Bucket(bucketMeta).Put(keySchema, binary.LittleEndian.AppendUint32(nil, 4))
		},
		"damaged: parts of its frame":    func(tx *bbolt.Tx) error { return tx.DeleteBucket(bucketBeside) },
		"parts of its frame are missing": func(tx *bbolt.Tx) error { return tx.DeleteBucket(bucketStates) },
		`it holds a bucket "beside"`:     func(tx *bbolt.Tx) error { return tx.DeleteBucket(bucketMeta) },
		"a stream with the id":           func(tx *bbolt.Tx) error { return tx.Bucket(bucketStates).Put([]byte("!"), []byte("?")) },
		"adapt: snapshot: ":              func(tx *bbolt.Tx) error { return tx.Bucket(bucketStates).Put([]byte("="), []byte("?")) },
	} {
		_, err := Open(edited(t, change), testOptions())
		fails(t, want, err, want)
	}
}
