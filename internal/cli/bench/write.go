package bench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/replace"
)

const wholeTitle = "The studies of oatta"

// lead says what the report is before its first section.
func (w *whole) lead(sections []report.Section) []string {
	kind := ""
	if w.quick {
		kind = " This is a quick look, to see that every study runs: it measures little of everything, and no number of it is a result."
	}
	return []string{
		fmt.Sprintf("%s, made by oatta %s on %s.%s", console.Number(len(sections), "section"), console.Version(), machine(), kind),
		"Changes are in percentage points of accuracy against the same predictor without the filter. A column called paper has the number that was published in the place of the column before it. " +
			"Each section ends with the command, seeds, networks and versions that its numbers come from.",
	}
}

// writeWhole writes the report: report.json, report.md, report.html, a CSV file for each table and an SVG file for each figure.
func writeWhole(dir string, lead []string, sections []report.Section) error {
	files := map[string]func(w io.Writer) error{
		"report.json": func(w io.Writer) error { return report.WriteJSON(w, sections) },
		"report.html": func(w io.Writer) error { return report.WriteHTML(w, wholeTitle, lead, sections) },
		"report.md": func(w io.Writer) error {
			if _, err := fmt.Fprintf(w, "# %s\n\n%s\n\n", wholeTitle, strings.Join(lead, "\n\n")); err != nil {
				return err
			}
			return report.WriteMarkdownLinked(w, sections, figureFile)
		},
	}
	for _, s := range sections {
		for i, t := range s.Tables {
			files[tableFile(s, t.ID, i)] = t.WriteCSV
		}
		for _, f := range s.Figures {
			files[tableFile(s, f.ID, 0)] = f.Data.WriteCSV
			files[figureFile(s, f)] = func(w io.Writer) error {
				_, err := w.Write(f.SVG)
				return err
			}
		}
	}
	for _, folder := range []string{"tables", "figures"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return err
		}
	}
	for name, write := range files {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := replace.Bytes(filepath.Join(dir, filepath.FromSlash(name)), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func tableFile(s report.Section, id string, at int) string {
	if id == "" {
		id = fmt.Sprint(at + 1)
	}
	return "tables/" + fileName(s.ID+"-"+id) + ".csv"
}

func figureFile(s report.Section, f report.Figure) string {
	return "figures/" + fileName(s.ID+"-"+f.ID) + ".svg"
}

// fileName keeps of a text what any system takes for a name.
func fileName(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '-'
	}, strings.TrimLeft(text, "."))
}
