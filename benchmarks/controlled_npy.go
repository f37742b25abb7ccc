package benchmarks

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// maxNPY bounds an array of logits, in bytes: 10 million rows of ten classes.
const maxNPY = 400 << 20

// The header is a Python dictionary; these are the parts that matter here (NumPy Enhancement Proposal 1, the NPY format).
var (
	npyDescr = regexp.MustCompile(`'descr':\s*'([^']*)'`)
	npyOrder = regexp.MustCompile(`'fortran_order':\s*(True|False)`)
	npyShape = regexp.MustCompile(`'shape':\s*\((\d+),\s*(\d+),?\s*\)`)
)

// ReadNPY reads a two-dimensional array of little-endian float32 in NumPy's format, such as logits [items, classes]. All else is an
// error, also a file that is longer or shorter than its header says.
func ReadNPY(r io.Reader) ([][]float32, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxNPY+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxNPY {
		return nil, fmt.Errorf("array of more than %d bytes", maxNPY)
	}
	header, data, err := splitNPY(b)
	if err != nil {
		return nil, err
	}
	rows, columns, err := npyDimensions(header)
	if err != nil {
		return nil, err
	}
	if rows > len(data)/4/columns || rows*columns*4 != len(data) {
		return nil, fmt.Errorf("%d bytes of data for %d x %d numbers", len(data), rows, columns)
	}
	return npyRows(data, rows, columns), nil
}

// splitNPY cuts magic, version, header length (two bytes in version 1, four later) and header off the data.
func splitNPY(b []byte) (header string, data []byte, err error) {
	if len(b) < 12 || !bytes.HasPrefix(b, []byte("\x93NUMPY")) {
		return "", nil, fmt.Errorf("not an array in NumPy's format")
	}
	at, n := 10, int64(binary.LittleEndian.Uint16(b[8:]))
	if b[6] > 1 {
		at, n = 12, int64(binary.LittleEndian.Uint32(b[8:]))
	}
	if n > int64(len(b)-at) {
		return "", nil, fmt.Errorf("header of %d bytes in a file of %d", n, len(b))
	}
	return string(b[at : at+int(n)]), b[at+int(n):], nil
}

func npyDimensions(header string) (rows, columns int, err error) {
	if m := npyDescr.FindStringSubmatch(header); m == nil || m[1] != "<f4" {
		return 0, 0, fmt.Errorf("header %.80q: want numbers of type <f4", header)
	}
	if m := npyOrder.FindStringSubmatch(header); m == nil || m[1] != "False" {
		return 0, 0, fmt.Errorf("header %.80q: want fortran_order False", header)
	}
	m := npyShape.FindStringSubmatch(header)
	if m == nil {
		return 0, 0, fmt.Errorf("header %.80q: want two dimensions", header)
	}
	rows, err1 := strconv.Atoi(m[1])
	columns, err2 := strconv.Atoi(m[2])
	if err1 != nil || err2 != nil || columns < 1 || columns > maxNPY || rows > maxNPY {
		return 0, 0, fmt.Errorf("header %.80q: shape out of range", header)
	}
	return rows, columns, nil
}

func npyRows(data []byte, rows, columns int) [][]float32 {
	out := make([][]float32, rows)
	for i := range out {
		out[i] = make([]float32, columns)
		for j := range out[i] {
			out[i][j] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*(i*columns+j):]))
		}
	}
	return out
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
