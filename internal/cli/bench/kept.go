package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/replace"
)

// kept are the sections of finished studies in a folder, a file each.
type kept struct{ dir string }

// keptStudy is such a file. Key is a hash of all that the numbers depend on: settings, the program, models and data.
type keptStudy struct {
	Key      string          `json:"key"`
	Sections json.RawMessage `json:"sections"`
}

func (k kept) path(name string) string { return filepath.Join(k.dir, name+".json") }

// read returns the sections of a study, nil if there are none of this key. What was not whole, as sections that lack something, is made anew.
func (k kept) read(name, key string) ([]report.Section, error) {
	b, err := os.ReadFile(k.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var f keptStudy
	if err := json.Unmarshal(b, &f); err != nil || f.Key != key {
		return nil, nil // of another version, or damaged: it is made anew
	}
	sections, err := report.ReadJSON(bytes.NewReader(f.Sections))
	if err != nil || lacking(sections) {
		return nil, nil // as above
	}
	return sections, nil
}

// write keeps the sections of a study, whole or not at all.
func (k kept) write(name, key string, sections []report.Section) error {
	var b bytes.Buffer
	if err := report.WriteJSON(&b, sections); err != nil {
		return err
	}
	text, err := json.Marshal(keptStudy{key, b.Bytes()})
	if err != nil {
		return err
	}
	return replace.Bytes(k.path(name), text)
}

// lacking tells whether any section lacks something.
func lacking(sections []report.Section) bool {
	for _, s := range sections {
		if len(s.Missing) > 0 {
			return true
		}
	}
	return false
}

// readFrom are the parts of the shared data that numbers depend on.
var readFrom = []string{"models", "data", "paper"}

// dataHash is that of what lies in the shared data. Embedded models belong to the program.
func dataHash(shared string) (string, error) {
	sum := sha256.New()
	for _, name := range readFrom {
		if err := addTree(sum, filepath.Join(shared, name)); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// addTree adds the names and contents of the files below a folder, or of one file. Where nothing is, it adds that.
func addTree(sum io.Writer, root string) error {
	fmt.Fprintln(sum, "below")
	root, err := filepath.EvalSymlinks(root) // a walk would not follow a link that stands for the folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q\n", filepath.ToSlash(name))
		return addFile(sum, path)
	})
}

// program is the version, and where that does not tell one build from the next a hash of the running file.
func program() (string, error) {
	revision, changed := console.Revision()
	if revision != "" && !changed {
		return console.Version(), nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = addFile(sum, path)
	return console.Version() + " " + hex.EncodeToString(sum.Sum(nil)), err
}

func addFile(w io.Writer, path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(w, f)
	return err
}
