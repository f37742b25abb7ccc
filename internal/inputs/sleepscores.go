package inputs

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/oatta/oatta/datasets/edf"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
)

// sleepScores tells which files are hypnograms, and of which recordings.
type sleepScores struct {
	of      map[string]string // path of a recording to that of its hypnogram
	skip    map[string]bool   // paths of files that are no recordings
	strange map[string]bool   // paths of text files that are nobody's hypnogram
	hashed  []any             // what of the options decides the labels
}

// scoresOf finds the hypnograms among the files, or those that the options name.
func (s *Sleep) scoresOf(files []file, args []string) (sleepScores, error) {
	out := sleepScores{of: map[string]string{}, skip: map[string]bool{}, strange: map[string]bool{}}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.path
	}
	pairs, rest, unclear := hypnogram.Pairs(paths)
	for _, p := range pairs {
		out.of[p.Recording], out.skip[p.Hypnogram] = p.Hypnogram, true
	}
	if len(s.options.Words) > 0 {
		out.hashed = append(out.hashed, s.options.Words)
	}
	if s.options.Hypnogram != "" {
		if err := s.named(files, &out); err != nil {
			return out, fmt.Errorf("hypnograms: %w", err)
		}
	} else {
		for _, u := range unclear {
			s.warn("%s", u)
		}
	}
	for _, f := range files { // what is not read as a recording, whoever it is of
		if hypnogram.IsScores(f.name) && !out.skip[f.path] {
			loose := slices.Contains(rest, f.path)
			if loose && s.options.Hypnogram == "" {
				s.warn("%s: no recording of its name: left out", f.name)
			}
			out.strange[f.path] = hypnogram.IsText(f.path) && !loose && !slices.Contains(args, f.path)
			out.skip[f.path] = !hypnogram.IsText(f.path) || loose // else it is read as a recording, which it is not, if it was asked for
		}
	}
	return out, nil
}

// named takes the hypnograms that the options name.
func (s *Sleep) named(files []file, out *sleepScores) error {
	path := s.options.Hypnogram
	rows := [][2]string{{"", path}}
	if hasEnding(path, ".csv") {
		mapped, err := readMapping(path)
		if errors.Is(err, errNoMapping) {
			_, failed := hypnogram.Options{Words: s.options.Words}.Open(path, time.Time{})
			if failed != nil {
				return fmt.Errorf("%w; nor is it a hypnogram: %w", err, failed)
			}
		} else if rows = mapped; err != nil {
			return err
		}
	}
	for _, row := range rows {
		info, err := os.Stat(row[1])
		if err != nil {
			return err
		}
		f, err := recordingCalled(files, row)
		if err != nil {
			return err
		}
		out.of[f.path] = row[1]
		for _, h := range files { // it may lie among them
			if same, err := os.Stat(h.path); err == nil && os.SameFile(same, info) {
				out.skip[h.path] = true
			}
		}
		out.hashed = append(out.hashed, f.name, filepath.Base(row[1]), info.Size(), info.ModTime().UnixNano())
	}
	return nil
}

var errNoMapping = errors.New("no columns recording and hypnogram")

// readMapping reads recordings and hypnograms, whose paths count from the folder of the file.
func readMapping(path string) (rows [][2]string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	table := csv.NewReader(f)
	head, err := table.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	recording, scores := slices.Index(head, "recording"), slices.Index(head, "hypnogram")
	if recording < 0 || scores < 0 {
		return nil, fmt.Errorf("%s: %w among %q", filepath.Base(path), errNoMapping, head)
	}
	for {
		row, err := table.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		to := row[scores]
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		rows = append(rows, [2]string{row[recording], to})
	}
}

// recordingCalled finds the recording of a row, by the name that it has in the results or that of its file; of a row without one, the only
// recording.
func recordingCalled(files []file, row [2]string) (file, error) {
	var found []file
	for _, f := range files {
		if !hasEnding(f.name, recordingEndings...) || sameFile(f.path, row[1]) {
			continue
		}
		if row[0] == "" || f.name == filepath.ToSlash(row[0]) || filepath.Base(f.path) == row[0] {
			found = append(found, f)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if row[0] == "" {
		return file{}, fmt.Errorf("one file for %d recordings: a CSV file with the columns recording and hypnogram says which is of which", len(found))
	}
	return file{}, fmt.Errorf("%d recordings are called %q", len(found), row[0])
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// leftOut gathers why there is nothing to do.
type leftOut struct {
	scores, unscored int // files of annotations alone; recordings that nobody scored
	first            string
}

func (l *leftOut) add(name string, err error) {
	if errors.Is(err, errNotARecording) {
		l.scores++
		return
	}
	if l.unscored++; l.unscored == 1 {
		l.first = fmt.Sprintf("%s: %v", Readable(name), err)
	}
}

func (l *leftOut) err() error {
	if l.unscored == 1 {
		return fmt.Errorf("nothing to score with: %s", l.first)
	}
	if l.unscored > 1 {
		return fmt.Errorf("none of %d recordings can be scored: %s", l.unscored, l.first)
	}
	return errors.New("no recording found: the files hold annotations only")
}

// score lays a hypnogram, if there is one, on the epochs.
func (s *Sleep) score(n *night, e *edf.File, path string) error {
	o := hypnogram.Options{Words: s.options.Words}
	var h *hypnogram.Hypnogram
	var err error
	if path != "" {
		if h, err = o.Open(path, n.start); err != nil {
			return withoutPath(err, path)
		}
	} else if h, err = o.Read(e); err != nil { // perhaps it holds its own
		if s.options.Scored {
			return fmt.Errorf("%w: %w", errNotScored, err)
		}
		if !errors.Is(err, hypnogram.ErrNoStages) {
			s.warn("%s: its stages are not used: %v", n.file.name, err)
		}
		return nil
	}
	for _, w := range h.Warnings {
		switch {
		case path != "":
			s.warn("%s: its hypnogram: %s", n.file.name, w)
		case !slices.Contains(e.Header().Warnings, w): // those are told
			s.warn("%s: %s", n.file.name, w)
		}
	}
	seconds := newEDFSource(e).seconds()
	note, err := h.Fits(seconds)
	if err != nil {
		return err
	}
	if note != "" {
		s.warn("%s: its hypnogram: %s", n.file.name, note)
	}
	a, err := hypnogram.Align(h, n.start, seconds)
	if err != nil {
		return err
	}
	return s.place(n, a)
}

// place takes the epochs that were scored, or labels those from the recording's beginning on.
func (s *Sleep) place(n *night, a hypnogram.Aligned) error {
	if o := s.options; o.Scored {
		from, to := 0, len(a.Stages)
		if o.Trim >= 0 {
			from, to = hypnogram.Trim(a.Stages, int(math.Round(o.Trim*60/hypnogram.EpochSeconds)))
		}
		if from == to {
			return errors.New("the hypnogram has no epoch of sleep")
		}
		n.stages, n.count = a.Stages[from:to], to-from
		n.offset = a.Offset + float64(from)*hypnogram.EpochSeconds
		return nil
	}
	lead := a.Offset / hypnogram.EpochSeconds
	if math.Abs(lead-math.Round(lead)) > 1e-6 {
		s.warn("%s: its hypnogram begins within an epoch of the recording: not used", n.file.name)
		return nil
	}
	n.stages = make([]hypnogram.Stage, n.count)
	copy(n.stages[min(int(math.Round(lead)), n.count):], a.Stages)
	return nil
}
