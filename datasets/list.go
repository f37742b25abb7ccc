package datasets

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
)

// List reads the collection at root, a folder or a single picture. It returns an error for options that are wrong, a root or metadata
// that cannot be read, metadata that matches no picture or lacks the streams asked of it, a stream pattern that some names do not match, a
// context that ends, and [ErrNoPictures]. Anything else that is wrong with the files is in Listing.Failures and Listing.Warnings.
func List(ctx context.Context, root string, opt Options) (*Listing, error) {
	return ListAll(ctx, []string{root}, opt)
}

// ListAll is [List] for several roots. The names of a folder's pictures begin with the folder's base name, or with its whole path where
// two folders share a base name, so "cam1" and "cam2" given as two roots make the streams that they make in one common folder. A root
// that is a file is named as if its folder had been given, so "cam1/1.jpg" and "cam2/1.jpg" make the same streams. A file that is
// reached twice, because a root is given twice or lies in another, is listed once, by its name under the outer root, with a warning.
// The order of the roots decides nothing.
func ListAll(ctx context.Context, roots []string, opt Options) (*Listing, error) {
	if len(roots) == 0 {
		return nil, errors.New("datasets: no folder or picture given")
	}
	s, err := opt.compile()
	if err != nil {
		return nil, err
	}
	w := newWalker()
	if err := w.roots(ctx, roots); err != nil {
		return nil, err
	}
	if err := sortItems(w.items); err != nil {
		return nil, err
	}
	return s.listing(ctx, roots, w)
}

// listing turns what the walk found into a listing: metadata, then times, then streams, then order.
func (s *settings) listing(ctx context.Context, roots []string, w *walker) (*Listing, error) {
	l := &Listing{Ignored: w.ignored, Failures: w.failures}
	if len(roots) == 1 {
		l.Root = roots[0]
	}
	if w.links.n > 0 {
		l.warn("%s not followed: %s", choose(w.links.n, "1 link to a folder", fmt.Sprintf("%d links to folders", w.links.n)), w.links.String())
	}
	if n := w.repeated.n; n > 0 {
		l.warn("%s given more than once %s listed once: %s", message.Count(n, "picture"), choose(n, "is", "are"), w.repeated.String())
	}
	if err := s.applyMetadata(ctx, l, w.items); err != nil {
		return nil, err
	}
	if err := s.readTimes(ctx, w.items); err != nil {
		return nil, err
	}
	items := l.dropFailed(w.items)
	if err := s.nameStreams(items, w.own); err != nil {
		return nil, err
	}
	l.order(items)
	slices.SortFunc(l.Failures, func(a, b Failure) int { return CompareNatural(a.Name, b.Name) })
	if len(l.Pictures) == 0 {
		return l, fmt.Errorf("datasets: %s: %w%s", message.Show(strings.Join(roots, " ")), ErrNoPictures, l.instead())
	}
	return l, nil
}

// warn adds a line that a reader of the results should see.
func (l *Listing) warn(format string, args ...any) {
	l.Warnings = append(l.Warnings, fmt.Sprintf(format, args...))
}

// dropFailed moves the items that turned out to be unreadable to the failures.
func (l *Listing) dropFailed(items []*item) []*item {
	return slices.DeleteFunc(items, func(it *item) bool {
		if it.failed != "" {
			l.Failures = append(l.Failures, Failure{Name: it.Name, Reason: it.failed})
		}
		return it.failed != ""
	})
}

// instead tells what a listing without pictures holds, as " (2 failures, 3 .txt)".
func (l *Listing) instead() string {
	var parts []string
	if len(l.Failures) > 0 {
		parts = append(parts, message.Count(len(l.Failures), "failure"))
	}
	for _, ext := range slices.Sorted(maps.Keys(l.Ignored)) {
		parts = append(parts, fmt.Sprintf("%d %s", l.Ignored[ext], message.Show(ext)))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// nameStreams gives a stream to every item that has none from metadata, by pattern or by folder. own is the name of the root, "" if it has none.
func (s *settings) nameStreams(items []*item, own string) error {
	own = ownStream(items, own)
	byPattern := s.Streams == StreamByPattern || s.Streams == "" && s.stream != nil
	var misses few
	for _, it := range items {
		switch {
		case byPattern:
			if it.Stream = group(s.stream.FindStringSubmatch(it.Name), s.streamGroup); it.Stream == "" {
				misses.add(it.Name)
			}
		case it.Stream != "":
		case it.folder == ".":
			it.Stream = own
		default:
			it.Stream = it.folder
		}
	}
	if misses.n > 0 {
		return fmt.Errorf("datasets: stream pattern %q: %d of %s %s not match: %s",
			s.StreamPattern, misses.n, message.Count(len(items), "name"), choose(misses.n, "does", "do"), misses.String())
	}
	return nil
}

// ownStream returns the stream of the pictures that lie directly in the root: the root's base name, so that results of several cameras run
// one by one can be joined; but "." where a folder in the root has the same name, which may be another camera, or where there is none.
func ownStream(items []*item, base string) string {
	if base == "" || slices.ContainsFunc(items, func(it *item) bool { return it.folder == base }) {
		return "."
	}
	return base
}

// group returns a group of a match, "" without a match.
func group(match []string, i int) string {
	if match == nil {
		return ""
	}
	return match[i]
}
