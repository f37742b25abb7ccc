package predictions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// backwards stands in for a filter: it turns the vector round, so that what is written shows what was read.
func backwards(item *Item, labels []string) Adapted {
	p := slices.Clone(item.Probs)
	slices.Reverse(p)
	name := func(p []float64) string {
		i := slices.Index(p, slices.Max(p))
		if i < len(labels) {
			return labels[i]
		}
		return fmt.Sprint(i)
	}
	return Adapted{Label: name(item.Probs), AdaptedLabel: name(p), Probs: p, Gate: 0.5, Mode: "filtered"}
}

// pass passes lines through, and returns the output and what was wrong.
func pass(t testing.TB, in Lines, labels []string) (string, []string) {
	t.Helper()
	var out bytes.Buffer
	var wrong []string
	if names, err := in.Begin(); err != nil {
		return "", []string{err.Error()}
	} else if names != nil {
		labels = names
	}
	out.Write(in.Head(nil))
	for {
		item, err := in.Next()
		if err == io.EOF {
			return out.String(), wrong
		}
		var bad *LineError
		switch {
		case err == nil && item.Probs != nil:
			if len(item.Stream) == 0 {
				t.Fatal("an item without a stream")
			}
			out.Write(in.Append(nil, backwards(item, labels)))
			continue
		case err != nil && !errors.As(err, &bad):
			return out.String(), append(wrong, err.Error())
		case err != nil:
			wrong = append(wrong, err.Error())
		}
		if err := in.Unchanged(&out); err != nil {
			return out.String(), append(wrong, err.Error())
		}
	}
}

func passJSON(t testing.TB, text string, o Options) (string, []string) {
	t.Helper()
	// A byte at a time: lines that come in pieces are as good as whole ones.
	return pass(t, NewJSONLines("in", iotest.OneByteReader(strings.NewReader(text)), o), o.Classes)
}

func TestJSONLines(t *testing.T) {
	animals := Options{Classes: []string{"deer", `fox "red"`, "none"}}
	for _, tc := range []struct {
		name     string
		o        Options
		in, want string
	}{
		{
			"spaces, order and unknown fields stay",
			Options{},
			`{ "x" : [1,{"probs":2}],  "stream": "cam1", "id":"a", "probs": [0.25, 7.5e-1] ,"y":null }` + "\r\n",
			`{ "x" : [1,{"probs":2}],  "stream": "cam1", "id":"a", "probs": [0.25, 7.5e-1] ,"y":null,"label":"1","adapted_label":"0","gate":0.5,"adapted_mode":"filtered","adapted":[0.75,0.25] }` + "\r\n",
		},
		{
			"no line end", Options{}, `{"stream":1,"probs":[1]}`, `{"stream":1,"probs":[1],"label":"0","adapted_label":"0","gate":0.5,"adapted_mode":"filtered","adapted":[1]}`,
		},
		{
			"names", animals, `{"stream":"s","probs":[0.1,0.7,0.2]}`,
			`{"stream":"s","probs":[0.1,0.7,0.2],"label":"fox \"red\"","adapted_label":"fox \"red\"","gate":0.5,"adapted_mode":"filtered","adapted":[0.2,0.7,0.1]}`,
		},
		{
			"what `oatta run images --vectors` writes", animals,
			`{"file":"a.jpg","stream":"s","label":"deer","prob":0.6,"adapted_label":"x","adapted_prob":0.1,"gate":1,"probs":[0.5,0.25,0.25],"adapted":[9]}` + "\n" +
				`{"file":"b.jpg","stream":"s","failure":"truncated"}` + "\n",
			`{"file":"a.jpg","stream":"s","label":"deer","prob":0.6,"adapted_label":"none","adapted_prob":0.5,"gate":0.5,"probs":[0.5,0.25,0.25],"adapted":[0.25,0.25,0.5],"adapted_mode":"filtered"}` + "\n" +
				`{"file":"b.jpg","stream":"s","failure":"truncated"}` + "\n",
		},
		{
			"logits",
			Options{},
			`{"stream":"s","logits":[1000,1000]}`,
			`{"stream":"s","logits":[1000,1000],"label":"0","adapted_label":"0","gate":0.5,"adapted_mode":"filtered","adapted":[0.5,0.5]}`,
		},
		{
			"top: the rest is spread", animals, `{"stream":"s","top":[["deer",0.5]]}` + "\n" + `{"stream":"s","top":[[2,0.5],["fox \"red\"",0.25]]}`,
			`{"stream":"s","top":[["deer",0.5]],"label":"deer","adapted_label":"none","gate":0.5,"adapted_mode":"filtered","adapted":[0.25,0.25,0.5]}` + "\n" +
				`{"stream":"s","top":[[2,0.5],["fox \"red\"",0.25]],"label":"none","adapted_label":"deer","gate":0.5,"adapted_mode":"filtered","adapted":[0.5,0.25,0.25]}`,
		},
		{
			"a truth in label stays",
			Options{TruthField: "label"},
			`{"stream":"s","label":"deer","probs":[1,0]}`,
			`{"stream":"s","label":"deer","probs":[1,0],"raw_label":"0","adapted_label":"1","gate":0.5,"adapted_mode":"filtered","adapted":[0,1]}`,
		},
		{
			"byte order mark, blank lines, one stream, escaped names",
			Options{Stream: "all"},
			"\ufeff{\"pro\\u0062s\":[1]}\n \n\n{\"probs\":[1],\"logits\":null}\n",
			"\ufeff{\"pro\\u0062s\":[1],\"label\":\"0\",\"adapted_label\":\"0\",\"gate\":0.5,\"adapted_mode\":\"filtered\",\"adapted\":[1]}\n \n\n" +
				"{\"probs\":[1],\"logits\":null,\"label\":\"0\",\"adapted_label\":\"0\",\"gate\":0.5,\"adapted_mode\":\"filtered\",\"adapted\":[1]}\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, wrong := passJSON(t, tc.in, tc.o)
			if got != tc.want || wrong != nil {
				t.Fatalf("got\n%s\nwant\n%s\n%v", got, tc.want, wrong)
			}
			again, wrong := passJSON(t, got, tc.o)
			if again != got || wrong != nil {
				t.Errorf("the second time\n%s\nwant\n%s\n%v", again, got, wrong)
			}
		})
	}
}

