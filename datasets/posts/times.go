package posts

import (
	"errors"
	"fmt"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// rows understands the fields of rows, and counts what is to be told of a file.
type rows struct {
	o       Options
	times   *datasets.TimeReader
	notUTF8 int // posts
	first   int // line of the first of them
}

// newRows checks the options.
func newRows(o Options) (*rows, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	times, err := datasets.NewTimeReader(o.TimeLayout, true)
	return &rows{o: o.filled(), times: times}, err
}

// postOf understands the fields of a row.
func (r *rows) postOf(name string, line int, f fields) (Post, error) {
	p := Post{Line: line}
	f = f.without(r.o) // what has no names of columns, too
	good := true
	for _, x := range []struct {
		to   *string
		from string
	}{{&p.Stream, f.stream}, {&p.ID, f.id}, {&p.Text, f.text}, {&p.Label, f.label}} {
		var was bool
		*x.to, was = textfile.UTF8(x.from)
		good = good && was
	}
	if !good {
		r.strange(line)
	}
	if p.Stream == "" {
		return p, &RowError{name, line, fmt.Errorf("no user")}
	}
	var err error
	if p.Time, p.Zoned, err = r.times.Read(f.time); errors.Is(err, datasets.ErrTime) {
		return p, &RowError{name, line, fmt.Errorf("time %s %w", show(f.time), err)}
	}
	if err != nil {
		return p, &RowError{name, line, fmt.Errorf("time %s: %w", show(f.time), err)}
	}
	return p, nil
}

// without leaves out what the options say that there is none of.
func (f fields) without(o Options) fields {
	for _, x := range []struct {
		given string
		of    *string
	}{{o.ID, &f.id}, {o.Time, &f.time}, {o.Label, &f.label}} {
		if x.given == "-" {
			*x.of = ""
		}
	}
	return f
}

// strange counts a post that is not UTF-8.
func (r *rows) strange(line int) {
	if r.notUTF8++; r.notUTF8 == 1 {
		r.first = line
	}
}

// notes tells what was taken for what.
func (r *rows) notes() (out []string) {
	if r.notUTF8 > 0 {
		out = append(out, fmt.Sprintf("%s not UTF-8, taken for Windows-1252, the first in line %d", message.Count(r.notUTF8, "post"), r.first))
	}
	out = append(out, r.times.Notes()...)
	if n, first := r.times.Bad(); n > 0 {
		out = append(out, fmt.Sprintf("%s cannot be read, the first %s: --time-layout tells the form of times", message.Count(n, "time"), show(first)))
	}
	return out
}
