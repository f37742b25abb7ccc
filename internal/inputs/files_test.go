package inputs

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// put writes a file below dir, with the folders on the way.
func put(t *testing.T, dir, name, data string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(data), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func isCSV(name string) bool { return hasEnding(name, ".csv") }

// found lists the names, with a mark behind those that cannot be read.
func found(t *testing.T, args ...string) (out []string) {
	t.Helper()
	files, _, err := findFiles(context.Background(), args, isCSV)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.err != nil {
			f.name += "!"
		}
		out = append(out, f.name)
	}
	return out
}

func TestFindFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"a/p10.csv", "a/p9.CSV", "a/other.txt", "a/.hidden.csv", "a/.git/x.csv", "a/x.csv/in.csv", "b/p10.csv", "b/only.csv",
		"a/#recycle/p9.csv", "a/__MACOSX/._p9.csv", "a/__MACOSX/p9.csv", "a/@eaDir/p9.csv", "a/$RECYCLE.BIN/p9.csv", "a/._p9.csv",
	} {
		put(t, dir, name, name)
	}
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, test := range []struct {
		what       string
		args, want []string
	}{
		{"a folder, in natural order, without what is hidden", []string{a}, []string{"p9.CSV", "p10.csv", "x.csv/in.csv"}},
		{"a file is taken whatever it is called", []string{filepath.Join(a, "other.txt")}, []string{"other.txt"}},
		{"two folders with files of one name", []string{a, b}, []string{"only.csv", "p9.CSV", "a/p10.csv", "b/p10.csv", "x.csv/in.csv"}},
		{"one file twice, and by its folder", []string{filepath.Join(b, "only.csv"), b, b + "/../b/only.csv"}, []string{"only.csv", "p10.csv"}},
	} {
		got := found(t, test.args...)
		slices.Sort(got)
		slices.Sort(test.want)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.what, got, test.want)
		}
	}
}

// Paths of this system, and those of Windows' volumes, which are cut off here as filepath.VolumeName does it there.
func TestNameOf(t *testing.T) {
	for _, c := range []struct{ volume, rest, want string }{
		{"", "/home/ann/p.csv", "home/ann/p.csv"},
		{"", "/C:/p.csv", "C:/p.csv"},
		{"C:", "/nights/p.csv", "C/nights/p.csv"},
		{`\\nas.local\share`, "/nights/p.csv", "nas.local/share/nights/p.csv"},
		{`\\?\D:`, "/nights/p.csv", "D/nights/p.csv"},
		{`\\.\D:`, "/nights/p.csv", "D/nights/p.csv"},
		{`\\?\UNC\nas\share`, "/nights/p.csv", "nas/share/nights/p.csv"},
		{`\\unc\share`, "/p.csv", "unc/share/p.csv"},
	} {
		if got := nameOf(c.volume+c.rest, c.volume); got != c.want {
			t.Errorf("%s%s: %q, want %q", c.volume, c.rest, got, c.want)
		}
	}
}

// Names are told apart by folders that do not lead out of where an output puts them.
func TestNamesStayBelow(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one/x/p.csv", "two/x/p.csv", "here/p.csv"} {
		put(t, dir, name, name)
	}
	t.Chdir(filepath.Join(dir, "here"))
	got := found(t, "../one/x/p.csv", "../two/x/p.csv", "p.csv")
	slices.Sort(got)
	if want := []string{"here/p.csv", "one/x/p.csv", "two/x/p.csv"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What cannot be read is in the list with its reason, and hides nothing else.
func TestFindUnreadable(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "good.csv", "x")
	for link, to := range map[string]string{"nowhere.csv": "gone", "again.csv": "good.csv", "loop.csv": "."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("unix", filepath.Join(dir, "s.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got, want := found(t, dir), []string{"again.csv", "good.csv", "nowhere.csv!", "s.csv!"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if got := found(t, link); len(got) != 4 {
		t.Errorf("by a link to the folder: %q", got)
	}
	var c collection
	if _, err := c.find(context.Background(), []string{dir}, isCSV); err != nil || !slices.Equal(c.warnings, []string{"1 link to a folder not followed: loop.csv"}) {
		t.Errorf("warnings %q, %v", c.warnings, err)
	}
	if _, _, err := findFiles(context.Background(), []string{filepath.Join(dir, "gone.csv")}, isCSV); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an argument that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := findFiles(ctx, []string{dir}, isCSV); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A folder that is closed to the user: one below is a failure, the one that was named an error. The superuser meets neither, so the
// walk is told of it.
func TestFindClosedFolder(t *testing.T) {
	root := t.TempDir()
	put(t, root, "closed/x.csv", "x")
	closed := filepath.Join(root, "closed")
	w := search{ctx: context.Background(), keep: isCSV}
	w.ReadDir = func(dir string) ([]os.DirEntry, error) {
		if dir == closed {
			return nil, &fs.PathError{Op: "open", Path: closed, Err: syscall.EACCES}
		}
		return os.ReadDir(dir)
	}
	if err := w.folder(root); err != nil || len(w.found) != 1 || w.found[0].name != "closed" {
		t.Fatalf("%v, %+v", err, w.found)
	}
	if why := withoutPath(w.found[0].err, closed).Error(); !strings.Contains(why, "permission denied") || strings.Contains(why, root) {
		t.Errorf("failure %q", why)
	}
	if err := w.folder(closed); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("the folder that was named: %v", err)
	}
}
