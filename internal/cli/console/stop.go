package console

import "sync"

// stopper tells a run of the pipeline to end after the items in hand. Anything else is stopped by its context.
type stopper struct {
	mu      sync.Mutex
	running bool
	asked   bool
	Ch      chan struct{}
}

// NewStopper returns a stopper that nobody has asked.
func NewStopper() *stopper { return &stopper{Ch: make(chan struct{})} }

// Begin says that a pipeline runs from here on, and returns the channel that it must heed.
func (s *stopper) Begin() <-chan struct{} {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = true
	return s.Ch
}

// Request asks the pipeline to stop; false if there is none, and the context must be cancelled.
func (s *stopper) Request() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running && !s.asked {
		s.asked = true
		close(s.Ch)
	}
	return s.running
}
