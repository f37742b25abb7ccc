package filter

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/streams"
)

// lateFlags say what becomes of items out of order.
func lateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "late", Value: string(timeline.PolicyKeep), Category: filtering.TimeCategory, Usage: "items earlier than one before them, and those that come twice: keep (take them as they come), drop, reorder (within --within items), restart (the stream starts anew), error"},
		&cli.IntFlag{Name: "within", Value: 100, Category: filtering.TimeCategory, Usage: "items that --late reorder holds back"},
	}
}

// timesOf reads the flags of both.
func timesOf(c *cli.Context, gate adapt.Gate) (*streams.Times, error) {
	t := &streams.Times{Policy: timeline.Policy(c.String("late"))}
	if t.Policy == timeline.PolicyReorder {
		t.Within = c.Int("within")
		if c.IsSet("state") {
			return nil, fmt.Errorf("--state and --late reorder: items that wait for their turn are not remembered; want another of %v", timeline.Policies())
		}
	} else if err := console.Refuse(c, []string{"within"}, "--late reorder"); err != nil {
		return nil, err
	}
	var err error
	if t.Settings, err = filtering.GapsOf(c, gate); err != nil {
		return nil, err
	}
	return t, t.Validate()
}
