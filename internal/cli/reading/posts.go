package reading

import (
	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets/posts"
	"github.com/oatta/oatta/internal/cli/console"
)

// PostFlags say how posts are read.
func PostFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "stream-column", Category: console.InputCategory, Usage: "column or field of who wrote it, with dots for fields of fields, as user.screen_name (default: the first of the usual names that is there, as user, author, screen_name)"},
		&cli.StringFlag{Name: "id-column", Category: console.InputCategory, Usage: "column or field of the post's id (default: id, tweet_id, ...)"},
		&cli.StringFlag{Name: "time-column", Category: console.InputCategory, Usage: "column or field of the time (default: time, date, created_at, ...; -: none, posts are in the order of the file)"},
		&cli.StringFlag{Name: "text-column", Category: console.InputCategory, Usage: "column or field of the text (default: text, tweet, content, ...)"},
		&cli.StringFlag{Name: "label-column", Category: console.InputCategory, Usage: "column or field of the true label (default: label, polarity, sentiment, ...)"},
		&cli.StringFlag{Name: "time-layout", Category: console.InputCategory, Usage: TimeLayoutUsage},
		&cli.StringFlag{Name: "comma", Category: console.InputCategory, Usage: "what parts the columns: , ; or tab (default: what the header has most of)"},
		QuoteFlag(),
	}
}

// PostOptions reads the flags.
func PostOptions(c *cli.Context) (posts.Options, error) {
	o := posts.Options{
		Stream: c.String("stream-column"), ID: c.String("id-column"), Time: c.String("time-column"),
		Text: c.String("text-column"), Label: c.String("label-column"), TimeLayout: c.String("time-layout"), Quote: c.String("quote"),
	}
	var err error
	if o.Comma, err = CommaOf(c); err != nil {
		return o, err
	}
	return o, o.Validate()
}
