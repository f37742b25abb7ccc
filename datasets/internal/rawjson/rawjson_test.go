package rawjson

import (
	"strings"
	"testing"
)

// What is put into a file stands where it should, and all else stays: a byte order mark, spaces, numbers that JSON does not know.
func TestFile(t *testing.T) {
	const text = "\ufeff{ \"x\":\tNaN, \"list\": [ {\"a\" : [Infinity, 1],\"b\":2 } ,3]\n}"
	f := NewFile([]byte(text))
	var object Object
	var whole Value
	err := f.Scan(func(s *Scanner, name []byte) error {
		if string(name) != "list" {
			v, err := s.Value()
			if string(f.Original(v)) != "NaN" || v.Set() {
				t.Errorf("x is %s", f.Original(v))
			}
			return err
		}
		return s.Array(func(i int) (err error) {
			if i > 0 {
				_, err = s.Value()
				return err
			}
			at := s.Next()
			object, err = s.Members()
			whole = s.Since(at)
			return err
		})
	})
	if err != nil || f.Note() == "" {
		t.Fatalf("%v, note %q", err, f.Note())
	}
	if got := string(f.Original(whole)); got != `{"a" : [Infinity, 1],"b":2 }` {
		t.Errorf("the object is %s", got)
	}
	if again, err := whole.Members(); err != nil || again.Value("b").At != object.Value("b").At {
		t.Errorf("b is at %d and then at %d, %v", object.Value("b").At, again.Value("b").At, err)
	}
	elements, err := object.Value("a").Elements()
	if err != nil || len(elements) != 2 || string(f.Original(elements[0])) != "Infinity" {
		t.Errorf("elements %v, %v", elements, err)
	}
	f.Put(object, "new", []byte("0"), object.Value("a"))
	f.Put(object, "b", []byte("true"), object.Value("a"))
	f.Put(object, "newer", f.Original(elements[0]), object.Value("a"))
	var out strings.Builder
	want := strings.Replace(text, `1],"b":2`, `1], "new": 0, "newer": Infinity,"b":true`, 1)
	if n, err := f.WriteTo(&out); err != nil || out.String() != want || n != int64(len(want)) {
		t.Errorf("%d bytes, %v:\n%s\nwant\n%s", n, err, &out, want)
	}
}

// Errors tell the place in the file, not in the text that was made of it.
func TestFilePlace(t *testing.T) {
	skip := func(s *Scanner, _ []byte) error { _, err := s.Value(); return err }
	for text, want := range map[string]string{
		"\ufeff{\"a\": Infinity,\n\"b\": x}": "no JSON at byte 24 (line 2)",
		`{"a": -inf}`:                        "-inf at byte 6 (line 1) is no number that JSON has",
		`{"a": 1`:                            "the text ends inside a value",
		`{"a": 1, "a": 2}`:                   "duplicate",
		`[]`:                                 "[]: want an object",
		`{} {}`:                              "more text behind",
	} {
		if err := NewFile([]byte(text)).Scan(skip); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
