package datasets

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/walk"
)

// pictureExtensions are the files that are listed, unsupportedExtensions the pictures that no decoder here reads: they are recorded as
// failures, because a user who has them expects them to be classified.
var (
	pictureExtensions     = set(".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".gif", ".bmp", ".tif", ".tiff", ".webp")
	unsupportedExtensions = set(".heic", ".heif", ".avif", ".jxl", ".jp2", ".j2k", ".jpf", ".raw", ".cr2", ".cr3", ".crw", ".nef", ".nrw",
		".dng", ".arw", ".srf", ".sr2", ".orf", ".rw2", ".raf", ".pef", ".srw", ".x3f", ".3fr", ".psd")
)

// set makes a set of names.
func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// item is a picture with what only the sort needs.
type item struct {
	Picture
	folder   string // stream by folder
	sequence string // burst it belongs to; "" unknown
	frame    int    // number within the burst
	failed   string // reason that it cannot be listed after all
}

// walker collects what lies under the roots, in no particular order.
type walker struct {
	items    []*item
	failures []Failure
	ignored  map[string]int
	links    few               // links to folders, which are not followed
	own      string            // base name of a sole root's folder, for the stream of its own pictures; "" none
	seen     map[string]string // by resolved path: name of a file that was taken, "" if told as repeated; nil if nothing can repeat
	repeated few               // pictures that came again
	walk.Walker
}

func newWalker() *walker { return &walker{ignored: map[string]int{}} }

// place is a file or folder on the walk.
type place struct {
	path string // begins with the root as given
	name string // relative to the root, after its prefix
	real string // begins with the resolved root
}

// start walks a root, a folder or a single file.
func (w *walker) start(ctx context.Context, s start) error {
	if !s.info.IsDir() {
		if p := (place{s.path, path.Join(s.prefix, filepath.Base(s.path)), s.real}); !w.again(p) {
			w.file(p, func() (fs.FileInfo, error) { return regular(s.info) })
		}
		return nil
	}
	return w.Folder(ctx, s.path, func(f walk.Found) error {
		if f.Kind == walk.Closed && f.Name == "." {
			return fmt.Errorf("datasets: %s: %w", message.Show(s.path), message.Cause(f.Err))
		}
		w.found(place{f.Path, path.Join(s.prefix, f.Name), filepath.Join(s.real, filepath.FromSlash(f.Name))}, f)
		return nil
	})
}

// regular is the info of a file that was named, as [walk.Found.Info] has it.
func regular(info fs.FileInfo) (fs.FileInfo, error) {
	if !info.Mode().IsRegular() {
		return info, walk.ErrNotRegular
	}
	return info, nil
}

// found takes what the walk found.
func (w *walker) found(p place, f walk.Found) {
	if f.Kind == walk.Hidden {
		p = place{real: p.real + "\x00"} // no path that a root could have: one that is given by name is not hidden
	}
	switch again := w.again(p); {
	case again:
	case f.Kind == walk.Hidden:
		w.ignored[IgnoredHidden]++
	case f.Kind == walk.Closed:
		w.fail(p.name, "folder cannot be read: "+message.Cause(f.Err).Error())
	case f.Kind == walk.Link:
		w.links.add(p.name)
	default:
		w.file(p, f.Info)
	}
}

// again reports whether a place was taken before, under another root, and counts it if it is a picture.
func (w *walker) again(p place) bool {
	if w.seen == nil {
		return false
	}
	name, before := w.seen[p.real]
	switch {
	case !before:
		w.seen[p.real] = p.name
	case name != "" && kindOf(name) != other:
		w.repeated.add(name)
		w.seen[p.real] = ""
	}
	return before
}

// file takes a file by its name. info is asked for pictures alone.
func (w *walker) file(p place, info func() (fs.FileInfo, error)) {
	ext := strings.ToLower(path.Ext(p.name))
	switch kindOf(p.name) {
	case picture:
		info, err := info()
		if err != nil {
			w.fail(p.name, message.Cause(err).Error())
			return
		}
		w.items = append(w.items, &item{
			folder:  path.Dir(p.name),
			Picture: Picture{Path: p.path, Name: p.name, Bytes: info.Size(), ModTime: info.ModTime()},
		})
	case unsupported:
		w.fail(p.name, "picture format "+ext+" is not supported")
	default:
		if ext == "" {
			ext = IgnoredNoExtension
		}
		w.ignored[ext]++
	}
}

// The kinds of files that their extensions tell.
const (
	other = iota
	picture
	unsupported
)

// kindOf returns what the extension of a name tells.
func kindOf(name string) int {
	switch ext := strings.ToLower(path.Ext(name)); {
	case pictureExtensions[ext]:
		return picture
	case unsupportedExtensions[ext]:
		return unsupported
	}
	return other
}

// fail records a failure.
func (w *walker) fail(name, reason string) {
	w.failures = append(w.failures, Failure{Name: name, Reason: reason})
}

// sortItems puts the items in natural order of their names, and returns an error for two of the same name.
func sortItems(items []*item) error {
	slices.SortFunc(items, func(a, b *item) int { return CompareNatural(a.Name, b.Name) })
	for i := 1; i < len(items); i++ {
		if items[i].Name == items[i-1].Name {
			return fmt.Errorf("datasets: %s: two pictures of this name, %s and %s", message.Show(items[i].Name), message.Show(items[i-1].Path), message.Show(items[i].Path))
		}
	}
	return nil
}
