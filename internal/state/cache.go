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
	clean *list.List // of *entry, the latest in front
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
	return cache{limit, map[string]*entry{}, map[string]*entry{}, list.New()}
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
	e := &entry{stream: stream, filter: f}
	c.all[stream], c.dirty[stream] = e, e
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
}
