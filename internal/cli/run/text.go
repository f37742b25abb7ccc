package run

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets/posts"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predictor"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/models"
)

// textFlags are those that run and eval share.
func textFlags() []cli.Flag {
	return slices.Concat(modelFlags(""), []cli.Flag{
		&cli.StringFlag{Name: "stream-column", Category: console.InputCategory, Usage: "column or field of who wrote it, with dots for fields of fields, as user.screen_name (default: the first of the usual names that is there, as user, author, screen_name)"},
		&cli.StringFlag{Name: "id-column", Category: console.InputCategory, Usage: "column or field of the post's id (default: id, tweet_id, ...)"},
		&cli.StringFlag{Name: "time-column", Category: console.InputCategory, Usage: "column or field of the time (default: time, date, created_at, ...; -: none, posts are in the order of the file)"},
		&cli.StringFlag{Name: "text-column", Category: console.InputCategory, Usage: "column or field of the text (default: text, tweet, content, ...)"},
		&cli.StringFlag{Name: "label-column", Category: console.InputCategory, Usage: "column or field of the true label (default: label, polarity, sentiment, ...)"},
		&cli.StringFlag{Name: "time-layout", Category: console.InputCategory, Usage: timeLayoutUsage},
		&cli.StringFlag{Name: "comma", Category: console.InputCategory, Usage: "what parts the columns: , ; or tab (default: what the header has most of)"},
		quoteFlag(),
	}, computeFlags(), predictor.Flags(), filtering.StreamFlags())
}

func postOptions(c *cli.Context) (posts.Options, error) {
	o := posts.Options{
		Stream: c.String("stream-column"), ID: c.String("id-column"), Time: c.String("time-column"),
		Text: c.String("text-column"), Label: c.String("label-column"), TimeLayout: c.String("time-layout"), Quote: c.String("quote"),
	}
	var err error
	if o.Comma, err = commaOf(c); err != nil {
		return o, err
	}
	return o, o.Validate()
}

func runTextCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "text",
		Usage:     "classify posts, timeline by timeline",
		ArgsUsage: "FILE|DIR...",
		Description: "Reads Sentiment140, CSV, JSON lines and LEAF files, gzip or not. All posts of one user in a file are a stream, in order of time.\n" +
			"A row that cannot be understood is a recorded failure; the run goes on.",
		Flags:  slices.Concat(textFlags(), resultFlags(), writtenFlags()),
		Action: func(c *cli.Context) error { return timelines.run(c, env) },
	}
}

var timelines = kind[*inputs.Texts]{
	noun: "file of posts", reads: inputs.IsPosts,
	open: func(c *cli.Context, _ bool) (func(*models.Model) (*inputs.Texts, error), error) {
		o, err := postOptions(c)
		return func(m *models.Model) (*inputs.Texts, error) {
			return inputs.OpenTexts(c.Context, c.Args().Slice(), m, o)
		}, err
	},
}

func evalTextCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "text",
		Usage:     "classify labelled posts and score the labels before and after the filter",
		ArgsUsage: "FILE|DIR...",
		Description: "The truth is the label column. Where it holds nothing but 0, 2 and 4 with a 4, as in Sentiment140, and the model has the classes negative\n" +
			"and positive, these are negative, neutral and positive; nothing but -1, 0 and 1 with a -1 are, too.",
		Flags:  slices.Concat(textFlags(), resultFlags(), evalFlags()),
		Action: func(c *cli.Context) error { return timelines.eval(c, env) },
	}
}
