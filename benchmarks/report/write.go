package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// WriteText writes the table in columns of equal width.
func (t *Table) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", t.Title)
	g := t.grid()
	widths := g.widths()
	for _, row := range append([][]string{g.header}, g.rows...) {
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
func (t *Table) WriteMarkdown(w io.Writer) error { return t.writeMarkdown(w, "##") }

func (t *Table) writeMarkdown(w io.Writer, heading string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n\n", heading, t.Title)
	g := t.grid().mapped(markdownCell)
	widths := g.widths()
	rule := make([]string, len(widths))
	for i, n := range widths {
		rule[i] = strings.Repeat("-", n)
		if i > 0 {
			rule[i] = rule[i][:max(n-1, 0)] + ":"
		}
	}
	for _, row := range append([][]string{g.header, rule}, g.rows...) {
		b.WriteString("| " + padded(row, widths, " | ") + " |\n")
	}
	b.WriteString("\n")
	for _, note := range t.Notes {
		b.WriteString(note + "\n\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// plainMarkdown keeps HTML out of a text.
func plainMarkdown(text string) string { return strings.ReplaceAll(text, "<", "&lt;") }

// markdownCell keeps a text in its cell.
func markdownCell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(text)
}

func padded(row []string, widths []int, between string) string {
	cells := make([]string, len(widths))
	for i, n := range widths {
		pad := strings.Repeat(" ", n-utf8.RuneCountInString(row[i]))
		if i == 0 {
			cells[i] = row[i] + pad
		} else {
			cells[i] = pad + row[i]
		}
	}
	return strings.Join(cells, between)
}

// WriteCSV writes the table for programs: of a number its value with all digits, in columns of their own the spread, the mark and what
// the paper has, where any cell has them; else the text.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	parts := make([][]part, len(t.Columns))
	var header []string
	for i, name := range t.Columns {
		for _, p := range csvParts {
			if p.name == "" || t.any(i, p) {
				parts[i], header = append(parts[i], p), append(header, name+p.name)
			}
		}
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, row := range t.Rows {
		var texts []string
		for i := range t.Columns {
			var c Cell
			if i < len(row) {
				c = row[i]
			}
			for _, p := range parts[i] {
				texts = append(texts, p.of(c))
			}
		}
		if err := out.Write(texts); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// part is one of the columns that a column of cells becomes.
type part struct {
	name string // behind that of the column
	of   func(c Cell) string
}

var csvParts = []part{
	{"", func(c Cell) string {
		if c.Value == nil {
			return c.Text
		}
		return c.Value.exact()
	}},
	{" std", func(c Cell) string { return c.Std.exact() }},
	{" mark", func(c Cell) string { return c.Mark }},
	{" paper", func(c Cell) string {
		if c.Paper == nil {
			return ""
		}
		return c.Paper.Value.exact()
	}},
	{" paper std", func(c Cell) string {
		if c.Paper == nil {
			return ""
		}
		return c.Paper.Std.exact()
	}},
	{" paper mark", func(c Cell) string {
		if c.Paper == nil {
			return ""
		}
		return c.Paper.Mark
	}},
}

func (t *Table) any(column int, p part) bool {
	for _, row := range t.Rows {
		if column < len(row) && p.of(row[column]) != "" {
			return true
		}
	}
	return false
}

// WriteMarkdown writes sections as Markdown: each under a heading of the second level, its tables under those of the third.
func WriteMarkdown(w io.Writer, sections []Section) error {
	return WriteMarkdownLinked(w, sections, nil)
}

// WriteMarkdownLinked does the same with the figures in it, which lie where link says; nil: they are left out.
func WriteMarkdownLinked(w io.Writer, sections []Section, link func(s Section, f Figure) string) error {
	var b bytes.Buffer
	for _, s := range sections {
		fmt.Fprintf(&b, "## %s\n\n", plainMarkdown(s.Title))
		paragraphs(&b, "", s.Intro)
		paragraphs(&b, "Missing: ", s.Missing)
		if link != nil {
			for _, f := range s.Figures {
				fmt.Fprintf(&b, "![%s](%s)\n\n", strings.NewReplacer("[", "(", "]", ")", "<", "&lt;", "\n", " ").Replace(f.Alt), link(s, f))
			}
		}
		for _, t := range s.tables() {
			if err := t.writeMarkdown(&b, "###"); err != nil {
				return err
			}
		}
		paragraphs(&b, "", s.Notes)
		b.WriteString(s.Made.list("`"))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// WriteText writes sections as text.
func WriteText(w io.Writer, sections []Section) error {
	var b bytes.Buffer
	for _, s := range sections {
		fmt.Fprintf(&b, "%s\n%s\n\n", s.Title, strings.Repeat("=", utf8.RuneCountInString(s.Title)))
		paragraphs(&b, "", s.Intro)
		paragraphs(&b, "Missing: ", s.Missing)
		for _, t := range s.tables() {
			if err := t.WriteText(&b); err != nil {
				return err
			}
		}
		paragraphs(&b, "", s.Notes)
		b.WriteString(s.Made.list(""))
	}
	_, err := w.Write(b.Bytes())
	return err
}

func paragraphs(b *bytes.Buffer, before string, texts []string) {
	for _, text := range texts {
		fmt.Fprintf(b, "%s%s\n\n", before, text)
	}
}

// tables are the tables, and those of the numbers in the figures.
func (s *Section) tables() []Table {
	out := append([]Table(nil), s.Tables...)
	for _, f := range s.Figures {
		out = append(out, f.shown())
	}
	return out
}

// readable is how many rows of the numbers in a figure somebody may want to read.
const readable = 60

// shown is the table of the numbers in a figure, without rows if these are too many to be read.
func (f *Figure) shown() Table {
	t := f.Data
	t.Title = cmp.Or(t.Title, f.Caption)
	if n := len(t.Rows); n > readable {
		t.Rows = nil
		t.Notes = append(slices.Clone(t.Notes), fmt.Sprintf("%d rows are left out here: JSON and CSV have them.", n))
	}
	return t
}

// WriteJSON writes sections as JSON, which [ReadJSON] reads: a line each, as most of the bytes of indented cells would be blanks.
func WriteJSON(w io.Writer, sections []Section) error {
	for i, s := range sections {
		text, err := json.Marshal(s)
		if err != nil {
			return err
		}
		before := ",\n"
		if i == 0 {
			before = "[\n"
		}
		if _, err := fmt.Fprintf(w, "%s%s", before, text); err != nil {
			return err
		}
	}
	end := "\n]\n"
	if len(sections) == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(w, end)
	return err
}

// ReadJSON reads what [WriteJSON] wrote.
func ReadJSON(r io.Reader) (sections []Section, err error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&sections); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return sections, nil
}

// Write writes sections into each of the files, in the format of its ending (md, json, html or else text), or as text to w if there are none.
func Write(w io.Writer, files []string, sections []Section) error {
	return WriteFiles(w, files, func(w io.Writer, format string) error {
		switch format {
		case "json":
			return WriteJSON(w, sections)
		case "md":
			return WriteMarkdown(w, sections)
		case "html":
			return WriteHTML(w, titles(sections), nil, sections)
		}
		return WriteText(w, sections)
	})
}

// WriteFiles calls write for each of the files with the format of its ending (md, json, txt and so on), or once with txt and w if there
// are none.
func WriteFiles(w io.Writer, files []string, write func(w io.Writer, format string) error) error {
	if len(files) == 0 {
		return write(w, "txt")
	}
	for _, name := range files {
		var b bytes.Buffer
		if err := write(&b, strings.TrimPrefix(filepath.Ext(name), ".")); err != nil {
			return err
		}
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// titles joins those of sections.
func titles(sections []Section) string {
	var out []string
	for _, s := range sections {
		out = append(out, s.Title)
	}
	return strings.Join(out, ", ")
}
