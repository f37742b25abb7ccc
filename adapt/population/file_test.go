package population

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
)

const file = `{
  "oatta_transitions": 1,
  "classes": ["fox & hare", "deer"],
  "transitions": [
    [0.9, 0.1],
    [0.25, 0.75]
  ],
  "frequencies": [0.7, 0.3],
  "dwell": [
    {"mean":10,"shares":[0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0,0]},
    {"mean":4,"shares":[1,0,0,0,0,0,0,0,0,0,0,0]}
  ],
  "rhythm_seconds": 30,
  "streams": 12,
  "items": 3400,
  "pairs": 3300
}
`

func TestReadFile(t *testing.T) {
	o, err := Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if o.Rhythm != 30 || o.Streams != 12 || o.Transitions[1][0] != .25 || o.Dwell[1].Mean != 4 {
		t.Errorf("%+v", o)
	}
	var b bytes.Buffer
	if err := o.Write(&b); err != nil || strings.ReplaceAll(b.String(), ",", ", ") != strings.ReplaceAll(strings.ReplaceAll(file, ", ", ","), ",", ", ") {
		t.Errorf("%s, %v", b.String(), err)
	}
	again, err := Read(&b)
	if err != nil || !reflect.DeepEqual(again, o) {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestReadBadFile(t *testing.T) {
	for _, tc := range []struct{ from, to, want string }{
		{file, "", "EOF"},
		{file, file[:len(file)/2], "unexpected EOF"},
		{file, "[]", "cannot unmarshal array"},
		{file, "null", "version 0"},
		{file, file + "{}", "something follows the object"},
		{`transitions": 1`, `transitions": 2`, "oatta_transitions: version 2, this program reads version 1"},
		{`"oatta_transitions": 1,`, ``, "version 0"},
		{`"streams"`, `"stream"`, `unknown field "stream"`},
		{`"fox & hare", "deer"`, ``, "classes: 0 names"},
		{`"deer"`, `"fox & hare"`, `classes[1]: "fox & hare" is classes[0] already`},
		{`, "deer"`, ``, "transitions: 2 rows for 1 classes"},
		{`0.9,`, `NaN,`, "invalid character 'N'"},
		{`0.9,`, `1e999,`, "cannot unmarshal number 1e999"},
		{`0.9,`, `-0.1, 1.0,`, "transitions[0]: 3 numbers, want 2"},
		{`0.9, 0.1`, `1.1, -0.1`, "transitions[0][0]: 1.1, want 0 to 1"},
		{`0.25, 0.75`, `0.25, 0.7`, "transitions[1]: sums to 0.95, want 1"},
		{`[0.25, 0.75]`, `null`, "transitions[1]: 0 numbers, want 2"},
		{`0.7, 0.3`, `1, 0`, "frequencies[1]: 0, want 1e-12 to 1"},
		{`"mean":4`, `"mean":0.4`, "dwell[1].mean: 0.4 items"},
		{`[1,0`, `[1,1`, "dwell[1].shares: sums to 2"},
		{`": 30`, `": -30`, "rhythm_seconds: -30"},
		{`12`, `0`, "streams, items, pairs: 0, 3400, 3300"},
	} {
		if !strings.Contains(file, tc.from) {
			t.Fatalf("no %q in the file", tc.from)
		}
		_, err := Read(strings.NewReader(strings.Replace(file, tc.from, tc.to, 1)))
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "population: transitions: ") {
			t.Errorf("%q for %q: %v, want %s", tc.to, tc.from, err, tc.want)
		}
	}
}

// endless is a file of spaces that has no end.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read += int64(len(p))
	return len(p), nil
}

func TestReadStopsAtTheLimit(t *testing.T) {
	in := &endless{}
	if _, err := Read(in); err == nil || !strings.Contains(err.Error(), "more than 67108864 bytes") {
		t.Error(err)
	}
	if in.read > 4*MaxBytes {
		t.Errorf("%d bytes were read", in.read)
	}
}

func TestReadFileByPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.json")
	if _, err := ReadFile(path); !os.IsNotExist(err) {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || err.Error() != path+": unexpected EOF" {
		t.Error(err)
	}
}

func TestFor(t *testing.T) {
	o, err := Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	p, err := o.For([]string{"deer", "fox & hare"})
	want := &adapt.Population{Transitions: [][]float64{{.75, .25}, {.1, .9}}, Frequencies: []float64{.3, .7}}
	if err != nil || !reflect.DeepEqual(p, want) {
		t.Errorf("%+v, %v", p, err)
	}
	if err := (adapt.Settings{Population: p}).Validate(2); err != nil {
		t.Error(err)
	}
	for _, tc := range []struct {
		classes []string
		want    string
	}{
		{[]string{"deer", "fox"}, `the 2 classes of the transitions are not the 2 that are predicted: only there: "fox & hare"; only here: "fox"`},
		{[]string{"deer"}, `only there: "fox & hare"; only here: none`},
		{[]string{"deer", "fox & hare", "wolf"}, `only there: none; only here: "wolf"`},
		{[]string{"deer", "deer"}, `only there: "fox & hare"; only here: "deer"`},
		{nil, `only there: "fox & hare", "deer"; only here: none`},
	} {
		if _, err := o.For(tc.classes); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v, want %s", tc.classes, err, tc.want)
		}
	}
}

func TestWriteBad(t *testing.T) {
	if err := (&Order{Version: 1}).Write(io.Discard); err == nil || !strings.Contains(err.Error(), "classes: 0 names") {
		t.Error(err)
	}
}

// What is read can be written, and is the same when it is read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(file))
	f.Add([]byte(file[:300]))
	f.Add([]byte(`{"oatta_transitions":1,"classes":["a"],"transitions":[[1]],"frequencies":[1],"streams":1,"items":1,"pairs":0}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		p, err := o.For(o.Classes)
		if err != nil {
			t.Fatal(err)
		}
		if err := (adapt.Settings{Population: p}).Validate(len(o.Classes)); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := o.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		var c bytes.Buffer
		if err := again.Write(&c); err != nil {
			t.Fatal(err)
		}
	})
}
