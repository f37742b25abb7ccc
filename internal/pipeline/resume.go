package pipeline

import (
	"context"
	"fmt"

	"github.com/oatta/oatta/models/predict"
)

// place is where a run goes on.
type place struct {
	first int // item that is not written
	from  int // item from which on a stream predictor must see its streams to be in the state that it was in; at most first
}

// replay steps the filter through what the journal holds: from the beginning of the current stream, or all of it for an observer, and where
// the filters of streams that have ended are kept for the next run. Answers that are not written wait as they did.
func (r *run) replay(ctx context.Context, first int) (place, error) {
	begin := first // of the current stream
	for begin > 0 && begin < len(r.Items) && r.Items[begin-1].Stream == r.Items[first].Stream {
		begin--
	}
	from := begin
	if r.Whole || r.Filter.Source != nil {
		from = 0
	}
	r.again, r.step.given = true, from
	var steps []int // of the current stream
	err := r.Output.replay(from, r.Filter.Classes, func(i int, o outcome) error {
		if r.stopped(ctx) {
			return errStopped
		}
		if err := r.step.step(i, o); err != nil {
			return err
		}
		if r.Streams != nil && i >= begin && o.stepped {
			steps = append(steps, i)
		}
		return nil
	})
	if err == nil && r.step.given != r.Output.written {
		err = fmt.Errorf("pipeline: %s: %d records are written, and its journal answers %d: --overwrite starts again", r.Output.path, r.Output.written, r.step.given)
	}
	r.again, r.step.counts = false, r.Output.counts
	r.report.Resumed = first
	return place{first, r.restart(first, steps)}, err
}

// restart returns the item from which on the stream predictor must repeat its steps, given those that the current stream has made.
func (r *run) restart(first int, steps []int) int {
	from := 0
	if p, ok := r.Streams.(predict.Restarter); ok {
		from = p.Restart(len(steps))
	}
	switch {
	case from < 0: // before the first stream
		return 0
	case from >= len(steps):
		return first
	}
	return steps[from]
}
