package main

import (
	"archive/tar"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blakesmith/ar"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// The layer below the program is what "distroless" images are made of too, packages of Debian without Debian: the C library, which the
// program and ONNX Runtime load, the C++ library, which ONNX Runtime loads, certificates and time zones. They are pinned by version and
// hash, and fetched by apt-get, so that an image can be made wherever that is.
//
//go:embed base.json
var basePins []byte

// pinned is a package of Debian.
type pinned struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Arch    string `json:"arch"` // of the machine for which it is pinned, as Go and Debian call it; the package itself may be for all
	SHA256  string `json:"sha256"`
}

// base returns the lowest layer.
func (m maker) base(ctx context.Context, t target) ([]entry, error) {
	var pins []pinned
	if err := json.Unmarshal(basePins, &pins); err != nil {
		return nil, fmt.Errorf("base.json: %w", err)
	}
	pins = slices.DeleteFunc(pins, func(p pinned) bool { return p.Arch != t.arch })
	if len(pins) == 0 {
		return nil, fmt.Errorf("no packages of Debian are pinned for %s", t.arch)
	}
	debs, err := fetchDebs(ctx, pins, t.arch)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for i, deb := range debs {
		found, err := readDeb(deb)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pins[i].Name, err)
		}
		entries = append(entries, found...)
	}
	return withCertificates(entries), nil
}

// fetchDebs returns the bytes of the packages, from the cache or by apt-get.
func fetchDebs(ctx context.Context, pins []pinned, arch string) ([][]byte, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	cache = filepath.Join(cache, "oatta", "dist")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	var lacking []pinned
	for _, p := range pins {
		if sum, err := hashFile(filepath.Join(cache, p.SHA256)); err != nil || sum != p.SHA256 {
			lacking = append(lacking, p)
		}
	}
	if len(lacking) > 0 {
		if err := aptDownload(ctx, lacking, arch, cache); err != nil {
			return nil, err
		}
	}
	var out [][]byte
	for _, p := range pins {
		data, err := os.ReadFile(filepath.Join(cache, p.SHA256))
		if err != nil {
			return nil, fmt.Errorf("%s %s: apt-get gave another file than the pinned one: %w", p.Name, p.Version, err)
		}
		out = append(out, data)
	}
	return out, nil
}

// aptDownload fetches packages for a processor, whatever this machine's, without touching what this machine knows of packages; they are
// put into the cache by their hashes.
func aptDownload(ctx context.Context, pins []pinned, arch, cache string) error {
	work, err := os.MkdirTemp("", "oatta-apt")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }() // temporary
	if err := os.Chmod(work, 0o755); err != nil {
		return err
	}
	status := filepath.Join(work, "status")
	err = errors.Join(os.WriteFile(status, nil, 0o644), os.MkdirAll(filepath.Join(work, "lists", "partial"), 0o755), os.MkdirAll(filepath.Join(work, "archives", "partial"), 0o755))
	if err != nil {
		return err
	}
	common := []string{
		"-q", "-o", "APT::Architecture=" + arch, "-o", "APT::Architectures=" + arch, "-o", "Dir::State::lists=" + filepath.Join(work, "lists"),
		"-o", "Dir::State::status=" + status, "-o", "Dir::Cache=" + work, "-o", "APT::Sandbox::User=root", "-o", "Acquire::Languages=none",
	}
	wanted := []string{"download"}
	for _, p := range pins {
		wanted = append(wanted, p.Name+"="+p.Version)
	}
	for _, args := range [][]string{{"update"}, wanted} {
		cmd := exec.CommandContext(ctx, "apt-get", append(slices.Clone(common), args...)...)
		cmd.Dir = work
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w\n%s", args[0], err, out)
		}
	}
	found, err := filepath.Glob(filepath.Join(work, "*.deb"))
	if err != nil {
		return err
	}
	for _, f := range found {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		sum, err := hashFile(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(cache, sum), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readDeb returns what a package installs: an ar with a compressed tar in it.
func readDeb(deb []byte) ([]entry, error) {
	r := ar.NewReader(bytes.NewReader(deb))
	for {
		h, err := r.Next()
		if err != nil {
			return nil, fmt.Errorf("no data.tar: %w", err)
		}
		name := strings.TrimSuffix(h.Name, "/")
		if !strings.HasPrefix(name, "data.tar") {
			continue
		}
		data, err := decompressed(name, r)
		if err != nil {
			return nil, err
		}
		return readTar(data)
	}
}

func decompressed(name string, r io.Reader) (io.Reader, error) {
	switch path.Ext(name) {
	case ".xz":
		return xz.NewReader(r)
	case ".zst":
		return zstd.NewReader(r)
	}
	return nil, fmt.Errorf("%s: unknown compression", name)
}

func readTar(r io.Reader) ([]entry, error) {
	var out []entry
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		e := entry{name: path.Clean(h.Name), mode: os.FileMode(h.Mode & 0o777)}
		if !wanted(e.name) {
			continue
		}
		switch h.Typeflag {
		case tar.TypeSymlink:
			e.link = h.Linkname
		case tar.TypeLink:
			e.link = "/" + path.Clean(h.Linkname)
		case tar.TypeReg:
			if e.data, err = io.ReadAll(t); err != nil {
				return nil, err
			}
		default:
			continue // folders come with what is in them
		}
		out = append(out, e)
	}
}

// wanted leaves out what no program needs that only runs oatta.
func wanted(name string) bool {
	for _, without := range []string{"usr/share/man/", "usr/share/lintian/", "usr/sbin/", "sbin/", "usr/bin/", "etc/", "usr/share/gcc", "usr/share/gdb/"} {
		if strings.HasPrefix(name, without) {
			return false
		}
	}
	if strings.Contains(name, "/gconv/") || strings.Contains(name, "/audit/") || strings.HasPrefix(name, "usr/share/doc/") && path.Base(name) != "copyright" {
		return false
	}
	return true
}

// withCertificates puts the certificates into the one file in which Go looks, as Debian does when they are installed.
func withCertificates(entries []entry) []entry {
	var out []entry
	var bundle bytes.Buffer
	for _, e := range sorted(entries) {
		if strings.HasPrefix(e.name, "usr/share/ca-certificates/") {
			bundle.Write(e.data)
			continue
		}
		out = append(out, e)
	}
	return append(out, entry{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: bundle.Bytes()})
}
