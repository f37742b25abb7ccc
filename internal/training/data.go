package training

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"time"
)

// Item is one item of a stream.
type Item struct {
	Name   string // unique in its stream
	Stream string
	Group  string    // the person, camera or account that the stream is of
	Time   time.Time // zero if it has none
	Class  int       // -1: it has no class, or could not be read
}

// Bad is an item that could not be read, and why.
type Bad struct{ Name, Reason string }

// Data are the items of a collection, stream after stream, and what they hold.
type Data struct {
	Noun   string   // an item is called: window, epoch, picture, post
	Labels []string // of the classes
	Items  []Item
	Store  Store
	Bad    []Bad // items of Items, whose class is -1
	Other  int   // items whose label is none of the classes
	Free   int   // items without a label

	// Unordered says that the order of the items tells nothing, as that of CIFAR-10.
	Unordered bool

	unread map[int]bool // items of Bad
}

// Hash returns the SHA-256, in hex, of all items with their classes and contents. It does not depend on the order in which streams were
// read; the order within a stream is in the names.
func (d *Data) Hash() string {
	sums := make([][sha256.Size]byte, len(d.Items))
	forEach(len(d.Items), func() hash.Hash { return sha256.New() }, func(h hash.Hash, i int) {
		h.Reset()
		item := d.Items[i]
		fmt.Fprintf(h, "%q %q %q %d %d\n", item.Stream, item.Name, item.Group, item.Class, timeKey(item.Time))
		if d.Store != nil {
			d.Store.Digest(h, i)
		}
		h.Sum(sums[i][:0])
	})
	slices.SortFunc(sums, func(a, b [sha256.Size]byte) int { return slices.Compare(a[:], b[:]) })
	all := sha256.New()
	fmt.Fprintf(all, "%q\n", d.Labels)
	for _, s := range sums {
		all.Write(s[:])
	}
	return hex.EncodeToString(all.Sum(nil))
}

// timeKey is 0 for an item without a time, whose nanoseconds would be undefined.
func timeKey(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// Groups returns the groups in the order in which they come, each with its number of items that have a class.
func (d *Data) Groups() []Group {
	var out []Group
	at := map[string]int{}
	for _, item := range d.Items {
		k, known := at[item.Group]
		if !known {
			k = len(out)
			at[item.Group] = k
			out = append(out, Group{Name: item.Group})
		}
		if item.Class >= 0 {
			out[k].Items++
		}
	}
	return out
}

// Group is a person, camera or account.
type Group struct {
	Name  string `json:"name"`
	Items int    `json:"items"` // with a class
}

// Streams calls f with the items of each stream, from and to, in their order.
func (d *Data) Streams(f func(from, to int) error) error {
	for from := 0; from < len(d.Items); {
		to := from
		for to < len(d.Items) && d.Items[to].Stream == d.Items[from].Stream {
			to++
		}
		if err := f(from, to); err != nil {
			return err
		}
		from = to
	}
	return nil
}
