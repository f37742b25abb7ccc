package rawjson

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Unquoted returns the text of a JSON string. It allocates only where there are escapes.
func Unquoted(raw []byte) ([]byte, error) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, fmt.Errorf("%s: want a string", Clip(raw))
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], nil
	}
	return jsontext.AppendUnquote(nil, raw)
}

// Word returns the text of a JSON string or number, nothing for null.
func Word(raw []byte) ([]byte, error) {
	switch {
	case len(raw) == 0 || raw[0] == 'n':
		return nil, nil
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return raw, nil
	case raw[0] == '"':
		return Unquoted(raw)
	}
	return nil, fmt.Errorf("%s: want a string or a number", Clip(raw))
}

// Numbers appends the numbers of an array, which has been scanned and so is JSON: only the commas matter.
func Numbers(dst []float64, array []byte) ([]float64, error) {
	if array[0] != '[' {
		return nil, fmt.Errorf("%s: want an array of numbers", Clip(array))
	}
	rest := Trim(array[1 : len(array)-1])
	for len(rest) > 0 {
		text := rest
		if i := bytes.IndexByte(rest, ','); i >= 0 {
			text, rest = rest[:i], Trim(rest[i+1:])
		} else {
			rest = nil
		}
		v, err := Number(Trim(text))
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", len(dst), err)
		}
		dst = append(dst, v)
	}
	return dst, nil
}

// Trim cuts the white space of JSON off both ends.
func Trim(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// Number reads a number, and nothing else that strconv would take for one.
func Number(text []byte) (float64, error) {
	if len(text) == 0 || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return 0, fmt.Errorf("%s: want a number", Clip(text))
	}
	return Float(text)
}

// Float reads a number of a text that need be no JSON.
func Float(text []byte) (float64, error) {
	v, err := strconv.ParseFloat(string(text), 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("number %s is beyond what 64 bits hold", Clip(text))
	}
	if err != nil {
		return 0, fmt.Errorf("%q is no number", Clip(text))
	}
	return v, nil
}

// Clip shortens a text for a message.
func Clip(text []byte) string {
	if len(text) <= 60 {
		return string(text)
	}
	return string(text[:60]) + "..."
}

// AppendNumber appends the shortest text that is this number again.
func AppendNumber(dst []byte, v float64) []byte { return strconv.AppendFloat(dst, v, 'g', -1, 64) }

// AppendString appends a JSON string; bytes that are no UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error tells of the bytes that were replaced
	return dst
}
