package posts

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/oatta/oatta/datasets/internal/textfile"
)

// Stream is the posts of one user in order of time.
type Stream struct {
	Name  string
	Posts []Post
}

// Listing is all that a file holds.
type Listing struct {
	Streams []Stream // in order of their first post in the file
	Bad     []*RowError
	Dropped int // bad rows beyond the first maxBad, which are only counted
}

// maxBad is how many bad rows a listing keeps.
const maxBad = 1000

// Len returns the number of posts.
func (l *Listing) Len() (n int) {
	for _, s := range l.Streams {
		n += len(s.Posts)
	}
	return n
}

// postOverhead is about what a post takes beside its texts.
const postOverhead = 128

// collect reads all posts, each stream ordered by time. More of them than Options.MaxBytes allows are an error; then the file is to be cut by user.
func collect(r reader, o Options) (*Listing, error) {
	limit := o.filled().MaxBytes
	list := &Listing{}
	index := map[string]int{}
	for {
		p, err := r.Next()
		var bad *RowError
		switch {
		case err == io.EOF:
			list.order()
			return list, nil
		case errors.As(err, &bad):
			list.fail(bad)
			continue
		case err != nil:
			return nil, err
		}
		i, ok := index[p.Stream]
		if !ok {
			i = len(list.Streams)
			index[p.Stream] = i
			list.Streams = append(list.Streams, Stream{Name: p.Stream})
		}
		p.Stream = list.Streams[i].Name // one string a stream, not one a post
		list.Streams[i].Posts = append(list.Streams[i].Posts, p)
		if limit -= int64(len(p.Text) + len(p.ID) + len(p.Label) + postOverhead); limit < 0 {
			return nil, fmt.Errorf("datasets/posts: line %d: posts take over %d bytes of memory", p.Line, o.filled().MaxBytes)
		}
	}
}

func (l *Listing) fail(e *RowError) {
	if len(l.Bad) == maxBad {
		l.Dropped++
		return
	}
	l.Bad = append(l.Bad, e)
}

// order sorts each stream.
func (l *Listing) order() {
	for _, s := range l.Streams {
		sortPosts(s.Posts)
	}
}

// sortPosts orders by time, and a post without one with its predecessor, or the first that has one.
func sortPosts(posts []Post) {
	type keyed struct {
		at   time.Time
		post Post
	}
	var last time.Time
	if i := slices.IndexFunc(posts, func(p Post) bool { return !p.Time.IsZero() }); i >= 0 {
		last = posts[i].Time
	}
	all := make([]keyed, len(posts))
	for i, p := range posts {
		if !p.Time.IsZero() {
			last = p.Time
		}
		all[i] = keyed{last, p}
	}
	slices.SortStableFunc(all, func(a, b keyed) int { return a.at.Compare(b.at) })
	for i := range all {
		posts[i] = all[i].post
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
