package ortlib

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// maxDownload and maxLicence bound a package and a licence text, in bytes.
const (
	maxDownload = 1 << 30
	maxLicence  = 8 << 20
)

// limits bound what a package unpacks to. The largest file that is really taken is the CUDA provider, of 367 MB in 1.24.
// Tests lower them.
var limits = struct {
	file, total int64 // bytes of one file, and of all of them
	members     int
}{1 << 30, 4 << 30, 100_000}

// errStop ends a walk early, without an error.
var errStop = errors.New("stop")

// walkFunc is called with each ordinary file of a package, by its cleaned name. Links, devices and names that lead outside are
// never passed on.
type walkFunc func(name string, r io.Reader) error

// walkPackage walks a .zip (and so .whl and .nupkg) or a .tar.gz, whatever its name is.
func walkPackage(ctx context.Context, file string, visit walkFunc) error {
	f, size, err := openSized(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened for reading
	return walk(ctx, f, size, visit)
}

// openSized opens a file for reading and tells its size.
func openSized(file string) (*os.File, int64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

func walk(ctx context.Context, r io.ReaderAt, size int64, visit walkFunc) error {
	var magic [4]byte
	n, err := r.ReadAt(magic[:], 0)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case string(magic[:n]) == "PK\x03\x04":
		err = walkZip(ctx, r, size, visit)
	case n > 2 && magic[0] == 0x1f && magic[1] == 0x8b:
		err = walkTar(ctx, io.NewSectionReader(r, 0, size), visit)
	default:
		err = errors.New("neither a zip nor a tar.gz")
	}
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

func walkZip(ctx context.Context, r io.ReaderAt, size int64, visit walkFunc) error {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return fmt.Errorf("zip: %w", err)
	}
	if len(z.File) > limits.members {
		return fmt.Errorf("zip: more than %d files", limits.members)
	}
	budget := limits.total
	for _, f := range z.File {
		name, ok := cleanName(f.Name)
		if !ok || !f.Mode().IsRegular() {
			continue
		}
		if err := walkZipFile(ctx, f, name, &budget, visit); err != nil {
			return err
		}
	}
	return nil
}

func walkZipFile(ctx context.Context, f *zip.File, name string, budget *int64, visit walkFunc) error {
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("zip: %s: %w", name, err)
	}
	defer func() { _ = r.Close() }() // opened for reading; a wrong checksum shows while it is read
	if err := visit(name, &limited{ctx: ctx, r: r, name: name, file: limits.file, total: budget}); err != nil {
		return fmt.Errorf("zip: %s: %w", name, err)
	}
	return nil
}

func walkTar(ctx context.Context, r io.Reader, visit walkFunc) error {
	z, err := gzip.NewReader(bufio.NewReader(r))
	if err != nil {
		return fmt.Errorf("tar.gz: %w", err)
	}
	// The budget is of everything that is unpacked, files that are skipped too: a bomb is one even if nobody asks for it.
	budget := limits.total
	t := tar.NewReader(&limited{ctx: ctx, r: z, name: "all of it", file: limits.total, total: &budget})
	for n := 0; ; n++ {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("tar.gz: %w", err)
		}
		if n >= limits.members {
			return fmt.Errorf("tar.gz: more than %d files", limits.members)
		}
		name, ok := cleanName(h.Name)
		if !ok || h.Typeflag != tar.TypeReg {
			continue
		}
		fileBudget := limits.file
		if err := visit(name, &limited{ctx: ctx, r: t, name: name, file: limits.file, total: &fileBudget}); err != nil {
			return fmt.Errorf("tar.gz: %s: %w", name, err)
		}
	}
}

// cleanName returns the name of a member with forward slashes and no dots in it. One that is absolute, leads outside or has a
// drive or a control character is refused.
func cleanName(name string) (string, bool) {
	name = strings.ReplaceAll(name, `\`, "/")
	if name == "" || strings.HasPrefix(name, "/") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == ':' }) {
		return "", false
	}
	for _, part := range strings.Split(name, "/") {
		if part == ".." {
			return "", false
		}
	}
	name = path.Clean(name)
	return name, name != "."
}

// limited reads at most file bytes of one file and total bytes of all, and ends with the context.
type limited struct {
	ctx   context.Context
	r     io.Reader
	name  string
	file  int64  // left of the file's own limit
	total *int64 // left of the limit that all share
}

func (l *limited) Read(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := l.r.Read(p)
	l.file -= int64(n)
	*l.total -= int64(n)
	if l.file < 0 || *l.total < 0 {
		return 0, fmt.Errorf("%s unpacks to more than is allowed: a damaged or hostile package", l.name)
	}
	return n, err
}
