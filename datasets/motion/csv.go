package motion

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/table"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// Options say how a table is to be read. The zero value finds everything by itself; the other formats need none of it.
type Options struct {
	Delimiter rune     // default: comma, semicolon or tab, whichever the header has most of
	Time      string   // column of times; default: time, timestamp, datetime ...; "-": there is none, and Rate spaces the rows
	Channels  []string // columns of the channels, at most 256; default: all columns of numbers but time and label
	Unit      string   // of channels whose column names none; default g
	Label     string   // column of labels; default: label, activity, class, annotation; "-": there is none
	Rate      float64  // Hz; default: what the times say

	TimeLayout string // of [datasets.GoLayout], for times in an unusual form
	Quote      string // what quotes mean: "" what RFC 4180 has, "none" nothing, "backslash" that \" is one inside quotes
	SkipLines  int    // before the header; those of ActiLife are found without
	NoHeader   bool   // columns are called time, x, y and z where they look like that, else 1, 2, 3 and so on
	Stream     string // column that tells whose samples they are; only those of Only are read
	Only       string
}

const (
	maxChannels = 256
	maxColumns  = 1 << 16
	batchRows   = 1024    // samples of a batch of a table
	headRows    = 1024    // rows that are looked at before the first sample is given,
	headBytes   = 4 << 20 // or fewer, if they are longer than this
)

var (
	timeColumns  = []string{"timestamp", "time", "datetime", "date_time", "date", "t", "seconds", "sec", "epoch", "elapsed", "elapsed (s)", "time (s)", "time_s", "time_ms", "timestamp_ms", "unix", "unix_time"}
	labelColumns = []string{"label", "activity", "class", "annotation", "labels"}
)

// openCSV opens a table with a header, gzipped or not: a row a sample, one column a channel. Units stand behind names in parentheses or
// brackets, "x (g)" or "acc_x [m/s^2]".
func openCSV(path string, o Options) (*Recording, error) {
	f, err := textfile.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := newCSV(path, f, o)
	if err != nil {
		_ = f.Close() // the error that counts is the first
		return nil, err
	}
	r.closer = f
	return r, nil
}

// newCSV is openCSV of an open table; name stands in messages.
func newCSV(name string, in io.Reader, o Options) (*Recording, error) {
	d := &csvDecoder{name: name, rec: &Recording{head: Header{Name: baseName(name)}}}
	if err := d.openTable(in, &o); err != nil {
		return nil, err
	}
	if err := d.open(o); err != nil {
		return nil, err
	}
	d.rec.dec = d
	return d.rec, nil
}

// baseName returns a file's name without its folder and endings.
func baseName(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".csv", ".tsv", ".txt", ".cwa", ".gt3x"} {
		if len(name) > len(ending) && strings.EqualFold(name[len(name)-len(ending):], ending) {
			name = name[:len(name)-len(ending)]
		}
	}
	return name
}

// csvDecoder reads the rows of a table.
type csvDecoder struct {
	name     string
	rows     *table.Reader
	header   []string // names of columns
	preamble preamble
	rec      *Recording

	stream, looks int    // columns of streams, and one that looks like it; -1: none
	only          string // stream that is read
	watched       bool   // lastName is the value of the row before
	lastName      string

	time, label int // columns; -1: none
	channels    []int
	timeName    string
	stamps      stamps
	reader      *datasets.TimeReader
	wall        bool // times are those of a clock on the wall
	clock       clockErrors
	rate        float64 // Hz of rows without times
	first       int64   // nanoseconds of the first sample
	begun       bool
	count       int64 // rows without times
	change      rateCheck

	head  []table.Row // rows that were read to find out about the table
	lines []int       // of the samples of the last batch
	bad   int         // rows in succession that were none, from the beginning on
}

func (d *csvDecoder) where(i int) string { return d.place(d.lines[i]) }

func (d *csvDecoder) place(line int) string { return fmt.Sprintf("%s:%d", show(d.name), line) }

func (d *csvDecoder) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("motion: %s: %s", d.place(line), fmt.Sprintf(format, args...))
}

// open finds the columns in the header and the kind of times and the rate in the first rows.
func (d *csvDecoder) open(o Options) error {
	header, line := d.header, 1 // units stand in the names, so columns are found by package motion's own rules
	if len(header) > maxColumns {
		return d.errorf(line, "%d columns, want at most %d", len(header), maxColumns)
	}
	for i, h := range header {
		if !utf8.ValidString(h) {
			return d.errorf(line, "name of column %d is not UTF-8: %q", i+1, h)
		}
	}
	if err := d.findStream(o); err != nil {
		return err
	}
	var err error
	if d.reader, err = datasets.NewTimeReader(o.TimeLayout, false); err != nil {
		return err
	}
	if err := d.readHead(); err != nil {
		return err
	}
	if len(d.head) == 0 {
		return d.errorf(line, "no rows below the header")
	}
	if err := d.findColumns(header, o); err != nil {
		return err
	}
	d.checkUnit(o.Unit)
	return d.findRate(o)
}

// readHead reads the first rows.
func (d *csvDecoder) readHead() error {
	for size := 0; len(d.head) < headRows && size < headBytes; {
		row, err := d.read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		d.head = append(d.head, row)
		for _, f := range row.Cells {
			size += len(f) + 16
		}
	}
	return nil
}

