package predictions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/rawjson"
	"github.com/oatta/oatta/datasets/internal/table"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// classPrefix begins the names of columns that hold probabilities, as in the tables of `oatta run`, adaptedPrefix those of adapted ones.
const (
	classPrefix   = "p:"
	adaptedPrefix = "a:"
)

// CSV reads and writes a table with a column a class.
type CSV struct {
	*lineReader
	name  string
	o     Options
	comma byte
	eol   string

	head      []byte
	columns   int
	of        columns
	classes   []string
	probCols  []int
	own       []int // by added column: where it stands in the table, -1 if it is appended
	ownByCol  []int // by column of the table: added column, -1
	cells     []cell
	item      Item
	probs     []float64
	adaptedAt int // added columns before the vector

	legacy      bool // the header is Windows-1252, and so are the names that are written
	strange     int  // rows with words that are not UTF-8
	first, last int  // lines of them
}

// columns are the indices of those that are read, -1 for those that are absent.
type columns struct{ stream, id, time, truth, failure int }

// NewCSV returns a reader of r; name stands in messages.
func NewCSV(name string, r io.Reader, o Options) *CSV {
	o = o.filled()
	return &CSV{name: name, o: o, lineReader: newLineReader(r, o.MaxLine), eol: "\n"}
}

// Begin implements [Lines]: it reads the header.
func (c *CSV) Begin() ([]string, error) {
	record, err := c.next(true)
	switch {
	case err == io.EOF && c.left:
		return nil, fmt.Errorf("%s:1: the header has no line end: it may still be being written", c.name)
	case err == io.EOF:
		return nil, fmt.Errorf("%s: file is empty: want a header", c.name)
	case err != nil:
		return nil, fmt.Errorf("%s:1: %w", c.name, err)
	}
	c.head = bytes.Clone(record)
	body := bytes.TrimPrefix(c.head, rawjson.ByteOrderMark)
	c.comma = table.Delimiter(body)
	if c.cells, err = split(c.cells[:0], body, c.comma); err != nil {
		return nil, fmt.Errorf("%s:1: %w", c.name, err)
	}
	if bytes.HasSuffix(record, []byte("\r\n")) {
		c.eol = "\r\n"
	}
	if c.legacy = !utf8.Valid(body); c.legacy {
		c.count()
	}
	if err := c.layOut(); err != nil {
		return nil, fmt.Errorf("%s:1: %w", c.name, err)
	}
	c.probs = make([]float64, len(c.classes))
	return c.classes, nil
}

// layOut finds the columns of the header.
func (c *CSV) layOut() error {
	header := make([]string, len(c.cells))
	at := map[string]int{}
	for i, cell := range c.cells {
		name, _ := textfile.UTF8(string(cell.text))
		header[i] = strings.TrimSpace(name)
		if j, ok := at[header[i]]; ok {
			return fmt.Errorf("columns %d and %d both have the name %q", j+1, i+1, header[i])
		}
		at[header[i]] = i
	}
	c.columns = len(header)
	find := func(names ...string) int {
		for _, n := range names {
			if i, ok := at[n]; ok && n != "" {
				return i
			}
		}
		return -1
	}
	c.of = columns{
		stream: find(c.o.StreamField), id: find(c.o.IDField, "id", "file"), time: find(c.o.TimeField),
		truth: find(c.o.TruthField), failure: find("failure"),
	}
	if c.of.stream < 0 && c.o.Stream == "" {
		return fmt.Errorf("no column %q that tells the stream; columns are %s", c.o.StreamField, rawjson.Clip([]byte(strings.Join(header, ", "))))
	}
	if err := c.findClasses(header, at); err != nil {
		return err
	}
	c.placeOwn(find)
	return nil
}

// findClasses finds the columns of probabilities and the names of their classes.
func (c *CSV) findClasses(header []string, at map[string]int) error {
	patterns := c.o.Columns
	if patterns == nil {
		patterns = []string{classPrefix + "*"}
	}
	var names []string
	for _, p := range patterns {
		prefix, many := strings.CutSuffix(p, "*")
		if i, ok := at[p]; ok {
			c.probCols, names = append(c.probCols, i), append(names, strings.TrimPrefix(p, classPrefix))
		} else if !many {
			return fmt.Errorf("no column %q", p)
		}
		for i, h := range header {
			if name, ok := strings.CutPrefix(h, prefix); many && ok && name != "" {
				c.probCols, names = append(c.probCols, i), append(names, name)
			}
		}
	}
	if len(c.probCols) == 0 && c.o.Columns == nil {
		for _, class := range c.o.Classes {
			i, ok := at[class]
			if !ok {
				return fmt.Errorf("no column for the class %q", class)
			}
			c.probCols, names = append(c.probCols, i), append(names, class)
		}
	}
	return c.nameClasses(names)
}

