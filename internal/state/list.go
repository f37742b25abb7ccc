package state

import (
	"bytes"
	"container/heap"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/bbolt"
)

// scanned is how many streams are looked at while the store waits.
const scanned = 4096

// Scan gives the names of about n streams that were committed, from a place of its own choice on, and the next place; nil is the first, and comes back
// behind the last. Who goes through all places sees each stream once that is there all the time; in between, the store goes on.
func (s *Store) Scan(from []byte, n int) (names []string, next []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.guard(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			sealed, at := tx.Bucket(bucketNames), tx.Bucket(bucketStates).Cursor()
			id, _ := at.First()
			if from != nil {
				id, _ = at.Seek(from)
			}
			for ; id != nil && len(names) < n; id, _ = at.Next() {
				name, err := s.vault.Name(id, sealed.Get(id))
				if err != nil {
					return err
				}
				names = append(names, name)
			}
			next = bytes.Clone(id)
			return nil
		})
	})
	if err != nil {
		return nil, nil, fmt.Errorf("state: %s: %w", s.path, err)
	}
	return names, next, nil
}

// Page gives the names of committed streams with a prefix, behind the one named after, in byte order, and at most limit of them. In the clear it takes
// the time of the page; sealed, where streams lie in an order of their own, that of all, but the store waits for a part of it at a time.
func (s *Store) Page(prefix, after string, limit int) ([]string, error) {
	if !s.vault.Sealed() {
		return s.pageInOrder(prefix, after, limit)
	}
	least := Least{Limit: limit}
	for from := []byte(nil); ; {
		names, next, err := s.Scan(from, scanned)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if name > after && strings.HasPrefix(name, prefix) {
				least.Add(name)
			}
		}
		if from = next; from == nil {
			return least.Sorted(), nil
		}
	}
}

func (s *Store) pageInOrder(prefix, after string, limit int) (page []string, err error) {
	begin := s.vault.ID(prefix)
	if after >= prefix {
		begin = append(s.vault.ID(after), 0) // the least name behind it
	}
	for from := begin; len(page) < limit; {
		names, next, err := s.Scan(from, min(limit-len(page), scanned))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if !strings.HasPrefix(name, prefix) {
				return page, nil
			}
			page = append(page, name)
		}
		if from = next; from == nil {
			break
		}
	}
	return page, nil
}

// Least keeps the least names of those that it is given, at most Limit of them.
type Least struct {
	Limit int
	names descending
}

// Add takes a name.
func (l *Least) Add(name string) {
	switch {
	case len(l.names) < l.Limit:
		heap.Push(&l.names, name)
	case l.Limit > 0 && name < l.names[0]:
		l.names[0] = name
		heap.Fix(&l.names, 0)
	}
}

// Sorted gives them in byte order.
func (l *Least) Sorted() []string {
	slices.Sort(l.names)
	return l.names
}

// descending is a heap with the greatest in front.
type descending []string

func (d descending) Len() int           { return len(d) }
func (d descending) Less(i, j int) bool { return d[i] > d[j] }
func (d descending) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *descending) Push(name any)     { *d = append(*d, name.(string)) }

func (d *descending) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}
