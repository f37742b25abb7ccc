package walk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Kind is what was found.
type Kind int

// The kinds.
const (
	File   Kind = iota // a file, or a link to one; Err tells of a link that leads to nothing
	Hidden             // a file or folder that is not meant to be seen
	Link               // a link to a folder
	Closed             // a folder that cannot be read, with Err; the one that is walked has the name "."
)

// Found is one thing that was found.
type Found struct {
	Path string // begins with the folder as given
	Name string // relative to it, slash-separated
	Kind Kind
	Err  error

	info fs.FileInfo // of a link's target
}

// ErrNotRegular is the error of a pipe, a socket or a device.
var ErrNotRegular = errors.New("not a regular file")

// Info returns what the system tells of a file, links followed. The error may be ErrNotRegular, with the info.
func (f Found) Info() (fs.FileInfo, error) {
	info, err := f.info, f.Err
	if info == nil && err == nil {
		info, err = os.Stat(f.Path)
	}
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	return info, err
}

// Walker is the way to folders.
type Walker struct {
	// ReadDir lists a folder; nil is os.ReadDir. Tests give another, for folders that cannot be read.
	ReadDir func(dir string) ([]os.DirEntry, error)
}

// Folder tells visit of all that is below a folder. It ends with the first error of visit or of the context.
func (w Walker) Folder(ctx context.Context, dir string, visit func(Found) error) error {
	if w.ReadDir == nil {
		w.ReadDir = os.ReadDir
	}
	return w.folder(ctx, Found{Path: dir, Name: "."}, visit)
}

func (w Walker) folder(ctx context.Context, dir Found, visit func(Found) error) error {
	entries, err := w.ReadDir(dir.Path)
	if err != nil {
		dir.Kind, dir.Err = Closed, err
		return visit(dir)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := Found{Path: filepath.Join(dir.Path, e.Name()), Name: path.Join(dir.Name, e.Name())}
		switch {
		case isHidden(e.Name()):
			f.Kind = Hidden
		case e.IsDir():
			if err := w.folder(ctx, f, visit); err != nil {
				return err
			}
			continue
		case e.Type()&fs.ModeSymlink != 0:
			if f.info, f.Err = os.Stat(f.Path); f.Err == nil && f.info.IsDir() {
				f.Kind = Link
			}
		}
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// hiddenNames are hidden without a leading dot: leavings of macOS archives, Synology and Windows.
var hiddenNames = map[string]bool{
	"__macosx": true, "@eadir": true, "#recycle": true, "thumbs.db": true, "ehthumbs.db": true, "desktop.ini": true,
	"$recycle.bin": true, "system volume information": true,
}

// isHidden tells whether a file or folder of this base name is not meant to be seen.
func isHidden(base string) bool {
	return strings.HasPrefix(base, ".") && base != "." && base != ".." || hiddenNames[strings.ToLower(base)]
}

// BelowHidden tells whether a slash-separated name of an archive is hidden, or lies in a folder that is.
func BelowHidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if isHidden(part) {
			return true
		}
	}
	return false
}
