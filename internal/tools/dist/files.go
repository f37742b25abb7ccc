package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// file is one that is packed: its name there, with slashes, and where its bytes lie.
type file struct {
	name, from string
	executable bool
}

func (f file) mode() os.FileMode {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// shared are the files that are the same on all platforms, by their names in an archive: licences, pages, man pages, completions, samples.
func (m maker) shared(ctx context.Context) ([]file, error) {
	var files []file
	for _, name := range []string{"LICENSE", "THIRD_PARTY_NOTICES.md", "README.md", "CHANGELOG.md"} {
		files = append(files, file{name: name, from: filepath.Join(m.root, name)})
	}
	const samples = "datasets/samples"
	for _, pattern := range []string{"README.md", "heron.csv", "heron/*"} {
		found, err := filepath.Glob(filepath.Join(m.root, samples, filepath.FromSlash(pattern)))
		if err != nil || found == nil {
			return nil, fmt.Errorf("samples: %s: nothing found", pattern)
		}
		for _, f := range found {
			rel, err := filepath.Rel(filepath.Join(m.root, samples), f)
			if err != nil {
				return nil, err
			}
			files = append(files, file{name: path.Join("samples", filepath.ToSlash(rel)), from: f})
		}
	}
	written, err := m.ask(ctx)
	if err != nil {
		return nil, err
	}
	files = append(files, written...)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files, nil
}

// ask has the program of this machine write its man pages and completions.
func (m maker) ask(ctx context.Context) ([]file, error) {
	program, err := m.build(ctx, host())
	if err != nil {
		return nil, err
	}
	pages := filepath.Join(m.work, "man")
	if out, err := exec.CommandContext(ctx, program, "reference", "--man", pages).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("man pages: %w\n%s", err, out)
	}
	found, err := filepath.Glob(filepath.Join(pages, "*.1"))
	if err != nil || found == nil {
		return nil, errors.New("man pages: none was written")
	}
	var files []file
	for _, f := range found {
		files = append(files, file{name: "man/" + filepath.Base(f), from: f})
	}
	for shell, name := range map[string]string{"bash": "oatta.bash", "zsh": "_oatta", "fish": "oatta.fish"} {
		script, err := exec.CommandContext(ctx, program, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("completion %s: %w", shell, err)
		}
		to := filepath.Join(m.work, name)
		if err := os.WriteFile(to, script, 0o644); err != nil {
			return nil, err
		}
		files = append(files, file{name: "completions/" + name, from: to})
	}
	return files, nil
}

// library are the files of ONNX Runtime for a platform, the library first; none, if packages come without. What the program would not
// take is refused here: its table has the hash, or it does not.
func (m maker) library(t target) ([]file, error) {
	if m.libraries == "" {
		return nil, nil
	}
	found, err := filepath.Glob(filepath.Join(m.libraries, "*-"+t.os+"-"+t.arch+"-cpu", "*onnxruntime*"))
	found = slices.DeleteFunc(found, func(f string) bool { return strings.HasSuffix(f, ".new") })
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("-libraries %s: %d libraries for this platform: want one, in VERSION-%s-%s-cpu", m.libraries, len(found), t.os, t.arch)
	}
	table, err := os.ReadFile(filepath.Join(m.root, "runtime", "ort", "ortlib", "table.go"))
	if err != nil {
		return nil, err
	}
	sum, err := hashFile(found[0])
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(table, []byte(`"`+sum+`"`)) {
		return nil, fmt.Errorf("%s: the program does not know SHA-256 %s", found[0], sum)
	}
	files := []file{{name: filepath.Base(found[0]), from: found[0]}}
	for _, name := range []string{"LICENSE", "ThirdPartyNotices.txt", "DirectML.dll"} {
		from := filepath.Join(filepath.Dir(found[0]), name)
		if _, err := os.Stat(from); err == nil {
			files = append(files, file{name: name, from: from})
		}
	}
	return files, nil
}

// compressed writes a file again, gzipped, as man pages are packed.
func (m maker) compressed(f file) (string, error) {
	data, err := os.ReadFile(f.from)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := z.Write(data); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	to := filepath.Join(m.work, filepath.Base(f.name)+".gz")
	return to, os.WriteFile(to, b.Bytes(), 0o644)
}

func hashFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // opened for reading
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashFolder returns the SHA-256 of each file of a folder, by name.
func hashFolder(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if sums[e.Name()], err = hashFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

const sumsName = "SHA256SUMS"

// writeSums writes the sums of all files of a folder, as sha256sum does.
func writeSums(dir string) error {
	sums, err := hashFolder(dir)
	if err != nil {
		return err
	}
	var lines []string
	for name, sum := range sums {
		lines = append(lines, sum+"  "+name+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return os.WriteFile(filepath.Join(dir, sumsName), []byte(strings.Join(lines, "")), 0o644)
}
