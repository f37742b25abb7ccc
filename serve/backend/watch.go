package backend

import (
	"log/slog"
	"sync/atomic"

	"github.com/oatta/oatta/adapt"
)

// watch looks for predictors that are too sure of themselves for the filter, and says so once.
type watch struct {
	starvation *adapt.Starvation
	model      string
	log        *slog.Logger
	items      int
	starved    atomic.Bool
}

// watchEvery is after how many items it is asked what it has seen, and watchLast after how many the last time: by then it has ended by itself.
const (
	watchEvery = 1000
	watchLast  = 1_000_000
)

func newWatch(o *Opened, model string, log *slog.Logger) (*watch, error) {
	s, err := adapt.NewStarvation(o.Classes, o.Filter)
	return &watch{starvation: s, model: model, log: log}, err
}

// add takes the rows of a request of a stream.
func (w *watch) add(c *call) {
	if w.items > watchLast || w.starved.Load() {
		return
	}
	k := c.version.opened.Classes
	for at := 0; at < len(c.probs); at += k {
		w.starvation.Add(c.stream, c.probs[at:at+k])
		if w.items++; w.items%watchEvery == 0 && w.starvation.Warning() != "" {
			w.starved.Store(true)
			if w.log != nil {
				w.log.Warn(w.starvation.Warning(), "model", w.model)
			}
			return
		}
	}
}