// Each malformed line is named with its place and cause, comes out as it went in, and does not disturb the next.
func TestJSONLinesMalformed(t *testing.T) {
	const fine = `{"stream":"s","probs":[0.5,0.5]}` + "\n"
	long := `{"stream":"s","pad":"` + strings.Repeat("x", 400) + `","probs":[1,0]}`
	for line, want := range map[string]string{
		`{"stream":"s","probs":[NaN,1]}`:                    "NaN at byte 23 is no number that JSON has",
		`{"stream":"s","probs":[1,-Infinity]}`:              "-Infinity at byte 25 is no number that JSON has",
		`{"stream":"s","probs":[1e999,1]}`:                  "field probs: entry 0: number 1e999 is beyond what 64 bits hold",
		`{"stream":"s","probs":["0.5",1]}`:                  `field probs: entry 0: "0.5": want a number`,
		`{"stream":"s","probs":{"deer":1}}`:                 `field probs: {"deer":1}: want an array of numbers`,
		`{"stream":"s","probs":[]}`:                         "a vector of no class",
		`{"probs":[0.5,0.5]}`:                               "no field stream",
		`{"stream":"","probs":[0.5,0.5]}`:                   "no field stream",
		`{"stream":["a"],"probs":[0.5,0.5]}`:                `field stream: ["a"]: want a string or a number`,
		`{"stream":"s"}`:                                    "no field probs, logits, top or failure",
		`{"stream":"s","failure":null}`:                     "no field probs, logits, top or failure",
		`{"stream":"s","logits":[1,1e999]}`:                 "field logits: entry 1: number 1e999 is beyond what 64 bits hold",
		`{"stream":"s","top":[["deer",0.5]]}`:               "field top: which classes there are is not told",
		`{"stream":"s","probs":[0.5,0.5]`:                   "the text ends inside a value",
		`{"stream":"s","probs":[0.5,0.5]} {}`:               "there is more text behind the value",
		`{"stream":"s","stream":"t","probs":[1,0]}`:         "duplicate",
		"{\"stream\":\"\xff\",\"probs\":[1,0]}":             "UTF-8",
		`[0.5,0.5]`:                                         "[0.5,0.5]: want an object",
		`nonsense`:                                          "no JSON at byte",
		long:                                                "line is too long: over 256 bytes",
		`{"stream":"s","probs":[0x10,1]}`:                   "no JSON at byte",
		strings.Repeat("[", 200):                            "the text ends inside a value",
		`{"stream":"s","probs":[[0.5],[0.5]]}`:              "field probs: entry 0: [0.5]: want a number",
		`{"stream":"s","a":"` + "\x00" + `","probs":[1,0]}`: "no JSON at byte",
	} {
		got, wrong := passJSON(t, fine+line+"\n"+fine, Options{MaxLine: 256})
		lines := strings.SplitAfter(got, "\n")
		if len(lines) != 4 || lines[1] != line+"\n" || lines[0] != lines[2] || !strings.Contains(lines[2], `"adapted":[0.5,0.5]`) {
			t.Errorf("%s came out as\n%s", line, got)
		}
		if len(wrong) != 1 || !strings.HasPrefix(wrong[0], "in:2: ") || !strings.Contains(wrong[0], want) {
			t.Errorf("%s: %q, want in:2: ... %s", line, wrong, want)
		}
	}
}

