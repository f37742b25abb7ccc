package main

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/predict"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/models"
	imageprep "github.com/oatta/oatta/preprocess/image"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// imageFlags are those that run and eval share.
func imageFlags() []cli.Flag {
	const input, model, compute = "INPUT", "MODEL", "COMPUTE"
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "model", Aliases: []string{"m"}, Value: models.Default, Category: model, Usage: "`NAME` of an embedded model, or path of an ONNX file or manifest"},
		&cli.StringFlag{Name: "streams", Category: input, Usage: "what makes a stream: folder, pattern or metadata (default: what the other flags suggest, else folder)"},
		&cli.StringFlag{Name: "stream-pattern", Category: input, Usage: "`REGEXP` on the file name with path; its group named stream, else its first group, is the stream"},
		&cli.StringFlag{Name: "metadata", Category: input, Usage: "`FILE` with streams, times or labels: CSV, COCO Camera Traps JSON, or Camtrap DP (datapackage.json or its folder)"},
		&cli.StringFlag{Name: "metadata-format", Category: input, Usage: "csv, cct or camtrapdp (default: by the file's name)"},
		&cli.StringFlag{Name: "file-column", Category: input, Usage: "CSV: column of the file name (default: file)"},
		&cli.StringFlag{Name: "stream-column", Category: input, Usage: "column or field of the stream (default: stream, location or deploymentID)"},
		&cli.StringFlag{Name: "time-column", Category: input, Usage: "CSV: column of the capture time (default: time)"},
		&cli.StringFlag{Name: "label-column", Category: input, Usage: "CSV: column of the true label (default: label)"},
		&cli.BoolFlag{Name: "name-times", Category: input, Usage: "take the capture time from dates in file names where metadata and EXIF tell none"},
		&cli.StringFlag{Name: "time-pattern", Category: input, Usage: "`REGEXP` on the file name whose first group is the capture time, with --time-layout"},
		&cli.StringFlag{Name: "time-layout", Category: input, Usage: "Go `LAYOUT` of such times, as 20060102_150405"},
		&cli.BoolFlag{Name: "ignore-orientation", Category: input, Usage: "leave pictures as stored instead of turning them as EXIF says"},
		&cli.Int64Flag{Name: "max-pixels", Category: input, DefaultText: "128 Mi", Usage: "refuse larger pictures"},
		&cli.StringFlag{Name: "device", Value: "cpu", Category: compute, Usage: "cpu, cuda or auto"},
		&cli.IntFlag{Name: "device-id", Category: compute, DefaultText: "0", Usage: "which accelerator, from 0"},
		&cli.IntFlag{Name: "batch", Category: compute, DefaultText: "4 on CPU, 32 on CUDA", Usage: "pictures a run of the network"},
		&cli.IntFlag{Name: "runs", Category: compute, DefaultText: "one a core on CPU, 2 on CUDA", Usage: "runs of the network at the same time"},
		&cli.IntFlag{Name: "threads", Category: compute, DefaultText: "1", Usage: "threads inside one run"},
		&cli.IntFlag{Name: "loaders", Category: compute, DefaultText: "one a core, or one for each core that --runs leaves", Usage: "pictures decoded at the same time"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress and no summary"},
	}, gapFlags(), filterFlags())
}

func datasetOptions(c *cli.Context, progress func(done, total int)) datasets.Options {
	return datasets.Options{
		Streams: datasets.StreamBy(c.String("streams")), StreamPattern: c.String("stream-pattern"),
		Metadata: c.String("metadata"), MetadataFormat: datasets.Format(c.String("metadata-format")),
		Fields: datasets.Fields{
			File: c.String("file-column"), Stream: c.String("stream-column"), Time: c.String("time-column"), Label: c.String("label-column"),
		},
		NameTimes: c.Bool("name-times"), TimePattern: c.String("time-pattern"), TimeLayout: c.String("time-layout"),
		Progress: progress,
	}
}

// listing reads the collection that the arguments name.
func listing(c *cli.Context, env environment) (*datasets.Listing, error) {
	if c.NArg() == 0 {
		return nil, fmt.Errorf("no folder or picture given; see `%s --help`", c.Command.HelpName)
	}
	p := newProgress(env.err, 0, c.Bool("quiet"), "capture times")
	defer p.finish()
	l, err := datasets.ListAll(c.Context, c.Args().Slice(), datasetOptions(c, p.at))
	if errors.Is(err, datasets.ErrNoPictures) && len(l.Failures) > 0 {
		err = nil // every picture failed, which is a result, too
	}
	if err == nil {
		if note := l.IgnoredNote(); note != "" {
			l.Warnings = append(l.Warnings, "not read, as no pictures: "+note)
		}
	}
	return l, err
}

// classifier is a model ready to run on pictures.
type classifier struct {
	model     *models.Model
	engine    *ort.Engine
	session   runtime.Session
	transform *imageprep.Transform
	base      *predict.Base
	config    runtime.Config
	reason    string // why the session runs where it does
}

// openClassifier loads ONNX Runtime and opens the model's session.
func openClassifier(c *cli.Context, m *models.Model) (*classifier, error) {
	engine, err := loadEngine(c.Context, runtime.Device(c.String("device")))
	if err != nil {
		return nil, err
	}
	k := &classifier{model: m, engine: engine, config: sessionConfig(c)}
	if k.transform, err = imageprep.New(transformSettings(c, m.Manifest), imageprep.Limits{MaxPixels: c.Int64("max-pixels")}); err != nil {
		return nil, err
	}
	if k.session, err = m.Open(engine, k.config); err != nil {
		return nil, err
	}
	k.reason = ort.DeviceReason(k.session)
	_, out, err := m.Manifest.Match(k.session.Inputs(), k.session.Outputs())
	if err == nil {
		k.base, err = predict.NewBase(k.session, k.transform.Shape(), out, len(m.Manifest.Labels))
	}
	if err != nil {
		return nil, errors.Join(err, k.session.Close())
	}
	return k, nil
}

