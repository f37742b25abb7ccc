package textfile

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"

	"github.com/oatta/oatta/datasets/internal/message"
)

// MaxRecord is the most bytes that one row of a table or one element of a JSON array may have. It bounds memory for files that are not
// what they seem, compressed ones above all.
const MaxRecord = 16 << 20

// Budget is a reader that gives out MaxRecord bytes, then fails, unless it is renewed in between.
type Budget struct {
	r    io.Reader
	left int
}

// NewBudget returns a reader with the budget of one record.
func NewBudget(r io.Reader) *Budget { return &Budget{r: r, left: MaxRecord} }

// Renew is called between records. Buffers before the reader make the limit one of about MaxRecord, which is enough.
func (b *Budget) Renew() { b.left = MaxRecord }

// Read implements [io.Reader].
func (b *Budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("a record of more than %d MiB", MaxRecord>>20)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// File is an open file, decompressed if it was gzip.
type File struct {
	io.Reader
	file *os.File
}

// Close closes the file. There is nothing to lose in a file that was read.
func (in *File) Close() error { return in.file.Close() }

// Open opens a file of text, and looks through gzip whatever its name.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("datasets: %s: %w", message.Show(path), message.Cause(err))
	}
	r, err := plain(f)
	if err != nil {
		_ = f.Close() // the error that counts is the first
		return nil, fmt.Errorf("datasets: %s: %w", message.Show(path), message.Cause(err))
	}
	return &File{Reader: r, file: f}, nil
}

// plain returns what r holds, decompressed if it is gzip.
func plain(r io.Reader) (io.Reader, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	magic, err := br.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if string(magic) != "\x1f\x8b" {
		return br, nil
	}
	return gzip.NewReader(br)
}
