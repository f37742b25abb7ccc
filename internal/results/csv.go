package results

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
)

// commaSeparated writes RFC 4180 with a header line. Pieces of recordings have offset and duration, in seconds, after the time. Full
// vectors take a column a class: p:LABEL before, a:LABEL after the filter.
type commaSeparated struct{ Options }

func (f commaSeparated) Header(dst []byte) ([]byte, error) {
	row := []string{"file", "stream", "time"}
	if f.Pieces {
		row = append(row, "offset", "duration")
	}
	row = append(row, "label", "prob", "adapted_label", "adapted_prob", "gate", "adapted_mode", "failure")
	if f.Vectors {
		for _, prefix := range []string{"p:", "a:"} {
			for _, l := range f.Labels {
				row = append(row, prefix+l)
			}
		}
	}
	return appendRow(dst, row)
}

func (f commaSeparated) Footer(dst []byte, _ int) ([]byte, error) { return dst, nil }

func (f commaSeparated) Record(dst []byte, _ int, r *Record) ([]byte, error) {
	row := []string{r.File, r.Stream, r.TimeString()}
	if f.Pieces {
		row = append(row, pieceCells(r)...)
	}
	if r.Failed() {
		row = append(row, "", "", "", "", "", "")
	} else {
		raw, p := Top(r.Raw)
		adapted, a := r.Label()
		row = append(row, f.Labels[raw], string(six(p).append(nil)), f.Labels[adapted], string(six(a).append(nil)), string(six(r.Gate).append(nil)), r.Mode)
	}
	row = append(row, r.Failure)
	if f.Quoted {
		for i := range row {
			row[i] = NoFormula(row[i])
		}
	}
	if f.Vectors {
		row = appendVector(row, r.Raw, len(f.Labels))
		row = appendVector(row, r.Adapted, len(f.Labels))
	}
	return appendRow(dst, row)
}

// NoFormula puts an apostrophe before what Excel, Calc and their like would calculate. Numbers of this program never begin so.
func NoFormula(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

// pieceCells are empty for a record that is no piece of a recording.
func pieceCells(r *Record) []string {
	if !r.Piece() {
		return []string{"", ""}
	}
	return []string{strconv.FormatFloat(r.Offset, 'f', -1, 64), strconv.FormatFloat(r.Duration, 'f', -1, 64)}
}

// appendVector appends the n numbers of p exactly, or n empty cells for a failure.
func appendVector(row []string, p []float64, n int) []string {
	for i := range n {
		cell := ""
		if p != nil {
			cell = strconv.FormatFloat(p[i], 'g', -1, 64)
		}
		row = append(row, cell)
	}
	return row
}

func appendRow(dst []byte, row []string) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	w := csv.NewWriter(buf)
	if err := w.Write(row); err != nil {
		return dst, err
	}
	w.Flush()
	return buf.Bytes(), w.Error()
}
