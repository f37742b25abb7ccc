package tent_test

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/tent"
)

// scriptedPredictor is one without an engine.
func scriptedPredictor(tb testing.TB, s tent.Settings) *tent.Predictor {
	tb.Helper()
	p, err := tent.New(newScripted(build(tb, smallNet("batch", graph.Sym("N")), s)), tent.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// TestSnapshotRefused: what is cut, changed, of another graph or impossible is refused, and the lane stays as it was.
func TestSnapshotRefused(t *testing.T) {
	p := scriptedPredictor(t, tent.Settings{})
	p.Begin(0)
	if err := p.Step(context.Background(), make([]float32, p.Classes()), make([]float32, p.InputLen()), []int{0}); err != nil {
		t.Fatal(err)
	}
	good := string(p.Snapshot(0))
	sealed := func(change func(b []byte)) string {
		b := []byte(good)
		change(b)
		binary.LittleEndian.PutUint32(b[len(b)-4:], crc32.Checksum(b[:len(b)-4], crc32.MakeTable(crc32.Castagnoli)))
		return string(b)
	}
	other := scriptedPredictor(t, tent.Settings{Rate: 0.5})
	other.Begin(0)
	for name, c := range map[string]struct{ data, want string }{
		"empty":          {"", "none"},
		"another file":   {strings.Repeat("x", len(good)), "none"},
		"cut":            {good[:len(good)-1], "checksum"},
		"changed":        {good[:70] + "x" + good[71:], "checksum"},
		"newer":          {good[:8] + "\x02" + good[9:], "version 2"},
		"another graph":  {string(other.Snapshot(0)), "another graph"},
		"not finite":     {sealed(func(b []byte) { binary.LittleEndian.PutUint32(b[61:], math.Float32bits(float32(math.Inf(1)))) }), "no stream"},
		"negative count": {sealed(func(b []byte) { b[51] = 0xff }), "no stream"},
	} {
		if err := p.Restore(0, []byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if string(p.Snapshot(0)) != good {
			t.Fatalf("%s: the lane changed", name)
		}
	}
}

// FuzzRestore: bytes from anywhere neither panic nor change a lane unless they are a snapshot, which then comes back.
func FuzzRestore(f *testing.F) {
	p := scriptedPredictor(f, tent.Settings{})
	p.Begin(0)
	f.Add(p.Snapshot(0))
	f.Add([]byte("OATTATNT"))
	f.Fuzz(func(t *testing.T, data []byte) {
		before := string(p.Snapshot(0))
		if err := p.Restore(0, data); err != nil {
			if string(p.Snapshot(0)) != before {
				t.Errorf("the lane changed in spite of %v", err)
			}
			return
		}
		if string(p.Snapshot(0)) != string(data) {
			t.Error("what was restored is another snapshot")
		}
	})
}

// FuzzMetadata: a file's metadata, from anywhere, make New fail or make a predictor whose step fails or succeeds, and never panic.
func FuzzMetadata(f *testing.F) {
	m := build(f, smallNet("batch", graph.Sym("N")), tent.Settings{})
	f.Add(m.Meta("oatta.tent"), m.Meta("oatta.tent.source"))
	f.Add("{}", "")
	f.Fuzz(func(t *testing.T, description, source string) {
		m := m.Clone()
		m.SetMeta("oatta.tent", description)
		m.SetMeta("oatta.tent.source", source)
		p, err := tent.New(newScripted(m), tent.Options{})
		if err != nil {
			return
		}
		p.Begin(0)
		_ = p.Step(context.Background(), make([]float32, p.Classes()), make([]float32, p.InputLen()), []int{0}) // either way is right
	})
}
