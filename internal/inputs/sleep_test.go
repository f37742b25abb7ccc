package inputs

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/preprocess/eeg"
)

// sleepModel is the manifest of a network for one channel at a rate.
func sleepModel(channel string, rate float64) models.Manifest {
	return models.Manifest{
		Name: "test", Task: models.SignalClassification, Labels: []string{"W", "N1", "N2", "N3", "R"},
		Signal: &models.Signal{Name: "x", Modality: models.Sleep, Channels: []string{channel}, Rate: rate, Samples: int(30 * rate), Order: 4},
	}
}

// writeEDF writes a recording of one channel "EEG Fpz-Cz" at 10 Hz whose sample i is i modulo 1000, in records of a second.
func writeEDF(t *testing.T, path string, seconds int) {
	t.Helper()
	var b bytes.Buffer
	field := func(width int, format string, args ...any) {
		fmt.Fprintf(&b, "%-*s", width, fmt.Sprintf(format, args...))
	}
	field(8, "0")
	field(80, "X X X X")
	field(80, "Startdate 24-APR-1989 X X X")
	field(8, "24.04.89")
	field(8, "16.13.00")
	field(8, "512")
	field(44, "")
	field(8, "%d", seconds)
	field(8, "1")
	field(4, "1")
	for _, f := range []struct {
		width int
		text  string
	}{{16, "EEG Fpz-Cz"}, {80, ""}, {8, "uV"}, {8, "-32768"}, {8, "32767"}, {8, "-32768"}, {8, "32767"}, {80, ""}, {8, "10"}, {32, ""}} {
		field(f.width, "%s", f.text)
	}
	for i := range seconds * 10 {
		if err := binary.Write(&b, binary.LittleEndian, int16(i%1000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSleepOfFolder(t *testing.T) {
	dir := t.TempDir()
	writeEDF(t, filepath.Join(dir, "SC4001E0-PSG.edf"), 301)
	writeEDF(t, filepath.Join(dir, "SC4002E0-PSG.edf"), 90)
	writeEDF(t, filepath.Join(dir, "short.edf"), 29)
	if err := os.WriteFile(filepath.Join(dir, "broken.edf"), []byte("0       no"), 0o600); err != nil {
		t.Fatal(err)
	}
	writeHypnogram(t, filepath.Join(dir, "SC4001EC-Hypnogram.edf"), []hypnogram.Stage{hypnogram.W, hypnogram.W, hypnogram.N1, hypnogram.N2, hypnogram.Unscored, hypnogram.R, hypnogram.W, hypnogram.W})

	s, err := OpenSleep(context.Background(), []string{dir}, sleepModel("Fpz-Cz", 10), SleepOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(s.Items()); got != 10+3+2 || s.Streams() != 2 {
		t.Fatalf("%d items in %d streams, want 15 in 2", got, s.Streams())
	}
	first := s.Items()[1]
	if first.Name != "SC4001E0-PSG.edf#1" || first.Stream != "SC4001E0-PSG.edf" || first.Time.Format("2006-01-02 15:04:05") != "1989-04-24 16:13:30" {
		t.Errorf("second item: %+v", first)
	}
	var labels []string
	for i := range 11 {
		labels = append(labels, s.Label(i))
	}
	if want := []string{"W", "W", "N1", "N2", "", "R", "W", "W", "", "", ""}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
	dst := make([]float32, 300)
	if err := s.load(dst, 11); err != nil || dst[0] != 300 || dst[299] != 599 {
		t.Errorf("second epoch of the second recording: %v, from %v to %v", err, dst[0], dst[299])
	}
	for i, want := range []string{"broken.edf", "short.edf"} {
		at := 13 + i
		if err := s.failed(at); s.Items()[at].Name != want || err == nil || strings.Contains(err.Error(), dir) {
			t.Errorf("failure %d: %+v, %v", i, s.Items()[at], err)
		}
	}

	scored, err := OpenSleep(context.Background(), []string{dir}, sleepModel("Fpz-Cz", 10), SleepOptions{Scored: true, Trim: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if n := scored.Nights(); len(n) != 1 || n[0].Offset != 30 || n[0].Count != 6 {
		t.Errorf("trimmed: %+v, want one night from second 30 on, 6 epochs", n)
	}
	if w := strings.Join(scored.Warnings(), "\n"); !strings.Contains(w, "SC4002E0-PSG.edf: nobody scored it") {
		t.Errorf("warnings: %s", w)
	}
	if s.Hash() == scored.Hash() {
		t.Error("the hash does not see the options")
	}
}

func writeHypnogram(t *testing.T, path string, stages []hypnogram.Stage) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	start := testStart(t)
	if err := hypnogram.WriteEDF(f, "", start, 0, stages); err != nil {
		t.Fatal(err)
	}
}

func TestSleepRefusals(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenSleep(context.Background(), []string{dir}, sleepModel("x", 10), SleepOptions{}); err == nil || !strings.Contains(err.Error(), "no recording found") {
		t.Errorf("empty folder: %v", err)
	}
	writeEDF(t, filepath.Join(dir, "a.edf"), 60)
	s, err := OpenSleep(context.Background(), []string{dir}, sleepModel("C4-M1", 10), SleepOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.failed(0); len(s.Items()) != 1 || err == nil || !strings.Contains(err.Error(), "EEG Fpz-Cz") {
		t.Errorf("a channel that is not there: %v", err)
	}
	pictures := models.Manifest{Name: "pictures"}
	if _, err := OpenSleep(context.Background(), []string{dir}, pictures, SleepOptions{}); err == nil || !strings.Contains(err.Error(), "not one for sleep") {
		t.Errorf("a model for pictures: %v", err)
	}
}

// What becomes of a recording between the listing and the run is an error of its epochs; what sleep wrote beside it is no recording.
func TestSleepThatVanishes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.edf")
	writeEDF(t, path, 120)
	writeHypnogram(t, filepath.Join(dir, "a.edf.hypnogram.edf"), []hypnogram.Stage{hypnogram.W, hypnogram.W})
	s, err := OpenSleep(context.Background(), []string{dir}, sleepModel("Fpz-Cz", 10), SleepOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Items()) != 4 || len(s.Warnings()) > 0 {
		t.Errorf("%d items, warnings %q", len(s.Items()), s.Warnings())
	}
	if err := os.Truncate(path, 512+2*600+20); err != nil { // of 120 seconds, 61
		t.Fatal(err)
	}
	dst := make([]float32, 300)
	if err := s.load(dst, 1); err != nil || dst[0] != 300 {
		t.Errorf("what is still there: %v, from %v", err, dst[0])
	}
	if err := s.load(dst, 2); err == nil || !strings.Contains(err.Error(), "beyond the last whole epoch") {
		t.Errorf("what is gone: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.epochs.clear()
	if err := s.load(dst, 0); err == nil || strings.Contains(err.Error(), dir) {
		t.Errorf("a file that is gone: %v", err)
	}
}

// The number of epochs follows the samples, also where the times of records are far apart.
func TestSleepFarApart(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		apart string
		want  int // items; 1 is a failure
	}{{"3600", 122}, {"3000000", 1}, {"900000000000", 1}} {
		path := filepath.Join(dir, "a.edf")
		writeTwoRecords(t, path, c.apart)
		s, err := OpenSleep(context.Background(), []string{path}, sleepModel("C3", 10), SleepOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, why, failed := s.Unread()
		if len(s.Items()) != c.want || (failed == 1) != (c.want == 1) || failed == 1 && !strings.Contains(why, "far apart") {
			t.Errorf("%s: %d items, %s", c.apart, len(s.Items()), why)
		}
	}
}

// writeTwoRecords writes an EDF+D of two records of a minute at 10 Hz, of which the second begins so many seconds after the start.
func writeTwoRecords(t *testing.T, path, second string) {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%-8s%-80s%-80s%-8s%-8s%-8d%-44s%-8d%-8d%-4d", "0", "X", "X", "24.04.89", "16.13.00", 768, "EDF+D", 2, 60, 2)
	fmt.Fprintf(&b, "%-16s%-16s%160s%-8s%-8s%-8d%-8d%-8d%-8d%-8d%-8d%-8d%-8d%160s%-8d%-8d%64s", "C3", "EDF Annotations", "", "uV", "", -9, -1, 9, 1, -9, -9, 9, 9, "", 600, 20, "")
	for i, onset := range []string{"0", second} {
		for k := range 600 {
			if err := binary.Write(&b, binary.LittleEndian, int16((k+i)%9)); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintf(&b, "+%s\x14\x14%s", onset, strings.Repeat("\x00", 40-3-len(onset)))
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A long night in hand stays while short ones come and go beside it.
func TestNightsInHand(t *testing.T) {
	c, long := cache[*night, *eeg.Epochs]{most: 3}, &night{}
	first := c.hold(long, 0, nil)
	for range 10 {
		c.hold(&night{}, 0, nil)
		if c.hold(long, 0, nil) != first {
			t.Fatal("the night that was asked for last was dropped")
		}
	}
	if len(c.held) != 3 {
		t.Errorf("%d nights are held, want 3", len(c.held))
	}
}

func TestSleepOfARealNight(t *testing.T) {
	recording := testdata.Asset(t, "sleep-psg", "SC4001E0-PSG.edf")
	scores := testdata.Shared(t, "data", "edf", "SC4001EC-Hypnogram.edf")
	s, err := OpenSleep(context.Background(), []string{recording, scores}, sleepModel("EEG Fpz-Cz", 100), SleepOptions{Scored: true, Trim: 30})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for i := range s.Items() {
		counts[s.Label(i)]++
	}
	// What the literature has for SC4001E0 after trimming (as braindecode and sleep-edf tutorials count it).
	want := map[string]int{"W": 188, "N1": 58, "N2": 250, "N3": 220, "R": 125}
	for label, n := range want {
		if counts[label] != n {
			t.Errorf("%d epochs of %s, want %d", counts[label], label, n)
		}
	}
	dst := make([]float32, 3000)
	if err := s.load(dst, len(s.Items())-1); err != nil {
		t.Error(err)
	}
}
