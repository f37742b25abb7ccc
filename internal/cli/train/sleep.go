package train

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/reading"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
)

// stages are the classes of sleep, in the order of the AASM.
var stages = []string{"W", "N1", "N2", "N3", "R"}

var nights = kind{
	name: "sleep", args: "DIR|FILE...", group: "person", arch: "cnn1d", takes: backbone.Signal,
	usage: "train a network on scored recordings of sleep",
	about: "Reads what `oatta eval sleep` reads: EDF and BDF recordings with hypnograms, found by their names. The input is filtered to 0.3 to 35 Hz\n" +
		"and standardised by each recording. Epochs are of 30 seconds.",
	recipe: training.Settings{
		Epochs: 20, Batch: 64, Rates: []float64{1e-3}, Schedule: training.Schedule{Course: training.Cosine, Warmup: 50}, Optimizer: "adamw", Decay: 1e-3,
	},
	flags: func() []cli.Flag {
		return slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "channels", Value: "EEG Fpz-Cz", Category: modelCategory, Usage: "`NAMES` of the channels that the network takes, with commas between; EEG Fpz-Cz|C4-M1 names alternatives"},
			&cli.Float64Flag{Name: "rate", Value: 100, Category: modelCategory, Usage: "samples a second that it takes, in `HZ`"},
			&cli.StringFlag{Name: "unit", Category: console.InputCategory, Usage: "`UNIT` of channels whose own is no voltage: uV, mV or V (default: taken as microvolts, with a warning)"},
		}, reading.HypnogramFlags(), signalChangeFlags("jitter", "scale", "shift", "mask"))
	},
	describe: describeSleep, load: loadSleep, ready: readySignals,
}

func describeSleep(t *task) error {
	rate := t.c.Float64("rate")
	s := &models.Signal{
		Name: "input", Modality: models.Sleep, Rate: rate, Samples: int(math.Round(30 * rate)), Unit: "uV",
		Low: 0.3, High: min(35, 0.49*rate), Standardise: models.PerRecording,
	}
	for name := range strings.SplitSeq(t.c.String("channels"), ",") {
		s.Channels = append(s.Channels, strings.TrimSpace(name))
	}
	t.manifest.Task, t.manifest.Signal = models.SignalClassification, s
	t.options.Channels, t.options.Samples = len(s.Channels), s.Samples
	views, err := viewsOf(t.c, len(s.Channels))
	t.changes = views
	return err
}

func loadSleep(t *task) error {
	o := inputs.SleepOptions{Scored: true, Trim: t.c.Float64("trim")}
	if t.c.String("corrections") != "" {
		if t.c.IsSet("trim") {
			return errors.New("--trim: corrections name epochs as run counts them, from the beginning of the recording: with --corrections all are taken")
		}
		o = inputs.SleepOptions{Trim: -1}
	}
	o, err := reading.SleepOptions(t.c, o)
	if err != nil {
		return err
	}
	o.Channels = nil // they are the manifest's
	in, err := inputs.OpenSleep(t.c.Context, t.c.Args().Slice(), t.manifest, o)
	if err != nil {
		return err
	}
	return t.loadWindows(in, stages)
}
