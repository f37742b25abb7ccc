package predictions

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets/internal/plainjson"
)

// Nothing may be lost: whatever the lines are, written back unchanged they are the input.
func unchanged(t *testing.T, in Lines, text string, head []byte) {
	var out bytes.Buffer
	out.Write(head)
	for {
		_, err := in.Next()
		if err == io.EOF {
			break
		}
		var bad *LineError
		if err != nil && !errors.As(err, &bad) {
			t.Fatal(err)
		}
		if err := in.Unchanged(&out); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != text {
		t.Errorf("%q came out as %q", text, out.String())
	}
}

func FuzzJSONLines(f *testing.F) {
	f.Add(`{"stream":"s","probs":[0.5,0.5],"gate":1}` + "\r\n\n" + `{"top":[["a",1e-3]]}`)
	f.Add("\ufeff{\"stream\":\"\\ud800\",\"logits\":[1,-2e5]}\n{\"stream\":1,\"label\":{},\"probs\":[1]}")
	f.Add(strings.Repeat("x", 300) + "\n" + `{"failure":"f","adapted":[1,2],"adapted_prob":3}`)
	f.Fuzz(func(t *testing.T, text string) {
		o := Options{Classes: []string{"a", "b"}, MaxLine: 256}
		unchanged(t, NewJSONLines("in", strings.NewReader(text), o), text, nil)
		got, wrong := passJSON(t, text, o)
		again, wrongAgain := passJSON(t, got, Options{Classes: o.Classes})
		if len(wrong) == 0 && (again != got || len(wrongAgain) != 0) {
			t.Errorf("%q became %q and then %q, %q", text, got, again, wrongAgain)
		}
		if len(wrong) == 0 {
			for line := range strings.Lines(strings.TrimPrefix(got, "\ufeff")) {
				if strings.TrimSpace(line) != "" && !json.Valid([]byte(line)) {
					t.Errorf("%q is no JSON", line)
				}
			}
		}
	})
}

func FuzzCSV(f *testing.F) {
	f.Add("stream,p:a,p:b\ns,0.5,0.5\n")
	f.Add("stream;\"p:\"\"a\";failure;gate\r\n\"s\r\n\";1;;9\r\ns;;x;\n\n")
	f.Add("stream,p:a\n\"s,1\ns,1\ns,x\n,,,")
	f.Fuzz(func(t *testing.T, text string) {
		c := NewCSV("in", strings.NewReader(text), Options{MaxLine: 256})
		if _, err := c.Begin(); err != nil {
			return
		}
		o := Options{MaxLine: 256}
		got, wrong := passCSV(t, text, o)
		again, wrongAgain := passCSV(t, got, Options{})
		if len(wrong) == 0 && (again != got || len(wrongAgain) != 0) {
			t.Errorf("%q became %q and then %q, %q", text, got, again, wrongAgain)
		}
	})
}

func FuzzDocument(f *testing.F) {
	f.Add(megaDetector)
	f.Add(speciesNet)
	f.Add(`{"images":[{"file":3,"classifications":[[null,1]],"gate":{},"raw_classifications":null}],"classification_categories":{"":""}}`)
	f.Add(`{"images":[{"file":"a","x":NaN,"classifications":[["0",1]],"gate":-Infinity}],"classification_categories":{"0":"Infinity"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, _, _ := passDocument(t, text, FormatJSON, Options{})
		if got == "" {
			return
		}
		if !json.Valid(plainjson.New([]byte(strings.TrimPrefix(got, "\ufeff"))).Text) {
			t.Errorf("%q became %q, which is no JSON", text, got)
		}
		if again, _, _ := passDocument(t, got, FormatJSON, Options{}); again != got {
			t.Errorf("%q became %q and then %q", text, got, again)
		}
	})
}
