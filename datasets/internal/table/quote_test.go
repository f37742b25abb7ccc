package table

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// plainRows is the plain twin of QuoteNone: lines cut at the delimiter, without those that are empty.
func plainRows(text string) (rows [][]string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	return rows
}

func FuzzQuoteNone(f *testing.F) {
	for _, s := range []string{"a\tb\n", "\"a\t\tb\"\"\n\n\tc", "\t\n\t", "x\n\"", "a\"b\tc\"\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "\r") { // which LineEnds takes away before
			return
		}
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			c := csv.NewReader(requote(r, QuoteNone, '\t'))
			c.Comma, c.FieldsPerRecord = '\t', -1
			got, err := c.ReadAll()
			if want := plainRows(text); err != nil || !slices.EqualFunc(got, want, slices.Equal) {
				t.Fatalf("%q: %q, %v, want %q", text, got, err, want)
			}
		}
	})
}

func TestOpen(t *testing.T) {
	for name, tc := range map[string]struct {
		text   string
		o      Options
		header string
		rows   string // cells with | between, and the line
	}{
		"backslash": {"a,b\n\"x \\\"y\\\"\",\"\\\\\"\n\\,\"\\n\"\n", Options{Quote: QuoteBackslash}, "a|b", `x "y"|\ 2; \|\n 3; `},
		"none":      {"a;b\n\"x;y\n", Options{Quote: QuoteNone}, "a|b", `"x|y 2; `},
		"lines":     {"# one, two\n\"# three\na;b\n1;2\n", Options{Skip: 2}, "a|b", "1|2 4; "},
		"header":    {"3,4\n1,2\n", Options{NoHeader: true}, "1|2", "3|4 1; 1|2 2; "},
		"CR":        {"a,b\r1,2\r", Options{}, "a|b", "1|2 2; "},
		"UTF-16":    {"\xfe\xff\x00a\x00,\x20\xac\x00\n\x001\x00,\x002", Options{}, "a|€", "1|2 2; "},
	} {
		r, err := Open("f", strings.NewReader(tc.text), tc.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rows := ""
		if err := r.Each(func(row Row) error {
			rows += strings.Join(row.Cells, "|") + " " + strings.TrimPrefix(r.Place(), "f:") + "; "
			return nil
		}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if header := strings.Join(r.Header, "|"); header != tc.header || rows != tc.rows {
			t.Errorf("%s: %q, %q, want %q, %q", name, header, rows, tc.header, tc.rows)
		}
	}
	if _, err := Open("f", strings.NewReader("a\n"), Options{Quote: "some"}); err == nil {
		t.Error("other quotes pass")
	}
}
