package predictions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// span is a place in a text.
type span struct{ start, end int }

func (s span) of(text []byte) []byte { return text[s.start:s.end] }

func (s span) there() bool { return s.end > 0 }

// scanner walks JSON text and tells where values stand. It is strict: duplicate names, invalid UTF-8 and anything that RFC 8259 does not
// allow are errors.
type scanner struct {
	dec  *jsontext.Decoder
	buf  bytes.Buffer
	text []byte
	read func(at int) int // where a place of the text was in the file that it was made of, for messages; nil: there
}

func newScanner() *scanner { return &scanner{dec: jsontext.NewDecoder(bytes.NewReader(nil))} }

// reset begins with a text, which the scanner does not change.
func (s *scanner) reset(text []byte) {
	s.text = text
	s.buf = *bytes.NewBuffer(text)
	s.dec.Reset(&s.buf) // a *bytes.Buffer is read where it lies
}

// object walks the members of the object that comes next. member must consume the value.
func (s *scanner) object(member func(name []byte) error) error {
	if err := s.open('{', "an object"); err != nil {
		return err
	}
	for s.dec.PeekKind() != '}' {
		raw, err := s.dec.ReadValue()
		if err != nil {
			return s.explain(err)
		}
		name, err := unquoted(raw)
		if err != nil {
			return err
		}
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := s.dec.ReadToken()
	return s.explain(err)
}

// array walks the elements of the array that comes next. element must consume each.
func (s *scanner) array(element func(i int) error) error {
	if err := s.open('[', "an array"); err != nil {
		return err
	}
	for i := 0; s.dec.PeekKind() != ']'; i++ {
		if err := element(i); err != nil {
			return err
		}
	}
	_, err := s.dec.ReadToken()
	return s.explain(err)
}

// open reads the token that begins an object or array.
func (s *scanner) open(want jsontext.Kind, what string) error {
	if k := s.dec.PeekKind(); k != want && k != 0 {
		v, err := s.dec.ReadValue()
		if err != nil {
			return s.explain(err)
		}
		return fmt.Errorf("%s: want %s", clip(v), what)
	}
	_, err := s.dec.ReadToken()
	return s.explain(err)
}

// value reads the value that comes next.
func (s *scanner) value() (span, error) {
	v, err := s.dec.ReadValue()
	if err != nil {
		return span{}, s.explain(err)
	}
	end := int(s.dec.InputOffset())
	return span{end - len(v), end}, nil
}

// finish makes sure that nothing but white space is left.
func (s *scanner) finish() error {
	_, err := s.dec.ReadToken()
	if err == io.EOF {
		return nil
	}
	if err == nil {
		return errors.New("there is more text behind the value")
	}
	return s.explain(err)
}

// explain says in plain words what is wrong with the text, and where.
func (s *scanner) explain(err error) error {
	if err == nil {
		return nil
	}
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the text ends inside a value")
	}
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return err
	}
	at := min(max(int(syntax.ByteOffset), 0), len(s.text))
	if at > 0 && s.text[at-1] == '-' {
		at--
	}
	rest := bytes.TrimLeft(s.text[at:], " \t,:")
	for _, word := range []string{"NaN", "nan", "Infinity", "-Infinity", "Inf", "-Inf", "inf", "-inf"} {
		if bytes.HasPrefix(rest, []byte(word)) {
			return fmt.Errorf("%s at byte %d is no number that JSON has", word, s.origin(len(s.text)-len(rest)))
		}
	}
	cause := syntax.Err
	if cause == nil {
		cause = err
	}
	return fmt.Errorf("no JSON at byte %d: %w", s.origin(at), cause)
}

func (s *scanner) origin(at int) int {
	if s.read == nil {
		return at
	}
	return s.read(at)
}

// unquoted returns the text of a JSON string. It allocates only where there are escapes.
func unquoted(raw []byte) ([]byte, error) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, fmt.Errorf("%s: want a string", clip(raw))
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], nil
	}
	return jsontext.AppendUnquote(nil, raw)
}

// word returns the text of a JSON string or number, nothing for null.
func word(raw []byte) ([]byte, error) {
	switch {
	case len(raw) == 0 || raw[0] == 'n':
		return nil, nil
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return raw, nil
	case raw[0] == '"':
		return unquoted(raw)
	}
	return nil, fmt.Errorf("%s: want a string or a number", clip(raw))
}

// numbers appends the numbers of an array, which has been scanned and so is JSON: only the commas matter.
func numbers(dst []float64, array []byte) ([]float64, error) {
	if array[0] != '[' {
		return nil, fmt.Errorf("%s: want an array of numbers", clip(array))
	}
	rest := trimJSON(array[1 : len(array)-1])
	for len(rest) > 0 {
		text := rest
		if i := bytes.IndexByte(rest, ','); i >= 0 {
			text, rest = rest[:i], trimJSON(rest[i+1:])
		} else {
			rest = nil
		}
		v, err := jsonNumber(trimJSON(text))
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", len(dst), err)
		}
		dst = append(dst, v)
	}
	return dst, nil
}

// trimJSON cuts the white space of JSON off both ends.
func trimJSON(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// jsonNumber reads a number, and nothing else that strconv would take for one.
func jsonNumber(text []byte) (float64, error) {
	if len(text) == 0 || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return 0, fmt.Errorf("%s: want a number", clip(text))
	}
	return number(text)
}

func appendNumber(dst []byte, v float64) []byte { return strconv.AppendFloat(dst, v, 'g', -1, 64) }

// appendString appends a JSON string; bytes that are no UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error tells of the bytes that were replaced
	return dst
}
