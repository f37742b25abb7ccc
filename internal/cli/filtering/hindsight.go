package filtering

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/streams"
)

const (
	hindsightCategory = "HINDSIGHT"
	// StateCategory is where the flags of memory stand in the help.
	StateCategory   = "MEMORY"
	explainCategory = "EXPLANATION"
)

// StreamFlags say how streams are filtered, whoever predicts.
func StreamFlags() []cli.Flag {
	return slices.Concat(gapFlags(), hindsightFlags(), memoryFlags(), explainFlags(), evaluation.KnownFlags(filterCategory), filterFlags())
}

// CausalFlags say how streams are filtered that are answered at once.
func CausalFlags() []cli.Flag { return slices.Concat(gapFlags(), filterFlags()) }

// hindsightFlags say how much of its stream an answer may know.
func hindsightFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "causal", Category: hindsightCategory, Usage: "answer each item by what came before it, as a device in the field must (the default of filter, of the paper's gates, and with --state and --explain)"},
		&cli.IntFlag{Name: "lag", Category: hindsightCategory, Usage: "answer each item when `N` more of its stream are known; filter then writes lines of different streams as they are answered"},
		&cli.BoolFlag{Name: "smooth", Category: hindsightCategory, Usage: "answer each item by its whole stream (forward-backward), for streams that are complete (the default of run and eval); holds the stream, and filter the whole input"},
		&cli.BoolFlag{Name: "viterbi", Category: hindsightCategory, Usage: "smooth, and take the labels from the most probable path through the whole stream"},
		&cli.Int64Flag{Name: "max-held", Value: 8 << 30, Category: hindsightCategory, Usage: "the most `BYTES` of vectors that wait for --smooth"},
	}
}

// memoryFlags say where streams are remembered.
func memoryFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "state", Category: StateCategory, Usage: "`FILE` that remembers every stream's filter from run to run: new input continues its streams; filter goes on in an input that has grown"},
		&cli.StringFlag{Name: "state-key", Category: StateCategory, Usage: "`FILE` of a key of 32 bytes, in hexadecimal or base64, that seals the state"},
	}
}

// explainFlags say what is to be drawn.
func explainFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "explain", Category: explainCategory, Usage: "draw what the filter did on the `STREAM`: gate, evidence, hypotheses over time, and the learned matrix, which can reveal a routine"},
		&cli.StringFlag{Name: "explain-to", Category: explainCategory, Usage: "`PREFIX` of its files: PREFIX.svg, .png, .csv, .json, PREFIX-matrix.svg and more (default: explain-STREAM)"},
	}
}

// HindsightOf reads how much of its stream an answer may know. byDefault counts where the flags leave it open.
func HindsightOf(c *cli.Context, byDefault streams.Mode) (streams.Options, error) {
	o := streams.Options{Mode: byDefault, Lag: c.Int("lag"), Path: c.Bool("viterbi"), MaxHeld: c.Int64("max-held"), Workers: goruntime.GOMAXPROCS(0)}
	if o.Lag < 0 || o.Lag > adapt.MaxLag {
		return o, fmt.Errorf("--lag %d: want 0 to %d items", o.Lag, adapt.MaxLag)
	}
	smooth, causal := c.Bool("smooth") || o.Path, c.Bool("causal")
	switch {
	case smooth && c.IsSet("lag"):
		return o, errors.New("--lag and --smooth: an answer waits for some items or for all; want one of the two")
	case causal && (smooth || o.Lag > 0):
		return o, errors.New("--causal: an answer that knows the past alone waits for nothing: want it without --lag, --smooth and --viterbi")
	case smooth:
		o.Mode = streams.Smoothed
	case o.Lag > 0:
		o.Mode = streams.Lagged
	case causal, c.IsSet("lag"):
		o.Mode = streams.Filtered
	}
	if o.Mode != streams.Smoothed {
		return o, console.Refuse(c, []string{"max-held"}, "--smooth")
	}
	return o, nil
}

// HindsightByDefault is what run and eval answer by where no flag says it. All of their input is there, and hindsight over the gate auto
// gains on every kind of data that was measured (docs/auto.md). The paper's gates are causal, and so is what is remembered or explained.
func HindsightByDefault(c *cli.Context, gate adapt.Gate) streams.Mode {
	if gate != adapt.GateAuto && gate != "" || c.String("state") != "" || c.String("explain") != "" {
		return streams.Filtered
	}
	return streams.Smoothed
}

// HeldHint says what to do where too much waits.
func HeldHint(err error) error {
	if errors.Is(err, streams.ErrHeld) {
		return fmt.Errorf("%w (--max-held): --causal holds nothing, --lag little, and shorter streams less", err)
	}
	return err
}
