package datasets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestListFolder(t *testing.T) {
	root := tree(t, map[string]string{
		"cam2/img10.jpg": plainJPEG, "cam2/img2.JPG": plainJPEG, "cam2/img1.Jpeg": plainJPEG,
		"cam10/a.png": "not a picture, which the decoder will say", "cam10/sub/b.webp": "", "root.TIFF": "", "x.jpe": "", "y.jfif": "",
		"c.gif": "", "d.bmp": "",
		"cam2/raw.CR2": "", "cam2/phone.heic": "", "cam2/new.avif": "", "z.jxl": "",
		"cam2/notes.TXT": "", "cam2/film.mp4": "", "README": "", "a.b/e.tif": "",
		".hidden.jpg": "", "cam2/._img2.JPG": "", "__MACOSX/cam2/img2.JPG": "", "@eaDir/img2.JPG/SYNOPHOTO.jpg": "", "Thumbs.db": "",
		"$RECYCLE.BIN/x.jpg": "", ".git/x.jpg": "", "empty/": "",
	})
	want(t, list(t, root, Options{}), root, `
stream .
  c.gif
  d.bmp
  root.TIFF
  x.jpe
  y.jfif
stream a.b
  a.b/e.tif
stream cam2
  cam2/img1.Jpeg
  cam2/img2.JPG
  cam2/img10.jpg
stream cam10
  cam10/a.png
stream cam10/sub
  cam10/sub/b.webp
failure cam2/new.avif: picture format .avif is not supported
failure cam2/phone.heic: picture format .heic is not supported
failure cam2/raw.CR2: picture format .cr2 is not supported
failure z.jxl: picture format .jxl is not supported
ignored (hidden): 7
ignored (no extension): 1
ignored .mp4: 1
ignored .txt: 1
warning 5 streams without any capture time, ordered by name: ., a.b, cam2 and 2 more
`)
}

func TestListUnreadableFolder(t *testing.T) {
	root := tree(t, map[string]string{"a/1.jpg": "", "b/1.jpg": ""})
	w := newWalker()
	w.readDir = func(dir string) ([]os.DirEntry, error) {
		if filepath.Base(dir) == "a" {
			return nil, &os.PathError{Op: "open", Path: dir, Err: syscall.EACCES}
		}
		return os.ReadDir(dir)
	}
	must(t, w.root(context.Background(), root, ""))
	s, err := Options{}.compile()
	must(t, err)
	want(t, transcript(s.listing(context.Background(), []string{root}, w)), root, `
stream b
  b/1.jpg
failure a: folder cannot be read: permission denied
warning 1 stream without any capture time, ordered by name: b
`)
}

// A picture may go away between the walk and the look at its EXIF.
func TestListVanishedFile(t *testing.T) {
	root := tree(t, map[string]string{"1.jpg": "", "2.jpg": ""})
	w := newWalker()
	must(t, w.root(context.Background(), root, ""))
	must(t, os.Remove(filepath.Join(root, "1.jpg")))
	s, err := Options{}.compile()
	must(t, err)
	want(t, transcript(s.listing(context.Background(), []string{root}, w)), root, `
stream .
  2.jpg
failure 1.jpg: file cannot be read: no such file or directory
warning 1 stream without any capture time, ordered by name: .
`)
}

func TestListRoots(t *testing.T) {
	root := tree(t, map[string]string{"cam1/a.jpg": "", "cam2/b.jpg": "", "x/cam1/c.jpg": "", "single.jpg": "", "other.txt": ""})
	join := func(names ...string) []string {
		for i := range names {
			names[i] = filepath.Join(root, names[i])
		}
		return names
	}
	ctx := context.Background()
	want(t, transcript(ListAll(ctx, join("single.jpg"), Options{})), root, `
stream .
  single.jpg
warning 1 stream without any capture time, ordered by name: .
`)
	want(t, transcript(ListAll(ctx, join("cam2", "cam1", "single.jpg"), Options{})), root, `
stream .
  single.jpg
stream cam1
  cam1/a.jpg
stream cam2
  cam2/b.jpg
warning 3 streams without any capture time, ordered by name: ., cam1, cam2
`)
	got := transcript(ListAll(ctx, join("cam1", "x/cam1"), Options{}))
	want(t, got, strings.TrimPrefix(root, "/"), `
stream ROOT/cam1
  ROOT/cam1/a.jpg
stream ROOT/x/cam1
  ROOT/x/cam1/c.jpg
warning 2 streams without any capture time, ordered by name: ROOT/cam1, ROOT/x/cam1
`)
	t.Chdir(filepath.Join(root, "cam2"))
	if got := transcript(ListAll(ctx, []string{".", "../x/cam1", "../cam1"}, Options{})); !strings.HasPrefix(got,
		"stream cam1\n  cam1/a.jpg\nstream cam2\n  cam2/b.jpg\nstream x/cam1\n  x/cam1/c.jpg\n") {
		t.Error(got)
	}
	if _, err := ListAll(ctx, join("cam1", "cam1"), Options{}); err == nil || !strings.Contains(err.Error(), "two pictures of this name") {
		t.Errorf("the same root twice: %v", err)
	}
	if _, err := ListAll(ctx, nil, Options{}); err == nil {
		t.Error("no root: no error")
	}
}

func TestListNothing(t *testing.T) {
	root := tree(t, map[string]string{"a.txt": "", "b/c.heic": "", ".x": ""})
	l, err := List(context.Background(), root, Options{})
	if !errors.Is(err, ErrNoPictures) {
		t.Errorf("error %v, want ErrNoPictures", err)
	}
	want(t, transcript(l, err), root, `
failure b/c.heic: picture format .heic is not supported
ignored (hidden): 1
ignored .txt: 1
error datasets: ROOT: no pictures (1 failure, 1 (hidden), 1 .txt)
`)
	missing := filepath.Join(root, "missing")
	want(t, list(t, missing, Options{}), root, "error datasets: ROOT/missing: no such file or directory\n")
}

func TestListCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := List(ctx, tree(t, map[string]string{"a.jpg": ""}), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}
