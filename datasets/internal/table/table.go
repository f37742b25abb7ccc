package table

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// Reader reads a table.
type Reader struct {
	Header []string // as it stands

	name    string // for messages
	rows    *csv.Reader
	bytes   *textfile.Budget
	lower   []string       // the header in lower case
	columns map[string]int // by lower-case name
	first   []string       // the header, once it turned out to be a row, until it is told
	line    int            // of the current row
	skipped int            // lines before the header
	ended   bool
}

// Row is a row and the line that it begins in.
type Row struct {
	Cells []string
	Line  int
}

// Get returns the value of a column, "" for column -1 and in a row that is too short.
func (r Row) Get(column int) string {
	if column < 0 || column >= len(r.Cells) {
		return ""
	}
	return r.Cells[column]
}

// Options say how a table is written. The zero value is RFC 4180 with a header, whose delimiter is looked for.
type Options struct {
	Comma    rune // between columns; 0: what the header has most of
	Quote    Quote
	Skip     int  // lines before the header
	NoHeader bool // the first row is one of the table; columns are called 1, 2, 3 and so on
}

// New reads the header; name stands in messages. comma 0 looks for the delimiter in the header.
func New(name string, r io.Reader, comma rune) (*Reader, error) {
	return Open(name, r, Options{Comma: comma})
}

// Open is New with more options. Text may be UTF-16 with its mark, and lines may end in CR alone.
func Open(name string, r io.Reader, o Options) (*Reader, error) {
	t := &Reader{name: name, columns: map[string]int{}}
	if err := o.Quote.Validate(); err != nil {
		return nil, t.wrap(err)
	}
	text, err := textfile.Decode(r)
	if err != nil {
		return nil, t.wrap(err)
	}
	head, err := text.Peek(4 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, t.wrap(err)
	}
	t.bytes = textfile.NewBudget(text)
	if textfile.OldMac(head) || o.Quote != QuoteRFC {
		t.bytes = textfile.NewBudget(&textfile.LineEnds{R: text})
	}
	br := bufio.NewReaderSize(t.bytes, 64<<10)
	for range o.Skip {
		if err := skipLine(br); err != nil {
			return nil, t.wrap(err)
		}
		t.skipped++
	}
	if head, err = br.Peek(4 << 10); err != nil && !errors.Is(err, io.EOF) {
		return nil, t.wrap(err)
	}
	comma := cmp.Or(o.Comma, rune(Delimiter(head)))
	t.rows = csv.NewReader(requote(br, o.Quote, byte(comma)))
	t.rows.Comma, t.rows.FieldsPerRecord = comma, -1
	header, err := t.Next()
	if err == io.EOF {
		return nil, t.wrap(errors.New("file is empty, want a header"))
	}
	if err != nil {
		return nil, t.wrap(err)
	}
	t.setHeader(header.Cells)
	if o.NoHeader {
		t.DropHeader()
	}
	return t, nil
}

// skipLine reads a line, however long it is.
func skipLine(r *bufio.Reader) error {
	for {
		_, err := r.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// DropHeader makes the header the first row, and calls the columns by their numbers.
func (t *Reader) DropHeader() {
	t.UnreadHeader()
	t.lower, t.columns = nil, map[string]int{}
	numbers := make([]string, len(t.first))
	for i := range numbers {
		numbers[i] = strconv.Itoa(i + 1)
	}
	t.setHeader(numbers)
}

// setHeader takes the names of columns. Of two columns with one name the first counts.
func (t *Reader) setHeader(header []string) {
	t.Header = header
	for i, h := range header {
		h = strings.ToLower(strings.TrimSpace(h))
		t.lower = append(t.lower, h)
		if _, ok := t.columns[h]; !ok {
			t.columns[h] = i
		}
	}
}

// UnreadHeader makes the header the first row, for a table that has none.
func (t *Reader) UnreadHeader() { t.first = t.Header }

// First returns the row that stood in the header's place, nil unless it is still to come.
func (t *Reader) First() []string { return t.first }

// Has tells whether the table has all of the columns, named in lower case.
func (t *Reader) Has(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { _, ok := t.columns[n]; return !ok })
}

// Column returns the index of a column. It is -1 for a column that is absent, and an error if it is required.
func (t *Reader) Column(name string, required bool) (int, error) {
	if i, ok := t.columns[strings.ToLower(strings.TrimSpace(name))]; ok {
		return i, nil
	}
	if !required {
		return -1, nil
	}
	return -1, fmt.Errorf("datasets: %s:1: no column %q; columns are %s", message.Show(t.name), name, t.headings())
}

// Columns is Column for several names, of which the first ones are required.
func (t *Reader) Columns(required int, names ...string) ([]int, error) {
	index := make([]int, len(names))
	for i, name := range names {
		var err error
		if index[i], err = t.Column(name, i < required); err != nil {
			return nil, err
		}
	}
	return index, nil
}

// headings lists the columns for a message, not all of a table that has hundreds.
func (t *Reader) headings() string {
	s := strings.Join(t.lower[:min(len(t.lower), 40)], ", ")
	return message.Show(s[:min(len(s), 1000)])
}

// Next reads a row; io.EOF at the end. A [csv.ParseError] is of one row, and the next can be read. Rows that are empty are passed over.
func (t *Reader) Next() (Row, error) {
	if row := t.first; row != nil {
		t.first, t.line = nil, 1+t.skipped
		return Row{row, t.line}, nil
	}
	if t.ended {
		return Row{}, io.EOF
	}
	t.bytes.Renew()
	cells, err := t.rows.Read()
	if err == nil {
		t.line, _ = t.rows.FieldPos(0)
		t.line += t.skipped
		return Row{cells, t.line}, nil
	}
	var bad *csv.ParseError
	if t.ended = !errors.As(err, &bad); !t.ended {
		bad.StartLine, bad.Line = bad.StartLine+t.skipped, bad.Line+t.skipped
	}
	return Row{}, err
}

// Each calls f for each row that is left, up to the first error, which has its place.
func (t *Reader) Each(f func(Row) error) error {
	for {
		row, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return t.wrap(err)
		}
		if err := f(row); err != nil {
			return err
		}
	}
}

// wrap puts the place before what is wrong with the table or a row.
func (t *Reader) wrap(err error) error {
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		return fmt.Errorf("datasets: %s:%d: character %d: %w", message.Show(t.name), bad.Line, bad.Column, bad.Err)
	}
	return fmt.Errorf("datasets: %s: %w", message.Show(t.name), err)
}

// Place returns file and line of the current row.
func (t *Reader) Place() string { return fmt.Sprintf("%s:%d", message.Show(t.name), t.line) }

// Errorf makes an error about a column of the current row.
func (t *Reader) Errorf(column, format string, args ...any) error {
	return fmt.Errorf("datasets: %s: column %s: %s", t.Place(), column, fmt.Sprintf(format, args...))
}