func TestJSONLinesTopMalformed(t *testing.T) {
	o := Options{Classes: []string{"deer", "fox"}}
	for top, want := range map[string]string{
		`[["wolf",0.5]]`:             `class "wolf" is none of the 2`,
		`[[2,0.5]]`:                  "class 2: want 0 to 1, or a name",
		`[[0.5,0.5]]`:                "class 0.5: want 0 to 1, or a name",
		`[["deer",0.5],["deer",.1]]`: "no JSON",
		`[["deer",0.5],[0,0.1]]`:     "class 0 is listed twice",
		`[["deer",1.5]]`:             "want 0 to 1",
		`[["deer",-0.5]]`:            "want 0 to 1",
		`[["deer",0.8],["fox",0.3]]`: "scores sum to 1.1: want at most 1",
		`[["deer"]]`:                 "1 values: want a class and its score",
		`[["deer",0],["fox",0]]`:     "all scores are 0",
		`{"deer":0.5}`:               "want an array",
	} {
		_, wrong := passJSON(t, `{"stream":"s","top":`+top+`}`, o)
		if len(wrong) != 1 || !strings.Contains(wrong[0], want) {
			t.Errorf("%s: %q, want %s", top, wrong, want)
		}
	}
}

// The rest of the mass: to classes that are not listed in equal parts; a list of all is divided by its sum, as is one a little over 1.
func TestSpread(t *testing.T) {
	for _, tc := range []struct {
		top  []score
		want []float64
	}{
		{[]score{{1, 0.5}}, []float64{0.125, 0.5, 0.125, 0.125, 0.125}},
		{[]score{{0, 0.5}, {1, 0.25}, {2, 0}, {3, 0}, {4, 0}}, []float64{2. / 3, 1. / 3, 0, 0, 0}},
		{[]score{{0, 1.005}}, []float64{1, 0, 0, 0, 0}},
		{nil, []float64{0.2, 0.2, 0.2, 0.2, 0.2}},
	} {
		dst := make([]float64, 5)
		if err := spread(dst, tc.top, nil, len(dst)-len(tc.top)); err != nil {
			t.Fatal(err)
		}
		for i := range dst {
			if d := dst[i] - tc.want[i]; d > 1e-15 || d < -1e-15 {
				t.Errorf("%v became %v, want %v", tc.top, dst, tc.want)
				break
			}
		}
	}
}

// A line over the limit passes through in the memory of the limit, whole.
func TestLongLineKeepsItsBytes(t *testing.T) {
	text := strings.Repeat("x", 1<<20) + "\n" + `{"stream":"s","probs":[1]}` + "\n" + strings.Repeat("y", 1<<20)
	j := NewJSONLines("in", strings.NewReader(text), Options{MaxLine: 1000})
	got, wrong := pass(t, j, nil)
	if want := strings.Replace(text, "}", `,"label":"0","adapted_label":"0","gate":0.5,"adapted_mode":"filtered","adapted":[1]}`, 1); got != want {
		t.Errorf("%d bytes came out, want %d", len(got), len(want))
	}
	if len(wrong) != 2 || !strings.HasPrefix(wrong[1], "in:3: ") {
		t.Errorf("%q", wrong)
	}
	if len(j.buf) > 1002 {
		t.Errorf("the buffer grew to %d", len(j.buf))
	}
}

