package predictions

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/oatta/oatta/datasets/internal/textfile"
)

// wide is a text as UTF-16 with its mark.
func wide(order binary.AppendByteOrder, text string) string {
	return string(textfile.AppendUTF16(order.AppendUint16(nil, '\ufeff'), order, []byte(text)))
}

// Tables and lines in UTF-16 are those in UTF-8, and are written back as UTF-16.
func TestUTF16(t *testing.T) {
	for _, text := range []string{
		"stream\tp:Füchse\tnote\t\"p:𝄞 €\"\r\nCafé\t0,25\tkept é\t0,75\r\nbroken\t1\r\n\r\nx\t\"",
		`{"stream":"Café 𝄞","classes":["a","Füchse"],"probs":[0.25,0.75]}` + "\n{broken é\n\n" + `{"stream":"t","probs":[1,0]}`,
		"stream,p:a,p:b\n" + strings.Repeat("é𝄞", 500) + ",1,0\ns,1,0\n",
	} {
		o := Options{MaxLine: 1500}
		open := func(in string) Lines {
			r := iotest.OneByteReader(strings.NewReader(in))
			if strings.HasPrefix(text, "{") {
				return NewJSONLines("in", r, o)
			}
			return NewCSV("in", r, o)
		}
		out, wrong := pass(t, open(text), nil)
		if !strings.Contains(out, "filtered") {
			t.Fatalf("%q: %q", out, wrong)
		}
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			got, told := pass(t, open(wide(order, text)), nil)
			if got != wide(order, out) || strings.Join(told, "|") != strings.Join(wrong, "|") {
				t.Errorf("%v: %q, %q\nwant %q, %q", order, got, told, wide(order, out), wrong)
			}
		}
	}
}

// A table in UTF-16 that grows, cut anywhere and read on from where it was left, gives the items of one that is there at once.
func TestUTF16Grows(t *testing.T) {
	text := wide(binary.LittleEndian, "stream,p:a,p:b\nCafé,0.25,0.75\n𝄞,1,0\n")
	open := func(r io.Reader) Lines { return NewCSV("in", r, Options{}) }
	want, _, _ := grown(t, open, text, Offset{})
	if len(want) != 2 {
		t.Fatalf("%q", want)
	}
	for n := len(wide(binary.LittleEndian, "stream,p:a,p:b\n")); n < len(text); n++ {
		first, at, _ := grown(t, open, text[:n], Offset{})
		rest, _, _ := grown(t, open, text, at)
		if got := append(first, rest...); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("cut at %d\n%q\nat once\n%q", n, got, want)
		}
	}
}

// Words that are not UTF-8 are read as Windows-1252, counted once, and names are written as the table has them.
func TestWindows1252(t *testing.T) {
	in := "stra\xdfe,id,p:F\xfcchse,p:b\ncaf\xe9,don\x92t,1,0\ncaf\xe9,x,0,1\nascii,y,1,0\n"
	for _, classes := range [][]string{nil, {"Füchse", "b"}, {"b", "Füchse"}} {
		c := NewCSV("in", strings.NewReader(in), Options{StreamField: "straße", Classes: classes})
		names, err := c.Begin()
		if err != nil || !strings.Contains(strings.Join(names, " "), "Füchse") {
			t.Fatalf("%q, %v", names, err)
		}
		if head := string(c.Head(nil)); !strings.Contains(head, "a:F\xfcchse") {
			t.Errorf("%q", head)
		}
		item, err := c.Next()
		if err != nil || string(item.Stream) != "café" || string(item.ID) != "don’t" {
			t.Errorf("%+v, %v", item, err)
		}
		if out := string(c.Append(nil, backwards(item, names))); !strings.HasPrefix(out, "caf\xe9,don\x92t,1,0,b,") {
			t.Errorf("%q", out)
		}
		held := c.Hold()
		for err = nil; err != io.EOF; {
			if item, err = c.Next(); err == nil && string(item.ID) == "x" {
				if out := string(c.Append(nil, backwards(item, names))); !strings.HasPrefix(out, "caf\xe9,x,0,1,F\xfcchse,") {
					t.Errorf("%q", out)
				}
			}
		}
		if _, err := c.Recall(held); err != nil {
			t.Error(err)
		}
		if notes := strings.Join(c.Notes(), "|"); notes != "3 rows not UTF-8, taken for Windows-1252, the first in line 1" {
			t.Error(notes)
		}
	}
}
