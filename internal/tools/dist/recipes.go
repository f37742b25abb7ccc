package main

import (
	"bytes"
	"embed"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"
)

// What other projects build their packages from, with our names and hashes filled in: a formula of Homebrew, the three files of winget, a
// recipe of conda.
//
//go:embed recipes
var recipeFiles embed.FS

// recipe is what the templates are given.
type recipe struct {
	Version, URL, Date, Summary, Homepage string
	sums                                  map[string]string
	name                                  func(target, string) string
}

// Has tells whether there is an archive for a platform.
func (r recipe) Has(system, arch string) bool { return r.Sum(system, arch) != "" }

// File is the name of the archive for a platform.
func (r recipe) File(system, arch string) string {
	ending := ".tar.gz"
	if system == "windows" {
		ending = ".zip"
	}
	return r.name(target{system, arch}, ending)
}

// Sum is the SHA-256 of that archive.
func (r recipe) Sum(system, arch string) string { return r.sums[r.File(system, arch)] }

// UpperSum is the same as winget writes it.
func (r recipe) UpperSum(system, arch string) string { return strings.ToUpper(r.Sum(system, arch)) }

// Folder is the one folder in the archive.
func (r recipe) Folder(system, arch string) string {
	return "oatta-" + r.Version + "-" + system + "-" + arch
}

// recipes writes the templates, filled in, into a folder of the outputs. Without archives there is nothing to fill in.
func (m maker) recipes(sums map[string]string) error {
	if !m.makes("archive") {
		return nil
	}
	r := recipe{
		Version: m.version, URL: strings.ReplaceAll(m.url, "{version}", m.version), Date: m.time.Format("2006-01-02"), Summary: summary, Homepage: homepage,
		sums: sums, name: m.fileName,
	}
	return fs.WalkDir(recipeFiles, "recipes", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		t, err := template.New(path.Base(name)).Option("missingkey=error").ParseFS(recipeFiles, name)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, r); err != nil {
			return err
		}
		if strings.TrimSpace(b.String()) == "" {
			return nil // nothing of it was made
		}
		to := filepath.Join(m.dir, filepath.FromSlash(strings.TrimSuffix(name, ".tmpl")))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, b.Bytes(), 0o644)
	})
}
