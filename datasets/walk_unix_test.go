//go:build unix

package datasets

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestListOddNames(t *testing.T) {
	root := tree(t, map[string]string{
		"with space/a b.jpg": "", "Übersee/Füchse 1.jpg": "", "日本/鹿.jpg": "", "new\nline/x\ny.jpg": "", "bad\xff\xfe/\xe9t\xe9.jpg": "",
		`back\slash.jpg`: "", "-dash.jpg": "", "a..b.jpg": "", "...jpg.jpg/c.jpg": "",
	})
	l, err := List(context.Background(), root, Options{})
	must(t, err)
	want(t, transcript(l, nil), root, `
stream "bad\xff\xfe"
  "bad\xff\xfe/\xe9t\xe9.jpg"
stream "new\nline"
  "new\nline/x\ny.jpg"
stream top
  -dash.jpg
  a..b.jpg
  back\slash.jpg
stream with space
  with space/a b.jpg
stream Übersee
  Übersee/Füchse 1.jpg
stream 日本
  日本/鹿.jpg
ignored (hidden): 1
warning 6 streams without any capture time, ordered by name: "bad\xff\xfe", "new\nline", top and 3 more
`)
	for _, p := range l.Pictures {
		if _, err := os.Stat(p.Path); err != nil {
			t.Errorf("%q: %v", p.Name, err)
		}
	}
}

func TestListLinks(t *testing.T) {
	root := tree(t, map[string]string{"real/a.jpg": at("2024:05:01 10:00:00"), "cam/": ""})
	for link, target := range map[string]string{
		"cam/link.jpg": "../real/a.jpg", "cam/loop": "..", "cam/folder.jpg": "../real", "cam/broken.jpg": "nowhere.jpg",
		"cam/self.jpg": "self.jpg", "cam/broken.txt": "nowhere.txt",
	} {
		must(t, os.Symlink(target, filepath.Join(root, link)))
	}
	want(t, list(t, root, Options{}), root, `
stream cam
  cam/link.jpg 2024-05-01 10:00:00 exif
stream real
  real/a.jpg 2024-05-01 10:00:00 exif
failure cam/broken.jpg: no such file or directory
failure cam/self.jpg: too many levels of symbolic links
ignored .txt: 1
warning 2 links to folders not followed: cam/folder.jpg, cam/loop
`)
	must(t, os.Symlink(root, filepath.Join(root, "cam", "root")))
	if got := list(t, filepath.Join(root, "cam", "root", "real"), Options{}); !strings.Contains(got, "stream real\n  a.jpg") {
		t.Errorf("a root behind a link: %s", got)
	}
	// The same folder by a link; but a link to a picture is one of its own, as in the walk of a folder.
	roots := []string{filepath.Join(root, "real"), filepath.Join(root, "cam", "root", "real"), filepath.Join(root, "cam", "link.jpg")}
	got := transcript(ListAll(context.Background(), roots, Options{}))
	if !strings.HasPrefix(got, "stream cam\n  cam/link.jpg") || !strings.Contains(got, "stream real\n  real/a.jpg") ||
		!strings.HasSuffix(got, "warning 1 picture given more than once is listed once: real/a.jpg\n") {
		t.Errorf("roots by links: %s", got)
	}
}

func TestListNotRegular(t *testing.T) {
	root := tree(t, map[string]string{"a.jpg": ""})
	must(t, syscall.Mkfifo(filepath.Join(root, "pipe.jpg"), 0o644))
	want(t, list(t, root, Options{}), root, `
stream top
  a.jpg
failure pipe.jpg: not a regular file
warning 1 stream without any capture time, ordered by name: top
`)
}
