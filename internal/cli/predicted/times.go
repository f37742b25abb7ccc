package predicted

import (
	"fmt"
	"strconv"
	"time"

	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/cli/console"
)

// times reads the times of items. An item may be asked for its time again, which is not counted again.
type times struct{ counted, again *datasets.TimeReader }

func newTimes(layout string) (t times, err error) {
	if t.counted, err = datasets.NewTimeReader(layout, true); err != nil {
		return t, fmt.Errorf("--time-layout: %w", err)
	}
	t.again, err = datasets.NewTimeReader(layout, true)
	return t, err
}

// TimeOf returns the time of an item, an instant or one on the [timeline.Wall]; the zero time if it has none that can be read, which is counted.
func (r *Reading) TimeOf(item *predictions.Item) time.Time { return timeOf(r.times.counted, item) }

// TimeAgain is TimeOf for an item whose time was counted.
func (r *Reading) TimeAgain(item *predictions.Item) time.Time { return timeOf(r.times.again, item) }

func timeOf(reader *datasets.TimeReader, item *predictions.Item) time.Time {
	if len(item.Time) == 0 {
		return time.Time{}
	}
	t, zoned, err := reader.Read(string(item.Time))
	switch {
	case err != nil || t.IsZero():
		return time.Time{}
	case zoned && !item.OnWall:
		return t
	}
	return timeline.OnWall(t)
}

// TimeNotes tells of times that could not be read, and of what was taken for what.
func (r *Reading) TimeNotes() []string {
	notes := r.times.counted.Notes()
	if n, first := r.times.counted.Bad(); n > 0 {
		notes = append(notes, fmt.Sprintf("the times of %s cannot be read, the first %s: they tell no gaps and no order; --time-layout tells their form, --time-field - ignores them",
			console.Number(n, "item"), strconv.Quote(first[:min(len(first), 60)])))
	}
	return notes
}
