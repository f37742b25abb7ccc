package posts

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/oatta/oatta/datasets/internal/table"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// csvReader reads a table with a row a post.
type csvReader struct {
	*rows
	name    string
	table   *table.Reader
	at      columns
	columns int // that a row must have; 0: any number that reaches the text
}

// columns are the indices of those that are read, -1 for those that are absent.
type columns struct{ stream, id, time, text, label int }

// newCSV reads the header of a table; name stands in messages. A user and a text there must be.
func newCSV(name string, r io.Reader, o Options) (*csvReader, error) {
	own, err := newRows(o)
	if err != nil {
		return nil, err
	}
	rows, err := table.Open(name, &textfile.LineEnds{R: r}, table.Options{Comma: o.Comma, Quote: table.Quote(o.Quote)})
	if err != nil {
		return nil, err
	}
	c := &csvReader{name: name, rows: own, table: rows}
	for _, f := range wantedFields(c.o, &c.at.stream, &c.at.id, &c.at.time, &c.at.text, &c.at.label) {
		if *f.to, err = c.find(f.given, f.usual, f.required); err != nil {
			return nil, err
		}
	}
	c.columns = len(rows.Header)
	return c, nil
}

// find returns the index of a column: of the name that is given, else of the first of the usual ones.
func (c *csvReader) find(given string, usual []string, required bool) (int, error) {
	if given == "-" && !required {
		return -1, nil
	}
	if given != "" {
		return c.table.Column(given, true)
	}
	for _, name := range usual {
		if i, _ := c.table.Column(name, false); i >= 0 {
			return i, nil
		}
	}
	return c.table.Column(usual[0], required)
}

// sentimentColumns is the number of columns of Sentiment140.
const sentimentColumns = 6

// newSentiment140 reads the files of Sentiment140, for training and for testing. A first row that is no CSV is an error of the file.
func newSentiment140(name string, r io.Reader, o Options) (*csvReader, error) {
	own, err := newRows(o)
	if err != nil {
		return nil, err
	}
	rows, err := table.Open(name, &textfile.LineEnds{R: r}, table.Options{Comma: ',', Quote: table.Quote(o.Quote)})
	if err != nil {
		return nil, err
	}
	rows.UnreadHeader()
	return &csvReader{own, name, rows, columns{stream: 4, id: 1, time: 2, text: 5, label: 0}, sentimentColumns}, nil
}

// Next implements reader.
func (c *csvReader) Next() (Post, error) {
	row, err := c.table.Next()
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad):
		return Post{}, &RowError{c.name, bad.StartLine, bad.Err}
	case err != nil:
		return Post{}, err
	case len(row.Cells) != c.columns:
		return Post{}, &RowError{c.name, row.Line, fmt.Errorf("%d columns, want %d", len(row.Cells), c.columns)}
	}
	trimmed := func(column int) string { return strings.TrimSpace(row.Get(column)) }
	return c.postOf(c.name, row.Line, fields{trimmed(c.at.stream), trimmed(c.at.id), row.Get(c.at.time), row.Get(c.at.text), trimmed(c.at.label)})
}

// newReader tells what r holds by its first line and returns its reader: JSON lines, LEAF JSON, Sentiment140 or a CSV table with a header.
func newReader(name string, r io.Reader, o Options) (reader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.filled()
	br, err := textfile.Decode(r)
	if err != nil {
		return nil, fmt.Errorf("datasets/posts: %s: %w", name, err)
	}
	head, err := br.Peek(64 << 10)
	if err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("datasets/posts: %s: %w", name, err)
	}
	text := strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n")
	switch {
	case strings.HasPrefix(text, "{") && isLEAF(text):
		return newLEAF(name, br, o)
	case strings.HasPrefix(text, "{"):
		return newJSONLines(name, br, o)
	case isSentiment140(text):
		return newSentiment140(name, br, o)
	}
	return newCSV(name, br, o)
}

// isLEAF tells the one object of LEAF from an object a line by its first field.
func isLEAF(text string) bool {
	field := strings.TrimLeft(text[1:], " \t\r\n")
	for _, name := range []string{`"users"`, `"user_data"`, `"num_samples"`, `"hierarchies"`} {
		if strings.HasPrefix(field, name) {
			return true
		}
	}
	return false
}

// isSentiment140 tells a row with a polarity, a number and a time that Twitter wrote from a header.
func isSentiment140(text string) bool {
	cells := strings.SplitN(text, ",", 4)
	if len(cells) < 4 {
		return false
	}
	bare := func(i int) string { return strings.Trim(cells[i], `"`) }
	return len(bare(0)) == 1 && strings.Contains("024", bare(0)) && len(strings.Fields(bare(2))) == 6
}
