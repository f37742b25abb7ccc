package predictions

import (
	"io"
	"strings"
	"testing"
)

// A line that was held is appended, later and in any order, as it would have been at once; the reader goes on as if nothing had been.
func TestHoldAndRecall(t *testing.T) {
	for name, tc := range map[string]struct {
		open func(r io.Reader) Lines
		text string
	}{
		"jsonl": {
			func(r io.Reader) Lines { return NewJSONLines("in", r, Options{}) },
			"\ufeff" + `{"stream":"s","probs":[0.25,0.75],"gate":9,"x":"é"}` + "\n{broken\n" + `{"stream":"t","logits":[1,0],"label":"old"}` + "\r\n\n" + `{"stream":"s","probs":[1,0]}`,
		},
		"csv": {
			func(r io.Reader) Lines { return NewCSV("in", r, Options{}) },
			"stream,note,p:a,p:b\ns,\"two\nlines\",0.25,0.75\ns,x\nt,,1,0\n",
		},
	} {
		atOnce, held := tc.open(strings.NewReader(tc.text)), tc.open(strings.NewReader(tc.text))
		want, got := passLines(t, atOnce, false), passLines(t, held, true)
		if len(want) < 2 || strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: held\n%q\nat once\n%q", name, got, want)
		}
	}
}

// passLines returns each good line as it is appended, at once or after all were read, last first.
func passLines(t *testing.T, l Lines, hold bool) []string {
	t.Helper()
	if _, err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	var out []string
	var kept []Held
	var at []int
	for {
		item, err := l.Next()
		if err == io.EOF {
			break
		}
		if err != nil || item.Probs == nil {
			continue
		}
		if hold {
			kept, at, out = append(kept, l.Hold()), append(at, l.Line()), append(out, "")
			continue
		}
		out = append(out, string(l.Append(nil, flipped(item))))
	}
	for i := len(kept) - 1; i >= 0; i-- {
		item, err := l.Recall(kept[i])
		if err != nil || l.Line() != at[i] {
			t.Fatalf("line %d came back as %d: %v", at[i], l.Line(), err)
		}
		out[i] = string(l.Append(nil, flipped(item)))
	}
	return out
}

func flipped(item *Item) Adapted {
	return Adapted{Label: "x", AdaptedLabel: "y", Probs: []float64{item.Probs[1], item.Probs[0]}, Gate: 0.5, Mode: "lagged"}
}

// A reader that skips to the offset of another goes on as that one did.
func TestSkipTo(t *testing.T) {
	text := "\ufeff" + `{"stream":"s","probs":[0.25,0.75]}` + "\n\n" + strings.Repeat("x", 500) + "\n" + `{"stream":"t","probs":[1,0]}` + "\n" + `{"stream":"s","probs":[0,1]}`
	table := "stream,note,p:a,p:b\ns,\"two\nlines\",0.25,0.75\n\ns,x\nt," + strings.Repeat("y", 500) + ",1,0\ns,,0,1\n"
	o := Options{MaxLine: 300}
	for _, open := range []func() Lines{
		func() Lines { return NewJSONLines("in", strings.NewReader(text), o) },
		func() Lines { return NewCSV("in", strings.NewReader(table), o) },
	} {
		whole, from, _ := tail(t, open(), nil)
		for i, at := range from {
			rest, _, line := tail(t, open(), &at)
			if strings.Join(rest, "|") != strings.Join(whole[i+1:], "|") {
				t.Errorf("from %+v\n%q\nwant\n%q", at, rest, whole[i+1:])
			}
			if len(rest) > 0 && line <= at.Lines {
				t.Errorf("from %+v: the next line is %d", at, line)
			}
		}
		beyond := Offset{Bytes: 1 << 20}
		l := open()
		if _, err := l.Begin(); err != nil {
			t.Fatal(err)
		}
		if err := l.SkipTo(beyond); err == nil || !strings.Contains(err.Error(), "the input ends") {
			t.Errorf("an offset behind the end: %v", err)
		}
	}
}

// tail returns what each line from an offset on gives, the offsets behind them, and the number of the first.
func tail(t *testing.T, l Lines, from *Offset) (out []string, at []Offset, first int) {
	t.Helper()
	if _, err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	if from != nil {
		if err := l.SkipTo(*from); err != nil {
			t.Fatal(err)
		}
	}
	for {
		item, err := l.Next()
		if err == io.EOF {
			return out, at, first
		}
		if first == 0 {
			first = l.Line()
		}
		var text strings.Builder
		if err != nil || item.Probs == nil {
			if err := l.Unchanged(&text); err != nil {
				t.Fatal(err)
			}
		} else {
			text.Write(l.Append(nil, flipped(item)))
		}
		out, at = append(out, text.String()), append(at, l.Offset())
	}
}
