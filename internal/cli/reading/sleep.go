package reading

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/inputs"
)

// SleepFlags say how recordings of sleep are read.
func SleepFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "channels", Category: console.InputCategory, Usage: "`LABELS` to find in place of those that the manifest names, in its order; EEG#2 is the second of several that are called EEG"},
		&cli.StringFlag{Name: "eeg", Category: console.InputCategory, Usage: "`LABEL` of the EEG, for models whose manifest says what channels record, as YASA's do; as for --channels"},
		&cli.StringFlag{Name: "eog", Category: console.InputCategory, Usage: "`LABEL` of the EOG"},
		&cli.StringFlag{Name: "emg", Category: console.InputCategory, Usage: "`LABEL` of the EMG"},
		&cli.StringFlag{Name: "unit", Category: console.InputCategory, Usage: "`UNIT` of channels whose own is no voltage: uV, mV or V (default: taken as microvolts, with a warning); uV=mV is what a header says and what it is"},
	}
}

// HypnogramFlags say where their true stages are.
func HypnogramFlags() []cli.Flag {
	return []cli.Flag{
		&cli.Float64Flag{Name: "trim", Value: 30, Category: console.TruthCategory, Usage: "minutes of wakefulness kept before and after sleep; negative: all"},
		&cli.StringFlag{Name: "hypnogram", Category: console.TruthCategory, Usage: "`FILE` that is the hypnogram of the only recording, or a CSV file with the columns recording and hypnogram (default: by their names)"},
		&cli.StringFlag{Name: "stage-words", Category: console.TruthCategory, Usage: "CSV `FILE` with the columns from and to: texts of hypnograms, and the stages W, N1, N2, N3, R or ? that they stand for"},
	}
}

// SleepOptions reads the flags that say how recordings and hypnograms are read.
func SleepOptions(c *cli.Context, o inputs.SleepOptions) (inputs.SleepOptions, error) {
	o.Channels, o.Unit, o.Hypnogram = c.StringSlice("channels"), c.String("unit"), c.String("hypnogram")
	if !c.IsSet("channels") {
		o.Channels = nil
	}
	o.EEG, o.EOG, o.EMG = c.String("eeg"), c.String("eog"), c.String("emg")
	path := c.String("stage-words")
	if path == "" {
		return o, nil
	}
	words, err := datasets.ReadLabelMap(path)
	if err != nil {
		return o, err
	}
	o.Words = map[string]hypnogram.Stage{}
	for from, to := range words.All() {
		stage, ok := hypnogram.ParseLabel(to)
		if !ok && to != "" && to != hypnogram.Unscored.String() {
			return o, fmt.Errorf("--stage-words: %s: %q is no stage: want W, N1, N2, N3, R or ?", path, to)
		}
		o.Words[from] = stage
	}
	return o, nil
}
