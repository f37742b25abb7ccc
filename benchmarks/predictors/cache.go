package predictors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// cache keeps rows of numbers in a folder, one file for what was predicted under one name, little-endian float32. Without a folder
// it keeps nothing.
type cache struct{ dir string }

func (c cache) path(name string) string {
	return filepath.Join(c.dir, strings.Map(func(r rune) rune {
		if r == ' ' || r == '/' || r == '=' {
			return '_'
		}
		return r
	}, name)+".f32")
}

// read returns the whole rows that are there, n at the most.
func (c cache) read(name string, width, n int) ([]float32, error) {
	if c.dir == "" {
		return nil, nil
	}
	f, err := os.Open(c.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	b, err := io.ReadAll(io.LimitReader(f, int64(4*width*n)))
	if err != nil {
		return nil, err
	}
	rows := make([]float32, len(b)/(4*width)*width)
	_, err = binary.Decode(b, binary.LittleEndian, rows)
	return rows, err
}

// write puts rows behind the first have numbers of the file; what lay there, as half a row of a run that was cut, is lost.
func (c cache) write(name string, have int, rows []float32) (err error) {
	if c.dir == "" || len(rows) == 0 {
		return nil
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	f, err := os.OpenFile(c.path(name), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Truncate(int64(4 * have)); err != nil {
		return err
	}
	b, err := binary.Append(nil, binary.LittleEndian, rows)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, int64(4*have))
	return err
}
