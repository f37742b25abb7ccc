package predictions

import (
	"bytes"
	"fmt"
	"strings"
)

// cell is a field of a row: its place with quotes, and its text without.
type cell struct {
	start, end int
	text       []byte
}

// cutEnd parts a record and its line end.
func cutEnd(record []byte) (body, end []byte) {
	n := len(record)
	if n > 0 && record[n-1] == '\n' {
		n--
		if n > 0 && record[n-1] == '\r' {
			n--
		}
	}
	return record[:n], record[n:]
}

// split finds the cells of a row as RFC 4180 has them. Text of quoted cells that hold quotes is copied, all other lies in the row.
func split(dst []cell, record []byte, comma byte) ([]cell, error) {
	body, _ := cutEnd(record)
	for at := 0; ; {
		var c cell
		if at < len(body) && body[at] == '"' {
			end, text, err := quotedCell(body, at)
			if err != nil {
				return dst, err
			}
			if end < len(body) && body[end] != comma {
				return dst, fmt.Errorf("character %d: text behind a closing quote", end+1)
			}
			c = cell{at, end, text}
		} else {
			end := len(body)
			if i := bytes.IndexByte(body[at:], comma); i >= 0 {
				end = at + i
			}
			c = cell{at, end, body[at:end]}
			if i := bytes.IndexByte(c.text, '"'); i >= 0 {
				return dst, fmt.Errorf("character %d: a quote inside a cell that has none around it", at+i+1)
			}
		}
		dst = append(dst, c)
		if c.end == len(body) {
			return dst, nil
		}
		at = c.end + 1
	}
}

// quotedCell returns the end of the cell whose opening quote is at a place, and its text.
func quotedCell(body []byte, at int) (end int, text []byte, err error) {
	doubled := false
	for i := at + 1; i < len(body); i++ {
		if body[i] != '"' {
			continue
		}
		if i+1 < len(body) && body[i+1] == '"' {
			doubled = true
			i++
			continue
		}
		text = body[at+1 : i]
		if doubled {
			text = bytes.ReplaceAll(text, []byte(`""`), quote)
		}
		return i + 1, text, nil
	}
	return 0, nil, errQuote
}

// appendCell appends a cell, quoted where it must be, and where another reader could take it for several.
func appendCell(dst []byte, s string) []byte {
	if !strings.ContainsAny(s, "\",;\t\r\n") && s == strings.TrimSpace(s) {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(s, `"`, `""`)...)
	return append(dst, '"')
}
