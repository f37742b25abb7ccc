package backend

import (
	"context"
	"slices"
	"strings"

	"github.com/oatta/oatta/internal/state"
)

// lister is a [Store] whose streams are listed from any goroutine, while its keeper works, as those of [state.Store] are.
type lister interface {
	Page(prefix, after string, limit int) ([]string, error)
	Scan(from []byte, n int) (names []string, next []byte, err error)
}

var (
	_ lister = (*state.Store)(nil)
	_ lister = (*memory)(nil)
)

// names are those of streams with a prefix, behind the id named after, in byte order, at most limit of them.
func (s *shards) names(ctx context.Context, prefix, after string, limit int) (out []string, err error) {
	for _, k := range s.held() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		page, err := k.page(prefix, prefix+after, limit)
		if err != nil {
			return nil, err
		}
		out = append(out, page...)
	}
	slices.Sort(out)
	return out[:min(limit, len(out))], nil
}

// page is that of the shard, with all that is answered.
func (k *keeper) page(prefix, after string, limit int) ([]string, error) {
	if err := k.do(func() error { return nil }); err != nil { // it commits
		return nil, err
	}
	return k.lister().Page(prefix, after, limit)
}

func (k *keeper) lister() lister {
	if l, ok := k.store.(lister); ok {
		return l
	}
	return &listed{k}
}

// pageOf is a page of names in byte order.
func pageOf(names []string, prefix, after string, limit int) (page []string) {
	at, there := slices.BinarySearch(names, max(prefix, after))
	if there && after >= prefix {
		at++
	}
	for ; at < len(names) && len(page) < limit && strings.HasPrefix(names[at], prefix); at++ {
		page = append(page, names[at])
	}
	return page
}

// eachChunk is how many streams are looked at between two batches of requests.
const eachChunk = 256

// each goes through the names of all streams, some at a time, until the keeper is closed.
func (k *keeper) each(do func(names []string) error) error {
	l := k.lister()
	for from := []byte(nil); !k.ends(); {
		names, next, err := l.Scan(from, eachChunk)
		for chunk := range slices.Chunk(names, eachChunk) {
			if err == nil && !k.ends() {
				err = do(chunk)
			}
		}
		if err != nil || next == nil {
			return err
		}
		from = next
	}
	return nil
}

// listed lists the streams of a store that only its keeper may ask.
type listed struct{ *keeper }

// Scan gives all at once.
func (l *listed) Scan([]byte, int) (names []string, next []byte, err error) {
	err = l.do(func() (err error) {
		names, err = l.store.Streams()
		return err
	})
	return names, nil, err
}

// Page implements lister.
func (l *listed) Page(prefix, after string, limit int) (page []string, err error) {
	names, _, err := l.Scan(nil, 0)
	return pageOf(names, prefix, after, limit), err
}

// Page implements lister.
func (m *memory) Page(prefix, after string, limit int) ([]string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	least := state.Least{Limit: limit}
	for name := range m.streams {
		if name > after && strings.HasPrefix(name, prefix) {
			least.Add(name)
		}
	}
	return least.Sorted(), nil
}

// Scan implements lister: all at once, in no order.
func (m *memory) Scan([]byte, int) (names []string, next []byte, err error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for name := range m.streams {
		names = append(names, name)
	}
	return names, nil, nil
}
