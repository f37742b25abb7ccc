package inputs

import (
	"slices"
	"sync"
)

// cache holds what several items are made of, such as a recording, while loaders ask for them nearly in their order: so that each is
// opened once. Whoever asks for a value that another opens waits for it. The zero value holds the last two.
type cache[K comparable, V any] struct {
	most      int           // values that are held, at least 2; of more, the one that was asked for the longest ago is let go
	mostBytes int64         // in place of most, where values have a size
	size      func(V) int64 // bytes of a value; nil: only their number counts
	close     func(V)       // frees a value that is let go; nil: nothing to do

	mu    sync.Mutex
	held  []*cached[K, V] // the one that was asked for last is the last
	bytes int64
}

// cached is a value in a cache.
type cached[K comparable, V any] struct {
	key   K
	left  int // times that it will still be asked for; negative if that is not known
	bytes int64
	open  func() (V, error)
	once  sync.Once
	value V
	err   error
}

// get returns the value of a key, which open opens. It will be asked for as often as uses says, and is let go after that; 0: not known.
func (c *cache[K, V]) get(key K, uses int, open func() (V, error)) (V, error) {
	v := c.hold(key, uses, open)
	v.once.Do(func() {
		if v.fill(); v.err == nil && c.size != nil {
			c.weigh(v)
		}
	})
	return v.value, v.err
}

func (v *cached[K, V]) fill() { v.value, v.err = v.open() }

// hold returns the place of a value, which may be still to be opened.
func (c *cache[K, V]) hold(key K, uses int, open func() (V, error)) *cached[K, V] {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := &cached[K, V]{key: key, left: uses, open: open}
	if at := slices.IndexFunc(c.held, func(v *cached[K, V]) bool { return v.key == key }); at >= 0 {
		v = c.held[at]
		c.held = slices.Delete(c.held, at, at+1)
	} else if c.size == nil && len(c.held) >= max(c.most, 2) {
		c.letGo(0) // a long recording in hand has been asked for lately; this one has come to its end
	}
	if v.left--; v.left == 0 {
		c.bytes -= v.bytes
	} else {
		c.held = append(c.held, v)
	}
	return v
}

// weigh counts a value that was opened, and lets others go for it.
func (c *cache[K, V]) weigh(v *cached[K, V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.held, v) { // it was asked for the last time meanwhile
		return
	}
	v.bytes = c.size(v.value)
	c.bytes += v.bytes
	for c.bytes > c.mostBytes && c.held[0] != v {
		c.letGo(0)
	}
}

func (c *cache[K, V]) letGo(at int) {
	v := c.held[at]
	c.bytes -= v.bytes
	c.held = slices.Delete(c.held, at, at+1)
	if c.close != nil {
		v.once.Do(v.fill) // somebody may be about to
		c.close(v.value)
	}
}

// clear lets all values go.
func (c *cache[K, V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.held) > 0 {
		c.letGo(0)
	}
}
