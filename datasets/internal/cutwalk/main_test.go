package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/oatta/oatta/datasets/motion"
	"github.com/oatta/oatta/internal/testdata"
)

var sample = filepath.Join(testdata.Root(), "datasets", "samples", "walk.csv.gz")

// The committed sample holds what this program makes.
func TestCommittedSampleIsCurrent(t *testing.T) {
	got, err := cut(testdata.Shared(t, "data", "motion", "hapt_rawdata_acc.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(sample)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := io.ReadAll(z); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v; walk.csv.gz has %d bytes, this makes %d others", err, len(want), len(got))
	}
}

// It is a recording without a fault, in which all six activities occur, and small.
func TestSample(t *testing.T) {
	r, err := motion.Open(sample, motion.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, labels, err := read(r, samples)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"walking", "walking upstairs", "walking downstairs", "sitting", "standing", "lying"} {
		at := slices.Index(r.Labels(), want)
		if at < 0 || !slices.Contains(labels, int32(at)) {
			t.Errorf("no %s among %q", want, r.Labels())
		}
	}
	if h := r.Header(); h.Rate != 50 || !slices.Equal(h.Units(), []string{"g", "g", "g"}) || len(r.Warnings()) > 0 {
		t.Errorf("%+v, %q", h, r.Warnings())
	}
	if info, err := os.Stat(sample); err != nil || info.Size() > 300<<10 {
		t.Errorf("%v, %d bytes", err, info.Size())
	}
}

func TestCutRefuses(t *testing.T) {
	if _, err := cut(t.TempDir()); err == nil {
		t.Error("an empty folder was cut")
	}
}
