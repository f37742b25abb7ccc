package backend

import "sync"

// flights are the requests with a key that are on their way to a network: one that comes again meanwhile waits for the first, so that a network that
// learns takes one step.
type flights struct {
	mu sync.Mutex
	of map[flight]*call
}

type flight struct{ stream, key string }

func (c *call) flight() flight { return flight{c.stream, c.request.Sequence.Key} }

// begin makes a call the one that is on its way, and returns nil, or returns the one that is.
func (f *flights) begin(c *call) *call {
	f.mu.Lock()
	defer f.mu.Unlock()
	if first := f.of[c.flight()]; first != nil {
		return first
	}
	if f.of == nil {
		f.of = map[flight]*call{}
	}
	f.of[c.flight()] = c
	return nil
}

// end lets the next one begin, if the call was the one.
func (f *flights) end(c *call) {
	if c.request.Sequence.Key == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of[c.flight()] == c {
		delete(f.of, c.flight())
	}
}

// wait returns when a call is the one that is on its way. The error is that of its context.
func (f *flights) wait(c *call) error {
	for {
		first := f.begin(c)
		if first == nil {
			return nil
		}
		select {
		case <-first.done:
		case <-c.ctx.Done():
			return c.ctx.Err()
		}
	}
}
