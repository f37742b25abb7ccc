package posts

import (
	"errors"
	"fmt"
	"io"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// Listing is all that a file holds. Posts are in processing order: those of a stream one behind another, in order of time, the streams in order of
// their first post in the file. The texts are not held: a listing is to be closed.
type Listing struct {
	Bad     []*RowError
	Dropped int      // bad rows beyond the first maxBad, which are only counted
	Notes   []string // what was taken for what, and what of the order is in doubt

	posts records
	ids   string
	order []uint32 // number in the file, by place
	texts spool
}

// maxBad is how many bad rows a listing keeps.
const maxBad = 1000

// Len returns the number of posts.
func (l *Listing) Len() int { return len(l.order) }

// Streams returns the number of users.
func (l *Listing) Streams() int { return len(l.posts.streams.all) }

// Post returns a post, from 0 to Len-1, without its text.
func (l *Listing) Post(i int) Post {
	n := int(l.order[i])
	x, next := l.posts.at(n), l.posts.at(n+1)
	p := Post{Stream: l.posts.streams.all[x.stream], ID: l.ids[x.id:next.id], Label: l.posts.labels.all[x.label], Line: int(x.line)}
	p.Time, p.Zoned = l.posts.time(x)
	return p
}

// Close frees the texts.
func (l *Listing) Close() error { return l.texts.close() }

// postOverhead is about what a post takes beside its id, here and as an item of a run.
const postOverhead = 128

// collect reads all posts, each stream ordered by time. More of them than Options.MaxBytes allows are an error; then the file is to be cut by user.
func collect(r reader, o Options) (*Listing, error) {
	limit := o.filled().MaxBytes
	list := &Listing{}
	for {
		p, err := r.Next()
		var bad *RowError
		switch {
		case err == io.EOF:
			list.Notes = r.notes()
			if err := list.finish(); err != nil {
				return nil, errors.Join(err, list.Close())
			}
			return list, nil
		case errors.As(err, &bad):
			list.fail(bad)
			continue
		case err != nil:
			return nil, errors.Join(err, list.Close())
		}
		size, err := list.add(&p)
		if limit -= int64(size); limit < 0 && err == nil {
			err = fmt.Errorf("posts take over %d bytes of memory", o.filled().MaxBytes)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("datasets/posts: line %d: %w", p.Line, err), list.Close())
		}
	}
}

// add appends a post, and returns about how many bytes of memory it took.
func (l *Listing) add(p *Post) (size int, err error) {
	if size, err = l.posts.add(p, l.texts.end()); err != nil {
		return 0, err
	}
	return size, l.texts.add(p.Text)
}

// finish orders what was added.
func (l *Listing) finish() error {
	n := l.posts.n
	l.posts.push(record{text: l.texts.end(), id: uint32(len(l.posts.ids))})
	l.posts.n = n
	l.ids, l.posts.ids = string(l.posts.ids), nil
	l.posts.streams.of, l.posts.labels.of, l.posts.zoneOf = nil, nil, nil
	if err := l.texts.done(); err != nil {
		return err
	}
	l.sort()
	return nil
}

func (l *Listing) fail(e *RowError) {
	if len(l.Bad) == maxBad {
		l.Dropped++
		return
	}
	l.Bad = append(l.Bad, e)
}

// sort orders each stream.
func (l *Listing) sort() {
	order, ends := l.posts.byStream()
	mixed, first := 0, ""
	s := sorter{records: &l.posts}
	from := 0
	for i, to := range ends {
		if s.sort(order[from:to]) {
			if mixed++; mixed == 1 {
				first = l.posts.streams.all[i]
			}
		}
		from = to
	}
	l.order = order
	if mixed > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("times with a zone among some without in %s, ordered by the clock on the wall; the first is %s", message.Count(mixed, "stream"), show(first)))
	}
}

// Open reads a file, gzip or not, of the format that its first line tells.
func Open(path string, o Options) (*Listing, error) {
	f, err := textfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := newReader(path, f, o)
	if err != nil {
		return nil, err
	}
	return collect(r, o)
}
