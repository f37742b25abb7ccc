package benchmarks

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/npy"
)

// maxNPY bounds an array of logits, in bytes: 10 million rows of ten classes.
const maxNPY = 400 << 20

// ReadNPY reads a two-dimensional array of little-endian float32 in NumPy's format, such as logits [items, classes]. All else is an
// error, also a file that is longer or shorter than its header says.
func ReadNPY(r io.Reader) ([][]float32, error) {
	a, err := npy.Read(r, maxNPY)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Shape[1] < 1 {
		return nil, fmt.Errorf("shape %v: want rows and columns", a.Shape)
	}
	values, err := a.Float32s()
	if err != nil {
		return nil, err
	}
	return slices.Collect(slices.Chunk(values, a.Shape[1])), nil
}

// ReadNPYFile is ReadNPY of a file.
func ReadNPYFile(name string) ([][]float32, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("benchmarks: %w", err)
	}
	defer f.Close() // read only
	rows, err := ReadNPY(f)
	if err != nil {
		return nil, fmt.Errorf("benchmarks: %s: %w", filepath.Base(name), err)
	}
	return rows, nil
}

// NamedArray is one array of an archive.
type NamedArray struct {
	Name string
	Rows [][]float32
}

// ReadNPZFile reads all arrays of an archive of NumPy's, in its order, each as ReadNPY would.
func ReadNPZFile(name string) ([]NamedArray, error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("benchmarks: %s: %w", filepath.Base(name), err)
	}
	defer z.Close() // read only
	var out []NamedArray
	for _, entry := range z.File {
		rows, err := readEntry(entry)
		if err != nil {
			return nil, fmt.Errorf("benchmarks: %s: %s: %w", filepath.Base(name), entry.Name, err)
		}
		out = append(out, NamedArray{strings.TrimSuffix(entry.Name, ".npy"), rows})
	}
	return out, nil
}

func readEntry(entry *zip.File) ([][]float32, error) {
	r, err := entry.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close() // read only
	return ReadNPY(r)
}
