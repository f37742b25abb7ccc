package predictions

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Tables and lines that end in CR alone are those that end in LF, and are written back with CR, in UTF-16 too, however they come.
func TestLinesOfOldMacs(t *testing.T) {
	for _, text := range []string{
		"stream\tp:a\tnote\tp:b\ncam\t0,25\tkept\t0,75\nbroken\t1\n\nx\t\"",
		"stream,\"p:\na\",p:b\ncam,1,0\ncam,0,1\n",
		`{"stream":"cam","classes":["a","b"],"probs":[0.25,0.75]}` + "\n{broken\n\n" + `{"stream":"t","probs":[1,0]}`,
		"stream,p:a,p:b\n" + strings.Repeat("c", 2000) + ",1,0\ns,1,0\n",
	} {
		open := func(r io.Reader) Lines {
			if strings.HasPrefix(text, "{") {
				return NewJSONLines("in", r, Options{MaxLine: 1500})
			}
			return NewCSV("in", r, Options{MaxLine: 1500})
		}
		out, wrong := pass(t, open(strings.NewReader(text)), nil)
		if !strings.Contains(out, "filtered") {
			t.Fatalf("%q: %q", out, wrong)
		}
		old, want := strings.ReplaceAll(text, "\n", "\r"), strings.ReplaceAll(out, "\n", "\r")
		for name, in := range map[string]io.Reader{
			"at once": strings.NewReader(old), "by bytes": iotest.OneByteReader(strings.NewReader(old)), "by halves": iotest.HalfReader(strings.NewReader(old)),
			"with its end": iotest.DataErrReader(strings.NewReader(old)),
		} {
			if got, told := pass(t, open(in), nil); got != want || strings.Join(told, "|") != strings.Join(wrong, "|") {
				t.Errorf("%s: %q, %q\nwant %q, %q", name, got, told, want, wrong)
			}
		}
		if got, _ := pass(t, open(strings.NewReader(wide(binary.BigEndian, old))), nil); got != wide(binary.BigEndian, want) {
			t.Errorf("UTF-16: %q", got)
		}
	}
}

// A CR in the first line that a quote holds, or that an LF follows, is no end of a line.
func TestNoLinesOfOldMacs(t *testing.T) {
	for _, text := range []string{"stream,\"p:\ra\",p:b\ncam,1,0\n", "stream,p:a,p:b\r\ncam,1,0\r\n", "stream,p:a,p:b\ncam\r,1,0\n", "stream,p:a,p:b\r"} {
		for name, in := range map[string]io.Reader{"at once": strings.NewReader(text), "by bytes": iotest.OneByteReader(strings.NewReader(text))} {
			got, err := io.ReadAll(&wideReader{from: in})
			if err != nil || string(got) != text {
				t.Errorf("%s: %q became %q, %v", name, text, got, err)
			}
		}
	}
}

// A table that ends in CR alone and grows, cut anywhere behind its header and read on from where it was left, gives the items of one that is there at
// once.
func TestLinesOfOldMacsGrow(t *testing.T) {
	const head, rows = "stream,p:a,p:b\r", "cam,0.25,0.75\rcam,1,0\r"
	open := func(r io.Reader) Lines { return NewCSV("in", r, Options{}) }
	want, _, _ := grown(t, open, head+rows, Offset{})
	if len(want) != 2 {
		t.Fatalf("%q", want)
	}
	for n := 1; n < len(rows); n++ {
		first, at, _ := grown(t, open, head+rows[:n], Offset{})
		rest, _, _ := grown(t, open, head+rows, at)
		if got := append(first, rest...); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("cut at %d\n%q\nat once\n%q", n, got, want)
		}
	}
}
