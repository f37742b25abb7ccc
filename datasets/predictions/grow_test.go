package predictions

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// An input that grows, cut anywhere and read on from where it was left, gives the items of one that is there at once: nothing is told of a record
// whose end is not there, header included, and that there is one is.
func TestGrowingInputs(t *testing.T) {
	for name, tc := range map[string]struct {
		open func(r io.Reader) Lines
		text string
	}{
		"jsonl": {
			func(r io.Reader) Lines { return NewJSONLines("in", r, Options{}) },
			"\ufeff" + `{"stream":"s","classes":["a","b"],"probs":[0.25,0.75]}` + "\n{broken\n\n" + `{"stream":"t","probs":[1,0]}` + "\r\n",
		},
		"csv": {
			func(r io.Reader) Lines { return NewCSV("in", r, Options{}) },
			"note,p:a,p:b,stream\nx,0.25,0.75,s12\n\"two\nlines, \"\"and\"\"\",0.5,0.5,s1\nx,1\n\nx,1,0,t\r\n",
		},
	} {
		want, _, _ := grown(t, tc.open, tc.text, Offset{})
		if len(want) < 4 {
			t.Fatalf("%s: %q", name, want)
		}
		for n := range len(tc.text) {
			first, at, open := grown(t, tc.open, tc.text[:n], Offset{})
			if ended := n == 0 || at.Bytes == int64(n); open == ended {
				t.Errorf("%s: %d bytes, read to %d, open %t", name, n, at.Bytes, open)
			}
			rest, _, _ := grown(t, tc.open, tc.text, at)
			if got := append(first, rest...); strings.Join(got, "|") != strings.Join(want, "|") {
				t.Errorf("%s: cut at %d\n%q\nat once\n%q", name, n, got, want)
			}
		}
	}
}

// grown reads from an offset what is there, and tells where it came to, and whether a record was left.
func grown(t *testing.T, open func(r io.Reader) Lines, text string, from Offset) (out []string, at Offset, left bool) {
	t.Helper()
	l := open(strings.NewReader(text))
	l.Grow()
	if _, err := l.Begin(); err != nil {
		if whole := strings.Contains(text, "\n"); whole || !strings.Contains(err.Error(), "file is empty") && !strings.Contains(err.Error(), "no line end") {
			t.Fatalf("%q: %v", text, err)
		}
		return nil, Offset{}, l.Open()
	}
	if from.Bytes > 0 {
		if err := l.SkipTo(from); err != nil {
			t.Fatal(err)
		}
	}
	for {
		item, err := l.Next()
		switch {
		case err == io.EOF:
			return out, l.Offset(), l.Open()
		case errors.As(err, new(*LineError)):
			out = append(out, err.Error())
		case err != nil:
			t.Fatal(err)
		default:
			out = append(out, fmt.Sprintf("%d: %s %v", l.Line(), item.Stream, item.Probs))
		}
	}
}
