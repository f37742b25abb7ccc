package datasets

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/internal/delimiter"
)

// table reads a CSV file with a header: comma, semicolon or tab between columns, a byte order mark or none, either line end, names of
// columns without regard to case.
type table struct {
	name    string // for messages
	rows    *csv.Reader
	bytes   *budget
	header  []string       // lower case
	columns map[string]int // by lower-case name
	raw     []string       // the header as it stands
	first   []string       // the header, once it turned out to be a row, until it is told
	row     []string       // the current one
	at      int            // its line
}

// newTable reads the header.
func newTable(name string, r io.Reader) (*table, error) { return newTableOf(name, r, 0) }

// newTableOf is newTable for a known delimiter; 0 looks for it in the header.
func newTableOf(name string, r io.Reader, comma rune) (*table, error) {
	t := &table{name: name, bytes: newBudget(r), columns: map[string]int{}}
	br := bufio.NewReaderSize(t.bytes, 64<<10)
	head, err := br.Peek(4 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("datasets: %s: %w", show(name), err)
	}
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return nil, fmt.Errorf("datasets: %s: text is UTF-16, want UTF-8", show(name))
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		_, _ = br.Discard(3) // peeked, so it is there
		head = head[3:]
	}
	t.rows = csv.NewReader(br)
	t.rows.Comma, t.rows.FieldsPerRecord = cmp.Or(comma, rune(delimiter.Of(head))), -1
	header, err := t.read()
	if err == io.EOF {
		return nil, fmt.Errorf("datasets: %s: file is empty, want a header", show(name))
	}
	if err != nil {
		return nil, err
	}
	t.setHeader(header)
	return t, nil
}

// setHeader takes the names of columns. Of two columns with one name the first counts.
func (t *table) setHeader(header []string) {
	t.raw = header
	for i, h := range header {
		h = strings.ToLower(strings.TrimSpace(h))
		t.header = append(t.header, h)
		if _, ok := t.columns[h]; !ok {
			t.columns[h] = i
		}
	}
}

// column returns the index of a column. It is -1 for a column that is absent, and an error if it is required.
func (t *table) column(name string, required bool) (int, error) {
	if i, ok := t.columns[strings.ToLower(strings.TrimSpace(name))]; ok {
		return i, nil
	}
	if !required {
		return -1, nil
	}
	return -1, fmt.Errorf("datasets: %s:1: no column %q; columns are %s", show(t.name), name, t.headings())
}

// headings lists the columns for a message, not all of a table that has hundreds.
func (t *table) headings() string {
	h := t.header[:min(len(t.header), 40)]
	s := strings.Join(h, ", ")
	return show(s[:min(len(s), 1000)])
}

// next reads a row; false at the end or after an error, which err then is. Rows that are empty are passed over.
func (t *table) next() (bool, error) {
	if t.row = t.first; t.row != nil {
		t.first, t.at = nil, 1
		return true, nil
	}
	var err error
	if t.row, err = t.read(); err == io.EOF {
		return false, nil
	}
	if err == nil {
		t.at, _ = t.rows.FieldPos(0)
	}
	return err == nil, err
}

// read reads a row, and puts the place before what is wrong with it.
func (t *table) read() ([]string, error) {
	t.bytes.renew()
	row, err := t.rows.Read()
	var bad *csv.ParseError
	switch {
	case err == nil || err == io.EOF:
		return row, err
	case errors.As(err, &bad):
		return nil, fmt.Errorf("datasets: %s:%d: character %d: %w", show(t.name), bad.Line, bad.Column, bad.Err)
	}
	return nil, fmt.Errorf("datasets: %s: %w", show(t.name), err)
}

// get returns the value of a column in the current row, "" for column -1 and in a row that is too short.
func (t *table) get(column int) string {
	if column < 0 || column >= len(t.row) {
		return ""
	}
	return t.row[column]
}

// place returns file and line of the current row.
func (t *table) place() string { return fmt.Sprintf("%s:%d", show(t.name), t.at) }

// errorf makes an error about a column of the current row.
func (t *table) errorf(column, format string, args ...any) error {
	return fmt.Errorf("datasets: %s: column %s: %s", t.place(), column, fmt.Sprintf(format, args...))
}

// has reports whether the table has all of the columns.
func (t *table) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { _, ok := t.columns[n]; return !ok })
}

// unreadHeader makes the header the first row, for a table that turns out to have none.
func (t *table) unreadHeader() { t.first = t.raw }