// read reads a row from the file.
func (d *csvDecoder) read() (table.Row, error) {
	for {
		row, err := d.rows.Next()
		var bad *csv.ParseError
		switch {
		case err == nil && d.stream >= 0 && d.only != "" && d.streamOf(row) != d.only:
		case err == nil || err == io.EOF:
			return row, err
		case errors.As(err, &bad):
			d.rec.notes.add("damaged rows left out", fmt.Sprintf("%s: %v", d.place(bad.StartLine), bad.Err))
		case errors.Is(err, io.ErrUnexpectedEOF): // of a gzip file
			d.rec.notes.say("%s: the file is cut short", show(d.name))
			return table.Row{}, io.EOF
		default:
			return table.Row{}, fmt.Errorf("motion: %s: %w", show(d.name), err)
		}
	}
}

// nextRow returns the rows of the head, then those behind.
func (d *csvDecoder) nextRow() (table.Row, error) {
	if len(d.head) == 0 {
		return d.read()
	}
	row := d.head[0]
	d.head = d.head[1:]
	return row, nil
}

// next implements decoder.
func (d *csvDecoder) next(b *batch) error {
	d.lines = d.lines[:0]
	for len(b.times) < batchRows {
		row, err := d.nextRow()
		if err == io.EOF && len(b.times) > 0 {
			break
		}
		if err != nil {
			return d.atEnd(err)
		}
		if err := d.parse(b, row); err != nil {
			b.values = b.values[:len(b.times)*len(d.channels)] // of a row that was parsed in part
			d.rec.notes.add("damaged rows left out", fmt.Sprintf("%s: %v", d.place(row.Line), err))
			if d.bad++; d.bad == headRows && !d.begun {
				return d.errorf(row.Line, "none of %d rows can be read: %v", d.bad, err)
			}
			continue
		}
		d.lines = append(d.lines, row.Line)
		d.watchStream(row)
	}
	if d.time >= 0 {
		d.clock.mend(d, b.times)
		d.change.check(d, b.times)
	}
	return nil
}

func (d *csvDecoder) atEnd(err error) error {
	if err == io.EOF && d.time >= 0 && !d.stamps.relative {
		d.reader.CountWall(d.stamps.quickly)
		d.stamps.quickly = 0
		for _, note := range d.reader.Notes() {
			d.rec.notes.say("%s: %s", show(d.name), note)
		}
	}
	if err == io.EOF && !d.begun {
		return fmt.Errorf("motion: %s: no row can be read: %s", show(d.name), strings.Join(d.rec.notes.strings(), "; "))
	}
	return err
}

// parse appends the sample of a row to a batch.
func (d *csvDecoder) parse(b *batch, row table.Row) error {
	for _, c := range d.channels {
		if c >= len(row.Cells) {
			return fmt.Errorf("%s, want at least %d", message.Count(len(row.Cells), "field"), c+1)
		}
		v, err := number(row.Cells[c])
		if err != nil {
			return err
		}
		if v != v && !d.rec.notes.again("missing values") {
			d.rec.notes.add("missing values", d.place(row.Line))
		}
		b.values = append(b.values, v)
	}
	t, err := d.timeOf(row)
	if err != nil {
		return err
	}
	if d.label >= 0 {
		l, err := d.labelOf(row)
		if err != nil {
			return err
		}
		b.labels = append(b.labels, l)
	}
	b.times = append(b.times, t)
	return nil
}

// number reads a value. An empty field, NaN and what float32 cannot hold are NaN.
func number(s string) (float32, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		switch t := strings.TrimSpace(s); {
		case t == "" || strings.EqualFold(t, "na") || strings.EqualFold(t, "null"):
			return nan, nil
		case errors.Is(err, strconv.ErrRange):
			return nan, nil
		default:
			v, err = strconv.ParseFloat(strings.Replace(t, ",", ".", 1), 64) // a decimal comma
		}
		if err != nil {
			return 0, fmt.Errorf("%s is no number", show(s))
		}
	}
	if !(math.Abs(v) <= math.MaxFloat32) {
		return nan, nil
	}
	return float32(v), nil
}

func (d *csvDecoder) timeOf(row table.Row) (float64, error) {
	if d.time < 0 {
		d.begun = true
		d.count++
		return float64(d.count-1) / d.rate, nil
	}
	if d.time >= len(row.Cells) {
		return 0, fmt.Errorf("%s, no time", message.Count(len(row.Cells), "field"))
	}
	ns, ok := d.stamps.parse(row.Cells[d.time])
	if !ok {
		return 0, fmt.Errorf("%s is no time", show(row.Cells[d.time]))
	}
	d.begun = true
	return float64(ns-d.first) / 1e9, nil
}

// wholeLabel returns 1 for 1.0, which pandas makes of whole numbers in a column that has a gap.
func wholeLabel(name string) string {
	if whole, zeros, ok := strings.Cut(name, "."); ok && whole != "" && zeros != "" && strings.Trim(zeros, "0") == "" && digits(strings.TrimPrefix(whole, "-")) {
		return whole
	}
	return name
}

func (d *csvDecoder) labelOf(row table.Row) (int32, error) {
	if d.label >= len(row.Cells) {
		return NoLabel, nil
	}
	name := wholeLabel(strings.TrimSpace(row.Cells[d.label]))
	if name == "" {
		return NoLabel, nil
	}
	if !utf8.ValidString(name) {
		return 0, fmt.Errorf("label is not UTF-8: %s", show(name))
	}
	l, ok := d.rec.labels.number(strings.Clone(name))
	if !ok {
		return 0, fmt.Errorf("more than %d different labels", maxLabels)
	}
	return l, nil
}
