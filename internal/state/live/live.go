package live

import (
	"container/list"

	"github.com/oatta/oatta/adapt"
)

// Cache holds the live filters: dirty ones, which must stay until they are committed, and clean ones in the order of their use.
type Cache struct {
	Limit int                 // how many may be here
	Dirty map[string]*Entry   // those that wait for a commit
	Gone  map[string]struct{} // streams to take away by the next commit, unless they are dirty, too: then they began anew

	all   map[string]*Entry
	clean *list.List // of *Entry, the latest in front
}

// Entry is a filter in memory, and what is beside it.
type Entry struct {
	Filter   *adapt.Filter
	Beside   []byte // the companion, if known
	Known    bool   // Beside is the companion; else it is where the others are kept, if there is one
	Changed  bool   // Beside, since the last commit
	Revision uint64 // of what is kept, for whoever keeps it
	Parts    int    // in how many it is kept, likewise

	stream string
	at     *list.Element // in clean; nil while dirty
}

// New returns an empty cache.
func New(limit int) Cache {
	return Cache{limit, map[string]*Entry{}, map[string]struct{}{}, map[string]*Entry{}, list.New()}
}

// Len returns how many filters are here.
func (c *Cache) Len() int { return len(c.all) }

// Get returns what is here of a stream, or nil.
func (c *Cache) Get(stream string) *Entry { return c.all[stream] }

// Use returns the filter of a stream and marks it dirty; nil if it is not here.
func (c *Cache) Use(stream string) *adapt.Filter {
	e := c.all[stream]
	if e == nil {
		return nil
	}
	if e.at != nil {
		c.clean.Remove(e.at)
		e.at = nil
		c.Dirty[stream] = e
	}
	return e.Filter
}

// Full tells that no filter could leave for another.
func (c *Cache) Full() bool { return len(c.Dirty) >= c.Limit }

// Add puts in a filter, dirty. The cache must not be full; the clean filter used longest ago leaves for it.
func (c *Cache) Add(stream string, f *adapt.Filter) *Entry {
	if len(c.all) >= c.Limit {
		c.Drop(c.Oldest())
	}
	_, anew := c.Gone[stream] // what is kept beside it is not its own
	e := &Entry{stream: stream, Filter: f, Known: anew, Changed: anew}
	c.all[stream], c.Dirty[stream] = e, e
	return e
}

// Remove lets go of a stream, whose place where it is kept is to be emptied.
func (c *Cache) Remove(stream string) {
	c.Drop(stream)
	c.Gone[stream] = struct{}{}
}

// Discard lets go of all that is not as it is kept.
func (c *Cache) Discard() {
	for stream := range c.Dirty {
		delete(c.all, stream)
	}
	clear(c.Dirty)
	clear(c.Gone)
}

// Drop lets go of a stream.
func (c *Cache) Drop(stream string) {
	e := c.all[stream]
	if e == nil {
		return
	}
	if e.at != nil {
		c.clean.Remove(e.at)
	}
	delete(c.all, stream)
	delete(c.Dirty, stream)
}

// Oldest returns the clean filter's stream that would leave next, of at least one.
func (c *Cache) Oldest() string { return c.clean.Back().Value.(*Entry).stream }

// Committed makes all dirty filters clean.
func (c *Cache) Committed() {
	for _, e := range c.Dirty {
		e.at, e.Changed = c.clean.PushFront(e), false
	}
	clear(c.Dirty)
	clear(c.Gone)
}
