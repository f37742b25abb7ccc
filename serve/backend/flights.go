package backend

import "sync"

// flights are the requests with a key or a number that are on their way to a network: one that comes again meanwhile waits for the first, so that a
// network that learns takes one step, and so does one whose number is not above the highest that is on its way.
type flights struct {
	mu      sync.Mutex
	of      map[flight]*call
	highest map[string]*call // of each stream
}

type flight struct{ stream, key string }

func (c *call) flight() flight { return flight{c.stream, c.request.Sequence.Key} }

// begin makes a call the one that is on its way, and returns nil, or returns the one that is.
func (f *flights) begin(c *call) *call {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &c.request.Sequence
	if first := f.of[c.flight()]; first != nil && s.Key != "" {
		return first
	}
	if above := f.highest[c.stream]; above != nil && s.Number > 0 && s.Number <= above.request.Sequence.Number {
		return above
	}
	if f.of == nil {
		f.of, f.highest = map[flight]*call{}, map[string]*call{}
	}
	if s.Key != "" {
		f.of[c.flight()] = c
	}
	if s.Number > 0 {
		f.highest[c.stream] = c
	}
	return nil
}

// end lets the next one begin, if the call was the one.
func (f *flights) end(c *call) {
	if s := &c.request.Sequence; s.Key == "" && s.Number == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.highest[c.stream] == c {
		delete(f.highest, c.stream)
	}
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
