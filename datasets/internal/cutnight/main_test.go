package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets/edf"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/testdata"
)

var sample = filepath.Join(testdata.Root(), "datasets", "samples", "night.edf")

// The committed sample is what this program makes.
func TestCommittedSampleIsCurrent(t *testing.T) {
	got, err := cut(testdata.Asset(t, "sleep-psg", "SC4001E0-PSG.edf"), testdata.Shared(t, "data", "edf", "SC4001EC-Hypnogram.edf"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(sample)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v; night.edf has %d bytes, this makes %d others", err, len(want), len(got))
	}
}

// It is a whole recording without a fault, of two channels and of every stage.
func TestSample(t *testing.T) {
	f, err := edf.OpenFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := f.Header()
	if len(h.Warnings) > 0 || strings.Join(h.Labels(), ", ") != "EEG Fpz-Cz, EOG horizontal, EDF Annotations" || h.Seconds() != 2400 {
		t.Errorf("warnings %q, labels %q, %g seconds", h.Warnings, h.Labels(), h.Seconds())
	}
	if got := h.Start.Format("2006-01-02 15:04:05"); got != "1989-04-25 04:23:00" {
		t.Errorf("start %s", got)
	}
	scores, err := hypnogram.Read(f)
	if err != nil || len(scores.Stages) != epochs || len(scores.Warnings) > 0 {
		t.Fatalf("%v, %+v", err, scores)
	}
	counts := map[hypnogram.Stage]int{}
	for _, s := range scores.Stages {
		counts[s]++
	}
	for stage, want := range map[hypnogram.Stage]int{hypnogram.W: 17, hypnogram.N1: 7, hypnogram.N2: 10, hypnogram.N3: 21, hypnogram.R: 25} {
		if counts[stage] != want {
			t.Errorf("%d epochs of %v, want %d", counts[stage], stage, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, name := range []string{"none.edf", sample} {
		if _, err := cut(name, sample); err == nil {
			t.Errorf("%s was cut", name)
		}
	}
}
