package inputs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/oatta/oatta/datasets/edf"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/preprocess/eeg"
)

// SleepOptions say which epochs of recordings are taken.
type SleepOptions struct {
	// Scored takes only recordings with a hypnogram, and of those the epochs that it covers; else all epochs are taken from the first
	// sample on, labelled where there is a hypnogram that agrees with that grid.
	Scored bool
	// Trim, in minutes, takes only the time from that long before the first epoch of sleep until that long after the last; needs
	// Scored. Negative: all.
	Trim float64
}

// Sleep is epochs of 30 seconds of EDF and BDF recordings, one stream a recording.
type Sleep struct {
	collection
	settings eeg.Settings
	nights   []*night // those that can be read, in the order of the items

	// epochs are those of the recordings that are being read: that in hand, and the next, which begins while the last batch of the first is
	// still to be made. A night of one channel at 100 Hz takes 34 MB.
	epochs cache[*night, *eeg.Epochs]
}

// night is one recording.
type night struct {
	file   file
	start  time.Time // of the recording; zero: unknown
	offset float64   // second of the first epoch
	first  int       // item
	count  int       // epochs
	stages []hypnogram.Stage
}

// OpenSleep lists the epochs of recordings, files or folders of them, for a network of a manifest. A file that only holds
// annotations is the hypnogram of the recording that shares its name as in Sleep-EDF.
func OpenSleep(ctx context.Context, args []string, m models.Manifest, o SleepOptions) (*Sleep, error) {
	if m.Signal == nil || m.Signal.Modality != models.Sleep {
		return nil, fmt.Errorf("the model %s is not one for sleep: its manifest has no signal section of that modality", m.Name)
	}
	s := &Sleep{settings: m.Signal.Epochs()}
	s.collection = collection{noun: "epoch", shape: []int64{int64(len(m.Signal.Channels)), int64(m.Signal.Samples)}}
	files, err := s.find(ctx, args, IsNight)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("no recording found: want files that end in .edf, .bdf or .rec")
	}
	if err := s.list(ctx, files, o); err != nil {
		return nil, err
	}
	s.hash = hashFiles(files, o)
	return s, nil
}

// IsNight tells by a file's name whether it may be a recording or its hypnogram. What `oatta run sleep --hypnograms` wrote is neither,
// so that it may lie where the recordings do.
func IsNight(name string) bool {
	return hasEnding(name, ".edf", ".bdf", ".rec") && !hasEnding(name, ".hypnogram.edf")
}

func (s *Sleep) list(ctx context.Context, files []file, o SleepOptions) error {
	scores := scoresOf(files)
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, isScore := scores.recordings[f.path]; isScore {
			continue // it is read with its recording
		}
		if f.err != nil {
			s.fail(f.name, withoutPath(f.err, f.path))
			continue
		}
		n, err := s.night(f, scores.of[f.path], o)
		switch {
		case errors.Is(err, errNotARecording) || errors.Is(err, errNotScored):
			s.warn("%s: %v: left out", f.name, err)
		case err != nil:
			s.fail(f.name, withoutPath(err, f.path))
		default:
			s.add(n)
		}
	}
	if len(s.items)+len(s.failures) == 0 {
		return errors.New("no recording found: the files hold annotations only")
	}
	s.close()
	return nil
}

// scores tells which files are hypnograms, and of which recordings.
type scores struct {
	of         map[string]string // path of a recording to that of its hypnogram
	recordings map[string]string // path of a hypnogram to that of its recording
}

func scoresOf(files []file) scores {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.path
	}
	pairs, _, _ := hypnogram.Pairs(paths)
	s := scores{map[string]string{}, map[string]string{}}
	for _, p := range pairs {
		s.of[p.Recording], s.recordings[p.Hypnogram] = p.Hypnogram, p.Recording
	}
	return s
}

// Files that are passed over with a warning.
var (
	errNotARecording = errors.New("it holds annotations and no signals")
	errNotScored     = errors.New("nobody scored it")
)

// night reads the header of a recording and lays the grid of its epochs.
func (s *Sleep) night(f file, scored string, o SleepOptions) (*night, error) {
	e, err := edf.OpenFile(f.path)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	src := newEDFSource(e)
	if len(src.signals) == 0 {
		return nil, errNotARecording
	}
	for _, name := range s.settings.Channels {
		if _, err := eeg.Find(src.Labels(), name); err != nil {
			return nil, err
		}
	}
	for _, w := range e.Header().Warnings {
		s.warn("%s: %s", f.name, w)
	}
	n := &night{file: f, start: e.Header().Start}
	n.count = int(min(math.Floor(src.seconds()/hypnogram.EpochSeconds+1e-6), math.MaxInt32))
	if err := s.score(n, e, scored, o); err != nil {
		return nil, err
	}
	if n.count < 1 {
		return nil, fmt.Errorf("%.1f seconds are less than an epoch of %d", src.seconds(), hypnogram.EpochSeconds)
	}
	return n, nil
}

