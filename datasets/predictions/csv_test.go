package predictions

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func passCSV(t testing.TB, text string, o Options) (string, []string) {
	t.Helper()
	return pass(t, NewCSV("in", iotest.OneByteReader(strings.NewReader(text)), o), o.Classes)
}

func TestCSV(t *testing.T) {
	for _, tc := range []struct {
		name     string
		o        Options
		in, want string
	}{
		{
			"p: columns",
			Options{},
			"stream,p:deer,note,p:\"fox\"\nc1,0.25, kept ,0.75\n",
			"",
		},
		{
			"columns by prefix, CRLF, quoted cells",
			Options{},
			"stream,p:deer,\"no,te\",\"p:red \"\"fox\"\"\"\r\nc1,0.25,\" kept\r\nas \"\"is\"\"\",\"0.75\"\r\n\"c,2\",1,,0\r\n",
			"stream,p:deer,\"no,te\",\"p:red \"\"fox\"\"\",adapted_label,gate,adapted_mode,a:deer,\"a:red \"\"fox\"\"\"\r\n" +
				"c1,0.25,\" kept\r\nas \"\"is\"\"\",\"0.75\",deer,0.5,filtered,0.75,0.25\r\n\"c,2\",1,,0,\"red \"\"fox\"\"\",0.5,filtered,0,1\r\n",
		},
		{
			"columns by name, semicolons, no line end", Options{Columns: []string{"y", "x"}}, "x;stream;y\n.5;s;.5", "x;stream;y;adapted_label;gate;adapted_mode;a:y;a:x\n.5;s;.5;y;0.5;filtered;0.5;0.5",
		},
		{
			"columns by pattern", Options{Columns: []string{"q_*"}}, "q_a\tstream\tq_b\n0\ts\t1\n", "q_a\tstream\tq_b\tadapted_label\tgate\tadapted_mode\ta:a\ta:b\n0\ts\t1\ta\t0.5\tfiltered\t1\t0\n",
		},
		{
			"columns by classes, in their order", Options{Classes: []string{"b", "a"}, Stream: "s"}, "\ufeffa,b\n0,1\n", "\ufeffa,b,adapted_label,gate,adapted_mode,a:b,a:a\n0,1,a,0.5,filtered,0,1\n",
		},
		{
			"columns named by classes", Options{Columns: []string{"x0", "x1"}, Classes: []string{"deer", "fox"}, StreamField: "cam"}, "cam,x0,x1\nc,0,1\n", "cam,x0,x1,adapted_label,gate,adapted_mode,a:deer,a:fox\nc,0,1,deer,0.5,filtered,1,0\n",
		},
		{
			"logits", Options{Logits: true}, "stream,p:a,p:b\ns,-800,-800\n", "stream,p:a,p:b,adapted_label,gate,adapted_mode,a:a,a:b\ns,-800,-800,a,0.5,filtered,0.5,0.5\n",
		},
		{
			"what `oatta run images --vectors` writes",
			Options{},
			"file,stream,time,label,prob,adapted_label,adapted_prob,gate,failure,p:a,p:b,a:a,a:b\nf,s,,a,1,z,9,9,,1,0,9,9\ng,s,,,,,,,truncated,,,,\n\n",
			"file,stream,time,label,prob,adapted_label,adapted_prob,gate,failure,p:a,p:b,a:a,a:b,adapted_mode\nf,s,,a,1,b,9,0.5,,1,0,0,1,filtered\ng,s,,,,,,,truncated,,,,,\n\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, wrong := passCSV(t, tc.in, tc.o)
			if tc.want == "" { // a quote inside a cell is no CSV
				if len(wrong) != 1 {
					t.Errorf("%q, %q", got, wrong)
				}
				return
			}
			if got != tc.want || wrong != nil {
				t.Fatalf("got\n%s\nwant\n%s\n%v", got, tc.want, wrong)
			}
			if again, wrong := passCSV(t, got, tc.o); again != got || wrong != nil {
				t.Errorf("the second time\n%s\nwant\n%s\n%v", again, got, wrong)
			}
		})
	}
}

