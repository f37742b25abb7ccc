package report

import (
	"fmt"
	"strconv"
	"strings"
)

// Cell is a text, or a number. The zero value is empty.
type Cell struct {
	Text   string     `json:"text,omitempty"` // what is shown; empty: it is made of the number
	Value  *Number    `json:"value,omitempty"`
	Std    *Number    `json:"std,omitempty"`    // standard deviation, or what the table's notes say
	Digits int        `json:"digits,omitempty"` // behind the point, of all numbers of the cell
	Signed bool       `json:"signed,omitempty"` // a plus before what is not negative
	Mark   string     `json:"mark,omitempty"`   // of significance, such as ** or n.s.
	Paper  *Published `json:"paper,omitempty"`  // what the paper has in this place
}

// Published is a number as it was printed.
type Published struct {
	Value Number  `json:"value"`
	Std   *Number `json:"std,omitempty"`
	Mark  string  `json:"mark,omitempty"`
}

// Text returns a cell of text.
func Text(text string) Cell { return Cell{Text: text} }

// Count returns a cell of a whole number.
func Count(n int) Cell { return Num(float64(n), 0) }

// Num returns a cell of a number with so many digits behind the point.
func Num(v float64, digits int) Cell {
	n := Number(v)
	return Cell{Value: &n, Digits: digits}
}

// Points returns a cell of a change in percentage points.
func Points(v float64) Cell {
	c := Num(v, 2)
	c.Signed = true
	return c
}

// WithStd returns the cell with a spread.
func (c Cell) WithStd(v float64) Cell {
	n := Number(v)
	c.Std = &n
	return c
}

// WithMark returns the cell with a mark of significance.
func (c Cell) WithMark(mark string) Cell {
	c.Mark = mark
	return c
}

// WithPaper returns the cell with what the paper has in its place, and the spread there if one is given.
func (c Cell) WithPaper(v float64, std ...float64) Cell {
	c.Paper = &Published{Value: Number(v)}
	if len(std) > 0 {
		n := Number(std[0])
		c.Paper.Std = &n
	}
	return c
}

// WithPaperMark returns the cell with the mark that the paper has in its place; it needs the paper's number.
func (c Cell) WithPaperMark(mark string) Cell {
	p := *c.Paper
	p.Mark = mark
	c.Paper = &p
	return c
}

// String returns what is shown: "+1.29 ±0.40*".
func (c Cell) String() string {
	if c.Text != "" || c.Value == nil {
		return c.Text
	}
	return c.format(*c.Value, c.Std, c.Mark)
}

// Published returns what is shown of the paper's number, "" if it has none.
func (c Cell) Published() string {
	if c.Paper == nil {
		return ""
	}
	return c.format(c.Paper.Value, c.Paper.Std, c.Paper.Mark)
}

func (c Cell) format(v Number, std *Number, mark string) string {
	text := v.format(c.Digits, c.Signed)
	if std != nil {
		text += " ±" + std.format(c.Digits, false)
	}
	return text + mark
}

// Number is a float64 whose JSON may be no number: "NaN", "+Inf" and "-Inf" are strings there.
type Number float64

// MarshalJSON implements json.Marshaler. The shortest digits that give the same number are written.
func (n Number) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(n), 'g', -1, 64)
	if v := float64(n); v-v != 0 {
		return strconv.AppendQuote(nil, text), nil
	}
	return []byte(text), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("report: number %s: %w", b, err)
	}
	*n = Number(v)
	return nil
}

// format writes digits behind the point. What rounds to zero has no minus.
func (n Number) format(digits int, signed bool) string {
	text := strconv.FormatFloat(float64(n), 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	if signed && float64(n) == float64(n) && text[0] != '-' && text[0] != '+' {
		text = "+" + text
	}
	return text
}

// exact writes all digits, "" for none.
func (n *Number) exact() string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(float64(*n), 'g', -1, 64)
}
