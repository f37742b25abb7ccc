//go:build unix

package walk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// tree makes files, and folders where a name ends in a slash.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		at := filepath.Join(root, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		if name[len(name)-1] == '/' {
			must(t, os.MkdirAll(at, 0o755))
		} else {
			must(t, os.WriteFile(at, []byte(name), 0o600))
		}
	}
	return root
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// transcript lists what a walk finds, a line each.
func transcript(t *testing.T, w Walker, root string) (lines []string) {
	t.Helper()
	must(t, w.Folder(context.Background(), root, func(f Found) error {
		line := [...]string{"", "hidden ", "link ", "closed "}[f.Kind] + f.Name
		if f.Path != filepath.Join(root, filepath.FromSlash(f.Name)) {
			t.Errorf("%s: path %s", f.Name, f.Path)
		}
		if f.Err != nil {
			line += ": " + errors.Unwrap(f.Err).Error()
		}
		lines = append(lines, line)
		return nil
	}))
	return lines
}

func TestHiddenThings(t *testing.T) {
	root := tree(t, ".git/x", "a/._1.jpg", "a/1.jpg", "#recycle/1.jpg", "@eaDir/1.jpg/SYNO.jpg", "__MACOSX/a/1.jpg", "$RECYCLE.BIN/1",
		"System Volume Information/1", "b/Thumbs.db", "b/desktop.ini", "b/ehthumbs.db", "b/recycle/1", "empty/", "c..d/1")
	want := []string{
		"hidden #recycle", "hidden $RECYCLE.BIN", "hidden .git", "hidden @eaDir", "hidden System Volume Information", "hidden __MACOSX",
		"hidden a/._1.jpg", "a/1.jpg", "hidden b/Thumbs.db", "hidden b/desktop.ini", "hidden b/ehthumbs.db", "b/recycle/1", "c..d/1",
	}
	if got := transcript(t, Walker{}, root); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// The folder that was named is not hidden.
	if got := transcript(t, Walker{}, filepath.Join(root, "#recycle")); !slices.Equal(got, []string{"1.jpg"}) {
		t.Errorf("a hidden folder that was named: %q", got)
	}
}

func TestLinks(t *testing.T) {
	root := tree(t, "real/1.jpg", "a/")
	for link, to := range map[string]string{
		"a/1.jpg": "../real/1.jpg", "a/loop": "..", "a/folder": "../real", "a/broken": "nowhere", "a/self": "self", "a/.hidden": "../real",
	} {
		must(t, os.Symlink(to, filepath.Join(root, link)))
	}
	want := []string{"hidden a/.hidden", "a/1.jpg", "a/broken: no such file or directory", "link a/folder", "link a/loop", "a/self: too many levels of symbolic links", "real/1.jpg"}
	if got := transcript(t, Walker{}, root); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := transcript(t, Walker{}, filepath.Join(root, "a", "folder")); !slices.Equal(got, []string{"1.jpg"}) {
		t.Errorf("a link that was named: %q", got)
	}
}

func TestClosedFolders(t *testing.T) {
	root := tree(t, "a/1", "b/1")
	w := Walker{ReadDir: func(dir string) ([]os.DirEntry, error) {
		if dir != root {
			return nil, &os.PathError{Op: "open", Path: dir, Err: syscall.EACCES}
		}
		return os.ReadDir(dir)
	}}
	if got := transcript(t, w, root); !slices.Equal(got, []string{"closed a: permission denied", "closed b: permission denied"}) {
		t.Errorf("%q", got)
	}
	if got := transcript(t, w, filepath.Join(root, "a")); !slices.Equal(got, []string{"closed .: permission denied"}) {
		t.Errorf("the folder that was named: %q", got)
	}
}

func TestInfo(t *testing.T) {
	root := tree(t, "file")
	must(t, os.Symlink("file", filepath.Join(root, "link")))
	must(t, os.Symlink("nowhere", filepath.Join(root, "broken")))
	must(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600))
	got := map[string]string{}
	must(t, Walker{}.Folder(context.Background(), root, func(f Found) error {
		info, err := f.Info()
		switch {
		case errors.Is(err, ErrNotRegular) && info != nil:
			got[f.Name] = "not regular"
		case err != nil:
			got[f.Name] = "error"
		default:
			got[f.Name] = fmt.Sprint(info.Size())
		}
		return nil
	}))
	for name, want := range map[string]string{"file": "4", "link": "4", "broken": "error", "pipe": "not regular"} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
}

func TestFolderEnds(t *testing.T) {
	root := tree(t, "a/1", "a/2", "b/1")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := (Walker{}).Folder(ctx, root, func(Found) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	stop, n := errors.New("stop"), 0
	err := Walker{}.Folder(context.Background(), root, func(Found) error { n++; return stop })
	if err != stop || n != 1 {
		t.Errorf("%v after %d", err, n)
	}
}

func TestBelowHidden(t *testing.T) {
	for name, want := range map[string]bool{
		"RawData/labels.txt": false, "./RawData/labels.txt": false, "__MACOSX/RawData/labels.txt": true, "RawData/._labels.txt": true,
		"#recycle/labels.txt": true, "../x": false, "": false,
	} {
		if BelowHidden(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	}
}
