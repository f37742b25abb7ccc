package run

import (
	"os"
	"runtime/debug"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predictor"
	"github.com/oatta/oatta/internal/cli/reading"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/models"
)

// textFlags are those that run and eval share.
func textFlags() []cli.Flag {
	return slices.Concat(modelFlags("", models.DefaultText), reading.PostFlags(), computeFlags(), predictor.Flags(), filtering.StreamFlags())
}

func runTextCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "text",
		Usage:     "classify posts, timeline by timeline",
		ArgsUsage: "FILE|DIR...",
		Description: "Reads Sentiment140, CSV, JSON lines and LEAF files, gzip or not. All posts of one user in a file are a stream, in order of time.\n" +
			"A row that cannot be understood is a recorded failure; the run goes on. The model in the binary is for the sentiment of tweets in\n" +
			"English; other questions need one of their own (`oatta train text` makes it).",
		Flags:  slices.Concat(textFlags(), resultFlags(), writtenFlags()),
		Action: func(c *cli.Context) error { return timelines.run(c, env) },
	}
}

// tweetsOnly is told whenever nobody has chosen a model: it answers on any text.
const tweetsOnly = "model " + models.DefaultText + ": made for tweets in English, negative or positive; -m names a model for other texts or classes"

var timelines = kind[*inputs.Texts]{
	noun: "file of posts", reads: inputs.IsPosts,
	open: func(c *cli.Context, _ bool) (func(*models.Model) (*inputs.Texts, error), error) {
		o, err := reading.PostOptions(c)
		return func(m *models.Model) (*inputs.Texts, error) {
			boundGarbage(2 * mostGarbage) // how many posts there are is not known yet
			in, err := inputs.OpenTexts(c.Context, c.Args().Slice(), m, o)
			if err == nil {
				boundGarbage(len(in.Items()) * heldPost)
			}
			return in, err
		}, err
	},
	model: func(*cli.Context) (string, []string, error) {
		return models.DefaultText, []string{tweetsOnly}, nil
	},
}

// heldPost is about how many bytes a post takes while it waits for its turn, and mostGarbage how many bytes of garbage may lie beside millions of them.
const (
	heldPost    = 120
	mostGarbage = 16 << 20
)

// boundGarbage keeps memory near what is held: by default as much garbage gathers as there is to keep, all of which lies there for the whole run. GOGC,
// where it is set, says how much instead.
func boundGarbage(held int) {
	if os.Getenv("GOGC") != "" {
		return
	}
	percent := 100 * mostGarbage / max(1, held)
	if debug.SetGCPercent(min(100, max(10, percent))); percent < 50 {
		debug.FreeOSMemory() // of what the posts were read with
	}
}

func evalTextCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "text",
		Usage:     "classify labelled posts and score the labels before and after the filter",
		ArgsUsage: "FILE|DIR...",
		Description: "The truth is the label column. Where it holds nothing but 0, 2 and 4 with a 4, as in Sentiment140, and the model has the classes negative\n" +
			"and positive, these are negative, neutral and positive; nothing but -1, 0 and 1 with a -1 are, too.",
		Flags:  slices.Concat(textFlags(), resultFlags(), evalFlags(), labelFlags()),
		Action: func(c *cli.Context) error { return timelines.eval(c, env) },
	}
}
