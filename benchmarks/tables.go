package benchmarks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Table is a table to print. Its first column names the rows; the numbers of the others are aligned to the right.
type Table struct {
	Title   string     `json:"title"`
	Notes   []string   `json:"notes,omitempty"` // below the table: what the numbers are
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// WriteText writes the table in columns of equal width.
func (t *Table) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", t.Title)
	widths := t.widths()
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		b.WriteString(strings.TrimRight(padded(row, widths, "  "), " ") + "\n")
	}
	b.WriteString("\n")
	for _, note := range t.Notes {
		b.WriteString(note + "\n")
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes the table as GitHub's Markdown, under a heading of the second level.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", t.Title)
	widths := t.widths()
	rule := make([]string, len(widths))
	for i, n := range widths {
		rule[i] = strings.Repeat("-", n)
		if i > 0 {
			rule[i] = rule[i][:max(n-1, 0)] + ":"
		}
	}
	for _, row := range append([][]string{t.Columns, rule}, t.Rows...) {
		b.WriteString("| " + padded(row, widths, " | ") + " |\n")
	}
	b.WriteString("\n")
	for _, note := range t.Notes {
		b.WriteString(note + "\n\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteReport writes a report into each of the files, in the format of its ending (md, json or else text), or as text to w if there are none.
func WriteReport(w io.Writer, files []string, write func(w io.Writer, format string) error) error {
	if len(files) == 0 {
		return write(w, "txt")
	}
	for _, name := range files {
		var b bytes.Buffer
		if err := write(&b, strings.TrimPrefix(filepath.Ext(name), ".")); err != nil {
			return err
		}
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("benchmarks: %w", err)
		}
	}
	return nil
}

// writeTables writes them as text, or as Markdown (md).
func writeTables(w io.Writer, format string, tables []Table) error {
	for _, t := range tables {
		write := t.WriteText
		if format == "md" {
			write = t.WriteMarkdown
		}
		if err := write(w); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(w io.Writer, report any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(report)
}

// widths counts runes: the tables hold no wide ones. Three is the least that Markdown takes for a rule.
func (t *Table) widths() []int {
	widths := make([]int, len(t.Columns))
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	return widths
}

func padded(row []string, widths []int, between string) string {
	cells := make([]string, len(widths))
	for i, n := range widths {
		cell := ""
		if i < len(row) {
			cell = row[i]
		}
		pad := strings.Repeat(" ", n-utf8.RuneCountInString(cell))
		if i == 0 {
			cells[i] = cell + pad
		} else {
			cells[i] = pad + cell
		}
	}
	return strings.Join(cells, between)
}

// points formats a change in percentage points. What rounds to zero has no minus.
func points(v float64) string { return signed(v, 2) }

func signed(v float64, digits int) string {
	s := fmt.Sprintf("%+.*f", digits, v)
	if strings.Trim(s, "-0.") == "" {
		s = "+" + s[1:]
	}
	return s
}

// withWorst is a mean with the worst in brackets.
func withWorst(mean, worst float64) string {
	return fmt.Sprintf("%s (%s)", points(mean), signed(worst, 1))
}

// withError adds the standard error.
func (c Cell) withError() string {
	return fmt.Sprintf("%s ±%.2f", withWorst(c.Mean, c.Worst), c.SE)
}
