package explain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/internal/replace"
)

// Files returns the names of the files that [Recorder.Write] makes for a prefix: figures of the steps and of the matrix, and the numbers.
//
//	PREFIX.svg, PREFIX.png                 the steps
//	PREFIX.csv                             a line for each record
//	PREFIX-rows.csv                        effective sample sizes of the matrix' rows, over time
//	PREFIX.json                            settings, counts, accuracies, and the weight of each hypothesis at the end
//	PREFIX-matrix.svg, .png, .csv          the learned matrix
func Files(prefix string) []string {
	var out []string
	for _, p := range parts {
		out = append(out, prefix+p.ending)
	}
	return out
}

// parts are the files and what makes their bytes.
var parts = []struct {
	ending string
	bytes  func(r *Recorder) ([]byte, error)
}{
	{".svg", func(r *Recorder) ([]byte, error) { return r.figure("svg") }},
	{".png", func(r *Recorder) ([]byte, error) { return r.figure("png") }},
	{".csv", (*Recorder).recordsCSV},
	{"-rows.csv", (*Recorder).rowsCSV},
	{".json", (*Recorder).summaryJSON},
	{"-matrix.svg", func(r *Recorder) ([]byte, error) { return r.matrixFigure("svg") }},
	{"-matrix.png", func(r *Recorder) ([]byte, error) { return r.matrixFigure("png") }},
	{"-matrix.csv", (*Recorder).matrixCSV},
}

func (r *Recorder) figure(format string) ([]byte, error) {
	f, err := r.Stream().Figure()
	if err != nil {
		return nil, err
	}
	return f.Encode(format)
}

func (r *Recorder) matrixFigure(format string) ([]byte, error) {
	m, err := r.Matrix()
	if err != nil {
		return nil, err
	}
	f, err := m.Figure()
	if err != nil {
		return nil, err
	}
	return f.Encode(format)
}

// Write makes the files of [Files], which their owner alone can read, as they can reveal a routine, and returns their names. Either all are made or, with an error, none is, unless the disk fails
// between one renaming and the next. A file that is there is an error that wraps [fs.ErrExist], unless Settings.Overwrite is set.
func (r *Recorder) Write(prefix string) ([]string, error) {
	if base := filepath.Base(prefix); prefix == "" || base == "." || base == ".." || os.IsPathSeparator(prefix[len(prefix)-1]) {
		return nil, fmt.Errorf("explain: prefix %q: want the beginning of file names", prefix)
	}
	if err := r.complete(); err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	var files []*file
	err := r.prepare(prefix, &files)
	for _, f := range files {
		if err == nil {
			err = f.publish()
		}
	}
	for _, f := range files {
		f.discard()
	}
	if err != nil {
		return nil, err
	}
	return Files(prefix), nil
}

// prepare claims all names before any work, and writes what belongs there to files beside them.
func (r *Recorder) prepare(prefix string, files *[]*file) error {
	for _, name := range Files(prefix) {
		f := &file{name: name}
		if !r.settings.Overwrite {
			if err := f.claim(); err != nil {
				return err
			}
		}
		*files = append(*files, f)
	}
	for i, p := range parts {
		data, err := p.bytes(r)
		if err != nil {
			return err
		}
		if err := (*files)[i].write(data); err != nil {
			return err
		}
	}
	return nil
}

// file is one file in the making.
type file struct {
	name      string
	claimed   bool   // an empty file holds the name: nobody else's file can be replaced
	temporary string // holds the bytes; "" once it is renamed
}

func (f *file) claim() error {
	h, err := os.OpenFile(f.name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("explain: %s: is there already: %w", f.name, fs.ErrExist)
	}
	if err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	f.claimed = true
	return h.Close()
}

func (f *file) write(data []byte) error {
	h, err := os.CreateTemp(filepath.Dir(f.name), ".explain-*")
	if err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	f.temporary = h.Name()
	_, err = h.Write(data)
	if err = errors.Join(err, h.Sync(), h.Close()); err != nil {
		return fmt.Errorf("explain: %s: %w", f.name, err)
	}
	return nil
}

func (f *file) publish() error {
	if err := replace.Rename(f.temporary, f.name); err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	f.temporary, f.claimed = "", false
	return nil
}

// discard removes what is left of a file that was not published.
func (f *file) discard() {
	if f.temporary != "" {
		_ = os.Remove(f.temporary)
	}
	if f.claimed {
		_ = os.Remove(f.name)
	}
}
