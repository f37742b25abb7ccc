package report

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/report/items"
)

// scored is the hypnogram of the one recording of the results. It is read at the first epoch, which tells when the recording began.
type scored struct {
	path     string
	stream   string
	opened   bool
	aligned  hypnogram.Aligned
	warnings []string
}

// longest is how long a recording may last: its end, the results do not tell.
const longest = 30 * 24 * time.Hour

// seconds of an epoch of a hypnogram.
const seconds = 30

// of returns the stage of an epoch; "" where it was not scored.
func (s *scored) of(it *items.Item) (string, error) {
	if !it.Piece() {
		return "", fmt.Errorf("%s says nothing of where in a recording it lies", it.File)
	}
	if !s.opened {
		if err := s.open(it); err != nil {
			return "", err
		}
	}
	if it.Stream != s.stream {
		return "", fmt.Errorf("%s is of one recording, and the results hold %s and %s", s.path, s.stream, it.Stream)
	}
	at := int(math.Round((it.Offset - s.aligned.Offset) / seconds))
	if at < 0 || at >= len(s.aligned.Stages) || s.aligned.Stages[at] == hypnogram.Unscored {
		return "", nil
	}
	return s.aligned.Stages[at].String(), nil
}

func (s *scored) open(it *items.Item) error {
	start := it.Time
	if !start.IsZero() {
		start = start.Add(-time.Duration(it.Offset * float64(time.Second)))
	}
	h, err := hypnogram.Options{}.Open(s.path, start)
	if err != nil {
		return err
	}
	if s.aligned, err = hypnogram.Align(h, start, longest.Seconds()); err != nil {
		return err
	}
	s.opened, s.stream = true, it.Stream
	name := filepath.Base(s.path) // a page tells no folder
	for _, w := range h.Warnings {
		s.warnings = append(s.warnings, name+": "+strings.ReplaceAll(w, s.path, name))
	}
	if h.Lines > 0 {
		s.warnings = append(s.warnings, name+" is a list of stages without times: its first is taken for that of the first 30 seconds of the recording")
	}
	return nil
}
