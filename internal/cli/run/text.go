package run

import (
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets/posts"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
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
		Action: func(c *cli.Context) error { return runText(c, env) },
	}
}

func runText(c *cli.Context, env console.Environment) error {
	if err := files.CheckOutputs(c.Args().Slice(), []files.Place{files.At("the results", c.String("output"))}, inputs.IsPosts); err != nil {
		return err
	}
	m, in, listed, err := openTexts(c)
	if err != nil {
		return err
	}
	console.Warn(c, env, in.Warnings())
	r := &classification{c: c, env: env, input: in, path: c.String("output"), format: c.String("format")}
	return r.run(m, listed)
}

func openTexts(c *cli.Context) (*models.Model, *inputs.Texts, time.Duration, error) {
	o, err := postOptions(c)
	if err != nil {
		return nil, nil, 0, err
	}
	m, err := namedModel(c, "file of posts")
	if err != nil {
		return nil, nil, 0, err
	}
	begin := time.Now()
	in, err := inputs.OpenTexts(c.Context, c.Args().Slice(), m, o)
	return m, in, time.Since(begin), err
}

func evalTextCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "text",
		Usage:     "classify labelled posts and score the labels before and after the filter",
		ArgsUsage: "FILE|DIR...",
		Description: "The truth is the label column. Where it holds nothing but 0, 2 and 4 with a 4, as in Sentiment140, and the model has the classes negative\n" +
			"and positive, these are negative, neutral and positive; nothing but -1, 0 and 1 with a -1 are, too.",
		Flags:  slices.Concat(textFlags(), resultFlags(), evalFlags()),
		Action: func(c *cli.Context) error { return evalText(c, env) },
	}
}

func evalText(c *cli.Context, env console.Environment) error {
	if err := checkEvalFlags(c); err != nil {
		return err
	}
	if err := files.CheckOutputs(c.Args().Slice(), []files.Place{files.At("the predictions", c.String("predictions"))}, inputs.IsPosts); err != nil {
		return err
	}
	m, in, listed, err := openTexts(c)
	if err != nil {
		return err
	}
	return evaluate(c, env, m, in, listed)
}
