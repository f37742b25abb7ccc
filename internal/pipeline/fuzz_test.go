package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// Whatever lies in a journal and beside it: a resumption ends with an error, or with the output of a whole run, and never panics or asks for
// much memory.
func FuzzResume(f *testing.F) {
	b := newBench(21, 60)
	want, _ := b.stream(f, func(*Job) {})
	path := filepath.Join(f.TempDir(), "out.json")
	b.runFor(f, path, Fresh, 6, false)
	output, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	journal, err := os.ReadFile(path + ".journal")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(output, journal)
	f.Add(output[:len(output)/2], journal)
	f.Add([]byte{}, journal[:len(journal)-3])
	f.Add([]byte("x"), []byte(journalMagic))
	f.Fuzz(func(t *testing.T, output, journal []byte) {
		path := filepath.Join(t.TempDir(), "out.json")
		for name, data := range map[string][]byte{path: output, path + ".journal": journal} {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		o, err := OpenOutput(path, identity, Resume)
		if err != nil {
			return
		}
		defer o.Close()
		job := b.job(t)
		job.Output, job.Stream = o, nil
		before := o.Done()
		if _, err := Run(context.Background(), job); err != nil {
			return
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if before == 0 && string(got) != want {
			t.Fatalf("from nothing: %s", got)
		}
	})
}
