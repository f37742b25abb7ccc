package report

import (
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed page.html
var pageSource string

// page is parsed when the first one is written: other commands do not wait for it.
var page = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageSource)) })

// The page as the template has it: texts alone, which it escapes.
type (
	htmlPage struct {
		Title    string
		Lead     []string
		Sections []htmlSection
	}
	htmlSection struct {
		ID, Title             string
		Intro, Missing, Notes []string
		Tables                []htmlTable
		Figures               []htmlFigure
		Made                  []madeLine
	}
	htmlFigure struct {
		Caption, Alt string
		Source       template.URL
		Data         htmlTable
	}
	htmlTable struct {
		Title  string
		Notes  []string
		Header []htmlCell
		Rows   [][]htmlCell
	}
	htmlCell struct{ Text, Class string }
)

// WriteHTML writes sections as one page that needs nothing else: no network, no script, light and dark as the reader's system is. Lead are
// paragraphs before the first section. Drawings stand in it as pictures, in which nothing runs.
func WriteHTML(w io.Writer, title string, lead []string, sections []Section) error {
	p := htmlPage{Title: title, Lead: lead}
	for _, s := range sections {
		p.Sections = append(p.Sections, s.html())
	}
	return page().Execute(w, p)
}

func (s *Section) html() htmlSection {
	out := htmlSection{ID: s.ID, Title: s.Title, Intro: s.Intro, Missing: s.Missing, Notes: s.Notes, Made: s.Made.lines()}
	for _, t := range s.Tables {
		out.Tables = append(out.Tables, t.html())
	}
	for _, f := range s.Figures {
		data := f.shown()
		source := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(f.SVG)
		out.Figures = append(out.Figures, htmlFigure{f.Caption, f.Alt, template.URL(source), data.html()})
	}
	return out
}

// wordy is the length from which on what stands in a column is read, not compared: then it is aligned to the left and broken into lines.
const wordy = 30

func (t *Table) html() htmlTable {
	g := t.grid()
	classes := make([]string, len(g.header))
	for i := range classes {
		classes[i] = g.class(i)
	}
	row := func(texts []string) (cells []htmlCell) {
		for i, text := range texts {
			cells = append(cells, htmlCell{text, classes[i]})
		}
		return cells
	}
	out := htmlTable{Title: t.Title, Notes: t.Notes, Header: row(g.header)}
	for _, texts := range g.rows {
		out.Rows = append(out.Rows, row(texts))
	}
	return out
}

// class says how a column is shown: that of the paper in its colour, one that is read as prose. Studies that put texts of the paper into
// columns of their own say so in the header.
func (g grid) class(column int) string {
	var out []string
	if name := g.header[column]; g.paper[column] || name == "paper" || strings.HasSuffix(name, ", paper") || strings.HasPrefix(name, "paper ") {
		out = append(out, "paper")
	}
	if slices.ContainsFunc(g.rows, func(row []string) bool { return utf8.RuneCountInString(row[column]) > wordy }) {
		out = append(out, "words")
	}
	return strings.Join(out, " ")
}