// score lays a hypnogram, if there is one, on the epochs.
func (s *Sleep) score(n *night, e *edf.File, path string, o SleepOptions) error {
	var h *hypnogram.Hypnogram
	var err error
	if path != "" {
		h, err = hypnogram.Open(path)
	} else if h, err = hypnogram.Read(e); err != nil { // perhaps it holds its own
		h, err = nil, nil
	}
	if err == nil && h == nil && o.Scored {
		return errNotScored
	}
	if h == nil || err != nil {
		return err
	}
	for _, w := range h.Warnings {
		s.warn("%s: %s", n.file.name, w)
	}
	a, err := hypnogram.Align(h, n.start, newEDFSource(e).seconds())
	if err != nil {
		return err
	}
	return s.place(n, a, o)
}

// place takes the epochs that were scored, or labels those from the recording's beginning on.
func (s *Sleep) place(n *night, a hypnogram.Aligned, o SleepOptions) error {
	if o.Scored {
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

// add makes items of the epochs of a night.
func (s *Sleep) add(n *night) {
	n.first = len(s.items)
	for i := range n.count {
		item := pipeline.Item{
			Name: fmt.Sprintf("%s#%d", Readable(n.file.name), i), Stream: Readable(n.file.name),
			Offset: n.offset + float64(i)*hypnogram.EpochSeconds, Duration: hypnogram.EpochSeconds,
		}
		if !n.start.IsZero() {
			item.Time = n.start.Add(time.Duration(item.Offset * float64(time.Second)))
		}
		label := ""
		if n.stages != nil && n.stages[i] != hypnogram.Unscored {
			label = n.stages[i].String()
		}
		s.items, s.labels = append(s.items, item), append(s.labels, label)
	}
	s.nights = append(s.nights, n)
}

// Prepared implements [Input].
func (s *Sleep) Prepared() any { return s.settings }

// Night is what outputs of a whole recording need.
type Night struct {
	Name   string    // of the file, as in the items' streams
	Path   string    // of the file
	Start  time.Time // of the recording, wall clock; zero: unknown
	Offset float64   // second of the recording at which epoch 0 begins
	First  int       // the item that is epoch 0
	Count  int       // epochs
}

// Period is the time from one epoch to the next, in seconds.
func (s *Sleep) Period() float64 { return hypnogram.EpochSeconds }

// Nights lists the recordings in the order of the items.
func (s *Sleep) Nights() []Night {
	out := make([]Night, len(s.nights))
	for i, n := range s.nights {
		out[i] = Night{Readable(n.file.name), n.file.path, n.start, n.offset, n.first, n.count}
	}
	return out
}

// Loader implements [Input].
func (s *Sleep) Loader(v Views, streams int) (pipeline.Loader, error) {
	s.epochs.most = 2*streams + 1 // those in hand, and those that follow them
	return signalLoader(v, models.Sleep, nil, s.shape, s.load)
}

// load copies one epoch into dst.
func (s *Sleep) load(dst []float32, i int) error {
	if err := s.failed(i); err != nil {
		return err
	}
	at, _ := slices.BinarySearchFunc(s.nights, i, func(n *night, i int) int { return n.first + n.count - 1 - i })
	n := s.nights[at]
	e, err := s.epochs.get(n, 0, func() (*eeg.Epochs, error) { return n.prepare(s.settings) })
	if err != nil {
		return err
	}
	epoch, size := i-n.first, len(dst)
	switch {
	case epoch >= e.Count:
		return errors.New("beyond the last whole epoch of the recording")
	case e.Gap[epoch]:
		return errors.New("the recording has a gap here")
	}
	copy(dst, e.Data[epoch*size:(epoch+1)*size])
	return nil
}

// prepare reads a whole recording. Its errors leave the path out: the item has the file's name.
func (n *night) prepare(set eeg.Settings) (*eeg.Epochs, error) {
	e, err := edf.OpenFile(n.file.path)
	if err != nil {
		return nil, withoutPath(err, n.file.path)
	}
	defer e.Close()
	out, err := eeg.Prepare(newEDFSource(e), n.offset, set)
	if err != nil {
		return nil, withoutPath(err, n.file.path)
	}
	return out, nil
}
