package datasets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
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
stream top
  c.gif
  d.bmp
  root.TIFF
  x.jpe
  y.jfif
failure cam2/new.avif: picture format .avif is not supported
failure cam2/phone.heic: picture format .heic is not supported
failure cam2/raw.CR2: picture format .cr2 is not supported
failure z.jxl: picture format .jxl is not supported
ignored (hidden): 7
ignored (no extension): 1
ignored .mp4: 1
ignored .txt: 1
warning 5 streams without any capture time, ordered by name: a.b, cam2, cam10 and 2 more
`)
}

func TestListUnreadableFolder(t *testing.T) {
	root := tree(t, map[string]string{"a/1.jpg": "", "b/1.jpg": ""})
	w := newWalker()
	w.ReadDir = func(dir string) ([]os.DirEntry, error) {
		if filepath.Base(dir) == "a" {
			return nil, &os.PathError{Op: "open", Path: dir, Err: syscall.EACCES}
		}
		return os.ReadDir(dir)
	}
	must(t, w.roots(context.Background(), []string{root}))
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
	must(t, w.roots(context.Background(), []string{root}))
	must(t, os.Remove(filepath.Join(root, "1.jpg")))
	s, err := Options{}.compile()
	must(t, err)
	want(t, transcript(s.listing(context.Background(), []string{root}, w)), root, `
stream top
  2.jpg
failure 1.jpg: file cannot be read: no such file or directory
warning 1 stream without any capture time, ordered by name: top
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
stream top
  single.jpg
warning 1 stream without any capture time, ordered by name: top
`)
	want(t, transcript(ListAll(ctx, join("cam2", "cam1", "single.jpg"), Options{})), root, `
stream cam1
  cam1/a.jpg
stream cam2
  cam2/b.jpg
stream top
  top/single.jpg
warning 3 streams without any capture time, ordered by name: cam1, cam2, top
`)
	got := transcript(ListAll(ctx, join("cam1", "x/cam1"), Options{}))
	want(t, got, strings.TrimPrefix(filepath.ToSlash(root), "/"), `
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

// Files of several cameras, as a shell makes them of cam1/* cam2/*, are the streams that their folders are.
func TestListFilesOfSeveralCameras(t *testing.T) {
	root := tree(t, map[string]string{
		"g1/1.jpg": "", "g1/2.jpg": "", "g2/1.jpg": "", "g2/2.jpg": "", "s1/DCIM/1.jpg": "", "s2/DCIM/1.jpg": "", "s2/DCIM/x.txt": "",
	})
	t.Chdir(root)
	ctx := context.Background()
	const cameras = `
stream g1
  g1/1.jpg
  g1/2.jpg
stream g2
  g2/1.jpg
  g2/2.jpg
warning 2 streams without any capture time, ordered by name: g1, g2
`
	want(t, transcript(ListAll(ctx, []string{"g1/1.jpg", "g1/2.jpg", "g2/1.jpg", "g2/2.jpg"}, Options{})), "", cameras)
	want(t, transcript(ListAll(ctx, []string{"g2/2.jpg", "g1", "./g2/1.jpg"}, Options{})), "", cameras)
	want(t, transcript(ListAll(ctx, []string{"s1/DCIM/1.jpg", filepath.Join("s2", "DCIM", "1.jpg"), "s2/DCIM/x.txt", "g1/1.jpg"}, Options{})), "", `
stream g1
  g1/1.jpg
stream s1/DCIM
  s1/DCIM/1.jpg
stream s2/DCIM
  s2/DCIM/1.jpg
ignored .txt: 1
warning 3 streams without any capture time, ordered by name: g1, s1/DCIM, s2/DCIM
`)
	t.Chdir("g1")
	want(t, transcript(ListAll(ctx, []string{"2.jpg", "1.jpg"}, Options{})), "", `
stream g1
  g1/1.jpg
  g1/2.jpg
warning 1 stream without any capture time, ordered by name: g1
`)
	want(t, transcript(List(ctx, "2.jpg", Options{})), "", `
stream g1
  2.jpg
warning 1 stream without any capture time, ordered by name: g1
`)
}

// Two folders whose base names and whose paths as given are both the same have nothing but their absolute paths to tell them apart.
func TestListSameWholeName(t *testing.T) {
	root := tree(t, map[string]string{"a/x/1.jpg": "", "b/a/x/1.jpg": ""})
	t.Chdir(filepath.Join(root, "b"))
	l, err := ListAll(context.Background(), []string{"a/x", "../a/x"}, Options{})
	must(t, err)
	above := wholeName(root)
	if s := l.Streams(); len(s) != 2 || s[0].Name != above+"/a/x" || s[1].Name != above+"/b/a/x" {
		t.Errorf("streams %+v", s)
	}
}

