package hypnogram

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// TrimEpochs is the margin of the usual protocol: 30 minutes.
const TrimEpochs = 30 * 60 / EpochSeconds

// Trim returns the range of epochs from margin epochs before the first one of sleep to margin epochs after the last one, as far
// as there are any. Without sleep the range is empty.
func Trim(stages []Stage, margin int) (from, to int) {
	first := slices.IndexFunc(stages, Stage.Asleep)
	if first < 0 {
		return 0, 0
	}
	last := first
	for i, s := range stages {
		if s.Asleep() {
			last = i
		}
	}
	return max(first-margin, 0), min(last+margin+1, len(stages))
}

// Aligned is a hypnogram on the clock of a recording.
type Aligned struct {
	Offset float64 // second of the recording at which the first epoch begins, 0 or more
	Stages []Stage // of all epochs that lie in the recording as a whole
}

// Align cuts the hypnogram to a recording that starts at start and lasts some seconds, gaps included. Where one of the starts is
// unknown both are taken for the same. Files that do not overlap by an epoch are an error: they are not of one night.
func Align(h *Hypnogram, start time.Time, seconds float64) (Aligned, error) {
	shift := h.Offset // of the hypnogram against the recording
	if !h.Start.IsZero() && !start.IsZero() {
		shift += h.Start.Sub(start).Seconds()
	}
	const slack = 1e-6 // seconds: starts have microseconds
	skip := int(max(0, math.Ceil(-shift/EpochSeconds-slack)))
	offset := max(0, shift+float64(skip)*EpochSeconds)
	count := math.Floor((seconds-offset)/EpochSeconds + slack)
	if skip >= len(h.Stages) || !(count >= 1) {
		return Aligned{}, fmt.Errorf("hypnogram: %d epochs from %s do not overlap a recording of %g seconds from %s",
			len(h.Stages), clock(h.Start), seconds, clock(start))
	}
	end := skip + int(min(count, float64(len(h.Stages)-skip)))
	return Aligned{Offset: offset, Stages: slices.Clone(h.Stages[skip:end])}, nil
}

func clock(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.Format(time.DateTime)
}

// Pair is a recording and its hypnogram.
type Pair struct {
	Key       string // what both names share: SC4001E
	Recording string // path
	Hypnogram string // path
}

// Pairs joins recordings and hypnograms by the names of Sleep-EDF: SC4001E0-PSG.edf and SC4001EC-Hypnogram.edf share all but the
// last letter before the dash, which names the scorer in one of them. Pairs are in order of their keys. Files that have no partner, or
// more than one, are in rest; files with other names are ignored.
func Pairs(paths []string) (pairs []Pair, rest []string) {
	recordings, hypnograms := map[string][]string{}, map[string][]string{}
	for _, p := range paths {
		if key, ok := keyOf(p, "-psg.edf"); ok {
			recordings[key] = append(recordings[key], p)
		} else if key, ok := keyOf(p, "-hypnogram.edf"); ok {
			hypnograms[key] = append(hypnograms[key], p)
		}
	}
	for key, r := range recordings {
		if h := hypnograms[key]; len(r) == 1 && len(h) == 1 {
			pairs = append(pairs, Pair{key, r[0], h[0]})
			delete(hypnograms, key)
			continue
		}
		rest = append(rest, r...)
	}
	for _, h := range hypnograms {
		rest = append(rest, h...)
	}
	slices.Sort(rest)
	slices.SortFunc(pairs, func(a, b Pair) int { return strings.Compare(a.Key, b.Key) })
	return pairs, rest
}

// keyOf returns the name up to the letter before the ending, in capitals.
func keyOf(path, ending string) (string, bool) {
	name := strings.ToLower(filepath.Base(path))
	name, ok := strings.CutSuffix(name, ending)
	if !ok || len(name) < 2 {
		return "", false
	}
	return strings.ToUpper(name[:len(name)-1]), true
}

// validate refuses stages that no writer knows.
func validate(stages []Stage) error {
	for i, s := range stages {
		if s > R {
			return fmt.Errorf("epoch %d: %v", i, s)
		}
	}
	if len(stages) == 0 {
		return errors.New("no stages")
	}
	return nil
}
