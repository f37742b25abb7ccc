package posts

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/oatta/oatta/datasets/internal/message"
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
	Dropped int      // bad rows beyond the first maxBad, which are only counted
	Notes   []string // what was taken for what, and what of the order is in doubt
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
			list.Notes = r.notes()
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
	mixed, first := 0, ""
	for _, s := range l.Streams {
		if sortPosts(s.Posts) {
			if mixed++; mixed == 1 {
				first = s.Name
			}
		}
	}
	if mixed > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("times with a zone among some without in %s, ordered by the clock on the wall; the first is %s", message.Count(mixed, "stream"), show(first)))
	}
}

// sortPosts orders by time, and a post without one with its predecessor, or the first that has one. Where all times are instants they are compared
// as such, else by what the clock showed; mixed tells that some are and some are not.
func sortPosts(posts []Post) (mixed bool) {
	type keyed struct {
		at   time.Time
		post Post
	}
	zoned, wall := 0, 0
	for _, p := range posts {
		switch {
		case p.Time.IsZero():
		case p.Zoned:
			zoned++
		default:
			wall++
		}
	}
	var last time.Time
	if i := slices.IndexFunc(posts, func(p Post) bool { return !p.Time.IsZero() }); i >= 0 {
		last = clock(posts[i].Time, wall == 0)
	}
	all := make([]keyed, len(posts))
	for i, p := range posts {
		if !p.Time.IsZero() {
			last = clock(p.Time, wall == 0)
		}
		all[i] = keyed{last, p}
	}
	slices.SortStableFunc(all, func(a, b keyed) int { return a.at.Compare(b.at) })
	for i := range all {
		posts[i] = all[i].post
	}
	return zoned > 0 && wall > 0
}

// clock returns what a time compares by: itself among instants, else what the clock on the wall showed.
func clock(t time.Time, instants bool) time.Time {
	if instants {
		return t
	}
	_, seconds := t.Zone()
	return t.Add(time.Duration(seconds) * time.Second)
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
