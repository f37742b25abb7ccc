package posts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/oatta/oatta/datasets/internal/textfile"
)

// jsonLines reads one object a line.
type jsonLines struct {
	*rows
	name  string
	lines *lineReader
}

// newJSONLines returns a reader of r; name stands in messages.
func newJSONLines(name string, r io.Reader, o Options) (*jsonLines, error) {
	own, err := newRows(o)
	if err != nil {
		return nil, err
	}
	return &jsonLines{own, name, newLineReader(r, o.MaxLine)}, nil
}

// Next implements reader. Empty lines are passed over.
func (j *jsonLines) Next() (Post, error) {
	for {
		line, err := j.lines.next()
		if errors.Is(err, errLong) {
			return Post{}, &RowError{j.name, j.lines.at, err}
		}
		if err == io.EOF {
			return Post{}, io.EOF
		}
		if err != nil {
			return Post{}, fmt.Errorf("datasets/posts: %s:%d: %w", j.name, j.lines.at, err)
		}
		if j.lines.at == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return j.understand(line)
		}
	}
}

// understand reads the fields of a line.
func (j *jsonLines) understand(line []byte) (Post, error) {
	if text, was := textfile.UTF8(string(line)); !was {
		j.strange(j.lines.at)
		line = []byte(text)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil {
		return Post{}, &RowError{j.name, j.lines.at, err}
	}
	var f fields
	for _, want := range wantedFields(j.o, &f.stream, &f.id, &f.time, &f.text, &f.label) {
		if err := member(object, want.given, want.usual, want.required, want.to); err != nil {
			return Post{}, &RowError{j.name, j.lines.at, err}
		}
	}
	return j.postOf(j.name, j.lines.at, f)
}

// member reads one field: a string, a number or null. Of the usual names one whose value is an object or a list is passed over for another that
// has a word, as Twitter's user is for user.screen_name.
func member(object map[string]json.RawMessage, given string, usual []string, required bool, to *string) error {
	names := usual
	if given == "-" && !required {
		return nil
	}
	if given != "" {
		names, required = []string{given}, true
	}
	var first error
	for _, name := range names {
		raw, ok := at(object, name)
		if !ok {
			continue
		}
		value, err := word(raw)
		if err == nil {
			*to = value
			return nil
		}
		if first == nil {
			first = fmt.Errorf("field %s: %w", name, err)
		}
	}
	if first == nil && required {
		return fmt.Errorf("no field %s", strings.Join(names, ", "))
	}
	return first
}

// at returns the value of a name, or of a path of names with dots between them.
func at(object map[string]json.RawMessage, name string) (json.RawMessage, bool) {
	if raw, ok := object[name]; ok {
		return raw, true
	}
	head, rest, dotted := strings.Cut(name, ".")
	raw, ok := object[head]
	var inner map[string]json.RawMessage
	if !dotted || !ok || json.Unmarshal(raw, &inner) != nil {
		return nil, false
	}
	return at(inner, rest)
}

// word returns a string, a number as it stands, or nothing for null.
func word(raw json.RawMessage) (string, error) {
	switch c := raw[0]; {
	case c == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case c == 'n':
		return "", nil
	case c == '-' || c >= '0' && c <= '9':
		return string(raw), nil
	}
	return "", fmt.Errorf("%s: want a string or a number", show(string(raw)))
}
