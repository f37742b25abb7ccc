package motion

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/walk"
)

// fileSet is a folder, or an archive of one. Only the files of HAPT count.
type fileSet interface {
	names() []string
	open(name string) (io.ReadCloser, error)
	Close() error
}

func wanted(name string) bool {
	return (path.Base(name) == "labels.txt" || experimentOf(name) != nil) && !walk.BelowHidden(name)
}

// openFiles opens a folder, a zip or a tar.gz.
func openFiles(from string) (fileSet, error) {
	info, err := os.Stat(from)
	if err != nil {
		return nil, fmt.Errorf("motion: %s: %w", show(from), message.Cause(err))
	}
	if info.IsDir() {
		return fsFiles{from, os.DirFS(from), nil}, nil
	}
	magic, err := magicOfRaw(from)
	if err != nil {
		return nil, err
	}
	switch {
	case magic == "PK":
		z, err := zip.OpenReader(from)
		if err != nil {
			return nil, fmt.Errorf("motion: %s: %w", show(from), message.Cause(err))
		}
		return fsFiles{from, z, z}, nil
	case magic == "\x1f\x8b" || strings.HasSuffix(from, ".tar"):
		return openTar(from)
	}
	return nil, fmt.Errorf("motion: %s: want a folder, a zip or a tar.gz of HAPT's raw data", show(from))
}

func magicOfRaw(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("motion: %s: %w", show(name), message.Cause(err))
	}
	defer f.Close()
	magic := make([]byte, 2)
	n, _ := io.ReadFull(f, magic) // fewer bytes are no magic
	return string(magic[:n]), nil
}

// fsFiles reads a file when it is asked for.
type fsFiles struct {
	from   string
	fsys   fs.FS
	closer io.Closer // nil for a folder
}

func (f fsFiles) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// names looks in the folder itself and in the one below it that holds most such files: collections come as RawData and within a folder.
func (f fsFiles) names() []string {
	found := map[string][]string{}
	_ = fs.WalkDir(f.fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir // what cannot be read is not there
		case err != nil:
			return nil
		case d.IsDir() && strings.Count(p, "/") >= 3:
			return fs.SkipDir
		case !d.IsDir() && wanted(p):
			found[path.Dir(p)] = append(found[path.Dir(p)], p)
		}
		return nil
	})
	return fullest(found)
}

// fullest returns the files of the folder that has most of them, the first by name of several.
func fullest(found map[string][]string) (best []string) {
	var folders []string
	for folder := range found {
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	for _, folder := range folders {
		if len(found[folder]) > len(best) {
			best = found[folder]
		}
	}
	return best
}

func (f fsFiles) open(name string) (io.ReadCloser, error) {
	in, err := f.fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("motion: %s: %s: %w", show(f.from), show(name), message.Cause(err))
	}
	return in, nil
}

// tarFiles holds the samples of an archive that can only be read from its beginning.
type tarFiles struct {
	labels  []byte
	name    string // of labels.txt
	samples map[string][]float32
	order   []string
}

// The limits of an archive: HAPT has 22 KB of labels and 1.1 million samples.
const (
	maxLabelBytes = 16 << 20
	maxTarSamples = 64 << 20 // of one axis each: 256 MiB
)

func openTar(from string) (*tarFiles, error) {
	in, err := os.Open(from)
	if err != nil {
		return nil, fmt.Errorf("motion: %s: %w", show(from), message.Cause(err))
	}
	defer in.Close()
	t := &tarFiles{samples: map[string][]float32{}}
	var r io.Reader = buffered(in)
	if !strings.HasSuffix(from, ".tar") {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, fmt.Errorf("motion: %s: %w", show(from), err)
		}
	}
	if err := t.read(tar.NewReader(r)); err != nil {
		return nil, fmt.Errorf("motion: %s: %w", show(from), err)
	}
	return t, nil
}

func (t *tarFiles) read(r *tar.Reader) error {
	left := maxTarSamples
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg || !wanted(h.Name) {
			continue
		}
		if err := t.add(h.Name, r, &left); err != nil {
			return err
		}
	}
}

func (t *tarFiles) add(name string, r io.Reader, left *int) (err error) {
	t.order = append(t.order, name)
	if experimentOf(name) == nil {
		t.name = name
		t.labels, err = io.ReadAll(io.LimitReader(r, maxLabelBytes+1))
		if len(t.labels) > maxLabelBytes {
			return fmt.Errorf("%s: more than %d MiB", show(name), maxLabelBytes>>20)
		}
		return err
	}
	text := &haptText{newLines(name, r)}
	for {
		v, err := text.sample()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if *left -= len(v); *left < 0 {
			return fmt.Errorf("%s: more than %d million samples in the archive", show(name), maxTarSamples/3>>20)
		}
		t.samples[name] = append(t.samples[name], v[:]...)
	}
}

func (t *tarFiles) Close() error { return nil }

func (t *tarFiles) names() []string { return t.order }

func (t *tarFiles) open(name string) (io.ReadCloser, error) {
	if name == t.name {
		return io.NopCloser(strings.NewReader(string(t.labels))), nil
	}
	return &heldSamples{name: name, values: t.samples[name]}, nil
}

// heldSamples gives samples from memory.
type heldSamples struct {
	name   string
	values []float32
	at     int
}

func (h *heldSamples) Close() error { return nil }

// Read implements io.Reader, which nothing asks for.
func (h *heldSamples) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

func (h *heldSamples) place() string { return fmt.Sprintf("%s:%d", show(h.name), h.at/3) }

func (h *heldSamples) sample() (v [3]float32, err error) {
	if h.at == len(h.values) {
		return v, io.EOF
	}
	h.at += copy(v[:], h.values[h.at:])
	return v, nil
}
