package megadetector

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// object is the members of a JSON object in their order, as they stand.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

// members reads an object; none of null or of nothing. What it returns shares memory with raw.
func members(raw json.RawMessage) (out object, _ error) {
	if raw == nil || string(raw) == "null" {
		return nil, nil
	}
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	if !s.begin(raw, '{') {
		return nil, errors.New("want an object")
	}
	for s.dec.PeekKind() != '}' {
		name, err := s.value()
		if err != nil {
			return nil, err
		}
		value, err := s.value()
		if err != nil {
			return nil, err
		}
		out = append(out, member{text(name), value})
	}
	return out, s.end()
}

// elements reads a list. What it returns shares memory with raw.
func elements(raw json.RawMessage) (out []json.RawMessage, _ error) {
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	if !s.begin(raw, '[') {
		return nil, errors.New("want a list")
	}
	for s.dec.PeekKind() != ']' {
		value, err := s.value()
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	return out, s.end()
}

// scanner walks JSON text and tells where values stand.
type scanner struct {
	dec  *jsontext.Decoder
	buf  bytes.Buffer
	text []byte
}

var scanners = sync.Pool{New: func() any { return &scanner{dec: jsontext.NewDecoder(bytes.NewReader(nil))} }}

// begin reads the token that begins an object or a list; false if it is another.
func (s *scanner) begin(text []byte, kind jsontext.Kind) bool {
	s.text = text
	s.buf = *bytes.NewBuffer(text)
	s.dec.Reset(&s.buf, jsontext.AllowDuplicateNames(true)) // a *bytes.Buffer is read where it lies
	if s.dec.PeekKind() != kind {
		return false
	}
	_, err := s.dec.ReadToken()
	return err == nil
}

// end reads the token that ends the object or list, behind which there must be nothing.
func (s *scanner) end() error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	if _, err := s.dec.ReadToken(); err != io.EOF {
		return errors.New("text behind the end")
	}
	return nil
}

// value returns the value that comes next, as it stands in the text.
func (s *scanner) value() (json.RawMessage, error) {
	v, err := s.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(s.dec.InputOffset())
	return s.text[end-len(v) : end : end], nil
}

// value returns the value of a name; nil if it is not there or null.
func (o object) value(name string) json.RawMessage {
	i := slices.IndexFunc(o, func(m member) bool { return m.name == name })
	if i < 0 || string(o[i].value) == "null" {
		return nil
	}
	return o[i].value
}

// text returns a string or number as text; "" for anything else.
func (o object) text(name string) string { return text(o.value(name)) }

func text(raw json.RawMessage) string {
	if n := len(raw); n > 1 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 { // most are plain
		return string(raw[1 : n-1])
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

func (o object) without(names ...string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return slices.Contains(names, m.name) })
}

// appendOpen appends the object without its closing brace, on one line.
func (o object) appendOpen(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range o {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, m.name), ':')
		var line bytes.Buffer
		if err := json.Compact(&line, m.value); err != nil {
			panic("megadetector: a value that was read is no JSON: " + err.Error())
		}
		dst = append(dst, line.Bytes()...)
	}
	return dst
}

// appendText appends a JSON string, with <, > and & as they are.
func appendText(dst []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string can be encoded
	}
	return append(dst, bytes.TrimSpace(b.Bytes())...)
}
