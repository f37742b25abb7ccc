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
	"github.com/oatta/oatta/datasets/walk"
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

// findFiles returns the files that were named, and of folders those below that keep accepts, in natural order, and the links to folders,
// which are not followed; package walk has the rules. What cannot be read is among the files, with the reason; only an argument that
// is not there is an error. A file that is named twice counts once, and two files never have one name.
func findFiles(ctx context.Context, args []string, keep func(name string) bool) ([]file, []string, error) {
	s := search{ctx: ctx, keep: keep}
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err == nil && info.IsDir() {
			err = s.folder(arg)
		} else if err == nil {
			s.found = append(s.found, fileOf(arg, filepath.Base(arg), info))
		}
		if err != nil {
			return nil, nil, err
		}
	}
	slices.SortStableFunc(s.found, func(a, b file) int {
		return cmp.Or(datasets.CompareNatural(a.name, b.name), strings.Compare(a.path, b.path))
	})
	files, err := distinguish(s.found)
	return files, s.links, err
}

// find is findFiles, with a warning of the links that were not followed.
func (c *collection) find(ctx context.Context, args []string, keep func(name string) bool) ([]file, error) {
	files, links, err := findFiles(ctx, args, keep)
	if n := len(links); n == 1 {
		c.warn("1 link to a folder not followed: %s", Readable(links[0]))
	} else if n > 1 {
		c.warn("%d links to folders not followed, the first %s", n, Readable(links[0]))
	}
	return files, err
}

func fileOf(path, name string, info fs.FileInfo) file {
	f := file{path: path, name: name, bytes: info.Size(), mod: info.ModTime()}
	if !info.Mode().IsRegular() { // it may never end, and cannot be read twice
		f.err = errNoFile
	}
	return f
}

// search gathers the files below folders.
type search struct {
	walk.Walker
	ctx   context.Context
	keep  func(name string) bool
	found []file
	links []string
}

func (s *search) folder(root string) error {
	root, err := filepath.EvalSymlinks(root) // one that was named is followed
	if err != nil {
		return err
	}
	return s.Folder(s.ctx, root, s.visit)
}

func (s *search) visit(f walk.Found) error {
	switch {
	case f.Kind == walk.Closed && f.Name == ".":
		return f.Err
	case f.Kind == walk.Closed:
		s.found = append(s.found, file{path: f.Path, name: f.Name, err: f.Err})
	case f.Kind == walk.Link:
		s.links = append(s.links, f.Name)
	case f.Kind == walk.File && s.keep(filepath.Base(f.Path)):
		info, err := f.Info()
		if info == nil {
			s.found = append(s.found, file{path: f.Path, name: f.Name, err: err})
		} else {
			s.found = append(s.found, fileOf(f.Path, f.Name, info))
		}
	}
	return nil
}

// distinguish leaves out files that are named twice, and puts before names that are equal as many of the folders that the files lie
// in as it takes to tell them apart. No name leads out of where it is put: none begins with a slash, has dots for a folder or a drive.
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
			out, full = append(out, f), append(full, nameOf(abs, filepath.VolumeName(abs)))
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

// nameOf returns an absolute path as a name, whose parts can be those of a file. Of a volume of Windows words are left: C:\a is C/a,
// \\server\share\a server/share/a, and so they are behind \\?\.
func nameOf(abs, volume string) string {
	parts := strings.FieldsFunc(volume, func(r rune) bool { return r == '\\' || r == '/' })
	if len(parts) > 1 && (parts[0] == "?" || parts[0] == ".") {
		parts = parts[1:]
		if len(parts) > 1 && strings.EqualFold(parts[0], "UNC") {
			parts = parts[1:]
		}
	}
	return strings.TrimPrefix(strings.TrimSuffix(strings.Join(parts, "/"), ":")+filepath.ToSlash(abs[len(volume):]), "/")
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
