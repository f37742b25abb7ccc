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
	// Hypnogram is a hypnogram of the only recording, or a CSV file with the columns recording and hypnogram; "": by their names.
	Hypnogram string
	// Words are texts of hypnograms, in lower case, and the stages that they stand for, beside those that are known.
	Words map[string]hypnogram.Stage
	// Channels are found in place of those that the manifest names, in the same order; nil: those of the manifest.
	Channels []string
	// EEG, EOG and EMG are found in place of those of the manifest, of a model whose manifest tells roles; "": those of the manifest.
	EEG, EOG, EMG string
	// Forward says that answers are wanted from what came before alone, which is told of a model that cannot give them.
	Forward bool
	// Unit is what channels are in whose own unit is no voltage: uV, mV or V; "": they are taken as they are, with a warning.
	// uV=mV: what those are in whose header says the first.
	Unit string
}

// Sleep is epochs of 30 seconds of EDF and BDF recordings, one stream a recording.
type Sleep struct {
	collection
	settings eeg.Settings
	options  SleepOptions
	nights   []*night // those that can be read, in the order of the items
	taken    channelsTaken
	roles    rolesTaken // in place of taken, where the manifest tells roles
	heard    sleepNotes // of the recordings that were read

	// epochs are those of the recordings that are being read: that in hand, and the next, which begins while the last batch of the first is
	// still to be made. A night of one channel at 100 Hz takes 34 MB.
	epochs cache[nightView, *eeg.Epochs]
}

// nightView is a recording as it is, or as one of its views.
type nightView struct {
	*night
	view int // 0: as it is
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

// OpenSleep lists the epochs of recordings, files or folders of them, for a network of a manifest. Hypnograms are found by their names, by the
// rule of [hypnogram.Pairs], or else in the recording itself.
func OpenSleep(ctx context.Context, args []string, m models.Manifest, o SleepOptions) (*Sleep, error) {
	if m.Signal == nil || m.Signal.Modality != models.Sleep {
		return nil, fmt.Errorf("the model %s is not one for sleep: its manifest has no signal section of that modality", m.Name)
	}
	s := &Sleep{settings: m.Signal.Epochs(), options: o}
	if err := s.set(m, o); err != nil {
		return nil, err
	}
	s.collection = collection{noun: "epoch", shape: m.Signal.Shape()}
	if s.settings.Features != "" && o.Forward {
		s.warn("%s itself looks ahead: its features are of the whole recording and of the minutes behind an epoch; the filter alone answers by what came before", m.Name)
	}
	files, err := s.find(ctx, args, IsNight)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(files, func(f file) bool { return hasEnding(f.name, recordingEndings...) || f.err != nil }) {
		return nil, errors.New("no recording found: want files that end in .edf, .bdf or .rec")
	}
	scores, err := s.scoresOf(files, args)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f file) bool { return scores.strange[f.path] })
	if err := s.list(ctx, files, scores); err != nil {
		return nil, err
	}
	s.hash = hashFiles(files, append([]any{struct {
		Scored bool
		Trim   float64
	}{o.Scored, o.Trim}}, scores.hashed...)...)
	return s, nil
}

// set lays the options over what the manifest says.
func (s *Sleep) set(m models.Manifest, o SleepOptions) error {
	if o.Channels != nil && len(o.Channels) != len(s.settings.Channels) {
		return fmt.Errorf("%d channels: the model takes %d: %q", len(o.Channels), len(s.settings.Channels), s.settings.Channels)
	}
	if o.Channels != nil {
		s.settings.Channels = o.Channels
	}
	if err := s.setRoles(m.Name, o); err != nil {
		return err
	}
	s.settings.Unit = o.Unit
	return s.settings.Validate()
}

var recordingEndings = []string{".edf", ".bdf", ".rec"}

// IsNight tells by a file's name whether it may be a recording or its hypnogram. What `oatta run sleep --hypnograms` wrote is neither,
// so that it may lie where the recordings do.
func IsNight(name string) bool {
	return hypnogram.IsScores(name) || hasEnding(name, recordingEndings...) && !hasEnding(name, ".hypnogram.edf")
}

func (s *Sleep) list(ctx context.Context, files []file, scores sleepScores) error {
	left := leftOut{}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if scores.skip[f.path] {
			continue // it is read with its recording, or is none
		}
		if f.err != nil {
			s.fail(f.name, withoutPath(f.err, f.path))
			continue
		}
		n, err := s.night(f, scores.of[f.path])
		switch {
		case errors.Is(err, errNotARecording) || errors.Is(err, errNotScored):
			s.warn("%s: %v: left out", f.name, err)
			left.add(f.name, err)
		case err != nil:
			s.fail(f.name, withoutPath(err, f.path))
		default:
			s.add(n)
		}
	}
	if len(s.items)+len(s.failures) == 0 {
		return left.err()
	}
	s.warnings = slices.Concat(s.warnings, s.taken.warnings(), s.roles.warnings())
	s.close()
	return nil
}

