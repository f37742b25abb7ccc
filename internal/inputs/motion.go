package inputs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"time"

	data "github.com/oatta/oatta/datasets/motion"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/preprocess/motion"
)

// MotionOptions say how recordings of movement are read and cut.
type MotionOptions struct {
	Table  data.Options // of CSV files
	Hop    int          // samples at the network's rate from one window to the next; 0: as the manifest says
	Purity float64      // share of a window that its label must have, 0 to 1, to be scored
	MaxGap float64      // seconds without a sample that are bridged; 0: the default of package motion
}

// Motion is windows of recordings of accelerometers, one stream a recording. It reads every recording twice: once for the windows that
// there will be, and once for the windows. Neither holds it.
type Motion struct {
	collection
	settings   motion.Settings
	recordings []*recording
	triples    [][3]int
	sequences  cache[*recording, *sequence] // that are being read
	closers    []func() error
}

// recording is one file, or one entry of a collection.
type recording struct {
	file     file
	open     func() (*data.Recording, error)
	settings motion.Settings // with the recording's own mean and deviation, if they are wanted
	planned  []motion.Planned
	first    int // item
}

// OpenMotion lists the windows of recordings, files or folders of them, for a network of a manifest.
func OpenMotion(ctx context.Context, args []string, m models.Manifest, o MotionOptions) (*Motion, error) {
	if m.Signal == nil || m.Signal.Modality != models.Motion {
		return nil, fmt.Errorf("the model %s is not one for movement: its manifest has no signal section of that modality", m.Name)
	}
	in := &Motion{settings: motionSettings(*m.Signal, o), sequences: cache[*recording, *sequence]{close: (*sequence).close}}
	in.collection = collection{noun: "window", shape: []int64{int64(len(m.Signal.Channels)), int64(m.Signal.Samples)}}
	if err := in.settings.Validate(); err != nil {
		return nil, err
	}
	for c := 0; c+2 < len(m.Signal.Channels) && len(m.Signal.Channels)%3 == 0; c += 3 {
		in.triples = append(in.triples, [3]int{c, c + 1, c + 2})
	}
	files, err := in.find(ctx, args, o)
	if err == nil {
		err = in.list(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	in.hash = hashFiles(files, o)
	return in, nil
}

func motionSettings(s models.Signal, o MotionOptions) motion.Settings {
	set := s.Windows()
	set.MaxGap, set.Purity = o.MaxGap, o.Purity
	if o.Hop != 0 {
		set.Hop = o.Hop
	}
	return set
}

// find opens what the arguments name: the collection of HAPT as such, all else as files.
func (in *Motion) find(ctx context.Context, args []string, o MotionOptions) (files []file, err error) {
	var plain []string
	for _, arg := range args {
		if !isHAPT(arg) {
			plain = append(plain, arg)
			continue
		}
		files = in.hapt(arg, files)
	}
	found, err := in.collection.find(ctx, plain, data.IsRecording)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		in.recordings = append(in.recordings, in.recordingsOf(f, o.Table)...)
	}
	if files = append(files, found...); len(files) == 0 {
		return nil, errors.New("no recording found: want .csv, .cwa or .gt3x files, or the folder or archive of HAPT")
	}
	return files, nil
}

// recordingsOf returns the recordings of a file: one, or of a table with a column of streams one for each of its values.
func (in *Motion) recordingsOf(f file, table data.Options) []*recording {
	if table.Stream == "" || f.err != nil || hasEnding(f.path, ".cwa", ".gt3x", ".cwa.gz", ".gt3x.gz") {
		return []*recording{{file: f, open: func() (*data.Recording, error) { return data.Open(f.path, table) }}}
	}
	names, err := data.Streams(f.path, table)
	if err != nil {
		f.err = err
		return []*recording{{file: f}}
	}
	var out []*recording
	unnamed := 0
	for _, name := range names {
		if name == "" {
			unnamed++
			continue
		}
		own, of := f, table
		own.name, of.Only = f.name+":"+name, name
		out = append(out, &recording{file: own, open: func() (*data.Recording, error) { return data.Open(f.path, of) }})
	}
	if unnamed > 0 {
		in.warn("%s: rows whose %s is empty are left out", f.name, table.Stream)
	}
	return out
}

// isHAPT tells whether a path is the collection of HAPT: an archive, or a folder with its table of labels.
func isHAPT(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		return hasEnding(path, ".tar.gz", ".tgz", ".zip")
	}
	for _, dir := range []string{path, filepath.Join(path, "RawData")} {
		accelerations, err := filepath.Glob(filepath.Join(dir, "acc_exp*_user*.txt"))
		if _, there := os.Stat(filepath.Join(dir, "labels.txt")); there == nil && err == nil && len(accelerations) > 0 {
			return true
		}
	}
	return false
}

