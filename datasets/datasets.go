package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets/internal/message"
)

// ErrNoPictures is returned, wrapped, by [List] for a place without a picture that can be listed. The listing comes with it and tells
// what else is there.
var ErrNoPictures = errors.New("no pictures")

// Sources of a capture time, as in Picture.TimeFrom.
const (
	TimeFromMetadata = "metadata"
	TimeFromEXIF     = "exif"
	TimeFromName     = "name"
)

// Picture is one item of a stream.
type Picture struct {
	Path     string    // file on this machine
	Name     string    // relative to the root, slash-separated; unique in a listing; the file system's own bytes, so perhaps not UTF-8
	Stream   string    // stream it belongs to, never empty; the root's own pictures have the base name of the root, or "." (see the package)
	Time     time.Time // capture time; zero: unknown
	TimeFrom string    // TimeFromMetadata, TimeFromEXIF, TimeFromName, or "" without a time
	Zoned    bool      // the source told a UTC offset, so Time is an instant; otherwise Time is wall-clock time held in UTC
	Label    string    // true label; "" unknown
	Bytes    int64     // size of the file
	ModTime  time.Time // when the file was last written: tells a file replaced by one of equal size
}

// Failure is a picture, or a folder, that cannot be listed.
type Failure struct {
	Name   string // relative to the root, slash-separated
	Reason string
}

// Listing is a collection in processing order: streams one after another in natural order of their names, each in its own time order.
type Listing struct {
	Root     string // as given to List; "" for several roots
	Pictures []Picture
	Failures []Failure
	Ignored  map[string]int // files that are no pictures, by lower-case extension with its dot, or IgnoredHidden, IgnoredNoExtension
	Warnings []string       // what a reader of the results should know, a line each
}

// Keys of Listing.Ignored that are not extensions.
const (
	IgnoredHidden      = "(hidden)"       // hidden files, and folders with all they hold, one each
	IgnoredNoExtension = "(no extension)" // a name without a dot
)

// expectedIgnored are what lies beside pictures for a reason, not because someone wants it classified.
var expectedIgnored = set(IgnoredHidden, ".json", ".csv", ".txt", ".xml")

// noteKinds is how many kinds of files an IgnoredNote tells.
const noteKinds = 6

// IgnoredNote names the files that were ignored although a user may have expected them to be read, films and unknown extensions, the most
// frequent first: "2 .mp4, 1 .avi"; "" for none. Hidden files, .json, .csv, .txt and .xml are not among them.
func (l *Listing) IgnoredNote() string {
	kinds := slices.DeleteFunc(slices.Collect(maps.Keys(l.Ignored)), func(ext string) bool { return expectedIgnored[ext] })
	slices.SortFunc(kinds, func(a, b string) int {
		return cmp.Or(cmp.Compare(l.Ignored[b], l.Ignored[a]), strings.Compare(a, b))
	})
	var parts []string
	rest := 0
	for i, ext := range kinds {
		if i < noteKinds {
			parts = append(parts, fmt.Sprintf("%d %s", l.Ignored[ext], message.Show(ext)))
		} else {
			rest += l.Ignored[ext]
		}
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", rest, choose(rest, "other", "others")))
	}
	return strings.Join(parts, ", ")
}

// Stream is a run of pictures of one stream in a listing.
type Stream struct {
	Name     string
	Pictures []Picture // shares memory with the listing
}

// Streams returns the streams of the listing in order.
func (l *Listing) Streams() []Stream {
	var out []Stream
	for i := 0; i < len(l.Pictures); {
		j := i + 1
		for j < len(l.Pictures) && l.Pictures[j].Stream == l.Pictures[i].Stream {
			j++
		}
		out = append(out, Stream{Name: l.Pictures[i].Stream, Pictures: l.Pictures[i:j:j]})
		i = j
	}
	return out
}

// Timed returns how many pictures of the stream have a capture time.
func (s Stream) Timed() int {
	n := 0
	for i := range s.Pictures {
		if !s.Pictures[i].Time.IsZero() {
			n++
		}
	}
	return n
}

// Labelled returns how many pictures of the listing have a label.
func (l *Listing) Labelled() int {
	n := 0
	for i := range l.Pictures {
		if l.Pictures[i].Label != "" {
			n++
		}
	}
	return n
}
