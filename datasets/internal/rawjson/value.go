package rawjson

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
)

// Value is a value as it stands in a text.
type Value struct {
	Text []byte // nil: there is none
	At   int    // where it begins in the text that was scanned
}

// There tells whether there is a value, null included.
func (v Value) There() bool { return v.Text != nil }

// Set tells whether there is a value that is not null.
func (v Value) Set() bool { return v.Text != nil && v.Text[0] != 'n' }

// End is where the value ends in the text that was scanned.
func (v Value) End() int { return v.At + len(v.Text) }

// String returns a string or number as text; "" for anything else.
func (v Value) String() string {
	text, err := Word(v.Text)
	if err != nil {
		return ""
	}
	return string(text)
}

// Object is the members of an object in their order.
type Object []Member

// Member is a name and its value.
type Member struct {
	Name  string
	Value Value
}

var scanners = sync.Pool{New: func() any { return NewScanner() }}

// scan calls walk with a scanner of a value that was scanned before.
func (v Value) scan(walk func(s *Scanner) error) error {
	s := scanners.Get().(*Scanner)
	defer scanners.Put(s)
	s.Reset(v.Text)
	s.base = v.At
	return walk(s)
}

// Members returns those of an object; none of null or of nothing.
func (v Value) Members() (out Object, err error) {
	if !v.Set() {
		return nil, nil
	}
	err = v.scan(func(s *Scanner) error { out, err = s.Members(); return err })
	return out, err
}

// Elements returns those of an array.
func (v Value) Elements() (out []Value, err error) {
	err = v.scan(func(s *Scanner) error {
		return s.Array(func(int) error {
			element, err := s.Value()
			out = append(out, element)
			return err
		})
	})
	return out, err
}

// Members reads the object that comes next.
func (s *Scanner) Members() (out Object, err error) {
	err = s.Object(func(name []byte) error {
		value, err := s.Value()
		out = append(out, Member{string(name), value})
		return err
	})
	return out, err
}

// Value returns the value of a name; none if it is not there.
func (o Object) Value(name string) Value {
	i := slices.IndexFunc(o, func(m Member) bool { return m.Name == name })
	if i < 0 {
		return Value{}
	}
	return o[i].Value
}

// Without returns the members of other names.
func (o Object) Without(names ...string) Object {
	return slices.DeleteFunc(slices.Clone(o), func(m Member) bool { return slices.Contains(names, m.Name) })
}

// AppendOpen appends the object without its closing brace, on one line.
func (o Object) AppendOpen(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range o {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, m.Name), ':')
		var line bytes.Buffer
		if err := json.Compact(&line, m.Value.Text); err != nil {
			panic("rawjson: a value that was read is no JSON: " + err.Error())
		}
		dst = append(dst, line.Bytes()...)
	}
	return dst
}