// A malformed row is named, keeps its cells, and does not disturb the next; a stray quote swallows its own line only.
func TestCSVMalformed(t *testing.T) {
	const head, fine = "stream,p:a,p:b\n", "s,0,1\n"
	for row, want := range map[string]struct{ cause, out string }{
		"s,x,1":                       {`column 2 (a): "x" is no number`, "s,x,1,,,,,"},
		"s,,1":                        {`column 2 (a): "" is no number`, "s,,1,,,,,"},
		"s,1e999,1":                   {"column 2 (a): number 1e999 is beyond what 64 bits hold", "s,1e999,1,,,,,"},
		",0,1":                        {"column stream is empty", ",0,1,,,,,"},
		"s,0":                         {"2 columns: the header has 3", "s,0"},
		"s,0,1,2":                     {"4 columns: the header has 3", "s,0,1,2"},
		"s\"t,0,1":                    {errQuote.Error(), "s\"t,0,1"},
		"\"s\"t,0,1":                  {"character 4: text behind a closing quote", "\"s\"t,0,1"},
		"s\"\"t,0,1":                  {"character 2: a quote inside a cell that has none around it", "s\"\"t,0,1"},
		strings.Repeat("x", 100):      {"line is too long: over 64 bytes", strings.Repeat("x", 100)},
		"\"" + strings.Repeat(" ", 9): {errQuote.Error(), "\"" + strings.Repeat(" ", 9)},
	} {
		got, wrong := passCSV(t, head+fine+row+"\n"+strings.Repeat(fine, 20), Options{MaxLine: 64})
		if wantOut := "stream,p:a,p:b,adapted_label,gate,adapted_mode,a:a,a:b\ns,0,1,a,0.5,filtered,1,0\n" + want.out + "\n" + strings.Repeat("s,0,1,a,0.5,filtered,1,0\n", 20); got != wantOut {
			t.Errorf("%s came out as\n%s", row, got)
		}
		if len(wrong) != 1 || !strings.HasPrefix(wrong[0], "in:3: ") || !strings.Contains(wrong[0], want.cause) {
			t.Errorf("%s: %q, want in:3: ... %s", row, wrong, want.cause)
		}
	}
}

func TestCSVHeader(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "file is empty",
		"p:a,p:b\n":              `in:1: no column "stream"`,
		"stream,a\n":             "no column of probabilities",
		"stream,stream,p:a\n":    `columns 1 and 2 both have the name "stream"`,
		"stream,\"p:a\n":         errQuote.Error(),
		"stream,p:a,\"p:b\"x \n": "text behind a closing quote",
	} {
		if _, wrong := passCSV(t, text, Options{}); len(wrong) != 1 || !strings.Contains(wrong[0], want) {
			t.Errorf("%q: %q, want %s", text, wrong, want)
		}
	}
	for want, o := range map[string]Options{
		`no column "z"`:                {Columns: []string{"z"}},
		`no column for the class "z"`:  {Classes: []string{"a", "z"}},
		"1 columns of probabilities":   {Columns: []string{"a"}, Classes: []string{"a", "b"}},
		"two columns are of the class": {Columns: []string{"a", "a"}},
	} {
		if _, wrong := passCSV(t, "stream,a,ab,b\n", o); len(wrong) != 1 || !strings.Contains(wrong[0], want) {
			t.Errorf("%+v: %q, want %s", o, wrong, want)
		}
	}
}

// FuzzSplit: where the standard library reads a row, the cells are the same.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"a,b", `"a""b",`, "\"a\nb\",c\r\n", `a"b`, `"a"b`, ",,\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		want, err := r.Read()
		if _, end := r.Read(); err != nil || end != io.EOF || strings.ContainsAny(text[:1], "\r\n") || strings.Contains(text, "\r") || strings.HasSuffix(text, "\n\n") {
			return // not one row; or one with line ends that the library rewrites
		}
		cells, err := split(nil, []byte(text), ',')
		if err != nil {
			t.Fatalf("%q: %v, want %q", text, err, want)
		}
		var got []string
		for _, c := range cells {
			got = append(got, string(c.text))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	})
}
