package hypnogram

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/oatta/oatta/datasets/edf"
)

// maxEpochs bounds a hypnogram: a year.
const maxEpochs = 366 * 86400 / EpochSeconds

// Hypnogram is the stages of a recording.
type Hypnogram struct {
	Start    time.Time // of the first epoch, wall clock; zero if unknown
	Stages   []Stage   // one for each epoch
	Warnings []string  // of the file, its annotations and the stages
}

// Open reads the hypnogram of an EDF+ or BDF+ file, which may hold signals as well.
func Open(path string) (*Hypnogram, error) {
	f, err := edf.OpenFile(path)
	if err != nil {
		return nil, err
	}
	h, err := Read(f)
	return h, errors.Join(err, f.Close())
}

// Read reads the hypnogram of an open file. A file without any stage is an error.
func Read(f *edf.File) (*Hypnogram, error) {
	annotations, notes, err := f.Annotations()
	if err != nil {
		return nil, err
	}
	h, err := FromAnnotations(f.Header().Start, annotations)
	if err != nil {
		return nil, err
	}
	h.Warnings = append(append(append([]string(nil), f.Header().Warnings...), notes...), h.Warnings...)
	return h, nil
}

// FromAnnotations makes a hypnogram of annotations in order of onset, counted from start.
func FromAnnotations(start time.Time, annotations []edf.Annotation) (*Hypnogram, error) {
	scored, err := stagesOf(annotations)
	if err != nil {
		return nil, fmt.Errorf("hypnogram: %w", err)
	}
	h := &Hypnogram{Start: start}
	covered := []bool{}
	conflicts := 0
	for _, s := range scored {
		for len(h.Stages) < s.end {
			h.Stages, covered = append(h.Stages, Unscored), append(covered, false)
		}
		for i := s.first; i < s.end; i++ {
			if covered[i] && h.Stages[i] != s.stage {
				conflicts++
			}
			h.Stages[i], covered[i] = s.stage, true
		}
	}
	if conflicts > 0 {
		h.Warnings = append(h.Warnings, fmt.Sprintf("%d epochs are annotated with two stages: the later annotation counts", conflicts))
	}
	return h, nil
}

// span is a stage from one epoch to before another.
type span struct {
	stage      Stage
	first, end int
}

var (
	errNoStages = errors.New("no annotation of a sleep stage")
	errOverlap  = errors.New("the annotations of stages cover two years")
)

// stagesOf picks the annotations of stages and rounds them to epochs.
func stagesOf(annotations []edf.Annotation) (out []span, err error) {
	var kept []edf.Annotation
	for _, a := range annotations {
		if _, ok := ParseStage(a.Text); ok {
			kept = append(kept, a)
		}
	}
	if len(kept) == 0 {
		return nil, errNoStages
	}
	total := 0 // bounds the work that a small file can ask for
	for i, a := range kept {
		stage, _ := ParseStage(a.Text)
		duration := a.Duration
		if !a.HasDuration {
			duration = EpochSeconds
			if i+1 < len(kept) {
				duration = kept[i+1].Onset - a.Onset
			}
		}
		from, to := math.Round(a.Onset/EpochSeconds), math.Round((a.Onset+duration)/EpochSeconds)
		if !(from >= 0 && to <= maxEpochs && from <= to) { // NaN, too
			return nil, fmt.Errorf("annotation %q at second %g for %g seconds", a.Text, a.Onset, duration)
		}
		if total += int(to - from); total > 2*maxEpochs {
			return nil, errOverlap
		}
		out = append(out, span{stage, int(from), int(to)})
	}
	return out, nil
}