// What is reached twice is listed and counted once, by the name under the outer folder, in whatever order it is given.
func TestListTwice(t *testing.T) {
	root := tree(t, map[string]string{
		"cam1/1.jpg": "", "cam1/2.jpg": "", "cam1/sub/3.jpg": "", "cam1/sub/4.heic": "", "cam1/film.mp4": "", "cam1/.x.jpg": "",
	})
	t.Chdir(root)
	tail := func(rest string) string { return "ignored (hidden): 1\nignored .mp4: 1\nwarning " + rest + "\n" }
	untimed := "\nwarning 2 streams without any capture time, ordered by name: cam1, cam1/sub"
	inner := "stream cam1\n  cam1/1.jpg\n  cam1/2.jpg\nstream cam1/sub\n  cam1/sub/3.jpg\nfailure cam1/sub/4.heic: picture format .heic is not supported\n"
	alone := strings.ReplaceAll(inner, " cam1/", " ")
	for _, c := range []struct {
		roots []string
		want  string
	}{
		{[]string{"cam1", filepath.Join(root, "cam1")}, alone + tail("4 pictures given more than once are listed once: 1.jpg, 2.jpg, sub/3.jpg and 1 more"+
			strings.ReplaceAll(untimed, "cam1/", ""))},
		{[]string{"cam1/1.jpg", "cam1", "cam1/film.mp4", "./cam1/1.jpg"}, inner + tail("1 picture given more than once is listed once: cam1/1.jpg"+untimed)},
		{[]string{"cam1/sub", "cam1"}, inner + tail("2 pictures given more than once are listed once: cam1/sub/3.jpg, cam1/sub/4.heic"+untimed)},
	} {
		for range 2 {
			want(t, transcript(ListAll(context.Background(), c.roots, Options{})), "", c.want)
			slices.Reverse(c.roots)
		}
	}
	want(t, transcript(ListAll(context.Background(), []string{"cam1/1.jpg", "cam1/../cam1/1.jpg"}, Options{})), "", `
stream cam1
  1.jpg
warning 1 picture given more than once is listed once: 1.jpg
warning 1 stream without any capture time, ordered by name: cam1
`)
	// A hidden picture that is given by its name is wanted.
	if got := transcript(ListAll(context.Background(), []string{"cam1", "cam1/.x.jpg"}, Options{})); !strings.Contains(got, "  cam1/.x.jpg\n") {
		t.Error(got)
	}
}

// The pictures directly in the root have the root's name, but for a folder in it that has this name, too.
func TestListOwnPictures(t *testing.T) {
	root := tree(t, map[string]string{"cam1/1.jpg": "", "cam1/sub/2.jpg": "", "cam2/1.jpg": "", "cam2/cam2/2.jpg": "", "cam3/1.jpg": "", "cam3/x/cam3/2.jpg": ""})
	streams := func(root string) string {
		l, err := List(context.Background(), root, Options{})
		must(t, err)
		var names []string
		for _, s := range l.Streams() {
			names = append(names, s.Name)
		}
		return strings.Join(names, " ")
	}
	for dir, want := range map[string]string{"cam1": "cam1 sub", "cam2": ". cam2", "cam3": "cam3 x/cam3"} {
		t.Chdir(filepath.Join(root, dir))
		for _, given := range []string{filepath.Join(root, dir), ".", "../" + dir + "/"} {
			if got := streams(given); got != want {
				t.Errorf("%s: streams %q, want %q", given, got, want)
			}
		}
	}
	if top := filepath.VolumeName(root) + string(filepath.Separator); baseName(top) != "" || ownStream(nil, baseName(top)) != "." {
		t.Errorf("%s: name %q, stream %q", top, baseName(top), ownStream(nil, baseName(top)))
	}
}

func TestModTime(t *testing.T) {
	root := tree(t, map[string]string{"a.jpg": ""})
	when := time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)
	must(t, os.Chtimes(filepath.Join(root, "a.jpg"), when, when))
	l, err := List(context.Background(), root, Options{})
	must(t, err)
	if got := l.Pictures[0].ModTime; !got.Equal(when) {
		t.Errorf("ModTime %v, want %v", got, when)
	}
}

func TestIgnoredNote(t *testing.T) {
	for _, c := range []struct {
		ignored map[string]int
		want    string
	}{
		{nil, ""},
		{map[string]int{IgnoredHidden: 9, ".json": 1, ".csv": 2, ".txt": 3, ".xml": 4}, ""},
		{map[string]int{".avi": 1, ".mp4": 2, ".txt": 3}, "2 .mp4, 1 .avi"},
		{map[string]int{".avi": 2, ".mp4": 2, IgnoredNoExtension: 3}, "3 (no extension), 2 .avi, 2 .mp4"},
		{map[string]int{".a\n": 2, ".b": 1}, `2 ".a\n", 1 .b`},
		{map[string]int{".a": 9, ".b": 8, ".c": 7, ".d": 6, ".e": 5, ".f": 4, ".g": 1}, "9 .a, 8 .b, 7 .c, 6 .d, 5 .e, 4 .f, 1 other"},
		{map[string]int{".a": 9, ".b": 8, ".c": 7, ".d": 6, ".e": 5, ".f": 4, ".g": 1, ".h": 1}, "9 .a, 8 .b, 7 .c, 6 .d, 5 .e, 4 .f, 2 others"},
	} {
		if got := (&Listing{Ignored: c.ignored}).IgnoredNote(); got != c.want {
			t.Errorf("%v: got %q, want %q", c.ignored, got, c.want)
		}
	}
}
