package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blakesmith/ar"
	"github.com/ulikunitz/xz"
)

var commitTime = time.Date(2026, 11, 29, 1, 22, 50, 0, time.UTC)

func TestVersion(t *testing.T) {
	for _, c := range []struct{ changelog, want, python string }{
		{"# Changelog\n\n## 0.2.0, unreleased\n\n- x\n\n## 0.1.0, 2026-11-29\n", "0.2.0-dev.20261129012250.gabcdef123456", "0.2.0.dev20261129012250+gabcdef123456"},
		{"# Changelog\n\n## 0.1.0, 2026-11-29\n", "0.1.0", "0.1.0"},
	} {
		got, err := versionOf(c.changelog, "abcdef1234567890", commitTime)
		if err != nil || got != c.want {
			t.Errorf("%q: %s, %v; want %s", c.changelog, got, err, c.want)
		}
		if python := (release{version: got}).pythonVersion(); python != c.python {
			t.Errorf("in Python %s, want %s", python, c.python)
		}
	}
	if v, err := versionOf("# Changelog\n", "a", commitTime); err == nil {
		t.Errorf("no heading: %s", v)
	}
}

// The changelog of this repository has a heading that is understood.
func TestOwnChangelog(t *testing.T) {
	text, err := os.ReadFile("../../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := versionOf(string(text), "abcdef1234567890", commitTime); err != nil {
		t.Error(err)
	}
}

