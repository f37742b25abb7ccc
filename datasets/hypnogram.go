package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
)

// A hypnogram is an EDF+ file that holds annotations only (https://www.edfplus.info/specs/edfplus.html): a header of 256 bytes, 256
// more for each signal, and data records. What is read here is the one signal "EDF Annotations", as Sleep-EDF has it; the readers of
// whole recordings are elsewhere.

// EpochSeconds is the length of an epoch of sleep, which has one stage.
const EpochSeconds = 30

// trimEpochs is how many epochs of wake are kept before the first and after the last of sleep: 30 minutes, as is usual.
const trimEpochs = 30 * 60 / EpochSeconds

// maxEpochs bounds the epochs of a file: a year.
const maxEpochs = 366 * 86400 / EpochSeconds

// sleepStages maps the annotations of Sleep-EDF to the five stages of the AASM. All other annotations (movement time, "?") leave
// their epochs unscored.
var sleepStages = map[string]string{
	"Sleep stage W": "W", "Sleep stage 1": "N1", "Sleep stage 2": "N2", "Sleep stage 3": "N3", "Sleep stage 4": "N3", "Sleep stage R": "R",
}

// ReadHypnograms reads every *.edf of a gzipped tar archive as a stream of stages W, N1, N2, N3, R, one for each epoch of 30 seconds.
// Unscored epochs are left out, and so is wake more than 30 minutes away from sleep.
func ReadHypnograms(name string) ([]Sequence, error) {
	var out []Sequence
	err := eachInTar(name, func(entry string, r io.Reader) error {
		base := path.Base(entry)
		if !strings.EqualFold(path.Ext(base), ".edf") {
			return nil
		}
		b, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		stages, err := parseHypnogram(b)
		out = append(out, Sequence{Stream: strings.TrimSuffix(base, path.Ext(base)), Labels: stages})
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("datasets: %s: no hypnogram", message.Show(filepath.Base(name)))
	}
	return out, err
}

// parseHypnogram returns the trimmed stages of one file.
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
		from, to := a.onset/EpochSeconds, (a.onset+a.duration)/EpochSeconds
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
		return nil, fmt.Errorf("%s signals: want the annotations alone", message.Show(signals))
	}
	if label := edfField(b[fixed : fixed+16]); label != "EDF Annotations" {
		return nil, fmt.Errorf("signal %s: want EDF Annotations", message.Show(label))
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
