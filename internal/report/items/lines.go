package items

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// line is one line of JSON, as run and filter write it.
type line struct {
	File         text      `json:"file"`
	ID           text      `json:"id"`
	Stream       text      `json:"stream"`
	Time         text      `json:"time"`
	Offset       float64   `json:"offset"`
	Duration     float64   `json:"duration"`
	BBox         []float64 `json:"bbox"`
	Label        text      `json:"label"`
	RawLabel     text      `json:"raw_label"`
	Prob         *float64  `json:"prob"`
	AdaptedLabel text      `json:"adapted_label"`
	AdaptedProb  *float64  `json:"adapted_prob"`
	Gate         *float64  `json:"gate"`
	Mode         text      `json:"adapted_mode"`
	Classes      []string  `json:"classes"`
	Truth        text      `json:"truth"`
	Failure      text      `json:"failure"`

	Probs   jsontext.Value            `json:"probs"`
	Logits  jsontext.Value            `json:"logits"`
	Adapted jsontext.Value            `json:"adapted"`
	Other   map[string]jsontext.Value `json:",embed"` // for the fields that options name
}

// text is a string, or a number as it is written.
type text string

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (t *text) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	*t = asText(v)
	return nil
}

// asText is a JSON value for people: strings without quotes, null as nothing.
func asText(v jsontext.Value) text {
	switch v.Kind() {
	case '"':
		b, err := jsontext.AppendUnquote(nil, v)
		if err != nil {
			return text(v)
		}
		return text(b)
	case 'n':
		return ""
	}
	return text(v)
}

// lenient reads JSON that others write: of equal names the last counts, and what is not UTF-8 is replaced.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// lines reads JSON lines.
func (f *File) lines(r *bufio.Reader, h Handler) error {
	var number int
	var buf []byte
	reader := lineReader{f: f, want: h.Vectors}
	for {
		var err error
		if buf, err = readLine(r, buf[:0], f.options.MaxLine); err != nil && err != io.EOF && !errors.Is(err, errLong) {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		number++
		last := err == io.EOF
		if content := bytes.TrimSpace(buf); len(content) > 0 || errors.Is(err, errLong) {
			var it *Item
			if err == nil || last {
				it, err = reader.read(content)
			}
			if err != nil {
				h.bad(LineError{Name: f.Path, Line: number, Cut: last, Err: err})
			} else if err := h.Item(it); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
	}
}

var errLong = errors.New("the line is too long")

// readLine appends a line without its end; io.EOF with what stands before the end of the file. Of a line of more than limit bytes the rest is
// passed over.
func readLine(r *bufio.Reader, dst []byte, limit int) ([]byte, error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if len(dst)+len(part) > limit {
			long = true
		} else {
			dst = append(dst, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == nil && long:
			err = errLong
		}
		return dst, err
	}
}

// lineReader makes items of lines.
type lineReader struct {
	f              *File
	want           bool
	line           line
	item           Item
	box            [4]float64
	probs, adapted []float64
}

func (r *lineReader) read(content []byte) (*Item, error) {
	r.line = line{}
	if err := json.Unmarshal(content, &r.line, lenient); err != nil {
		return nil, fmt.Errorf("no JSON object of results: %w", shortened(err))
	}
	l, f := &r.line, r.f
	if l.Classes != nil {
		f.Classes = l.Classes
	}
	r.item = Item{
		File: string(f.field(l, f.options.IDField, l.File, l.ID)), Stream: f.word([]byte(f.field(l, f.options.StreamField, l.Stream))),
		Time:   f.timeOf(string(f.field(l, f.options.TimeField, l.Time))),
		Offset: l.Offset, Duration: l.Duration,
		Raw: f.word([]byte(first(l.RawLabel, l.Label))), Adapted: f.word([]byte(l.AdaptedLabel)), Mode: f.word([]byte(l.Mode)),
		Prob: number(l.Prob), AdaptedProb: number(l.AdaptedProb), Gate: number(l.Gate),
		Truth: f.word([]byte(f.field(l, f.options.TruthField, l.Truth))), Failure: string(l.Failure),
	}
	if len(l.BBox) == 4 {
		copy(r.box[:], l.BBox)
		r.item.Box = &r.box
	}
	return &r.item, r.vectors()
}

// vectors reads them where they are wanted, or where nothing else tells how probable the labels are.
func (r *lineReader) vectors() (err error) {
	l, it := &r.line, &r.item
	if !r.want && (l.Prob != nil || it.Adapted == "") {
		return nil
	}
	r.probs, err = vector(r.probs, first(l.Probs, l.Logits))
	if err != nil {
		return fmt.Errorf("probs: %w", err)
	}
	if r.adapted, err = vector(r.adapted, l.Adapted); err != nil {
		return fmt.Errorf("adapted: %w", err)
	}
	if len(l.Probs) == 0 {
		softmax(r.probs)
	}
	if it.Adapted == "" {
		return nil
	}
	if len(r.probs) > 0 {
		it.Probs = r.probs
	}
	if len(r.adapted) > 0 {
		it.AdaptedProbs = r.adapted
	}
	it.fill(r.f.Classes)
	return nil
}

// fill tells the probabilities of the labels, and the label before, by the vectors.
func (it *Item) fill(classes []string) {
	if top := Top(it.Probs); top >= 0 {
		if it.Raw == "" {
			it.Raw = nameOf(classes, top)
		}
		if it.Prob != it.Prob {
			it.Prob = it.Probs[top]
		}
	}
	if top := Top(it.AdaptedProbs); top >= 0 && it.AdaptedProb != it.AdaptedProb {
		it.AdaptedProb = it.AdaptedProbs[top]
		for i, name := range classes {
			if name == it.Adapted && i < len(it.AdaptedProbs) {
				it.AdaptedProb = it.AdaptedProbs[i] // of a path, it need not be the greatest
			}
		}
	}
}

// nameOf is the name of a class, or its number, as filter writes it, where none is told.
func nameOf(classes []string, i int) string {
	if i < len(classes) {
		return classes[i]
	}
	return strconv.Itoa(i)
}

func vector(dst []float64, v jsontext.Value) ([]float64, error) {
	if len(v) == 0 || v.Kind() != '[' {
		return dst[:0], nil
	}
	err := json.Unmarshal(v, &dst)
	return dst, err
}

// field is that of the given name, else the first of its usual ones that says something.
func (f *File) field(l *line, name string, usual ...text) text {
	if name == "" {
		return first(usual...)
	}
	if v, ok := l.Other[name]; ok {
		return asText(v)
	}
	if v, ok := map[string]text{"file": l.File, "id": l.ID, "stream": l.Stream, "time": l.Time, "truth": l.Truth, "label": l.Label}[name]; ok {
		return v
	}
	return first(usual...)
}

// first returns the first value that is not empty.
func first[T ~string | ~[]byte](values ...T) (none T) {
	for _, v := range values {
		if len(v) > 0 {
			return v
		}
	}
	return none
}

func number(p *float64) float64 {
	if p == nil {
		return nan
	}
	return *p
}

// shortened keeps an error that quotes its input on one line of a screen.
func shortened(err error) error {
	if text := err.Error(); len(text) > 160 {
		return errors.New(text[:157] + "...")
	}
	return err
}
