package ortlib

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func walkNames(t testing.TB, data []byte) ([]string, error) {
	t.Helper()
	var names []string
	err := walkPackage(context.Background(), write(t, filepath.Join(t.TempDir(), "package"), data), func(name string, r io.Reader) error {
		names = append(names, name)
		_, err := io.Copy(io.Discard, r)
		return err
	})
	return names, err
}

func TestWalkSkipsWhatIsNotAnOrdinaryFile(t *testing.T) {
	members := []member{
		{"a/b.txt", []byte("1")},
		{"/etc/passwd", []byte("2")},
		{"../up", []byte("3")},
		{"a/../../up", []byte("4")},
		{`..\up`, []byte("5")},
		{"c:/windows", []byte("6")},
		{"./x//y", []byte("7")},
		{"line\nbreak", []byte("8")},
	}
	want := []string{"a/b.txt", "x/y"}
	for name, data := range map[string][]byte{
		"zip":    zipOf(t, members...),
		"tar.gz": tgzOf(t, append(members, member{"link", nil})...),
	} {
		if got, err := walkNames(t, data); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
}

func TestWalkEnds(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "package"), tgzOf(t, member{"a", []byte("1")}, member{"b", []byte("2")}))
	n := 0
	stop := func(string, io.Reader) error { n++; return errStop }
	if err := walkPackage(context.Background(), file, stop); err != nil || n != 1 {
		t.Errorf("%d files, %v", n, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := walkPackage(ctx, file, stop); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestWalkTruncated reads a tar whose header promises more than there is.
func TestWalkTruncated(t *testing.T) {
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	if err := tar.NewWriter(g).WriteHeader(&tar.Header{Name: "lib/libonnxruntime.so", Size: 5 << 20, Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := walkNames(t, b.Bytes()); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}

// TestWalkBombs lowers the limits and expects both kinds of package to be held to each of them.
func TestWalkBombs(t *testing.T) {
	old := limits
	t.Cleanup(func() { limits = old })
	members := []member{{"a", make([]byte, 9000)}, {"b", make([]byte, 9000)}, {"c", make([]byte, 9000)}}
	for kind, data := range map[string][]byte{"zip": zipOf(t, members...), "tar.gz": tgzOf(t, members...)} {
		for want, set := range map[string]func(){
			"a unpacks to more": func() { limits.file = 8999 },
			"to more than":      func() { limits.total = 20_000 },
			"more than 2 files": func() { limits.members = 2 },
		} {
			limits = old
			set()
			if _, err := walkNames(t, data); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), kind) {
				t.Errorf("%s: %v, want %q", kind, err, want)
			}
		}
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestLimited(t *testing.T) {
	for name, c := range map[string]struct{ file, total int64 }{"file": {1000, 1 << 20}, "total": {1 << 20, 1000}} {
		total := c.total
		n, err := io.Copy(io.Discard, &limited{ctx: context.Background(), r: zeros{}, name: "bomb", file: c.file, total: &total})
		if err == nil || !strings.Contains(err.Error(), "bomb unpacks to more than is allowed") || n > 1000 {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
	}
	total := int64(1000)
	exact := &limited{ctx: context.Background(), r: bytes.NewReader(make([]byte, 1000)), name: "exact", file: 1000, total: &total}
	if n, err := io.Copy(io.Discard, exact); err != nil || n != 1000 {
		t.Errorf("a file of just the limit: %d bytes, %v", n, err)
	}
}

func TestExtractTakesTheFirst(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "p.zip"), zipOf(t, member{"a", []byte("first")}, member{"a", []byte("second")}))
	dir := t.TempDir()
	taken, err := extract(context.Background(), file, dir, map[string]string{"a": "b"})
	if err != nil || len(taken) != 1 || taken[0].sha256 != hashOf([]byte("first")) {
		t.Errorf("%+v, %v", taken, err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "b")); err != nil || string(got) != "first" {
		t.Errorf("%q, %v", got, err)
	}
}

// FuzzPackage feeds hostile bytes to everything that reads a file of the user's: nothing may panic, and no name may lead
// outside of a folder.
func FuzzPackage(f *testing.F) {
	f.Add(zipOf(f, member{"lib/libonnxruntime.so.1.24.4", elfOf(62, "x")}, member{"LICENSE", []byte("l")}))
	f.Add(tgzOf(f, member{"../libonnxruntime.so", elfOf(62, "x")}, member{"a/libonnxruntime.so", nil}))
	f.Add(elfOf(62, "bare"))
	f.Add([]byte("MZ" + strings.Repeat("\x00", 0x3a) + "\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _, _ = platformOf(data[:min(len(data), headerSize)])
		var names []string
		err := walk(context.Background(), bytes.NewReader(data), int64(len(data)), func(name string, r io.Reader) error {
			names = append(names, name)
			_, err := io.Copy(io.Discard, io.LimitReader(r, 1<<20))
			return err
		})
		for _, name := range names {
			if !filepath.IsLocal(filepath.FromSlash(name)) {
				t.Errorf("name %q", name)
			}
		}
		if name, pickErr := pickLibrary(names, testPlatform); err == nil && pickErr == nil && !slices.Contains(names, name) {
			t.Errorf("picked %q of %q", name, names)
		}
	})
}