func TestFlags(t *testing.T) {
	o, err := parse([]string{"-platforms", "linux/amd64,windows/arm64", "-only", "wheel,deb", "-out", "x"})
	if err != nil || !slices.Equal(o.targets, []target{{"linux", "amd64"}, {"windows", "arm64"}}) || !o.makes("deb") || o.makes("rpm") || !filepath.IsAbs(o.out) {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{{"-only", "msi"}, {"-platforms", "linux"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}

// The versions of symbols are read from a program of this machine, and one that asks for a newer C library than is promised is refused.
func TestGlibc(t *testing.T) {
	const shell = "/bin/sh"
	needs, err := glibcOf(shell)
	if err != nil || needs == [2]int{} {
		t.Skipf("%s asks for no version of glibc: %v", shell, err)
	}
	if needs[0] != 2 || needs[1] < 2 || needs[1] > 100 {
		t.Errorf("%v", needs)
	}
	old := newestGlibc
	t.Cleanup(func() { newestGlibc = old })
	for newest, fits := range map[[2]int]bool{{2, 200}: true, {3, 0}: true, needs: true, {2, 1}: false, {1, 99}: false} {
		newestGlibc = newest
		if err := checkSymbols(shell, target{"linux", "amd64"}); (err == nil) != fits {
			t.Errorf("%v where %v is promised: %v", needs, newest, err)
		}
	}
	if err := checkSymbols("/nonexistent", target{"windows", "amd64"}); err != nil {
		t.Errorf("Windows has no glibc: %v", err)
	}
}

// A package of Debian is read, and of it what a program needs: this one has all kinds of members, compressed as Debian does.
func TestReadDeb(t *testing.T) {
	var data bytes.Buffer
	z, err := xz.NewWriter(&data)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, h := range []tar.Header{
		{Name: "./usr/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "./lib/libc.so.6", Typeflag: tar.TypeReg, Mode: 0o755, Size: 1},
		{Name: "./lib64/ld.so", Typeflag: tar.TypeSymlink, Linkname: "/lib/ld.so"},
		{Name: "./usr/share/zoneinfo/UTC", Typeflag: tar.TypeLink, Linkname: "./usr/share/zoneinfo/Etc/UTC"},
		{Name: "./usr/share/man/man1/x.1", Typeflag: tar.TypeReg, Mode: 0o644, Size: 1},
		{Name: "./usr/share/doc/libc6/copyright", Typeflag: tar.TypeReg, Mode: 0o644, Size: 1},
		{Name: "./usr/share/ca-certificates/b.crt", Typeflag: tar.TypeReg, Mode: 0o644, Size: 1},
		{Name: "./usr/share/ca-certificates/a.crt", Typeflag: tar.TypeReg, Mode: 0o644, Size: 1},
	} {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(strings.Repeat(filepath.Base(h.Name)[:1], int(h.Size)))); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	var deb bytes.Buffer
	a := ar.NewWriter(&deb)
	err = errors.Join(a.WriteGlobalHeader(), a.WriteHeader(&ar.Header{Name: "data.tar.xz", Size: int64(data.Len()), Mode: 0o644}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Write(data.Bytes()); err != nil {
		t.Fatal(err)
	}
	entries, err := readDeb(deb.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range withCertificates(entries) {
		got = append(got, e.name+" "+e.link+string(e.data))
	}
	want := []string{"lib/libc.so.6 l", "lib64/ld.so /lib/ld.so", "usr/share/doc/libc6/copyright c", "usr/share/zoneinfo/UTC /usr/share/zoneinfo/Etc/UTC", "etc/ssl/certs/ca-certificates.crt ab"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// Entries come by name, below their folders, with one time and no owner, whatever order they were given in.
func TestArchivesAreReproducible(t *testing.T) {
	from := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(from, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	entries := []entry{
		{name: "a/b/program", mode: 0o755, from: from}, {name: "a/link", link: "b/program"}, {name: "home/", mode: 0o755, uid: 7}, {name: "a/text", mode: 0o644, data: []byte("x")},
	}
	backward := slices.Clone(entries)
	slices.Reverse(backward)
	for name, write := range map[string]func(io.Writer, []entry, time.Time) error{
		"tar.gz": writeTarGz,
		"zip":    func(w io.Writer, e []entry, at time.Time) error { return writeZip(w, e[:1], at) },
	} {
		var one, two bytes.Buffer
		if err := write(&one, entries, commitTime); err != nil {
			t.Fatal(name, err)
		}
		if name == "tar.gz" {
			if err := write(&two, backward, commitTime); err != nil {
				t.Fatal(name, err)
			}
		} else if err := write(&two, entries, commitTime); err != nil {
			t.Fatal(name, err)
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("%s: two runs differ", name)
		}
	}
	var b bytes.Buffer
	if err := writeTarGz(&b, entries, commitTime); err != nil {
		t.Fatal(err)
	}
	want := []string{"a/", "a/b/", "a/b/program", "a/link", "a/text", "home/"}
	if got := tarNames(t, &b); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func tarNames(t *testing.T, r io.Reader) (names []string) {
	t.Helper()
	z, err := gzip.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(commitTime) || h.Gid != h.Uid {
			t.Errorf("%+v", h)
		}
		names = append(names, h.Name)
	}
}

// The module of Python is packed as the format wants it, with a hash of each file.
func TestWheel(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "oatta")
	if err := os.WriteFile(program, []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	m := maker{release: release{root: root, version: "0.1.0", time: commitTime}, dir: t.TempDir()}
	if err := m.wheel(program, target{"linux", "amd64"}); err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(filepath.Join(m.dir, "oatta-0.1.0-py3-none-manylinux_2_28_x86_64.whl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }() // opened for reading
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
		if f.Name == "oatta-0.1.0.data/scripts/oatta" && f.Mode().Perm() != 0o755 {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
	}
	for _, want := range []string{"oatta/__init__.py", "oatta/py.typed", "oatta-0.1.0.data/scripts/oatta", "oatta-0.1.0.dist-info/METADATA", "oatta-0.1.0.dist-info/WHEEL", "oatta-0.1.0.dist-info/licenses/LICENSE"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not in %v", want, names)
		}
	}
	record, err := z.Open("oatta-0.1.0.dist-info/RECORD")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(record)
	if err != nil || strings.Count(string(text), "\n") != len(names) {
		t.Errorf("%d files, and recorded are (%v)\n%s", len(names), err, text)
	}
}

// Each pinned package is there for both processors, and what makes a library be found is among them.
func TestBasePins(t *testing.T) {
	var pins []pinned
	if err := json.Unmarshal(basePins, &pins); err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{}
	for _, p := range pins {
		names[p.Arch] = append(names[p.Arch], p.Name)
		if len(p.SHA256) != 64 || p.Version == "" {
			t.Errorf("%+v", p)
		}
	}
	if len(names) != 2 || !slices.Equal(names["amd64"], names["arm64"]) || !slices.Contains(names["amd64"], "libstdc++6") {
		t.Errorf("%v", names)
	}
}

// A recipe is written for what was made, with its hash, and not for what was not.
func TestRecipes(t *testing.T) {
	m := maker{options: options{kinds: kinds, url: "https://example.org/v{version}"}, release: release{version: "0.1.0", time: commitTime}, dir: t.TempDir()}
	all, some := map[string]string{}, map[string]string{}
	for i, name := range platforms {
		system, arch, _ := strings.Cut(name, "/")
		file := recipe{name: m.fileName}.File(system, arch)
		all[file] = strings.Repeat(string(rune('a'+i)), 64)
		if system == "linux" {
			some[file] = all[file]
		}
	}
	if err := m.recipes(all); err != nil {
		t.Fatal(err)
	}
	formula, err := os.ReadFile(filepath.Join(m.dir, "recipes", "homebrew", "oatta.rb"))
	for _, want := range []string{`url "https://example.org/v0.1.0/oatta-0.1.0-darwin-arm64.tar.gz"`, `sha256 "` + all["oatta-0.1.0-darwin-arm64.tar.gz"] + `"`} {
		if err != nil || !strings.Contains(string(formula), want) {
			t.Errorf("%q is not in (%v)\n%s", want, err, formula)
		}
	}
	m.dir = t.TempDir()
	if err := m.recipes(some); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(m.dir, "recipes", "winget")); !os.IsNotExist(err) {
		t.Errorf("a recipe of winget without a program for Windows: %v", err)
	}
	m.dir = t.TempDir()
	if err := m.recipes(map[string]string{}); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(m.dir); err != nil || len(left) != 0 {
		t.Errorf("recipes for nothing: %v, %v", left, err)
	}
}
