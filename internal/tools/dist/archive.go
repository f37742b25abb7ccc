package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is one of an archive: a folder (its name ends in /), a link, or a file with bytes or the path of some.
type entry struct {
	name string
	mode os.FileMode
	link string
	data []byte
	from string
	uid  int
}

func (e entry) open() (io.ReadCloser, int64, error) {
	if e.from == "" {
		return io.NopCloser(bytes.NewReader(e.data)), int64(len(e.data)), nil
	}
	f, err := os.Open(e.from)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

func entryOf(name string, f file) entry { return entry{name: name, mode: f.mode(), from: f.from} }

// starters are for who has no terminal at hand: a double click asks for a folder, which is dropped into the window.
//
//go:embed windows/*.cmd
var starters embed.FS

// archive packs a zip for Windows and a tar.gz for all others, with one folder in it.
func (m maker) archive(program string, t target, shared, library []file) error {
	folder := "oatta-" + m.version + "-" + t.os + "-" + t.arch
	entries := []entry{{name: folder + "/", mode: 0o755}, {name: path.Join(folder, t.executable("oatta")), mode: 0o755, from: program}}
	for _, f := range shared {
		entries = append(entries, entryOf(path.Join(folder, f.name), f))
	}
	for _, f := range library {
		entries = append(entries, entryOf(path.Join(folder, "onnxruntime", f.name), f))
	}
	if t.os == "windows" {
		const starter = "Start oatta.cmd"
		script, err := starters.ReadFile("windows/" + starter)
		if err != nil {
			return err
		}
		script = bytes.ReplaceAll(script, []byte("\n"), []byte("\r\n"))
		entries = append(entries, entry{name: path.Join(folder, starter), mode: 0o644, data: script})
		return m.create(m.fileName(t, ".zip"), func(w io.Writer) error { return writeZip(w, entries, m.time) })
	}
	return m.create(m.fileName(t, ".tar.gz"), func(w io.Writer) error { return writeTarGz(w, entries, m.time) })
}

// fileName is that of something for a platform.
func (m maker) fileName(t target, ending string) string {
	with := ""
	if m.libraries != "" {
		with = "-with-onnxruntime"
	}
	return "oatta-" + m.version + "-" + t.os + "-" + t.arch + with + ending
}

// create writes a file of the outputs.
func (m maker) create(name string, write func(io.Writer) error) (err error) {
	f, err := os.Create(filepath.Join(m.dir, name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}

func writeTarGz(w io.Writer, entries []entry, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.DefaultCompression) // the header tells neither name nor time; models do not compress further
	if err != nil {
		return err
	}
	if err := writeTar(z, entries, at); err != nil {
		return err
	}
	return z.Close()
}

// writeTar writes the entries by name, each below the folders that it needs.
func writeTar(w io.Writer, entries []entry, at time.Time) error {
	t := tar.NewWriter(w)
	for _, e := range sorted(withFolders(entries)) {
		if err := writeTarEntry(t, e, at); err != nil {
			return err
		}
	}
	return t.Close()
}

func writeTarEntry(t *tar.Writer, e entry, at time.Time) error {
	h := &tar.Header{Name: e.name, Mode: int64(e.mode), ModTime: at, Uid: e.uid, Gid: e.uid, Format: tar.FormatPAX}
	switch {
	case strings.HasSuffix(e.name, "/"):
		h.Typeflag = tar.TypeDir
		return t.WriteHeader(h)
	case e.link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, e.link, 0o777
		return t.WriteHeader(h)
	}
	r, size, err := e.open()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // opened for reading
	h.Typeflag, h.Size = tar.TypeReg, size
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.Copy(t, r)
	return err
}

func writeZip(w io.Writer, entries []entry, at time.Time) error {
	z := zip.NewWriter(w)
	for _, e := range sorted(entries) {
		if strings.HasSuffix(e.name, "/") {
			continue // names of files bring their folders
		}
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		h.SetMode(e.mode)
		if err := writeZipEntry(z, h, e); err != nil {
			return err
		}
	}
	return z.Close()
}

func writeZipEntry(z *zip.Writer, h *zip.FileHeader, e entry) error {
	to, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	r, _, err := e.open()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // opened for reading
	_, err = io.Copy(to, r)
	return err
}

// withFolders adds the folders that lie above entries.
func withFolders(entries []entry) []entry {
	seen := map[string]bool{}
	for _, e := range entries {
		seen[e.name] = true
	}
	out := slices.Clone(entries)
	for _, e := range entries {
		for dir := path.Dir(strings.TrimSuffix(e.name, "/")); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if !seen[dir+"/"] {
				seen[dir+"/"] = true
				out = append(out, entry{name: dir + "/", mode: 0o755})
			}
		}
	}
	return out
}

func sorted(entries []entry) []entry {
	out := slices.Clone(entries)
	slices.SortStableFunc(out, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return out
}
