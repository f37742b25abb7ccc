package posts

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/internal/table"
)

// Post is one text of one user.
type Post struct {
	Stream string    // who wrote it; never empty
	ID     string    // "" if the file has none
	Text   string    // may be empty; [Texts.Text] reads that of a post of a listing
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
	// notes tells what was taken for what, so far.
	notes() []string
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
	// name that is given and is not there is an error. In JSON user.screen_name is a field of the object user. Time "-" is none.
	Stream, ID, Time, Text, Label string
	// TimeLayout is a layout of [datasets.GoLayout] that is tried before the usual forms, for dates like 2/24/2015 11:35.
	TimeLayout string
	// Comma parts the columns of a CSV table with a header: comma, semicolon or tab. 0 takes the one that the header has most of.
	Comma rune
	// Quote says what quotes mean in a CSV table: "" what RFC 4180 has, "none" nothing, "backslash" that \" is one inside quotes.
	Quote string
	// MaxLine is the most bytes that a line of JSON may have; 0 is 16 MiB.
	MaxLine int
	// MaxBytes bounds the memory for posts in Open, their texts left out, and the size of a LEAF file; 0 is 2 GiB.
	MaxBytes int64
}

// usualNames are the usual names, in the order in which they are looked for, without regard to case in CSV. Twitter's API has an object user in
// version 1 and author_id in version 2; Reddit has author, created_utc and body or, of a submission, selftext.
var usualNames = struct{ Stream, ID, Time, Text, Label []string }{
	Stream: []string{
		"stream", "user", "name", "author", "username", "user_name", "screen_name", "speaker", "author_id",
		"user.screen_name", "user.username", "author.username", "user.name", "author.name", "user.id_str", "user.id",
	},
	ID:    []string{"id", "tweet_id", "post_id", "ids"},
	Time:  []string{"time", "date", "created_at", "timestamp", "tweet_created", "start", "created_utc"},
	Text:  []string{"text", "tweet", "content", "message", "utterance", "full_text", "body", "selftext"},
	Label: []string{"label", "truth", "polarity", "target", "sentiment", "airline_sentiment"},
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
	case o.MaxBytes < 0:
		return fmt.Errorf("datasets/posts: memory %d: want 0 or more bytes", o.MaxBytes)
	}
	if err := table.Quote(o.Quote).Validate(); err != nil {
		return fmt.Errorf("datasets/posts: %w", err)
	}
	_, err := datasets.GoLayout(o.TimeLayout)
	return err
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

// show quotes and shortens a text of a file for a message.
func show(s string) string {
	if len(s) > 60 {
		return strconv.Quote(s[:60]) + "..."
	}
	return strconv.Quote(s)
}
