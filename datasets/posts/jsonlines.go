package posts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// jsonLines reads one object a line.
type jsonLines struct {
	name  string
	o     Options
	lines *lineReader
}

// newJSONLines returns a reader of r; name stands in messages.
func newJSONLines(name string, r io.Reader, o Options) *jsonLines {
	return &jsonLines{name, o, newLineReader(r, o.MaxLine)}
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
			return j.post(line)
		}
	}
}

// post understands a line.
func (j *jsonLines) post(line []byte) (Post, error) {
	if !utf8.Valid(line) {
		line = []byte(utf(string(line)))
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
	return j.o.post(j.name, j.lines.at, f)
}

// member reads one field: a string, a number or null.
func member(object map[string]json.RawMessage, given string, usual []string, required bool, to *string) error {
	names := usual
	if given != "" {
		names, required = []string{given}, true
	}
	for _, name := range names {
		raw, ok := object[name]
		if !ok {
			continue
		}
		var err error
		if *to, err = word(raw); err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
		return nil
	}
	if required {
		return fmt.Errorf("no field %s", strings.Join(names, ", "))
	}
	return nil
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
