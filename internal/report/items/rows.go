package items

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// columns are those of a table, by number; -1: there is none.
type columns struct {
	file, stream, time, offset, duration        int
	raw, prob, adapted, adaptedProb, gate, mode int
	truth, failure                              int
	probs, after                                []int // of the classes
}

// bounded ends a row that goes on and on, as one with a quote that nothing closes, before all of the file is in memory.
type bounded struct {
	r           io.Reader
	left, limit int // bytes of the row in hand
}

var errEndless = errors.New("the row is too long, or a quote is not closed: nothing behind its beginning is read")

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errEndless
	}
	n, err := b.r.Read(p)
	b.left -= n
	return n, err
}

// begin begins a row.
func (b *bounded) begin() { b.left = b.limit }

// rows reads a table with a header.
func (f *File) rows(r *bufio.Reader, h Handler) error {
	bound := &bounded{r: r, limit: f.options.MaxLine}
	bound.begin()
	in := bufio.NewReaderSize(bound, 64<<10)
	head, err := in.Peek(4096)
	if err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull) {
		return err
	}
	t := csv.NewReader(in)
	t.Comma, t.LazyQuotes, t.ReuseRecord, t.FieldsPerRecord = comma(head), true, true, -1
	header, err := t.Read()
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	c := f.columns(slices.Clone(header))
	if c.adapted < 0 {
		return fmt.Errorf("%s: no column adapted_label: %w", f.Path, ErrNoResults)
	}
	width := len(header)
	one := rowReader{f: f, c: c}
	for row := 2; ; row++ {
		bound.begin()
		cells, err := t.Read()
		line := 0
		if err == nil {
			line, _ = t.FieldPos(0)
		}
		var bad *csv.ParseError
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, errEndless):
			h.bad(LineError{Name: f.Path, Line: row, Err: err})
			return nil
		case errors.As(err, &bad):
			h.bad(LineError{Name: f.Path, Line: bad.StartLine, Err: bad.Err})
			continue
		case err != nil:
			return fmt.Errorf("%s: %w", f.Path, err)
		case len(cells) != width:
			_, more := in.Peek(1)
			h.bad(LineError{Name: f.Path, Line: line, Cut: more == io.EOF && len(cells) < width, Err: fmt.Errorf("%d columns: the header has %d", len(cells), width)})
			continue
		}
		it, err := one.read(cells, h.Vectors)
		if err != nil {
			h.bad(LineError{Name: f.Path, Line: line, Err: err})
		} else if err := h.Item(it); err != nil {
			return err
		}
	}
}

// comma is what the header has most of.
func comma(head []byte) rune {
	if at := bytes.IndexByte(head, '\n'); at >= 0 {
		head = head[:at]
	}
	best := ','
	for _, r := range ";\t" {
		if bytes.Count(head, []byte(string(r))) > bytes.Count(head, []byte(string(best))) {
			best = r
		}
	}
	return best
}

func (f *File) columns(header []string) columns {
	for i := range header {
		header[i] = strings.TrimSpace(f.word([]byte(header[i])))
	}
	find := func(names ...string) int {
		for _, name := range names {
			if at := slices.Index(header, name); at >= 0 && name != "" {
				return at
			}
		}
		return -1
	}
	o := f.options
	c := columns{
		file: find(o.IDField, "file", "id"), stream: find(cmp.Or(o.StreamField, "stream")), time: find(cmp.Or(o.TimeField, "time")),
		offset: find("offset"), duration: find("duration"), raw: find("label"), prob: find("prob"),
		adapted: find("adapted_label"), adaptedProb: find("adapted_prob"), gate: find("gate"), mode: find("adapted_mode"),
		truth: find(cmp.Or(o.TruthField, "truth")), failure: find("failure"),
	}
	var classes []string
	for i, name := range header {
		if class, ok := strings.CutPrefix(name, "a:"); ok && i > c.adapted {
			classes, c.after = append(classes, class), append(c.after, i)
		}
	}
	for _, class := range classes {
		if at := find("p:"+class, class); at >= 0 {
			c.probs = append(c.probs, at)
		}
	}
	if len(c.probs) != len(classes) {
		c.probs = nil
	}
	if classes != nil {
		f.Classes = classes
	}
	if c.probs != nil && c.prob < 0 { // a table of filter's: label is the user's own, and the columns tell what was predicted
		c.raw = -1
	}
	return c
}

// rowReader makes items of rows.
type rowReader struct {
	f              *File
	c              columns
	item           Item
	probs, adapted []float64
}

func (r *rowReader) read(cells []string, vectors bool) (*Item, error) {
	get := func(at int) string {
		if at < 0 {
			return ""
		}
		return cells[at]
	}
	f, c := r.f, &r.c
	word := func(at int) string { return f.word([]byte(get(at))) }
	r.item = Item{
		File: word(c.file), Stream: word(c.stream), Time: f.timeOf(get(c.time)), Raw: word(c.raw), Adapted: word(c.adapted), Mode: word(c.mode),
		Truth: word(c.truth), Failure: word(c.failure),
	}
	it := &r.item
	var err error
	for _, n := range []struct {
		to   *float64
		at   int
		none float64
	}{{&it.Offset, c.offset, 0}, {&it.Duration, c.duration, 0}, {&it.Prob, c.prob, nan}, {&it.AdaptedProb, c.adaptedProb, nan}, {&it.Gate, c.gate, nan}} {
		if *n.to, err = cell(get(n.at), n.none); err != nil {
			return nil, err
		}
	}
	if it.Adapted == "" || !vectors && c.prob >= 0 {
		return it, nil
	}
	if r.probs, err = vectorOf(r.probs, cells, c.probs); err != nil {
		return nil, err
	}
	if r.adapted, err = vectorOf(r.adapted, cells, c.after); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(r.probs, func(p float64) bool { return p < 0 || p > 1.001 }) {
		softmax(r.probs)
	}
	it.Probs, it.AdaptedProbs = r.probs, r.adapted
	it.fill(f.Classes)
	return it, nil
}

// cell reads a number, with a decimal comma where somebody's spreadsheet writes one.
func cell(text string, none float64) (float64, error) {
	if text = strings.TrimSpace(text); text == "" {
		return none, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		v, err = strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	}
	return v, err
}

func vectorOf(dst []float64, cells []string, at []int) ([]float64, error) {
	dst = dst[:0]
	for _, i := range at {
		v, err := cell(cells[i], nan)
		if err != nil {
			return dst, err
		}
		dst = append(dst, v)
	}
	return dst, nil
}
