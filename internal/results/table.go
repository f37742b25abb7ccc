package results

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// table writes aligned columns for people. The widths come from the names that will be written, as records are written one by one.
type table struct {
	Options
	file, label int // widths in terminal cells
}

// Wider names are cut in the middle of what a screen can hold.
const (
	widestFile  = 56
	widestLabel = 28
)

func newTable(o Options) table {
	t := table{Options: o, file: len("file"), label: len("adapted")}
	for _, name := range o.Files {
		t.file = min(max(t.file, runewidth.StringWidth(Printable(name))), widestFile)
	}
	if o.Files == nil {
		t.file = widestFile
	}
	for _, name := range o.Labels {
		t.label = min(max(t.label, runewidth.StringWidth(Printable(name))), widestLabel)
	}
	return t
}

func (f table) Header(dst []byte) ([]byte, error) {
	return f.row(dst, "file", "time", "raw", "prob", "adapted", "prob", "gate"), nil
}

func (f table) Footer(dst []byte, _ int) ([]byte, error) { return dst, nil }

func (f table) Record(dst []byte, _ int, r *Record) ([]byte, error) {
	when := f.when(r)
	if r.Failed() {
		return fmt.Appendf(dst, "%s  %-19s  failed: %s\n", f.cell(r.File, f.file, true), when, Printable(r.Failure)), nil
	}
	raw, p := Top(r.Raw)
	adapted, a := r.Label()
	mark := " "
	if raw != adapted {
		mark = "*"
	}
	dst = f.row(dst, r.File, when, f.Labels[raw], fmt.Sprintf("%.3f", p), mark+f.Labels[adapted], fmt.Sprintf("%.3f", a), fmt.Sprintf("%.2f", r.Gate))
	return dst, nil
}

// when is the time of a record, or of a piece of a recording of unknown time, the offset as +h:mm:ss.
func (f table) when(r *Record) string {
	switch {
	case !r.Time.IsZero():
		return r.Time.Format("2006-01-02 15:04:05")
	case f.Pieces && r.Piece():
		s := int64(r.Offset)
		return fmt.Sprintf("+%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return "-"
}

func (f table) row(dst []byte, file, when, raw, prob, adapted, adaptedProb, gate string) []byte {
	return fmt.Appendf(dst, "%s  %-19s  %s  %5s  %s  %5s  %4s\n",
		f.cell(file, f.file, true), when, f.cell(raw, f.label, false), prob, f.cell(adapted, f.label+1, false), adaptedProb, gate)
}

// cell fits s into a column: file names keep their end, which tells them apart, labels their beginning.
func (f table) cell(s string, width int, keepEnd bool) string {
	s = Printable(s)
	if over := runewidth.StringWidth(s) - width; over > 0 {
		if keepEnd {
			s = runewidth.TruncateLeft(s, over+1, "…")
		} else {
			s = runewidth.Truncate(s, width, "…")
		}
	}
	return s + strings.Repeat(" ", max(0, width-runewidth.StringWidth(s)))
}

// Printable replaces what a terminal would obey, control and formatting characters, by question marks: a file name or a model may
// hold any.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
