package plainjson

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestText(t *testing.T) {
	const text = `{"NaN": NaN, "a": [-Infinity,Infinity , "\"NaN"], "b": 1}`
	p := New([]byte(text))
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
	if p := New(same); &p.Text[0] != &same[0] || Note(p.Unknown) != "" || p.Offset(5) != 5 {
		t.Errorf("%+v", p)
	}
}

func TestReader(t *testing.T) {
	text := strings.Repeat(`{"NaN": NaN, "a": [-Infinity,Infinity , "\"NaN", -1, "\\"], "b": NaNs}`, 2000)
	want := New([]byte(text))
	for _, from := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		r := NewReader(from)
		if got, err := io.ReadAll(r); err != nil || string(got) != string(want.Text) || r.Unknown != 8000 || r.Unknown != want.Unknown {
			t.Errorf("%d bytes, %d values, %v", len(got), r.Unknown, err)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add(`{"a": NaN, "b": [Infinity, -Infinity, "NaN"]}`)
	f.Add(`-Infinity "\`)
	f.Fuzz(func(t *testing.T, text string) {
		p := New([]byte(text))
		if again := New(p.Text); string(again.Text) != string(p.Text) {
			t.Errorf("%q became %q and then %q", text, p.Text, again.Text)
		}
		r := NewReader(iotest.OneByteReader(strings.NewReader(text)))
		if read, err := io.ReadAll(r); err != nil || string(read) != string(p.Text) || r.Unknown != p.Unknown {
			t.Errorf("%q was read as %q, %v", text, read, err)
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

func BenchmarkReader(b *testing.B) {
	text := strings.Repeat(`{"id": "8b31d3be-21bc-11ea", "file_name": "8b31d3be-21bc-11ea.jpg", "seq_num_frames": -1, "x": NaN},`, 10000)
	buf := make([]byte, 32<<10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r := NewReader(strings.NewReader(text))
		for {
			if _, err := r.Read(buf); err != nil {
				break
			}
		}
	}
}