// hapt adds the recordings of a collection. One that cannot be opened is a failure like that of a file.
func (in *Motion) hapt(path string, files []file) []file {
	whole := file{path: path, name: filepath.Base(path)}
	info, err := os.Stat(path)
	if err != nil {
		in.fail(whole.name, withoutPath(err, path))
		return append(files, whole)
	}
	whole.bytes, whole.mod = info.Size(), info.ModTime()
	h, err := data.OpenHAPT(path)
	if err != nil {
		in.fail(whole.name, withoutPath(err, path))
		return append(files, whole)
	}
	in.closers = append(in.closers, h.Close)
	for _, w := range h.Warnings {
		in.warn("%s: %s", whole.name, withoutPath(errors.New(w), path))
	}
	for i, r := range h.Recordings {
		f := file{path: path, name: r.Name(), bytes: info.Size(), mod: info.ModTime()}
		for _, dir := range []string{path, filepath.Join(path, "RawData")} { // of a folder, what tells that one of its files was replaced
			if own, err := os.Stat(filepath.Join(dir, r.Name()+".txt")); err == nil {
				f.bytes, f.mod = own.Size(), own.ModTime()
			}
		}
		in.recordings = append(in.recordings, &recording{file: f, open: func() (*data.Recording, error) { return h.Open(i) }})
		files = append(files, f)
	}
	return files
}

// list scans the recordings.
func (in *Motion) list(ctx context.Context) error {
	kept, names := in.recordings[:0], map[string]bool{}
	for _, r := range in.recordings {
		if names[r.file.name] { // of HAPT, given as folder and as archive
			return fmt.Errorf("two recordings are called %s: give each collection once", r.file.name)
		}
		names[r.file.name] = true
		err := in.scan(ctx, r)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			in.fail(r.file.name, withoutPath(err, r.file.path))
			continue
		}
		kept = append(kept, r)
	}
	in.recordings = kept
	in.close()
	return nil
}

// interruptible ends a recording when a context does: a scan of weeks takes a while.
type interruptible struct {
	*data.Recording
	ctx context.Context
}

// Read implements the source of package motion.
func (r interruptible) Read(times []float64, values []float32, labels []int32) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Recording.Read(times, values, labels)
}

// scan finds the windows of a recording and makes items of them.
func (in *Motion) scan(ctx context.Context, r *recording) error {
	if r.file.err != nil {
		return r.file.err
	}
	rec, err := r.open()
	if err != nil {
		return err
	}
	defer rec.Close()
	plan, err := motion.Scan(interruptible{rec, ctx}, in.settings)
	if err != nil {
		return err
	}
	for _, w := range plan.Warnings {
		in.warn("%s: %s", r.file.name, w)
	}
	for _, w := range rec.Warnings() {
		in.warn("%s: %s", r.file.name, withoutPath(errors.New(w), r.file.path))
	}
	for _, w := range unfit(in.settings, plan, rec.Rate(), in.triples) {
		in.warn("%s: %s", r.file.name, w)
	}
	if len(plan.Windows) == 0 {
		return fmt.Errorf("no whole window of %g seconds without a gap", float64(in.settings.Samples)/in.settings.Rate)
	}
	r.settings, r.planned, r.first = in.settings, plan.Windows, len(in.items)
	if in.settings.Standardise && in.settings.Mean == nil {
		r.settings.Mean, r.settings.Std = plan.Mean, plan.Std
	}
	in.add(r, rec.Header(), plan.Labels)
	return nil
}

func (in *Motion) add(r *recording, h *data.Header, labels []string) {
	stream := Readable(r.file.name)
	in.items = slices.Grow(in.items, len(r.planned))
	for _, w := range r.planned {
		item := pipeline.Item{
			Name: fmt.Sprintf("%s#%d", stream, w.Index), Stream: stream, Zoned: h.Zoned,
			Offset: w.Start, Duration: float64(in.settings.Samples) / in.settings.Rate,
		}
		if !h.Start.IsZero() {
			item.Time = h.Start.Add(time.Duration(w.Start * float64(time.Second)))
		}
		label := ""
		if w.Label >= 0 {
			label = labels[w.Label]
		}
		in.items, in.labels = append(in.items, item), append(in.labels, label)
	}
}

// Prepared implements [Input].
func (in *Motion) Prepared() any { return in.settings }

// Loader implements [Input].
func (in *Motion) Loader(v Views, streams int) (pipeline.Loader, error) {
	// Those in hand and those that follow them, or, where recordings are short, one for each loader that may ask.
	in.sequences.most = max(2*streams, goruntime.GOMAXPROCS(0)) + 1
	return signalLoader(v, models.Motion, in.triples, in.shape, in.load)
}

// Close implements [Input].
func (in *Motion) Close() (err error) {
	in.sequences.clear()
	for _, c := range in.closers {
		err = errors.Join(err, c())
	}
	return err
}

// Period is the time from one window to the next, in seconds.
func (in *Motion) Period() float64 {
	hop := in.settings.Hop
	if hop == 0 {
		hop = in.settings.Samples
	}
	return float64(hop) / in.settings.Rate
}

// load copies one window into dst.
func (in *Motion) load(dst []float32, i int) error {
	if err := in.failed(i); err != nil {
		return err
	}
	at, _ := slices.BinarySearchFunc(in.recordings, i, func(r *recording, i int) int { return r.first + len(r.planned) - 1 - i })
	r := in.recordings[at]
	sequence, err := in.sequences.get(r, 0, func() (*sequence, error) { return &sequence{recording: r}, nil })
	if err == nil {
		err = sequence.window(dst, i-r.first)
	}
	if err != nil {
		return withoutPath(err, r.file.path)
	}
	return nil
}