// loadEngine finds the library that `oatta setup` fetched, or another one, and loads it.
func loadEngine(ctx context.Context, device runtime.Device) (*ort.Engine, error) {
	lib, err := ortlib.Find(ctx, ortlib.Options{Device: device})
	if errors.Is(err, ortlib.ErrNotFound) {
		command := "oatta setup"
		if device == runtime.DeviceCUDA {
			command += " --device cuda" // without that it would take the CPU library that was not good enough here
		}
		return nil, fmt.Errorf("%w\nRun `%s` to fetch it", err, command)
	}
	if err != nil {
		return nil, err
	}
	return ort.Load(lib.Path)
}

// sessionConfig: on a CPU, several runs side by side on one thread each use the cores better than one run on all of them, since no
// operator waits for its slowest thread.
func sessionConfig(c *cli.Context) runtime.Config {
	return runtime.Config{
		Device: runtime.Device(c.String("device")), DeviceID: c.Int("device-id"), IntraThreads: positive(c.Int("threads"), 1),
	}
}

// positive returns v, or other where v is 0, the flags' word for a default.
func positive(v, other int) int {
	if v == 0 {
		return other
	}
	return v
}

func transformSettings(c *cli.Context, m models.Manifest) imageprep.Settings {
	in := m.Input
	interpolation, err := imageprep.ParseInterpolation(in.Interpolation)
	if err != nil {
		panic(err) // the manifest's check allows only what the transform has; a test compares the two
	}
	layout, err := imageprep.ParseLayout(in.Layout)
	if err != nil {
		panic(err)
	}
	s := imageprep.Settings{
		Resize: in.Resize, Stretch: in.Stretch, Height: in.Height, Width: in.Width, Interpolation: interpolation,
		BGR: in.Color == models.BGR, Layout: layout, IgnoreOrientation: c.Bool("ignore-orientation"),
	}
	copy(s.Mean[:], in.Mean)
	copy(s.Std[:], in.Std)
	return s
}

// share says how the work is divided.
type share struct{ batch, runs, loaders int }

func (k *classifier) share(c *cli.Context) (share, error) {
	cores := goruntime.GOMAXPROCS(0) // heeds the limits of a container
	s := share{batch: 4, runs: max(1, cores/k.config.IntraThreads), loaders: cores}
	onCPU := k.device() == string(runtime.DeviceCPU)
	if !onCPU {
		s.batch, s.runs = 32, 2
	}
	for _, f := range []struct {
		name string
		to   *int
	}{{"batch", &s.batch}, {"runs", &s.runs}, {"loaders", &s.loaders}} {
		if v := c.Int(f.name); v < 0 || v > 4096 {
			return s, fmt.Errorf("--%s %d: want 1 to 4096", f.name, v)
		}
		*f.to = positive(c.Int(f.name), *f.to)
	}
	if busy := s.runs * k.config.IntraThreads; onCPU && c.Int("loaders") == 0 && busy < cores {
		s.loaders = cores - busy // who keeps cores from the network wants them for decoding, and the network's left alone
	}
	s.batch = k.base.Size(s.batch)
	return s, nil
}

// device says where the session runs, as "cpu" or "cuda:0".
func (k *classifier) device() string {
	if i, ok := k.session.(runtime.Inspector); ok {
		return i.Device()
	}
	return string(runtime.DeviceCPU)
}

// items are the pictures of a listing and, in a stream of no name at the end, those that could not be listed.
func items(l *datasets.Listing) []pipeline.Item {
	out := make([]pipeline.Item, 0, len(l.Pictures)+len(l.Failures))
	for _, p := range l.Pictures {
		out = append(out, pipeline.Item{Name: readable(p.Name), Stream: readable(p.Stream), Time: p.Time, Zoned: p.Zoned})
	}
	for _, f := range l.Failures {
		out = append(out, pipeline.Item{Name: readable(f.Name)})
	}
	return out
}

// readable returns a name as outputs can hold it: bytes that are no UTF-8, which JSON cannot, are written as \xFF, so that two names
// stay two.
func readable(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02X`, name[i])
		} else {
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}

// beforeLoad, if a test sets it, is called before each picture is loaded.
var beforeLoad func()

// loader decodes and transforms picture i. Its errors leave the file out: the record has its name, and where a folder lies is
// nobody's business who gets the results.
func (k *classifier) loader(l *datasets.Listing) pipeline.Loader {
	return func(dst []float32, i int) error {
		if i >= len(l.Pictures) {
			return errors.New(l.Failures[i-len(l.Pictures)].Reason)
		}
		if beforeLoad != nil {
			beforeLoad()
		}
		path := l.Pictures[i].Path
		if err := k.transform.File(dst, path); err != nil {
			return errors.New(strings.ReplaceAll(strings.ReplaceAll(err.Error(), path+": ", ""), path, "the file"))
		}
		return nil
	}
}

// filter makes the filter of the flags over the model's classes.
func filter(c *cli.Context, m *models.Model) (*adapt.Filter, error) {
	s, err := filterSettings(c, m.Manifest.Prior, m.Manifest.Temperature)
	if err != nil {
		return nil, err
	}
	return adapt.New(len(m.Manifest.Labels), s)
}

// kind says what the network's outputs are.
func (k *classifier) kind() predict.Kind { return predict.Kind(k.model.Manifest.Output.Kind) }