// Files that are passed over with a warning.
var (
	errNotARecording = errors.New("it holds annotations and no signals")
	errNotScored     = errors.New("nobody scored it")
)

// night reads the header of a recording and lays the grid of its epochs.
func (s *Sleep) night(f file, scored string) (*night, error) {
	e, err := edf.OpenFile(f.path)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	n := &night{file: f}
	return n, s.lay(n, e, scored)
}

// lay finds the channels of a recording and its epochs.
func (s *Sleep) lay(n *night, e *edf.File, scored string) error {
	src := newEDFSource(e)
	if len(src.signals) == 0 {
		return errNotARecording
	}
	choices := make([]eeg.Choice, len(s.settings.Channels))
	labels := src.Labels()
	for i := range s.settings.Channels {
		var err error
		if choices[i], err = s.choose(labels, i); err == nil {
			err = src.bounded(choices[i], s.settings)
		}
		if err != nil {
			return err
		}
	}
	if s.settings.Features != "" {
		if err := errors.Join(eeg.CheckRate(labels[choices[0].Signal], rateOf(e, src, choices[0])), eeg.CheckLength(src.seconds()+1e-3)); err != nil {
			return err
		}
	}
	for _, w := range e.Header().Warnings {
		s.warn("%s: %s", n.file.name, w)
	}
	n.start = e.Header().Start
	n.count = int(min(math.Floor(src.seconds()/hypnogram.EpochSeconds+1e-6), math.MaxInt32))
	if err := s.score(n, e, scored); err != nil {
		return err
	}
	if n.count < 1 {
		return fmt.Errorf("%.1f seconds are less than an epoch of %d", src.seconds(), hypnogram.EpochSeconds)
	}
	if s.settings.Roles != nil {
		s.roles.add(Readable(n.file.name), s, labels, choices)
	} else {
		s.taken.add(Readable(n.file.name), s.settings.Channels, labels, choices)
	}
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
func (s *Sleep) Prepared() any {
	return struct {
		eeg.Settings
		Taken []channelTaken `json:",omitempty"` // where a channel is not called as the network's is
	}{s.settings, slices.Concat(s.taken.list(), s.roles.list())}
}

// Warnings implements [Input]. Those of the samples come as recordings are read.
func (s *Sleep) Warnings() []string { return slices.Concat(s.warnings, s.heard.warnings()) }

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
	if s.settings.Features != "" {
		s.epochs.most *= 1 + v.Count
		return s.featureLoader(v)
	}
	return signalLoader(v, models.Sleep, nil, s.shape, s.load)
}

// load copies one epoch into dst.
func (s *Sleep) load(dst []float32, i int) error {
	e, epoch, err := s.epochOf(i, 0, eeg.View{})
	if err != nil {
		return err
	}
	switch {
	case epoch >= e.Count:
		return errors.New("beyond the last whole epoch of the recording")
	case e.Gap[epoch]:
		return errors.New("the recording has a gap here")
	}
	copy(dst, e.Data[epoch*len(dst):(epoch+1)*len(dst)])
	return nil
}

// epochOf returns the recording of an item, or one of its views, and which of its epochs the item is.
func (s *Sleep) epochOf(i, number int, view eeg.View) (*eeg.Epochs, int, error) {
	if err := s.failed(i); err != nil {
		return nil, 0, err
	}
	at, _ := slices.BinarySearchFunc(s.nights, i, func(n *night, i int) int { return n.first + n.count - 1 - i })
	n := s.nights[at]
	e, err := s.epochs.get(nightView{n, number}, 0, func() (*eeg.Epochs, error) {
		e, err := n.prepare(s.settings, view)
		if err == nil && number == 0 {
			s.heard.hear(n, e)
		}
		return e, err
	})
	return e, i - n.first, err
}

// prepare reads a whole recording. Its errors leave the path out: the item has the file's name.
func (n *night) prepare(set eeg.Settings, view eeg.View) (*eeg.Epochs, error) {
	e, err := edf.OpenFile(n.file.path)
	if err != nil {
		return nil, withoutPath(err, n.file.path)
	}
	defer e.Close()
	prepare := eeg.Prepare
	if set.Features != "" {
		prepare = func(src eeg.Source, offset float64, set eeg.Settings) (*eeg.Epochs, error) {
			return eeg.PrepareView(src, offset, set, view)
		}
	}
	out, err := prepare(newEDFSource(e), n.offset, set)
	if err != nil {
		return nil, withoutPath(err, n.file.path)
	}
	return out, nil
}
