package state

import (
	"container/list"

	"github.com/oatta/oatta/adapt"
)

// cache holds the live filters: dirty ones, which must stay until they are committed, and clean ones in the order of their use.
type cache struct {
	limit int
	all   map[string]*entry
	dirty map[string]*entry
	clean *list.List          // of *entry, the latest in front
	gone  map[string]struct{} // streams to take away from the file, unless they are dirty, too: then they began anew
}

type entry struct {
	stream  string
	filter  *adapt.Filter
	beside  []byte        // the companion, if known
	known   bool          // beside is the companion; else it is in the file, if there is one
	changed bool          // since the last commit
	at      *list.Element // in clean; nil while dirty
}

func newCache(limit int) cache {
	return cache{limit, map[string]*entry{}, map[string]*entry{}, list.New(), map[string]struct{}{}}
}

// use returns the filter of a stream and marks it dirty; nil if it is not here.
func (c *cache) use(stream string) *adapt.Filter {
	e := c.all[stream]
	if e == nil {
		return nil
	}
	if e.at != nil {
		c.clean.Remove(e.at)
		e.at = nil
		c.dirty[stream] = e
	}
	return e.filter
}

// full tells that no filter could leave for another.
func (c *cache) full() bool { return len(c.dirty) >= c.limit }

// add puts in a filter, dirty. The cache must not be full; the clean filter used longest ago leaves for it.
func (c *cache) add(stream string, f *adapt.Filter) {
	if len(c.all) >= c.limit {
		c.drop(c.clean.Back().Value.(*entry).stream)
	}
	_, anew := c.gone[stream] // what is beside it in the file is not its own
	e := &entry{stream: stream, filter: f, known: anew, changed: anew}
	c.all[stream], c.dirty[stream] = e, e
}

// remove lets go of a stream, whose place in the file is to be emptied.
func (c *cache) remove(stream string) {
	c.drop(stream)
	c.gone[stream] = struct{}{}
}

// discard lets go of all that is not as it is in the file.
func (c *cache) discard() {
	for stream := range c.dirty {
		delete(c.all, stream)
	}
	clear(c.dirty)
	clear(c.gone)
}

func (c *cache) drop(stream string) {
	e := c.all[stream]
	if e == nil {
		return
	}
	if e.at != nil {
		c.clean.Remove(e.at)
	}
	delete(c.all, stream)
	delete(c.dirty, stream)
}

// committed makes all dirty filters clean.
func (c *cache) committed() {
	for _, e := range c.dirty {
		e.at, e.changed = c.clean.PushFront(e), false
	}
	clear(c.dirty)
	clear(c.gone)
}
