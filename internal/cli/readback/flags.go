package readback

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/report"
	"github.com/oatta/oatta/internal/report/items"
)

// KindFlag says what the items are.
func KindFlag() cli.Flag {
	return &cli.StringFlag{Name: "kind", Category: console.InputCategory, Usage: "what the items are: pictures, sleep, movement, posts or other (default: as the manifest, the format or the classes say)"}
}

// TruthFlag says where the true label stands.
func TruthFlag(category string) cli.Flag {
	return &cli.StringFlag{Name: "truth-field", Category: category, Usage: "field or column that holds the true label (default: truth)"}
}

// FieldFlags say where all else stands.
func FieldFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "stream-field", Category: console.InputCategory, Usage: "field or column of the stream (default: stream)"},
		&cli.StringFlag{Name: "id-field", Category: console.InputCategory, Usage: "field or column of the item's name (default: file, else id)"},
		&cli.StringFlag{Name: "time-field", Category: console.InputCategory, Usage: "field or column of the time (default: time)"},
		&cli.StringFlag{Name: "stream-pattern", Category: console.InputCategory, Usage: "MegaDetector, SpeciesNet: `REGEXP` on the file name whose group is the stream, as it was given to filter (default: the folder)"},
	}
}

// OptionsOf reads the flags of fields.
func OptionsOf(c *cli.Context) items.Options {
	return items.Options{
		TruthField: c.String("truth-field"), StreamField: c.String("stream-field"), IDField: c.String("id-field"), TimeField: c.String("time-field"), StreamPattern: c.String("stream-pattern"),
	}
}

// KindOf reads the flag of the kind.
func KindOf(c *cli.Context) (report.Kind, error) {
	kind, err := report.ParseKind(c.String("kind"))
	if err != nil {
		return "", fmt.Errorf("--%w", err)
	}
	return kind, nil
}
