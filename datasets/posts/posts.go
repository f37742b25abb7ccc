package posts

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Post is one text of one user.
type Post struct {
	Stream string    // who wrote it; never empty
	ID     string    // "" if the file has none
	Text   string    // may be empty
	Label  string    // as it stands in the file; "" if there is none
	Time   time.Time // zero if the file has none
	Zoned  bool      // Time is an instant; else it is wall-clock time held in UTC
	Line   int       // where the post begins, from 1; in LEAF files its number
}

// reader tells the posts of a file.
type reader interface {
	// Next returns the next post. The error is io.EOF at the end, a *RowError for a row that cannot be understood, after which the next can be
	// read, and anything else if the file cannot be read on.
	Next() (Post, error)
}

// RowError is what is wrong with one row.
type RowError struct {
	Name string // of the file
	Line int    // from 1; in LEAF files the number of the post
	Err  error
}

// Error implements error: place, then cause.
func (e *RowError) Error() string {
	return fmt.Sprintf("datasets/posts: %s:%d: %v", e.Name, e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *RowError) Unwrap() error { return e.Err }

// Options says how to read posts. The zero value reads the names that fields usually have.
type Options struct {
	// Stream, ID, Time, Text and Label are names of columns or fields. "" takes the first of the usual ones that the file has, see usualNames; a
	// name that is given and is not there is an error.
	Stream, ID, Time, Text, Label string
	// TimeLayout is a layout of package time that is tried before the usual forms, for dates like 2/24/2015 11:35. It may have an offset (-0700), but
	// no name of a zone (MST), of which package time makes UTC.
	TimeLayout string
	// Comma parts the columns of a CSV table with a header: comma, semicolon or tab. 0 takes the one that the header has most of.
	Comma rune
	// MaxLine is the most bytes that a line of JSON may have; 0 is 16 MiB.
	MaxLine int
	// MaxBytes bounds the memory for posts in Collect, and the size of a LEAF file; 0 is 2 GiB.
	MaxBytes int64
}

// usualNames are the usual names, in the order in which they are looked for, without regard to case in CSV.
var usualNames = struct{ Stream, ID, Time, Text, Label []string }{
	Stream: []string{"stream", "user", "name", "author", "username", "user_name", "screen_name", "speaker"},
	ID:     []string{"id", "tweet_id", "post_id", "ids"},
	Time:   []string{"time", "date", "created_at", "timestamp", "tweet_created", "start"},
	Text:   []string{"text", "tweet", "content", "message", "utterance"},
	Label:  []string{"label", "truth", "polarity", "target", "sentiment", "airline_sentiment"},
}

// The limits of the zero Options.
const (
	defaultMaxLine  = 16 << 20
	defaultMaxBytes = 2 << 30
)

// Validate returns the first thing that is wrong with the options.
func (o Options) Validate() error {
	switch {
	case o.Comma != 0 && o.Comma != ',' && o.Comma != ';' && o.Comma != '\t':
		return fmt.Errorf("datasets/posts: delimiter %q: want comma, semicolon or tab", o.Comma)
	case o.MaxLine < 0 || o.MaxLine > 1<<30:
		return fmt.Errorf("datasets/posts: longest line %d: want 0 to %d bytes", o.MaxLine, 1<<30)
	case strings.Contains(o.TimeLayout, "MST"):
		return fmt.Errorf("datasets/posts: time layout %q has the name of a zone: want an offset or none", o.TimeLayout)
	case o.MaxBytes < 0:
		return fmt.Errorf("datasets/posts: memory %d: want 0 or more bytes", o.MaxBytes)
	}
	return nil
}

func (o Options) filled() Options {
	o.MaxLine, o.MaxBytes = cmp.Or(o.MaxLine, defaultMaxLine), cmp.Or(o.MaxBytes, defaultMaxBytes)
	return o
}

// fields are the texts of a post before they are understood.
type fields struct{ stream, id, time, text, label string }

// wantedField says where a field goes, and which names it has: the one that is given, or one of the usual ones.
type wantedField[T any] struct {
	to       *T
	given    string
	usual    []string
	required bool
}

func wantedFields[T any](o Options, stream, id, time, text, label *T) []wantedField[T] {
	return []wantedField[T]{
		{stream, o.Stream, usualNames.Stream, true},
		{id, o.ID, usualNames.ID, false},
		{time, o.Time, usualNames.Time, false},
		{text, o.Text, usualNames.Text, true},
		{label, o.Label, usualNames.Label, false},
	}
}

// post understands the fields of a row.
func (o Options) post(name string, line int, f fields) (Post, error) {
	p := Post{Stream: utf(f.stream), ID: utf(f.id), Text: utf(f.text), Label: utf(f.label), Line: line}
	if p.Stream == "" {
		return p, &RowError{name, line, fmt.Errorf("no user")}
	}
	if f.time == "" {
		return p, nil
	}
	var err error
	if p.Time, p.Zoned, err = parseTime(f.time, o.TimeLayout); err != nil {
		return p, &RowError{name, line, err}
	}
	return p, nil
}

// utf returns a text as UTF-8: itself if it is that, else what it is in Latin-1.
func utf(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	out := make([]byte, 0, len(s)+len(s)/4)
	for i := range len(s) {
		out = utf8.AppendRune(out, rune(s[i]))
	}
	return string(out)
}

// show quotes and shortens a text of a file for a message.
func show(s string) string {
	if len(s) > 60 {
		return strconv.Quote(s[:60]) + "..."
	}
	return strconv.Quote(s)
}
