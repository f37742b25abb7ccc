package megadetector

import (
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	const text = `{"NaN": NaN, "a": [-Infinity,Infinity , "\"NaN"], "b": 1}`
	p := NewPlain([]byte(text))
	if want := `{"NaN": null, "a": [null,null , "\"NaN"], "b": 1}`; string(p.Text) != want || p.Unknown != 3 {
		t.Fatalf("%s, %d values; want %s", p.Text, p.Unknown, want)
	}
	// Each token, its beginning and its end, is found again.
	for _, token := range []string{`{"NaN"`, `, "a": [`, ` , "\"NaN"], "b": 1}`} {
		at := strings.Index(string(p.Text), token)
		from, to := p.Offset(at), p.Offset(at+len(token))
		if text[from:to] != token {
			t.Errorf("%s: %s", token, text[from:to])
		}
	}
	at := strings.Index(string(p.Text), "null,null")
	if from, to := p.Offset(at), p.Offset(at+len("null,null")); text[from:to] != "-Infinity,Infinity" {
		t.Errorf("the numbers themselves: %s", text[from:to])
	}
	same := []byte(`{"a": 1}`)
	if p := NewPlain(same); &p.Text[0] != &same[0] || p.Note() != "" || p.Offset(5) != 5 {
		t.Errorf("%+v", p)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add(`{"a": NaN, "b": [Infinity, -Infinity, "NaN"]}`)
	f.Add(`-Infinity "\`)
	f.Fuzz(func(t *testing.T, text string) {
		p := NewPlain([]byte(text))
		if again := NewPlain(p.Text); string(again.Text) != string(p.Text) {
			t.Errorf("%q became %q and then %q", text, p.Text, again.Text)
		}
		last := 0
		for i := range len(p.Text) + 1 {
			at := p.Offset(i)
			if at < 0 || at > len(text)+len("null") {
				t.Fatalf("%q: place %d was at %d", text, i, at)
			}
			last = at
		}
		if last != len(text) {
			t.Errorf("%q: ends at %d", text, last)
		}
	})
}
