package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets/edf"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/testdata"
)

var sample = filepath.Join(testdata.Root(), "datasets", "samples", "night.edf")

// The committed sample is what this program makes.
func TestCommittedSampleIsCurrent(t *testing.T) {
	got, err := cut(testdata.Asset(t, "sleep-psg", "SC4001E0-PSG.edf"), testdata.Shared(t, "data", "edf", "SC4001EC-Hypnogram.edf"), ofSample)
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
	if err != nil || int64(len(scores.Stages)) != ofSample.epochs || len(scores.Warnings) > 0 {
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
		if _, err := cut(name, sample, ofSample); err == nil {
			t.Errorf("%s was cut", name)
		}
	}
}

// A part that overlaps the sample has its epochs, sample by sample.
func TestParts(t *testing.T) {
	got, err := cut(testdata.Asset(t, "sleep-psg", "SC4001E0-PSG.edf"), testdata.Shared(t, "data", "edf", "SC4001EC-Hypnogram.edf"), part{ofSample.first + 70, 20})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "part.edf")
	if err := os.WriteFile(name, got, 0o644); err != nil {
		t.Fatal(err)
	}
	is, was := tail(t, name, 0), tail(t, sample, 70)
	if len(is.Stages) != 20 || !slices.Equal(is.Stages[:10], was.Stages[70:]) || !slices.Equal(is.samples, was.samples) {
		t.Errorf("%d epochs, stages %v, want %v; or other samples", len(is.Stages), is.Stages[:10], was.Stages[70:])
	}
}

// scored is a recording's stages, and its first channel for ten epochs.
type scored struct {
	*hypnogram.Hypnogram
	samples []int32
}

func tail(t *testing.T, name string, epoch int64) scored {
	f, err := edf.OpenFile(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := hypnogram.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	each := int64(f.Header().Signals[0].SamplesPerRecord)
	out := scored{h, make([]int32, 10*each)}
	if err := f.Digital(out.samples, 0, epoch*each); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestArguments(t *testing.T) {
	for args, want := range map[string]part{"r h o": ofSample, "r h o 900 120": {900, 120}, "r h": {}, "r h o 1": {}, "r h o -1 5": {}, "r h o 1 0": {}, "r h o 1 x": {}} {
		got, err := partOf(strings.Fields("cutnight " + args))
		if (err == nil) != (want.epochs > 0) || err == nil && got != want {
			t.Errorf("%s: %v, %v; want %v", args, got, err, want)
		}
	}
}
