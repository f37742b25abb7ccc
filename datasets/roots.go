package datasets

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
)

// start is a root as the walk takes it.
type start struct {
	path   string // as given
	folder string // the root itself, or the folder of a file: whose base name stands before the names
	real   string // absolute, with links resolved: the same for a place given in two ways
	prefix string // what the names begin with, without a final slash; "" for a sole root
	info   fs.FileInfo
}

// realFolder returns the resolved folder of a start.
func (s start) realFolder() string {
	if s.info.IsDir() {
		return s.real
	}
	return filepath.Dir(s.real)
}

// roots walks folders and files. Where one lies in another, what both hold is taken once, by the name it has under the outer one.
func (w *walker) roots(ctx context.Context, roots []string) error {
	all, err := starts(roots)
	if err != nil {
		return err
	}
	if overlap(all) {
		w.seen = map[string]string{}
	}
	if setPrefixes(all) {
		w.own = baseName(all[0].folder)
	}
	for _, s := range all {
		if err := w.start(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// starts looks the roots up, and sorts them so that the order in which they were given decides nothing: outer folders before inner ones,
// and folders before files, which may lie in them.
func starts(roots []string) ([]start, error) {
	resolved := map[string]string{} // a shell may name a hundred thousand files of one folder
	out := make([]start, len(roots))
	for i, root := range roots {
		info, err := os.Stat(root)
		if err != nil {
			return nil, fmt.Errorf("datasets: %s: %w", message.Show(root), message.Cause(err))
		}
		s := start{path: root, folder: root, info: info}
		if !info.IsDir() {
			s.folder = filepath.Dir(root)
		}
		if resolved[s.folder] == "" {
			resolved[s.folder] = resolve(s.folder)
		}
		if s.real = resolved[s.folder]; !info.IsDir() {
			// A link to a picture is a file of its own, as it is to the walk of its folder.
			s.real = filepath.Join(s.real, filepath.Base(root))
		}
		out[i] = s
	}
	slices.SortFunc(out, func(a, b start) int {
		return cmp.Or(cmp.Compare(rankOf(a.info), rankOf(b.info)), strings.Compare(a.real, b.real), strings.Compare(a.path, b.path))
	})
	return out, nil
}

// rankOf puts folders before files.
func rankOf(info fs.FileInfo) int {
	if info.IsDir() {
		return 0
	}
	return 1
}

// resolve returns the absolute path of a folder without links, as far as the system tells it.
func resolve(dir string) string {
	dir = absolute(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// absolute returns an absolute path, or the path itself in a working directory that is gone.
func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return filepath.Clean(name)
}

// overlap reports whether a start is given twice or lies under another. Only then need the walk remember every file.
func overlap(all []start) bool {
	given := make(map[string]bool, len(all))
	for _, s := range all {
		if given[s.real] {
			return true
		}
		given[s.real] = true
	}
	for _, s := range all {
		for dir, up := s.real, filepath.Dir(s.real); up != dir; dir, up = up, filepath.Dir(up) {
			if given[up] {
				return true
			}
		}
	}
	return false
}

// setPrefixes finds what to put before the names of each start: the base name of its folder, or the whole path as given where two folders
// share a base name. A sole root, be it given twice, has no prefix; then the result is true.
func setPrefixes(all []start) bool {
	first := map[string]string{} // by resolved folder: its path as given
	var folders []string         // resolved, each once
	sole := true
	for _, s := range all {
		sole = sole && s.real == all[0].real
		if dir := s.realFolder(); first[dir] == "" {
			first[dir] = s.folder
			folders = append(folders, dir)
		}
	}
	if sole {
		return true
	}
	prefix := map[string]string{}
	for _, name := range []func(string) string{baseName, wholeName, absoluteName} {
		folders = nameFolders(folders, first, name, prefix)
	}
	for i := range all {
		all[i].prefix = prefix[all[i].realFolder()]
	}
	return false
}

// nameFolders names folders in a way, and returns those that need another way to be told apart.
func nameFolders(folders []string, given map[string]string, name func(string) string, prefix map[string]string) (again []string) {
	used := map[string]int{}
	for _, dir := range folders {
		prefix[dir] = name(given[dir])
		used[prefix[dir]]++
	}
	for _, dir := range folders {
		if used[prefix[dir]] > 1 || prefix[dir] == "" {
			again = append(again, dir)
		}
	}
	return again
}

// baseName returns the last element of a folder's path; "." and ".." say nothing of their own and are looked up. The top of a file system
// has no name, so it is "".
func baseName(root string) string {
	base := filepath.Base(absolute(root))
	if base == string(filepath.Separator) || base == "." {
		return ""
	}
	return base
}

// wholeName returns a path as the beginning of a name, which never leads upward; "" if nothing else is left of it.
func wholeName(root string) string {
	name := filepath.ToSlash(filepath.Clean(root))
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	if name == "." || name == ".." {
		return ""
	}
	return strings.Trim(name, "/")
}

// absoluteName is the last resort: a/x and ../a/x have one whole name.
func absoluteName(root string) string { return wholeName(absolute(root)) }
