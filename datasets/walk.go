package datasets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// pictureExtensions are the files that are listed, unsupportedExtensions the pictures that no decoder here reads: they are recorded as
// failures, because a user who has them expects them to be classified.
var (
	pictureExtensions     = set(".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".gif", ".bmp", ".tif", ".tiff", ".webp")
	unsupportedExtensions = set(".heic", ".heif", ".avif", ".jxl", ".jp2", ".j2k", ".jpf", ".raw", ".cr2", ".cr3", ".crw", ".nef", ".nrw",
		".dng", ".arw", ".srf", ".sr2", ".orf", ".rw2", ".raf", ".pef", ".srw", ".x3f", ".3fr", ".psd")
	// hiddenNames are hidden without a leading dot: leavings of macOS archives, Synology and Windows.
	hiddenNames = set("__macosx", "@eadir", "#recycle", "thumbs.db", "ehthumbs.db", "desktop.ini", "$recycle.bin", "system volume information")
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
	readDir  func(string) ([]os.DirEntry, error)
}

// newWalker returns a walker of the file system; tests give it another readDir, for folders that cannot be read.
func newWalker() *walker {
	return &walker{ignored: map[string]int{}, readDir: os.ReadDir}
}

// place is a file or folder on the walk.
type place struct {
	path string // begins with the root as given
	name string // relative to the root, after its prefix
	real string // begins with the resolved root
}

// child returns the place of an entry of a folder.
func (p place) child(base string) place {
	return place{filepath.Join(p.path, base), path.Join(p.name, base), filepath.Join(p.real, base)}
}

// start walks a root, a folder or a single file.
func (w *walker) start(ctx context.Context, s start) error {
	if !s.info.IsDir() {
		if p := (place{s.path, path.Join(s.prefix, filepath.Base(s.path)), s.real}); !w.again(p) {
			w.file(p, s.info)
		}
		return nil
	}
	entries, err := w.readDir(s.path)
	if err != nil {
		return fmt.Errorf("datasets: %s: %w", show(s.path), cause(err))
	}
	return w.folder(ctx, place{s.path, s.prefix, s.real}, entries)
}

// folder takes the entries of a folder.
func (w *walker) folder(ctx context.Context, p place, entries []os.DirEntry) error {
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.entry(ctx, p.child(e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

// entry takes one entry of a folder. Its error is the context's; all else is recorded.
func (w *walker) entry(ctx context.Context, p place, e os.DirEntry) error {
	switch {
	case hidden(e.Name()):
		if !w.again(place{real: p.real + "\x00"}) { // no path that a root could have: one that is given by name is not hidden
			w.ignored[IgnoredHidden]++
		}
		return nil
	case !e.IsDir():
		if !w.again(p) {
			w.link(p, e)
		}
		return nil
	}
	entries, err := w.readDir(p.path)
	if err != nil {
		if !w.again(p) {
			w.fail(p.name, "folder cannot be read: "+cause(err).Error())
		}
		return nil
	}
	return w.folder(ctx, p, entries)
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

// link takes an entry that is no folder, following symbolic links to files. Links to folders could lead in circles, or out to the same
// pictures twice; they are told and left.
func (w *walker) link(p place, e os.DirEntry) {
	if kindOf(p.name) != picture && e.Type()&fs.ModeSymlink == 0 {
		w.file(p, nil)
		return
	}
	info, err := os.Stat(p.path)
	switch {
	case err != nil && kindOf(p.name) == picture:
		w.fail(p.name, cause(err).Error())
	case err == nil && info.IsDir():
		w.links.add(p.name)
	default:
		w.file(p, info)
	}
}

// file takes a file by its name. info may be nil for what is no picture.
func (w *walker) file(p place, info fs.FileInfo) {
	ext := strings.ToLower(path.Ext(p.name))
	switch kindOf(p.name) {
	case picture:
		if !info.Mode().IsRegular() {
			w.fail(p.name, "not a regular file") // opening a pipe or a device might never return
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

// hidden reports whether a file or folder of this name is not meant to be seen; a leading dot covers AppleDouble's "._IMG_1.jpg".
func hidden(base string) bool {
	return strings.HasPrefix(base, ".") || hiddenNames[strings.ToLower(base)]
}

// cause returns the error without the operation and path that package os puts before it; our own place stands there already.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// sortItems puts the items in natural order of their names, and returns an error for two of the same name.
func sortItems(items []*item) error {
	slices.SortFunc(items, func(a, b *item) int { return CompareNatural(a.Name, b.Name) })
	for i := 1; i < len(items); i++ {
		if items[i].Name == items[i-1].Name {
			return fmt.Errorf("datasets: %s: two pictures of this name, %s and %s", show(items[i].Name), show(items[i-1].Path), show(items[i].Path))
		}
	}
	return nil
}
