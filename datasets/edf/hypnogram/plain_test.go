package hypnogram_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
)

// trimEpochs is how many epochs of wake are kept before the first and after the last of sleep: 30 minutes, as is usual.
const trimEpochs = 30 * 60 / hypnogram.EpochSeconds

// maxEpochs bounds the epochs of a file: a year.
const maxEpochs = 366 * 86400 / hypnogram.EpochSeconds

// sleepStages maps the annotations of Sleep-EDF to the five stages of the AASM. All other annotations (movement time, "?") leave
// their epochs unscored.
var sleepStages = map[string]string{
	"Sleep stage W": "W", "Sleep stage 1": "N1", "Sleep stage 2": "N2", "Sleep stage 3": "N3", "Sleep stage 4": "N3", "Sleep stage R": "R",
}

// parseHypnogram returns the trimmed stages of one file: the plain twin of package hypnogram, for files of annotations alone, without what is
// unscored.
func parseHypnogram(b []byte) ([]string, error) {
	data, err := edfAnnotations(b)
	if err != nil {
		return nil, err
	}
	var epochs []string // "" is unscored
	for _, a := range parseTALs(data) {
		stage := sleepStages[a.text]
		if stage == "" {
			continue
		}
		from, to := a.onset/hypnogram.EpochSeconds, (a.onset+a.duration)/hypnogram.EpochSeconds
		if !(from >= 0 && to <= maxEpochs) { // NaN, too
			return nil, fmt.Errorf("annotation %q at second %g for %g seconds", a.text, a.onset, a.duration)
		}
		first, end := int(math.Round(from)), int(math.Round(to))
		for len(epochs) < end {
			epochs = append(epochs, "")
		}
		for i := first; i < end; i++ {
			epochs[i] = stage
		}
	}
	return trimWake(epochs), nil
}

// trimWake cuts the wake far from sleep and then drops what is unscored; a recording without sleep is all cut.
func trimWake(epochs []string) (out []string) {
	first, last := len(epochs), -1
	for i, stage := range epochs {
		if stage != "" && stage != "W" {
			first, last = min(first, i), i
		}
	}
	for i := max(first-trimEpochs, 0); i <= last+trimEpochs && i < len(epochs) && last >= 0; i++ {
		if epochs[i] != "" {
			out = append(out, epochs[i])
		}
	}
	return out
}

// edfAnnotations returns the data records of a file whose only signal is its annotations. A record holds the annotation lists
// and zeros up to its size, so records may be read as one.
func edfAnnotations(b []byte) ([]byte, error) {
	const fixed, perSignal = 256, 256
	if len(b) < fixed+perSignal || !bytes.HasPrefix(b, []byte("0       ")) {
		return nil, errors.New("not an EDF file")
	}
	if !bytes.HasPrefix(b[192:], []byte("EDF+")) {
		return nil, errors.New("plain EDF: only EDF+ has annotations")
	}
	if signals := edfField(b[252:256]); signals != "1" {
		return nil, fmt.Errorf("%s signals: want the annotations alone", signals)
	}
	if label := edfField(b[fixed : fixed+16]); label != "EDF Annotations" {
		return nil, fmt.Errorf("signal %s: want EDF Annotations", label)
	}
	return b[fixed+perSignal:], nil
}

func edfField(b []byte) string { return strings.TrimRight(string(b), " ") }

// annotation is one text of a time-stamped annotation list, in seconds from the start of the file.
type annotation struct {
	onset, duration float64
	text            string
}

// parseTALs reads time-stamped annotation lists: onset, then optionally \x15 and the duration, then \x14, texts each ended by \x14,
// and \x00. A list that makes no sense is skipped: its neighbours are whole.
func parseTALs(b []byte) (out []annotation) {
	for _, list := range bytes.Split(b, []byte{0}) {
		parts := strings.Split(string(list), "\x14")
		onset, duration, timed := strings.Cut(parts[0], "\x15")
		a := annotation{}
		var err1, err2 error
		a.onset, err1 = strconv.ParseFloat(onset, 64)
		if timed {
			a.duration, err2 = strconv.ParseFloat(duration, 64)
		}
		if err1 != nil || err2 != nil || a.duration < 0 {
			continue
		}
		for _, a.text = range parts[1:] {
			if a.text != "" {
				out = append(out, a)
			}
		}
	}
	return out
}

// edfPlus makes a file of annotations.
func edfPlus(tals string) []byte {
	header := fmt.Sprintf("%-8s%-80s%-80s%-8s%-8s%-8s%-44s%-8s%-8s%-4s", "0", "X", "X", "24.04.89", "16.13.00", "512", "EDF+C", "1", "0", "1")
	return []byte(header + fmt.Sprintf("%-256s", "EDF Annotations") + tals)
}

func TestParseHypnogram(t *testing.T) {
	tals := "+0\x14\x14\x00" +
		"+0\x157200\x14Sleep stage W\x14\x00" + // 240 epochs, of which the last 60 are kept
		"+7200\x1560\x14Sleep stage 1\x14\x00" +
		"+7260\x1530\x14Movement time\x14\x00" +
		"+7290\x1530\x14Sleep stage 4\x14\x00" +
		"+7320\x1530\x14Sleep stage R\x14\x00" +
		"+oops\x1530\x14Sleep stage 2\x14\x00" +
		"+7350\x153600\x14Sleep stage W\x14\x00\x00\x00" +
		"+10950\x15600\x14Sleep stage ?\x14\x00"
	got, err := parseHypnogram(edfPlus(tals))
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(slices.Repeat([]string{"W"}, 60), []string{"N1", "N1", "N3", "R"}, slices.Repeat([]string{"W"}, 60))
	if !slices.Equal(got, want) {
		t.Errorf("%d epochs %v", len(got), got)
	}
	if got, err := parseHypnogram(edfPlus("+0\x15300\x14Sleep stage W\x14\x00")); err != nil || len(got) != 0 {
		t.Errorf("without sleep: %v, %v", got, err)
	}
}

func TestParseHypnogramRefuses(t *testing.T) {
	good := string(edfPlus(""))
	for name, file := range map[string]string{
		"empty":     "",
		"cut":       good[:300],
		"no EDF":    "1" + good[1:],
		"plain":     strings.Replace(good, "EDF+C", "     ", 1),
		"signals":   strings.Replace(good, "0       1   EDF", "0       2   EDF", 1),
		"a signal":  strings.Replace(good, "EDF Annotations", "EEG Fpz-Cz     ", 1),
		"far off":   good + "+1e18\x1530\x14Sleep stage 2\x14\x00",
		"no number": good + "NaN\x1530\x14Sleep stage 2\x14\x00",
		"before":    good + "-300\x1530\x14Sleep stage 2\x14\x00",
	} {
		if _, err := parseHypnogram([]byte(file)); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
}

func FuzzParseHypnogram(f *testing.F) {
	f.Add(edfPlus("+0\x1530\x14Sleep stage W\x14\x00+30\x1560.5\x14Sleep stage 2\x14\x00"))
	f.Add([]byte("0       "))
	f.Fuzz(func(t *testing.T, b []byte) {
		stages, err := parseHypnogram(b)
		if err != nil && stages != nil {
			t.Error("stages beside an error")
		}
		if len(stages) > maxEpochs {
			t.Errorf("%d epochs", len(stages))
		}
	})
}
