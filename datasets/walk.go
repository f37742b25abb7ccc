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
	links    few // links to folders, which are not followed
	readDir  func(string) ([]os.DirEntry, error)
}

// newWalker returns a walker of the file system; tests give it another readDir, for folders that cannot be read.
func newWalker() *walker {
	return &walker{ignored: map[string]int{}, readDir: os.ReadDir}
}

// root walks a root, a folder or a single file. Names begin with prefix, which is "" or a path without a final slash.
func (w *walker) root(ctx context.Context, root, prefix string) error {
	info, err := os.Stat(root)
	if err != nil {
		return fmt.Errorf("datasets: %s: %w", show(root), cause(err))
	}
	if !info.IsDir() {
		w.file(root, path.Join(prefix, filepath.Base(root)), info)
		return nil
	}
	entries, err := w.readDir(root)
	if err != nil {
		return fmt.Errorf("datasets: %s: %w", show(root), cause(err))
	}
	return w.folder(ctx, root, prefix, entries)
}

// folder takes the entries of the folder at dir, whose name is the path of its pictures relative to the root.
func (w *walker) folder(ctx context.Context, dir, name string, entries []os.DirEntry) error {
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.entry(ctx, filepath.Join(dir, e.Name()), path.Join(name, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

// entry takes one entry of a folder. Its error is the context's; all else is recorded.
func (w *walker) entry(ctx context.Context, file, name string, e os.DirEntry) error {
	if hidden(e.Name()) {
		w.ignored[IgnoredHidden]++
		return nil
	}
	if !e.IsDir() {
		w.link(file, name, e)
		return nil
	}
	entries, err := w.readDir(file)
	if err != nil {
		w.fail(name, "folder cannot be read: "+cause(err).Error())
		return nil
	}
	return w.folder(ctx, file, name, entries)
}

// link takes an entry that is no folder, following symbolic links to files. Links to folders could lead in circles, or out to the same
// pictures twice; they are told and left.
func (w *walker) link(file, name string, e os.DirEntry) {
	if kindOf(name) != picture && e.Type()&fs.ModeSymlink == 0 {
		w.file(file, name, nil)
		return
	}
	info, err := os.Stat(file)
	switch {
	case err != nil && kindOf(name) == picture:
		w.fail(name, cause(err).Error())
	case err == nil && info.IsDir():
		w.links.add(name)
	default:
		w.file(file, name, info)
	}
}

// file takes a file by its name. info may be nil for what is no picture.
func (w *walker) file(file, name string, info fs.FileInfo) {
	ext := strings.ToLower(path.Ext(name))
	switch kindOf(name) {
	case picture:
		if !info.Mode().IsRegular() {
			w.fail(name, "not a regular file") // opening a pipe or a device might never return
			return
		}
		w.items = append(w.items, &item{folder: path.Dir(name), Picture: Picture{Path: file, Name: name, Bytes: info.Size()}})
	case unsupported:
		w.fail(name, "picture format "+ext+" is not supported")
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

// prefixes returns what to put before the names of each root: nothing for one root, else its base name, or the whole path as given
// where two folders have the same base name. Files need none.
func prefixes(roots []string) []string {
	out := make([]string, len(roots))
	if len(roots) == 1 {
		return out
	}
	seen := map[string]int{}
	for i, root := range roots {
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			out[i] = baseName(root)
			seen[out[i]]++
		}
	}
	for i, root := range roots {
		if seen[out[i]] > 1 {
			out[i] = wholeName(root)
		}
	}
	return out
}

// baseName returns the last element of a path; "." and ".." say nothing of their own and are looked up.
func baseName(root string) string {
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	return filepath.Base(root)
}

// wholeName returns a path as the beginning of a name, which never leads upward.
func wholeName(root string) string {
	name := filepath.ToSlash(filepath.Clean(root))
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	return strings.Trim(name, "/")
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
