package motion

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/oatta/oatta/datasets/internal/textfile"
)

// Open opens a recording of any of the formats but HAPT, by what is in the file. Options are for tables; a table that has the channels
// of HARTH, and labels that are its codes, is read with the groups of activities that the paper has.
func Open(path string, o Options) (*Recording, error) {
	magic, err := magicOf(path)
	if err != nil {
		return nil, err
	}
	switch {
	case magic == "PK":
		return openGT3X(path)
	case magic == "MD":
		return openCWA(path)
	case experimentOf(filepath.Base(path)) != nil:
		return nil, fmt.Errorf("motion: %s: a recording of HAPT: open its folder, which has the labels", show(path))
	}
	r, err := openCSV(path, o)
	if err == nil && isHARTH(r, o) {
		asHARTH(r)
	}
	return r, err
}

func (o Options) isZero() bool {
	return o.Delimiter == 0 && o.Time == "" && o.Channels == nil && o.Unit == "" && o.Label == "" && o.Rate == 0 &&
		o.TimeLayout == "" && o.Quote == "" && o.SkipLines == 0 && !o.NoHeader && o.Stream == ""
}

// magicOf returns the first two bytes of a file, decompressed.
func magicOf(path string) (string, error) {
	in, err := textfile.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	magic := make([]byte, 2)
	n, err := io.ReadFull(in, magic)
	if err == io.EOF {
		return "", fmt.Errorf("motion: %s: file is empty", show(path))
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", fmt.Errorf("motion: %s: %w", show(path), err)
	}
	return string(magic[:n]), nil
}

// IsRecording tells by a file's name whether Open may read it: .cwa, .gt3x, .csv, .tsv, gzipped or not.
func IsRecording(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	for _, ending := range []string{".cwa", ".gt3x", ".csv", ".tsv"} {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

// bufferSize is how much of a binary file is read at once.
const bufferSize = 128 << 10

func buffered(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, bufferSize) }