// nameClasses names the columns by the classes that the options give, else by their headings.
func (c *CSV) nameClasses(names []string) error {
	switch n := len(c.o.Classes); {
	case len(names) == 0:
		return errors.New("no column of probabilities: none begins with p:, and no other columns or classes are named")
	case n > 0 && n != len(names):
		return fmt.Errorf("%d columns of probabilities for %d classes", len(names), n)
	case n > 0 && sameSet(names, c.o.Classes): // the order of the columns is the table's, that of the classes the user's
		cols := make([]int, n)
		for i, class := range c.o.Classes {
			cols[i] = c.probCols[slices.Index(names, class)]
		}
		c.probCols, c.classes = cols, c.o.Classes
	case n > 0:
		c.classes = c.o.Classes
	default:
		c.classes = names
	}
	if d := duplicate(c.classes); d != "" {
		return fmt.Errorf("two columns are of the class %q", d)
	}
	return nil
}

func sameSet(a, b []string) bool {
	x, y := slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(x, y)
}

func duplicate(names []string) string {
	s := slices.Sorted(slices.Values(names))
	for i := range len(s) - 1 {
		if s[i] == s[i+1] {
			return s[i]
		}
	}
	return ""
}

// addedNames are the names of the columns that are written.
func (c *CSV) addedNames() []string {
	names := []string{"adapted_label", "gate", "adapted_mode"}
	c.adaptedAt = len(names)
	for _, class := range c.classes {
		names = append(names, adaptedPrefix+class)
	}
	return names
}

// placeOwn finds those of them that the table has already.
func (c *CSV) placeOwn(find func(...string) int) {
	c.ownByCol = make([]int, c.columns)
	for i := range c.ownByCol {
		c.ownByCol[i] = -1
	}
	for k, name := range c.addedNames() {
		i := find(name)
		if i >= 0 && slices.Contains(c.probCols, i) { // a column may not be read and replaced
			i = -1
		}
		c.own = append(c.own, i)
		if i >= 0 {
			c.ownByCol[i] = k
		}
	}
}

// Head implements [Lines].
func (c *CSV) Head(dst []byte) []byte {
	dst = c.in.appendMark(dst)
	n := len(dst)
	body, end := cutEnd(c.head)
	dst = append(dst, body...)
	for k, name := range c.addedNames() {
		if c.own[k] < 0 {
			dst = append(dst, c.comma)
			dst = c.appendName(dst, name)
		}
	}
	if len(end) == 0 {
		end = []byte(c.eol) // a table of a header alone, without line end
	}
	return c.in.encoded(append(dst, end...), n)
}

// Recall implements [Lines].
func (c *CSV) Recall(h Held) (*Item, error) { return c.understand(c.recall(h)) }

// Next implements [Lines].
func (c *CSV) Next() (*Item, error) {
	record, err := c.next(true)
	if err != nil && !errors.Is(err, errLong) && !errors.Is(err, errQuote) {
		return nil, err
	}
	if err != nil {
		c.cells = c.cells[:0]
		return nil, &LineError{c.name, c.at, err}
	}
	return c.understand(record)
}

func (c *CSV) understand(record []byte) (*Item, error) {
	c.cells = c.cells[:0]
	if err := c.read(record); err != nil {
		return nil, &LineError{c.name, c.at, err}
	}
	return &c.item, nil
}

