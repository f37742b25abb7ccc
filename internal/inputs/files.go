package inputs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets"
)

// file is one input file.
type file struct {
	path  string
	name  string // slash-separated, relative to the folder that was given; for outputs
	bytes int64
	mod   time.Time
	err   error // why it cannot be read: a folder that is closed, a link that leads nowhere, something that is no file
}

var errNoFile = errors.New("neither a file nor a folder")

// findFiles returns the files that were named, and of folders those below that keep accepts, in natural order. Hidden files and
// folders are passed over, links to folders not followed. What cannot be read is among them, with the reason; only an argument that
// is not there is an error. A file that is named twice counts once, and two files never have one name.
func findFiles(ctx context.Context, args []string, keep func(name string) bool) ([]file, error) {
	var out []file
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, fileOf(arg, filepath.Base(arg), info))
			continue
		}
		below, err := walk(ctx, arg, keep)
		if err != nil {
			return nil, err
		}
		out = append(out, below...)
	}
	slices.SortStableFunc(out, func(a, b file) int {
		return cmp.Or(datasets.CompareNatural(a.name, b.name), strings.Compare(a.path, b.path))
	})
	return distinguish(out)
}

func fileOf(path, name string, info fs.FileInfo) file {
	f := file{path: path, name: name, bytes: info.Size(), mod: info.ModTime()}
	if !info.Mode().IsRegular() { // it may never end, and cannot be read twice
		f.err = errNoFile
	}
	return f
}

func walk(ctx context.Context, root string, keep func(name string) bool) ([]file, error) {
	root, err := filepath.EvalSymlinks(root) // one that was named is followed
	if err != nil {
		return nil, err
	}
	w := walker{ctx: ctx, root: root, keep: keep}
	err = filepath.WalkDir(root, w.visit)
	return w.found, err
}

// walker gathers the files below a folder.
type walker struct {
	ctx   context.Context
	root  string
	keep  func(name string) bool
	found []file
}

func (w *walker) visit(path string, d fs.DirEntry, err error) error {
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	hidden := strings.HasPrefix(d.Name(), ".") && path != w.root
	switch {
	case err != nil && path == w.root:
		return err
	case err != nil: // a folder that cannot be opened
		return w.add(path, nil, err)
	case d.IsDir() && hidden:
		return fs.SkipDir
	case d.IsDir() || hidden || !w.keep(d.Name()):
		return nil
	}
	info, err := os.Stat(path) // of what a link points at
	if err == nil && info.IsDir() {
		return nil
	}
	return w.add(path, info, err)
}

func (w *walker) add(path string, info fs.FileInfo, err error) error {
	rel, relErr := filepath.Rel(w.root, path)
	if relErr != nil {
		return relErr
	}
	f := file{path: path, name: filepath.ToSlash(rel), err: err}
	if err == nil {
		f = fileOf(path, f.name, info)
	}
	w.found = append(w.found, f)
	return nil
}

// distinguish leaves out files that are named twice, and puts before names that are equal as many of the folders that the files lie
// in as it takes to tell them apart. No name leads out of where it is put: none begins with a slash or has dots for a folder.
func distinguish(files []file) ([]file, error) {
	var out []file
	full, seen := []string{}, map[string]bool{}
	for _, f := range files {
		abs, err := filepath.Abs(f.path)
		if err != nil {
			return nil, err
		}
		if !seen[abs] {
			seen[abs] = true
			out, full = append(out, f), append(full, strings.TrimPrefix(filepath.ToSlash(abs), "/"))
		}
	}
	for longer := true; longer; {
		longer = false
		for _, same := range twins(out) {
			for _, i := range same {
				if name := oneFolderMore(full[i], out[i].name); name != out[i].name {
					out[i].name, longer = name, true
				}
			}
		}
	}
	return out, nil
}

// twins returns the files that share a name with another, by name.
func twins(files []file) map[string][]int {
	by := map[string][]int{}
	for i, f := range files {
		by[f.name] = append(by[f.name], i)
	}
	maps.DeleteFunc(by, func(_ string, same []int) bool { return len(same) < 2 })
	return by
}

// oneFolderMore returns the end of a path that has one part more than name, which is the end of it.
func oneFolderMore(path, name string) string {
	before := strings.TrimSuffix(strings.TrimSuffix(path, name), "/")
	if before == "" {
		return name
	}
	return before[strings.LastIndexByte(before, '/')+1:] + "/" + name
}

// hasEnding tells whether a file's name ends in one of the given ways, in any case.
func hasEnding(name string, endings ...string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(lower, e) })
}

// fileHash adds to h what tells that a file was replaced, without reading it.
func fileHash(h hash.Hash, f file) {
	fmt.Fprintf(h, "%q %d %d\n", f.name, f.bytes, f.mod.UnixNano())
}

// hashFiles is the hash of files in order, and of anything else that decides the items.
func hashFiles(files []file, more ...any) string {
	h := sha256.New()
	for _, f := range files {
		fileHash(h, f)
	}
	fmt.Fprintf(h, "%v", more)
	return hex.EncodeToString(h.Sum(nil))
}
