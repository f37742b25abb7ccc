package hypnogram

import (
	"fmt"
	"math"
	"slices"
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