// read understands a row.
func (c *CSV) read(record []byte) (err error) {
	c.item = Item{}
	if body, _ := cutEnd(record); len(body) == 0 {
		c.item.Blank = true
		return nil
	}
	if c.cells, err = split(c.cells, record, c.comma); err != nil {
		c.cells = c.cells[:0]
		return err
	}
	if n := len(c.cells); n != c.columns {
		c.cells = c.cells[:0]
		return fmt.Errorf("%d columns: the header has %d", n, c.columns)
	}
	c.item.Stream, c.item.ID = c.word(c.of.stream), c.word(c.of.id)
	c.item.Time, c.item.Truth = c.get(c.of.time), c.word(c.of.truth)
	if len(c.get(c.of.failure)) > 0 && c.empty() {
		return nil
	}
	for i, col := range c.probCols {
		if c.probs[i], err = c.number(bytes.TrimSpace(c.cells[col].text)); err != nil {
			return fmt.Errorf("column %d (%s): %w", col+1, c.classes[i], err)
		}
	}
	if c.o.Logits {
		if err := softmax(c.probs); err != nil {
			return err
		}
	}
	if len(c.item.Stream) == 0 {
		if c.o.Stream == "" {
			return fmt.Errorf("column %s is empty", c.o.StreamField)
		}
		c.item.Stream = []byte(c.o.Stream)
	}
	c.item.Probs = c.probs
	return nil
}

// number reads a number. It may have a decimal comma, as tables of Excel and R's read.csv2 do; in quotes, where commas part the columns.
func (c *CSV) number(text []byte) (float64, error) {
	if at := bytes.IndexByte(text, ','); at >= 0 && bytes.IndexByte(text, '.') < 0 {
		text = bytes.Clone(text) // the record is written as it was
		text[at] = '.'
	}
	return rawjson.Float(text)
}

// empty tells whether all columns of probabilities are.
func (c *CSV) empty() bool {
	return !slices.ContainsFunc(c.probCols, func(i int) bool { return len(c.cells[i].text) > 0 })
}

// word is get in UTF-8: what is not that is taken for Windows-1252.
func (c *CSV) word(column int) []byte {
	text := c.get(column)
	if utf8.Valid(text) {
		return text
	}
	c.count()
	word, _ := textfile.UTF8(string(text))
	return []byte(word)
}

// count counts the row in hand among those that are not UTF-8, once.
func (c *CSV) count() {
	if c.at <= c.last {
		return
	}
	if c.strange++; c.strange == 1 {
		c.first = c.at
	}
	c.last = c.at
}

// appendName appends a name as the table writes names.
func (c *CSV) appendName(dst []byte, name string) []byte {
	if c.legacy {
		name = textfile.Windows1252(name)
	}
	return appendCell(dst, name)
}

// Notes implements [Lines].
func (c *CSV) Notes() []string {
	if c.strange == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s not UTF-8, taken for Windows-1252, the first in line %d", message.Count(c.strange, "row"), c.first)}
}

func (c *CSV) get(column int) []byte {
	if column < 0 {
		return nil
	}
	return c.cells[column].text
}

// Append implements [Lines].
func (c *CSV) Append(dst []byte, a Adapted) []byte {
	return c.splice(dst, func(dst []byte, k int) []byte {
		switch k {
		case 0:
			return c.appendName(dst, a.AdaptedLabel)
		case 1:
			return rawjson.AppendNumber(dst, a.Gate)
		case 2:
			return appendCell(dst, a.Mode)
		}
		return rawjson.AppendNumber(dst, a.Probs[k-c.adaptedAt])
	})
}

// splice writes the row with the added columns, each as value appends it.
func (c *CSV) splice(dst []byte, value func(dst []byte, k int) []byte) []byte {
	text := c.record
	from, n := 0, len(dst)
	for i, k := range c.ownByCol {
		if k >= 0 {
			dst = append(dst, text[from:c.cells[i].start]...)
			dst = value(dst, k)
			from = c.cells[i].end
		}
	}
	rest, end := cutEnd(text[from:])
	dst = append(dst, rest...)
	for k, i := range c.own {
		if i < 0 {
			dst = append(dst, c.comma)
			dst = value(dst, k)
		}
	}
	return c.in.encoded(append(dst, end...), n)
}

// Unchanged implements [Lines]. A row that was understood as far as its columns keeps the table rectangular by empty cells.
func (c *CSV) Unchanged(w io.Writer) error {
	if len(c.cells) == 0 || c.item.Blank {
		return c.lineReader.Unchanged(w)
	}
	_, err := w.Write(c.splice(nil, func(dst []byte, _ int) []byte { return dst }))
	return err
}
