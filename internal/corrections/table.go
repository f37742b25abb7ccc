package corrections

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// columns are those that we write, in the order of a new table.
var columns = []string{"file", "stream", "label", "who", "when", "offset"}

const (
	file = iota
	stream
	label
	who
	when
	offset
)

// content is a table as it is written.
type content struct {
	bom, crlf bool
	comma     rune
	header    []string
	at        [6]int // of columns in header; -1: there is none
	rows      [][]string
	lines     []int             // of rows
	index     map[[2]string]int // of rows, by stream and file
	half      string            // a last line that ends in the middle, which is none of the rows; "": there is none
	halfLine  int
}

const bom = "\ufeff"

// parse reads a table; name stands in messages.
func parse(name string, data []byte) (*content, error) {
	c := &content{comma: ',', index: map[[2]string]int{}}
	text, found := bytes.CutPrefix(data, []byte(bom))
	c.bom = found
	if len(bytes.TrimSpace(text)) == 0 {
		c.setHeader(columns[:offset])
		return c, nil
	}
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("%s: is no UTF-8: a spreadsheet saves it so as “CSV UTF-8”", name)
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	c.crlf = bytes.HasSuffix(first, []byte("\r"))
	for _, r := range ";\t" {
		if bytes.ContainsRune(first, r) && !bytes.ContainsRune(first, c.comma) {
			c.comma = r
		}
	}
	return c, c.read(name, text)
}

// read reads header and rows.
func (c *content) read(name string, text []byte) error {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord = c.comma, -1
	header, err := r.Read()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	c.setHeader(header)
	if c.at[file] < 0 || c.at[label] < 0 {
		return fmt.Errorf("%s: the columns are %s: want file and label, or another file for corrections", name, strings.Join(header, ", "))
	}
	for {
		from := r.InputOffset()
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		line := 1 + bytes.Count(text[:from], []byte("\n"))
		for at := from; at < int64(len(text)) && (text[at] == '\n' || text[at] == '\r'); at++ { // empty lines are passed over
			line += bytes.Count(text[at:at+1], []byte("\n"))
		}
		last := text[len(text)-1] != '\n' && (err != nil || r.InputOffset() == int64(len(text)))
		if last && (err != nil || !c.whole(row)) {
			c.half, c.halfLine = string(bytes.TrimLeft(text[from:], "\r\n")), line
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := c.take(name, line, row); err != nil {
			return err
		}
	}
}

// whole tells whether a last line without an end is all there: the time at its end shows it.
func (c *content) whole(row []string) bool {
	if len(row) < len(c.header) {
		return false
	}
	if at := c.at[when]; at == len(c.header)-1 && row[at] != "" {
		_, err := time.Parse(time.RFC3339, row[at])
		return err == nil
	}
	return true
}

// take adds a row. Two labels of one item are refused, as by everybody who reads such a table.
func (c *content) take(name string, line int, row []string) error {
	if c.cell(row, file) == "" {
		return fmt.Errorf("%s:%d: no file is named", name, line)
	}
	key := [2]string{c.cell(row, stream), c.cell(row, file)}
	if i, twice := c.index[key]; !twice {
		c.index[key] = len(c.rows)
	} else if old := c.cell(c.rows[i], label); old != c.cell(row, label) {
		return fmt.Errorf("%s:%d: %q is %q here and %q in line %d: which is it?", name, line, key[1], c.cell(row, label), old, c.lines[i])
	}
	c.rows, c.lines = append(c.rows, row), append(c.lines, line)
	return nil
}

func (c *content) setHeader(header []string) {
	c.header = slices.Clone(header)
	for k, name := range columns {
		c.at[k] = slices.IndexFunc(c.header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
	}
}

func (c *content) cell(row []string, column int) string {
	if at := c.at[column]; at >= 0 && at < len(row) {
		return strings.TrimSpace(row[at])
	}
	return ""
}

// find returns the row of an item: that of its stream, or one that names no stream; -1: there is none.
func (c *content) find(k Item) int {
	name := strings.TrimSpace(k.File)
	for _, key := range [][2]string{{strings.TrimSpace(k.Stream), name}, {"", name}} {
		if i, ok := c.index[key]; ok {
			return i
		}
	}
	return -1
}

// labelOf returns the label of an item, "" if it has none.
func (c *content) labelOf(k Item) string {
	if i := c.find(k); i >= 0 {
		return c.cell(c.rows[i], label)
	}
	return ""
}

// set gives an item its label, or takes it back.
func (c *content) set(e Edit, name string, now time.Time) {
	i := c.find(e.Item)
	if e.Label == "" {
		if i >= 0 {
			c.remove(i)
		}
		return
	}
	if i < 0 {
		i = len(c.rows)
		c.index[[2]string{strings.TrimSpace(e.Stream), strings.TrimSpace(e.File)}] = i
		c.rows, c.lines = append(c.rows, nil), append(c.lines, 0)
		c.put(i, file, e.File)
		c.put(i, stream, e.Stream)
	}
	c.put(i, label, e.Label)
	c.put(i, who, name)
	c.put(i, when, now.UTC().Format(time.RFC3339))
	if e.Piece {
		c.put(i, offset, strconv.FormatFloat(e.Offset, 'f', -1, 64))
	}
}

// put writes a cell. A column that the table does not have joins it.
func (c *content) put(i, column int, text string) {
	if c.at[column] < 0 {
		if text == "" {
			return
		}
		c.at[column] = len(c.header)
		c.header = append(c.header, columns[column])
	}
	for len(c.rows[i]) <= c.at[column] {
		c.rows[i] = append(c.rows[i], "")
	}
	c.rows[i][c.at[column]] = text
}

func (c *content) remove(i int) {
	c.rows, c.lines = slices.Delete(c.rows, i, i+1), slices.Delete(c.lines, i, i+1)
	clear(c.index)
	for i, row := range c.rows {
		key := [2]string{c.cell(row, stream), c.cell(row, file)}
		if _, twice := c.index[key]; !twice {
			c.index[key] = i
		}
	}
}

// bytes is the file.
func (c *content) bytes() []byte {
	var b bytes.Buffer
	if c.bom {
		b.WriteString(bom)
	}
	end := "\n"
	if c.crlf {
		end = "\r\n"
	}
	for _, row := range slices.Concat([][]string{c.header}, c.rows) {
		for i := range max(len(row), len(c.header)) {
			if i > 0 {
				b.WriteRune(c.comma)
			}
			if i < len(row) {
				b.WriteString(c.quoted(row[i]))
			}
		}
		b.WriteString(end)
	}
	return b.Bytes()
}

// quoted is a cell. [csv.Writer] loses a CR where lines end in CR LF.
func (c *content) quoted(cell string) string {
	if !strings.ContainsAny(cell, "\"\r\n"+string(c.comma)) && strings.TrimSpace(cell) == cell {
		return cell
	}
	return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
}

// warning tells of a line that is left out.
func (c *content) warning(path string) string {
	if c.half == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d: the last line ends in the middle and is left out; the next correction takes its place: %q", filepath.Base(path), c.halfLine, c.half)
}
