package rawjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Scanner walks JSON text. It is strict: duplicate names, invalid UTF-8 and anything that RFC 8259 does not allow are errors.
type Scanner struct {
	dec  *jsontext.Decoder
	buf  bytes.Buffer
	text []byte
	base int // where the text begins in what was scanned first

	// place says where a place of the text is, for messages; nil: its byte.
	place func(at int) string
}

// NewScanner returns a scanner without a text.
func NewScanner() *Scanner { return &Scanner{dec: jsontext.NewDecoder(bytes.NewReader(nil))} }

// Reset begins with a text, which the scanner does not change.
func (s *Scanner) Reset(text []byte) {
	s.text, s.base = text, 0
	s.buf = *bytes.NewBuffer(text)
	s.dec.Reset(&s.buf) // a *bytes.Buffer is read where it lies
}

// IsArray tells whether an array comes next.
func (s *Scanner) IsArray() bool { return s.dec.PeekKind() == '[' }

// Next is where the value that comes next begins.
func (s *Scanner) Next() int {
	at := int(s.dec.InputOffset()) // the end of the token before it
	for at < len(s.text) && (isSpace(s.text[at]) || s.text[at] == ',' || s.text[at] == ':') {
		at++
	}
	return s.base + at
}

// Since returns the value that begins at a place that Next told, once it has been read without an error.
func (s *Scanner) Since(at int) Value {
	return Value{s.text[at-s.base : s.dec.InputOffset()], at}
}

// Object walks the members of the object that comes next. member must consume the value.
func (s *Scanner) Object(member func(name []byte) error) error {
	if err := s.open('{', "an object"); err != nil {
		return err
	}
	for s.dec.PeekKind() != '}' {
		raw, err := s.dec.ReadValue()
		if err != nil {
			return s.explain(err)
		}
		name, err := Unquoted(raw)
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

// Array walks the elements of the array that comes next. element must consume each.
func (s *Scanner) Array(element func(i int) error) error {
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
func (s *Scanner) open(want jsontext.Kind, what string) error {
	if k := s.dec.PeekKind(); k != want && k != 0 {
		v, err := s.dec.ReadValue()
		if err != nil {
			return s.explain(err)
		}
		return fmt.Errorf("%s: want %s", Clip(v), what)
	}
	_, err := s.dec.ReadToken()
	return s.explain(err)
}

// Value reads the value that comes next.
func (s *Scanner) Value() (Value, error) {
	v, err := s.dec.ReadValue()
	if err != nil {
		return Value{}, s.explain(err)
	}
	end := int(s.dec.InputOffset())
	return Value{s.text[end-len(v) : end : end], s.base + end - len(v)}, nil
}

// Finish makes sure that nothing but white space is left.
func (s *Scanner) Finish() error {
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
func (s *Scanner) explain(err error) error {
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
			return fmt.Errorf("%s at %s is no number that JSON has", word, s.origin(len(s.text)-len(rest)))
		}
	}
	cause := syntax.Err
	if cause == nil {
		cause = err
	}
	return fmt.Errorf("no JSON at %s: %w", s.origin(at), cause)
}

func (s *Scanner) origin(at int) string {
	if s.place == nil {
		return fmt.Sprintf("byte %d", at)
	}
	return s.place(at)
}
