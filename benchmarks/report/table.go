package report

import "unicode/utf8"

// Table is a table of cells. Its first column names the rows; the numbers of the others are aligned to the right.
type Table struct {
	ID      string   `json:"id,omitempty"` // unique in its section; names its CSV file
	Title   string   `json:"title"`
	Notes   []string `json:"notes,omitempty"` // below the table: what the numbers are
	Columns []string `json:"columns"`
	Rows    [][]Cell `json:"rows"`
}

// Add appends a row of texts.
func (t *Table) Add(texts ...string) {
	row := make([]Cell, len(texts))
	for i, text := range texts {
		row[i] = Text(text)
	}
	t.AddCells(row...)
}

// AddCells appends a row.
func (t *Table) AddCells(cells ...Cell) { t.Rows = append(t.Rows, cells) }

// grid is a table as it is written: the header and every row as wide as it, the paper's columns in their places.
type grid struct {
	header []string
	paper  []bool // by column: it is the paper's
	rows   [][]string
}

func (t *Table) grid() grid {
	var g grid
	published := t.published()
	for i, name := range t.Columns {
		g.header, g.paper = append(g.header, name), append(g.paper, false)
		if published[i] {
			g.header, g.paper = append(g.header, "paper"), append(g.paper, true)
		}
	}
	for _, row := range t.Rows {
		var texts []string
		for i := range t.Columns {
			var c Cell
			if i < len(row) {
				c = row[i]
			}
			if texts = append(texts, c.String()); published[i] {
				texts = append(texts, c.Published())
			}
		}
		g.rows = append(g.rows, texts)
	}
	return g
}

// published tells which columns have numbers of the paper.
func (t *Table) published() []bool {
	out := make([]bool, len(t.Columns))
	for _, row := range t.Rows {
		for i := range min(len(row), len(out)) {
			out[i] = out[i] || row[i].Paper != nil
		}
	}
	return out
}

// mapped is the grid with every text replaced.
func (g grid) mapped(replace func(string) string) grid {
	out := grid{paper: g.paper}
	each := func(row []string) []string {
		texts := make([]string, len(row))
		for i, text := range row {
			texts[i] = replace(text)
		}
		return texts
	}
	out.header = each(g.header)
	for _, row := range g.rows {
		out.rows = append(out.rows, each(row))
	}
	return out
}

// widths counts runes: the tables hold no wide ones. Three is the least that Markdown takes for a rule.
func (g grid) widths() []int {
	widths := make([]int, len(g.header))
	for _, row := range append([][]string{g.header}, g.rows...) {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text), 3)
		}
	}
	return widths
}
