package items

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// files are results as run, eval and filter write them, cut to a few items, and what is read of them.
var files = []struct {
	name, text string
	want       []string
}{
	{"run.jsonl", `{"file":"a.jpg","stream":"s","time":"2024-05-01T10:00:00+02:00","label":"deer","prob":0.5,"adapted_label":"fox","adapted_prob":0.75,"gate":0.9,"adapted_mode":"smoothed"}
{"file":"b.jpg","stream":"s","failure":"damaged"}
`, []string{"a.jpg|s|2024-05-01 10:00:00|deer 0.5|fox 0.75|0.9 smoothed||", "b.jpg|s||none|none|NaN |damaged|"}},
	{"vectors.jsonl", `{"file":"n#0","stream":"n","offset":0,"duration":30,"label":"W","prob":0.9,"adapted_label":"W","adapted_prob":0.8,"gate":1,"classes":["W","R"],"probs":[0.9,0.1],"adapted":[0.8,0.2]}
`, []string{"n#0|n||W 0.9|W 0.8|1 ||", "n#0: 0 to 30, [0.9 0.1] [0.8 0.2]"}},
	{
		"filter.jsonl", "\ufeff" + `{"id":7,"stream":"u","time":1714550400,"truth":"1","probs":[0.25,0.75],"more":{"a":[1]},"label":"1","adapted_label":"0","gate":0.5,"adapted_mode":"filtered","adapted":[0.625,0.375]}` + "\r\n\r\n" + `{"id":8,"stream":"u","logits":[0,0],"label":"0","adapted_label":"0","adapted":[0.5,0.5]}` + "\n" + `{"id":9,"stream":"u"}`,
		[]string{"7|u|2024-05-01 08:00:00|1 0.75|0 0.625|0.5 filtered||1", "7: [0.25 0.75] [0.625 0.375]", "8|u||0 0.5|0 0.5|NaN ||", "8: [0.5 0.5] [0.5 0.5]", "9|u||none|none|NaN ||"},
	},
	{
		"run.csv", "file,stream,time,offset,duration,label,prob,adapted_label,adapted_prob,gate,adapted_mode,failure\nw#0,w,,1.28,2.56,sit,0.5,walk,0.75,1,smoothed,\nw#1,w,,,,,,,,,,gone\n",
		[]string{"w#0|w||sit 0.5|walk 0.75|1 smoothed||", "w#0: 1.28 to 3.84", "w#1|w||none|none|NaN |gone|"},
	},
	{
		"filter.csv", "id;stream;label;p:a;p:b;adapted_label;gate;adapted_mode;a:a;a:b\nx;s;its own;0,25;0,75;a;0,5;smoothed;0.625;0.375\n",
		[]string{"x|s||b 0.75|a 0.625|0.5 smoothed||", "x: [0.25 0.75] [0.625 0.375]"},
	},
	{"latin.csv", "file,stream,label,prob,adapted_label,adapted_prob\nx,B\xe4r,a,1,a,1\n", []string{"x|Bär||a 1|a 1|NaN ||"}},
	{
		"boxes.json", `{"info":{"oatta":{"program":"oatta 1","command":"oatta run images","what":"picture"}},"images":[
{"file":"c/a.jpg","datetime":"2024-05-01 10:00:00","detections":[{"category":"1","conf":0.9,"bbox":[0.1,0.1,0.5,0.5],"classifications":[["1",0.75],["0",0.25]],"raw_classifications":[["0",0.625],["1",0.375]],"gate":0.5,"adapted_mode":"smoothed"},
{"category":"1","conf":0.8,"bbox":[0.2,0.1,0.5,0.5],"classifications":[["1",0.75],["0",0.25]],"raw_classifications":[["0",0.625],["1",0.375]],"gate":0.5,"adapted_mode":"smoothed"},{"category":"2","conf":NaN}]},
{"file":"c\\b.jpg","detections":null,"failure":"NaN in \"quotes\" stays"}],"classification_categories":{"0":"deer","1":"fox"}}`,
		[]string{"c/a.jpg#0|c|2024-05-01 10:00:00|deer 0.625|fox 0.75|0.5 smoothed||", "c/a.jpg#0: [0.625 0.375] [0.25 0.75]", `c\b.jpg|c||none|none|NaN |NaN in "quotes" stays|`},
	},
	{
		"whole.json", `{"images":[{"file":"a.jpg","stream":"cam","detections":[{"bbox":[0,0,1,1],"classifications":[["1",0.75]],"raw_classifications":[["0",0.625]],"gate":0.5,"adapted_mode":"filtered"}]}],"classification_categories":{"0":"deer","1":"fox"}}`,
		[]string{"a.jpg|cam||deer 0.625|fox 0.75|0.5 filtered||"},
	},
	{
		"species.json", `{"predictions":[{"filepath":"c/a.jpg","classifications":{"classes":["deer","fox"],"scores":[0.5,0.25]},"adapted_classifications":{"classes":["fox","deer"],"scores":[0.5,0.25]},"adapted_label":"fox","gate":0.5,"adapted_mode":"smoothed"},
{"filepath":"c/d.jpg","prediction":"genus","classifications":{"classes":["deer","fox"],"scores":[0.5,0.25]},"adapted_classifications":{"classes":["deer","fox"],"scores":[0.5,0.25]},"adapted_label":"genus","gate":0.5,"adapted_mode":"smoothed"},
{"filepath":"c/b.jpg","detections":[{"bbox":[0,0,0.5,0.5],"conf":0.9,"raw_classifications":{"classes":["deer"],"scores":[0.5]},"adapted_classifications":{"classes":["deer"],"scores":[0.5]},"adapted_label":"a genus","gate":0,"adapted_mode":"smoothed"}]}]}`,
		[]string{"c/a.jpg|c||deer 0.5|fox 0.5|0.5 smoothed||", "c/d.jpg|c||genus NaN|genus NaN|0.5 smoothed||", "c/b.jpg#0|c||deer 0.5|a genus NaN|0 smoothed||"},
	},
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// transcript is what is read, a line for each item and one for what else it has.
func transcript(f *File) (lines []string, bad []LineError, err error) {
	err = f.Each(Handler{Vectors: true, Bad: func(e LineError) { bad = append(bad, e) }, Item: func(it *Item) error {
		when := ""
		if !it.Time.IsZero() {
			when = it.Time.Format("2006-01-02 15:04:05")
		}
		label := func(l string, p float64) string {
			if l == "" {
				return "none"
			}
			return fmt.Sprintf("%s %g", l, p)
		}
		lines = append(lines, strings.Join([]string{it.File, it.Stream, when, label(it.Raw, it.Prob), label(it.Adapted, it.AdaptedProb), fmt.Sprintf("%g %s", it.Gate, it.Mode), it.Failure, it.Truth}, "|"))
		var more []string
		if it.Piece() {
			more = append(more, fmt.Sprintf("%g to %g", it.Offset, it.Offset+it.Duration))
		}
		if it.Probs != nil {
			more = append(more, fmt.Sprintf("%v %v", it.Probs, it.AdaptedProbs))
		}
		if more != nil {
			lines = append(lines, it.File+": "+strings.Join(more, ", "))
		}
		return nil
	}})
	return lines, bad, err
}

func TestReads(t *testing.T) {
	for _, c := range files {
		for _, zipped := range []bool{false, true} {
			name, text := c.name, c.text
			if zipped {
				var b bytes.Buffer
				z := gzip.NewWriter(&b)
				if _, err := z.Write([]byte(text)); err != nil || z.Close() != nil {
					t.Fatal(err)
				}
				name, text = name+".gz", b.String()
			}
			f, err := Open(write(t, name, text), Options{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for range 2 { // it can be read again
				lines, bad, err := transcript(f)
				if got, want := strings.Join(lines, "\n"), strings.Join(c.want, "\n"); got != want || len(bad) > 0 || err != nil {
					t.Errorf("%s: %v %v\n%s\nwant\n%s", name, bad, err, got, want)
				}
			}
		}
	}
}

// A quote that nothing closes does not take the rest of the file into memory.
func TestEndlessRow(t *testing.T) {
	text := "file,stream,label,adapted_label\na,s,x,y\n\"b,s,x,y\n" + strings.Repeat("c,s,x,y\n", 1<<16)
	f, err := Open(write(t, "x.csv", text), Options{MaxLine: 1 << 17})
	if err != nil {
		t.Fatal(err)
	}
	lines, bad, err := transcript(f)
	if err != nil || len(lines) != 1 || len(bad) != 1 || bad[0].Line != 3 || bad[0].Cut || !strings.Contains(bad[0].Error(), "a quote is not closed") {
		t.Errorf("%d lines, %v, %v", len(lines), bad, err)
	}
}

// What can be no probability, and no place in a recording, is not told.
func TestOutside(t *testing.T) {
	text := "file,stream,label,prob,adapted_label,adapted_prob,gate,offset,duration\na,s,x,-5,y,Inf,-Inf,NaN,Inf\nb,s,x,0,y,1.0001,1,30,30\n"
	f, err := Open(write(t, "x.csv", text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		lines, bad, err := transcript(f)
		want := []string{"a|s||x NaN|y NaN|NaN ||", "b|s||x 0|y 1.0001|1 ||", "b: 30 to 60"}
		if err != nil || len(bad) > 0 || !slices.Equal(lines, want) || f.Outside != 1 {
			t.Errorf("%q, %v, %v; %d outside", lines, bad, err, f.Outside)
		}
	}
}

func TestFieldsByName(t *testing.T) {
	f, err := Open(write(t, "x.jsonl", `{"nr":3,"who":"u","when":"2024-05-01","species":"fox","adapted_label":"fox","label":"deer"}`), Options{IDField: "nr", StreamField: "who", TimeField: "when", TruthField: "species"})
	if err != nil {
		t.Fatal(err)
	}
	lines, _, err := transcript(f)
	if want := "3|u|2024-05-01 00:00:00|deer NaN|fox NaN|NaN ||fox"; err != nil || len(lines) != 1 || lines[0] != want {
		t.Errorf("%v %q, want %q", err, lines, want)
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty.jsonl", "", "is empty"},
		{"x.txt", "file  time", "a table for people"},
		{"x.jsonl.manifest.json", "{}", "is a manifest"},
		{"x.parquet", "x", "no format of results"},
		{"x.json", `{"a":1}`, "neither results"},
		{"x.json", `[1]`, "want a JSON object"},
		{"cut.json", `{"images":[{"file":"a`, "unexpected EOF"},
	} {
		_, err := Open(write(t, c.name, c.text), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Open(t.TempDir(), Options{}); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open("-", Options{}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("standard input: %v", err)
	}
	for name, text := range map[string]string{
		"others.jsonl": `{"stream":"s","probs":[0.5,0.5]}` + "\n", "others.csv": "file,label\na,b\n",
		"detector.json": `{"images":[{"file":"a.jpg","detections":[{"category":"1","conf":0.9,"bbox":[0,0,1,1]}]}]}`,
	} {
		f, err := Open(write(t, name, text), Options{})
		if err == nil {
			_, _, err = transcript(f)
		}
		if !errors.Is(err, ErrNoResults) {
			t.Errorf("%s: %v, want what a file without results is told", name, err)
		}
	}
}

// A line that is cut or damaged costs itself, and says where it is.
func TestDamagedLines(t *testing.T) {
	good := `{"file":"a","stream":"s","label":"x","prob":1,"adapted_label":"x","adapted_prob":1}`
	f, err := Open(write(t, "x.jsonl", good+"\nno json\n"+good+"\n"+good[:40]), Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines, bad, err := transcript(f)
	if err != nil || len(lines) != 2 || len(bad) != 2 || bad[0].Line != 2 || bad[0].Cut || bad[1].Line != 4 || !bad[1].Cut {
		t.Errorf("%d lines, %v, %v", len(lines), bad, err)
	}
	f, err = Open(write(t, "x.csv", "file,stream,label,prob,adapted_label,adapted_prob\na,s,x,1,x,1\na,s,x,no,x,1\na,s,x"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines, bad, err = transcript(f)
	if err != nil || len(lines) != 1 || len(bad) != 2 || bad[0].Line != 3 || !bad[1].Cut {
		t.Errorf("%d lines, %v, %v", len(lines), bad, err)
	}
	f, err = Open(write(t, "long.jsonl", good+"\n"+`{"file":"`+strings.Repeat("a", 500)+`"}`+"\n"+good+"\n"), Options{MaxLine: 200})
	if err != nil {
		t.Fatal(err)
	}
	if lines, bad, err = transcript(f); err != nil || len(lines) != 2 || len(bad) != 1 {
		t.Errorf("%d lines, %v, %v", len(lines), bad, err)
	}
}

const manifestText = `{"settings":{"program":"oatta 0.1.0","command":"oatta run motion","input":["/home/ann/secret/walk.csv"],"what":"window","items":9,
"model":{"name":"m","license":"MIT"},"engine":{"name":"onnxruntime","version":"1.2","library":"/home/ann/lib/libonnxruntime.so"},
"filter":{"gate":"auto","population":{"transitions":[[0.5,0.5],[0.25,0.75]],"frequencies":[0.5,0.5]}},"mode":"smoothed","preprocessing":{"Hop":64,"Rate":50}},
"started":"2026-11-28T21:45:08Z","complete":true,"warnings":["mind the gap"]}`

// The manifest tells what was run, and neither where on the machine it lay nor what the filter was taught.
func TestManifest(t *testing.T) {
	m, err := parseManifest([]byte(manifestText))
	if err != nil {
		t.Fatal(err)
	}
	if m.Program != "oatta 0.1.0" || m.What != "window" || m.Items != 9 || m.Period != 1.28 || !m.Complete || m.Inputs[0] != "walk.csv" || len(m.Warnings) != 1 || len(m.Transitions) != 2 {
		t.Errorf("%+v", m)
	}
	all := fmt.Sprintf("%v", m.Facts)
	if strings.Contains(all, "ann") || strings.Contains(all, "0.75") || !strings.Contains(all, "libonnxruntime.so") || !strings.Contains(all, "{filter.gate auto}") {
		t.Error(all)
	}
	for _, text := range []string{"", "{}", "[]", "null", `{"settings":{}}`, `{"program":1}`} {
		if _, err := parseManifest([]byte(text)); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	path := write(t, "r.jsonl", files[0].text)
	if err := os.WriteFile(ManifestPath(path), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if f, err := Open(path, Options{}); err != nil || f.Problem == nil || f.Manifest != nil {
		t.Errorf("a damaged manifest: %v, %v", err, f)
	}
}

// Whatever the bytes, reading ends, and what comes out is in range.
func FuzzRead(f *testing.F) {
	for i, c := range files {
		f.Add(c.text, uint8(i))
	}
	f.Add(manifestText, uint8(1))
	dir, names := f.TempDir(), []string{"x.jsonl", "x.csv", "x.json", "x.tsv"}
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		_, _ = parseManifest([]byte(text))
		path := filepath.Join(dir, fmt.Sprint(os.Getpid(), names[int(which)%len(names)]))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		file, err := Open(path, Options{})
		if err != nil {
			return
		}
		_ = file.Each(Handler{Vectors: true, Item: func(it *Item) error {
			if it.Failure != "" && it.Predicted() && file.Format != "jsonl" && file.Format != "csv" {
				t.Error("a failure with a label")
			}
			if it.Duration < 0 && it.Piece() || math.IsNaN(it.Offset) && file.Format == "jsonl" {
				t.Error("a piece without a length")
			}
			return nil
		}})
	})
}
