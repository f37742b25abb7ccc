package train

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/reading"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/scores"
	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/preprocess/augment"
)

type scoresOfClass = scores.ClassScores

var movement = kind{
	name: "motion", args: "DIR|FILE...", group: "person", arch: "cnn1d", takes: backbone.Signal,
	usage: "train a network on labelled recordings of accelerometers",
	about: "Reads what `oatta run motion` reads: HARTH and other CSV tables, Axivity CWA, ActiGraph GT3X, the folder or archive of HAPT. A window has\n" +
		"the label of most of its samples, if they are enough of them (--purity).",
	recipe: training.Settings{
		Epochs: 20, Batch: 64, Rates: []float64{1e-3}, Schedule: training.Schedule{Course: training.Cosine, Warmup: 50}, Optimizer: "adamw", Decay: 1e-3,
	},
	flags: func() []cli.Flag {
		flags := append(reading.MotionFlags(),
			&cli.StringFlag{Name: "channels", Value: "x,y,z", Category: modelCategory, Usage: "`NAMES` of the channels that the network takes, with commas between"},
			&cli.Float64Flag{Name: "rate", Value: 50, Category: modelCategory, Usage: "samples a second that it takes, in `HZ`"},
			&cli.IntFlag{Name: "window", Value: 128, Category: modelCategory, Usage: "`SAMPLES` of a window"},
			&cli.StringFlag{Name: "standardise", Value: "numbers", Category: modelCategory, Usage: "channels by mean and deviation of the training examples (numbers), of each recording (recording), or not (none)"},
			&cli.Float64Flag{Name: "purity", Value: 0.75, Category: console.TruthCategory, Usage: "share of a window that its label must have; a window of less is not used"},
		)
		return append(flags, signalChangeFlags("jitter", "scale", "rotate", "shift", "mask")...)
	},
	describe: describeMotion, load: loadMotion, ready: readySignals,
}

// signalChanges are what can be done to windows each time they are shown.
var signalChanges = map[string]string{
	"jitter": "deviation of noise, as a share of the channel's own",
	"scale":  "deviation of a factor about 1, for each channel",
	"rotate": "most degrees by which the axes of a sensor are turned, as if it were worn askew",
	"shift":  "most of a window by which it is moved in its recording",
	"mask":   "longest stretch that falls silent, as a share of the window",
}

func signalChangeFlags(names ...string) (out []cli.Flag) {
	for _, name := range names {
		out = append(out, &cli.Float64Flag{Name: name, Category: changeCategory, DefaultText: "0", Usage: signalChanges[name]})
	}
	return out
}

// viewsOf reads the flags.
func viewsOf(c *cli.Context, channels int) (augment.Views, error) {
	v := augment.Views{
		Augmented: 1, Jitter: c.Float64("jitter"), Scale: c.Float64("scale"), Rotate: c.Float64("rotate"), Shift: c.Float64("shift"), Mask: c.Float64("mask"),
	}
	if v.Rotate > 0 {
		if channels%3 != 0 {
			return v, fmt.Errorf("--rotate: %d channels are not the axes x, y and z of sensors", channels)
		}
		for k := 0; k < channels; k += 3 {
			v.Triples = append(v.Triples, [3]int{k, k + 1, k + 2})
		}
	}
	return v, v.Validate()
}

func describeMotion(t *task) error {
	c := t.c
	s := &models.Signal{Name: "input", Modality: models.Motion, Rate: c.Float64("rate"), Samples: c.Int("window"), Hop: c.Int("hop"), Unit: "g"}
	for name := range strings.SplitSeq(c.String("channels"), ",") {
		s.Channels = append(s.Channels, strings.TrimSpace(name))
	}
	if s.Hop == 0 {
		s.Hop = max(1, s.Samples/2)
	}
	switch c.String("standardise") {
	case models.PerRecording:
		s.Standardise = models.PerRecording
	case models.ByNumbers, "none":
	default:
		return fmt.Errorf("--standardise %q: want %s, %s or none", c.String("standardise"), models.ByNumbers, models.PerRecording)
	}
	t.manifest.Task, t.manifest.Signal = models.SignalClassification, s
	t.options.Channels, t.options.Samples = len(s.Channels), s.Samples
	views, err := viewsOf(c, len(s.Channels))
	t.changes = views
	return err
}

func loadMotion(t *task) error {
	o, err := reading.MotionOptions(t.c)
	if err != nil {
		return err
	}
	o.Hop = 0 // the manifest's
	in, err := inputs.OpenMotion(t.c.Context, t.c.Args().Slice(), t.manifest, o)
	if err != nil {
		return err
	}
	defer in.Close() // it was only read
	return t.loadWindows(in)
}

// loadWindows reads the windows of an input of signals.
func (t *task) loadWindows(in inputs.Input, usual ...[]string) error {
	in, err := t.corrected(in)
	if err != nil {
		return err
	}
	r, err := t.reading(in, usual...)
	if err != nil {
		return err
	}
	t.data, _, err = training.ReadWindows(t.c.Context, in, t.manifest.Signal.Rate, r)
	console.Warn(t.c, t.env, in.Warnings())
	return err
}

// readySignals finds the numbers by which channels are standardised, of the examples for training alone.
func readySignals(t *task) error {
	w := t.data.Store.(*training.Windows)
	if s := t.manifest.Signal; t.c.String("standardise") == models.ByNumbers {
		s.Standardise = models.ByNumbers
		s.Mean, s.Std = w.Moments(t.train)
		w.Standardise(s.Mean, s.Std)
	}
	views := t.changes.(augment.Views)
	if views.Jitter+views.Scale+views.Rotate+views.Shift+views.Mask == 0 {
		return nil
	}
	return w.Change(views)
}
