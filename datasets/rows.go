package datasets

import (
	"encoding/csv"
	"errors"
	"io"
)

// Rows reads a CSV table row by row, for the packages below this one: comma, semicolon or tab, a byte order mark or none, rows of at most 16 MiB.
type Rows struct {
	t    *table
	done bool
}

// NewRows reads the header; name stands in messages. comma 0 looks for the delimiter in the first line. Without a header, headless, the
// first line is a row.
func NewRows(name string, r io.Reader, comma rune, headless bool) (*Rows, error) {
	t, err := newTableOf(name, r, comma)
	if err != nil {
		return nil, err
	}
	if headless {
		t.unreadHeader()
	}
	return &Rows{t: t}, nil
}

// Column returns the index of a column by its name, in any case: -1 if it is absent, and an error if it is required.
func (r *Rows) Column(name string, required bool) (int, error) { return r.t.column(name, required) }

// Columns returns the number of columns of the first line.
func (r *Rows) Columns() int { return len(r.t.raw) }

// Next reads a row and the line that it begins in; io.EOF at the end. An error with ok true is of one row, and the next can be read.
func (r *Rows) Next() (row []string, line int, ok bool, err error) {
	if r.done {
		return nil, 0, false, io.EOF
	}
	if row := r.t.first; row != nil {
		r.t.first = nil
		return row, 1, true, nil
	}
	r.t.bytes.renew()
	row, err = r.t.rows.Read()
	var bad *csv.ParseError
	switch {
	case err == nil:
		line, _ = r.t.rows.FieldPos(0)
		return row, line, true, nil
	case errors.As(err, &bad):
		return nil, bad.StartLine, true, bad.Err
	}
	r.done = true
	return nil, 0, false, err
}

// OpenText opens a file, and looks through gzip whatever its name.
func OpenText(path string) (io.ReadCloser, error) { return openInput(path) }
