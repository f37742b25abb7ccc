package datasets

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
)

// maxRecord is the most bytes that one row of a table or one element of a JSON array may have. It bounds memory for files that are not
// what they seem, compressed ones above all.
const maxRecord = 16 << 20

// budget is a reader that gives out maxRecord bytes, then fails, unless it is renewed in between.
type budget struct {
	r    io.Reader
	left int
}

// newBudget returns a reader with the budget of one record.
func newBudget(r io.Reader) *budget { return &budget{r: r, left: maxRecord} }

// renew is called between records. Buffers before the reader make the limit one of about maxRecord, which is enough.
func (b *budget) renew() { b.left = maxRecord }

// Read implements [io.Reader].
func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("a record of more than %d MiB", maxRecord>>20)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// input is an open file, decompressed if it was gzip.
type input struct {
	io.Reader
	file *os.File
}

// Close closes the file. There is nothing to lose in a file that was read.
func (in *input) Close() error { return in.file.Close() }

// openInput opens a file of text, and looks through gzip whatever its name.
func openInput(path string) (*input, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("datasets: %s: %w", show(path), cause(err))
	}
	r, err := plain(f)
	if err != nil {
		_ = f.Close() // the error that counts is the first
		return nil, fmt.Errorf("datasets: %s: %w", show(path), cause(err))
	}
	return &input{Reader: r, file: f}, nil
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