func TestReaderError(t *testing.T) {
	broken := errors.New("the cable is cut")
	r := io.MultiReader(strings.NewReader(`{"stream":"s","probs":[1]}`+"\n"+`{"stre`), iotest.ErrReader(broken))
	got, wrong := pass(t, NewJSONLines("in", r, Options{}), nil)
	if !strings.HasSuffix(got, "}\n") || len(wrong) != 1 || wrong[0] != broken.Error() {
		t.Errorf("%q, %q", got, wrong)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{
		{Classes: []string{"a", "a"}},
		{Classes: []string{""}},
		{MaxLine: -1},
		{MaxLine: 10},
		{Top: -1},
		{MinConf: 2},
		{MaxDocument: -1},
		{StreamPattern: "("},
		{StreamField: "label"},
		{TruthField: "gate"},
		{IDField: "adapted"},
	} {
		if o.Validate() == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	if err := (Options{}).Validate(); err != nil {
		t.Error(err)
	}
}

// BenchmarkJSONLines reads and writes lines of ten classes; bytes a second are those of the input.
func BenchmarkJSONLines(b *testing.B) {
	line := `{"stream": "user01", "id": "user01/00000", "probs": [0.00022436, 2e-08, 0.0, 0.20757503, 0.79220059, 0.0], "label": "standing"}` + "\n"
	text := strings.Repeat(line, 10_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		j := NewJSONLines("in", strings.NewReader(text), Options{})
		var dst []byte
		for {
			item, err := j.Next()
			if err == io.EOF {
				break
			}
			dst = j.Append(dst[:0], Adapted{"3", "4", item.Probs, 0.75, "filtered"})
		}
	}
}

// The first line may name the classes, if the list fits its vector; the options must not say otherwise.
func TestFirstLineNamesTheClasses(t *testing.T) {
	const vector = `{"stream":"s","probs":[0.7,0.3],"classes":`
	for text, want := range map[string][]string{
		vector + `["fox","hare"]}` + "\n":                                 {"fox", "hare"},
		"\xef\xbb\xbf" + vector + `["fox","hare"]}`:                       {"fox", "hare"},
		`{"stream":"s","failure":"x","classes":["a","b","c"]}`:            {"a", "b", "c"},
		vector + `["fox"]}`:                                               nil,
		vector + `[{"fox":1},2]}`:                                         nil,
		vector + `"two"}`:                                                 nil,
		`{"stream":"s","probs":[0.7,0.3]}` + "\n" + vector + `["a","b"]}`: nil,
		`{"classes":`:                                                     nil,
		``:                                                                nil,
	} {
		j := NewJSONLines("in", iotest.OneByteReader(strings.NewReader(text)), Options{})
		got, err := j.Begin()
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
		if at := j.Offset(); at.Bytes != 0 || at.Lines != 0 {
			t.Errorf("%s: begins at %+v", text, at)
		}
		if item, err := j.Next(); len(want) == 2 && (err != nil || len(item.Probs) != 2) {
			t.Errorf("%s: %+v, %v", text, item, err)
		}
	}
	j := NewJSONLines("in", strings.NewReader(vector+`["fox","hare"]}`), Options{Classes: []string{"a", "b"}})
	if _, err := j.Begin(); err == nil || !strings.Contains(err.Error(), "in:1: ") || !strings.Contains(err.Error(), "same order") {
		t.Errorf("other classes in the options: %v", err)
	}
	j = NewJSONLines("in", strings.NewReader(vector+`["fox","hare"]}`), Options{Classes: []string{"fox", "hare"}})
	if got, err := j.Begin(); err != nil || len(got) != 2 {
		t.Errorf("the same classes in the options: %q, %v", got, err)
	}
	j = NewJSONLines("in", strings.NewReader(vector+`["fox","fox"]}`), Options{})
	if _, err := j.Begin(); err == nil || !strings.Contains(err.Error(), "in:1: ") {
		t.Errorf("one name twice: %v", err)
	}
}
