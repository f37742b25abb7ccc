package results

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

var labels = []string{"fox", "hare, brown", "none"}

// sample is a run of three records: one that the filter changed, one with a zone, a failure with an awkward name.
func sample() []Record {
	at := time.Date(2024, 5, 1, 10, 20, 30, 500_000_000, time.UTC)
	return []Record{
		{File: "cam1/a.jpg", Stream: "cam1", Time: at, Raw: []float64{0.5, 0.3, 0.2}, Adapted: []float64{0.1, 0.85, 0.05}, Gate: 0.75, Mode: "smoothed", Path: 2},
		{File: "cam1/b.jpg", Stream: "cam1", Time: at.In(time.FixedZone("", 7200)), Zoned: true, Raw: []float64{1, 0, 0}, Adapted: []float64{1, 0, 0}, Gate: 1, Mode: "filtered"},
		{File: "cam2/<c>\n\x1b[2J&.jpg", Stream: "cam2", Failure: `truncated "JPEG"`},
	}
}

func render(t *testing.T, name string, o Options, records []Record) string {
	t.Helper()
	o.Labels = labels
	f, err := New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := f.Header(nil)
	for n := range records {
		if err == nil {
			out, err = f.Record(out, n, &records[n])
		}
	}
	if err == nil {
		out, err = f.Footer(out, len(records))
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestJSONLines(t *testing.T) {
	const want = `{"file":"cam1/a.jpg","stream":"cam1","time":"2024-05-01T10:20:30.5","label":"fox","prob":0.5,"adapted_label":"hare, brown","adapted_prob":0.85,"gate":0.75,"adapted_mode":"smoothed"}
{"file":"cam1/b.jpg","stream":"cam1","time":"2024-05-01T12:20:30.5+02:00","label":"fox","prob":1,"adapted_label":"fox","adapted_prob":1,"gate":1,"adapted_mode":"filtered"}
{"file":"cam2/<c>\n\u001b[2J&.jpg","stream":"cam2","failure":"truncated \"JPEG\""}
`
	if got := render(t, "jsonl", Options{}, sample()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The first line names the classes of vectors; a label is that of the path where there is one, and MegaDetector's list begins with it.
func TestClassesAndPath(t *testing.T) {
	p := []float64{0.5, 0.3, 0.2}
	r := []Record{{File: "a", Stream: "s", Raw: p, Adapted: p, Path: 3, Mode: "smoothed"}, {File: "b", Stream: "s", Raw: p, Adapted: p, Mode: "smoothed"}}
	got := render(t, "jsonl", Options{Vectors: true}, r)
	if strings.Count(got, `"classes":["fox","hare, brown","none"]`) != 1 || !strings.Contains(got, `"adapted_label":"none","adapted_prob":0.2`) {
		t.Errorf("%s", got)
	}
	if got := render(t, "megadetector", Options{Top: 2}, r); !strings.Contains(got, `"classifications":[["2",0.2],["0",0.5]]`) || !r[0].Changed() || r[1].Changed() {
		t.Errorf("%s", got)
	}
}

// Full vectors are exact: what is read back is what was written, bit for bit.
func TestVectorsAreExact(t *testing.T) {
	p := []float64{1. / 3, math.Nextafter(1./3, 1), 1 - 2./3 - 1e-17}
	r := []Record{{File: "a", Stream: "s", Raw: p, Adapted: []float64{p[2], p[0], p[1]}}}
	var back struct{ Probs, Adapted []float64 }
	if err := json.Unmarshal([]byte(render(t, "jsonl", Options{Vectors: true}, r)), &back); err != nil {
		t.Fatal(err)
	}
	for i := range p {
		if back.Probs[i] != r[0].Raw[i] || back.Adapted[i] != r[0].Adapted[i] {
			t.Errorf("class %d: %v and %v came back as %v and %v", i, r[0].Raw[i], r[0].Adapted[i], back.Probs[i], back.Adapted[i])
		}
	}
}

func TestCSV(t *testing.T) {
	const want = `file,stream,time,label,prob,adapted_label,adapted_prob,gate,adapted_mode,failure,p:fox,"p:hare, brown",p:none,a:fox,"a:hare, brown",a:none
cam1/a.jpg,cam1,2024-05-01T10:20:30.5,fox,0.5,"hare, brown",0.85,0.75,smoothed,,0.5,0.3,0.2,0.1,0.85,0.05
cam1/b.jpg,cam1,2024-05-01T12:20:30.5+02:00,fox,1,fox,1,1,filtered,,1,0,0,1,0,0
`
	got := render(t, "csv", Options{Vectors: true}, sample()[:2])
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Pieces of recordings say where they lie, in every format that has a place for it.
func TestPieces(t *testing.T) {
	p := []float64{1, 0, 0}
	records := []Record{
		{File: "night.edf#0", Stream: "night.edf", Duration: 30, Raw: p, Adapted: p, Gate: 1, Mode: "filtered"},
		{File: "night.edf#1", Stream: "night.edf", Offset: 3690.25, Duration: 30, Failure: "a gap"},
		{File: "torn.edf", Failure: "no header"},
	}
	for name, want := range map[string]string{
		"jsonl": `{"file":"night.edf#0","stream":"night.edf","offset":0,"duration":30,"label":"fox","prob":1,"adapted_label":"fox","adapted_prob":1,"gate":1,"adapted_mode":"filtered"}
{"file":"night.edf#1","stream":"night.edf","offset":3690.25,"duration":30,"failure":"a gap"}
{"file":"torn.edf","stream":"","failure":"no header"}
`,
		"csv": `file,stream,time,offset,duration,label,prob,adapted_label,adapted_prob,gate,adapted_mode,failure
night.edf#0,night.edf,,0,30,fox,1,fox,1,1,filtered,
night.edf#1,night.edf,,3690.25,30,,,,,,,a gap
torn.edf,,,,,,,,,,,no header
`,
		"table": `file         time                 raw           prob  adapted        prob  gate
night.edf#0  +0:00:00             fox          1.000   fox          1.000  1.00
night.edf#1  +1:01:30             failed: a gap
torn.edf     -                    failed: no header
`,
	} {
		if got := render(t, name, Options{Pieces: true, Files: []string{records[0].File}}, records); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestMegaDetector(t *testing.T) {
	const want = `{
"info": {"format_version":"1.6","detector":"none: one detection covers each whole picture"},
"detection_categories": {"1": "animal"},
"classification_categories": {
  "0": "fox",
  "1": "hare, brown",
  "2": "none"
},
"images": [
{"file":"cam1/a.jpg","detections":[{"category":"1","conf":0.85,"bbox":[0.0,0.0,1.0,1.0],"classifications":[["1",0.85],["0",0.1]],"raw_classifications":[["0",0.5],["1",0.3]],"gate":0.75,"adapted_mode":"smoothed"}],"datetime":"2024-05-01 10:20:30","stream":"cam1"},
{"file":"cam1/b.jpg","detections":[{"category":"1","conf":1.0,"bbox":[0.0,0.0,1.0,1.0],"classifications":[["0",1.0],["1",0.0]],"raw_classifications":[["0",1.0],["1",0.0]],"gate":1.0,"adapted_mode":"filtered"}],"datetime":"2024-05-01 12:20:30","stream":"cam1"},
{"file":"cam2/<c>\n\u001b[2J&.jpg","detections":null,"failure":"truncated \"JPEG\"","stream":"cam2"}
]
}
`
	if got := render(t, "megadetector", Options{Top: 2}, sample()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := render(t, "megadetector", Options{}, nil); !json.Valid([]byte(got)) {
		t.Errorf("of no picture: %s", got)
	}
}

// The table's columns stand below each other whatever the names, and a terminal gets no control characters from a file name.
func TestTable(t *testing.T) {
	records := sample()
	files := make([]string, len(records))
	for i := range records {
		files[i] = records[i].File
	}
	const want = `file                time                 raw           prob  adapted        prob  gate
cam1/a.jpg          2024-05-01 10:20:30  fox          0.500  *hare, brown  0.850  0.75
cam1/b.jpg          2024-05-01 12:20:30  fox          1.000   fox          1.000  1.00
cam2/<c>??[2J&.jpg  -                    failed: truncated "JPEG"
`
	got := render(t, "table", Options{Files: files}, records)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	long := table{file: 10, label: 6}
	if got := long.cell("camera/2024/img_0001.jpg", 10, true); got != "…_0001.jpg" {
		t.Errorf("a long file name became %q", got)
	}
	if got := long.cell("wolverine", 6, false); got != "wolve…" {
		t.Errorf("a long label became %q", got)
	}
}

func TestFromPath(t *testing.T) {
	for path, want := range map[string]string{"a.jsonl": "jsonl", "A.CSV": "csv", "x/y.json": "megadetector", "z.txt": "table", "w.ndjson": "jsonl"} {
		if got, err := FromPath(path); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", path, got, err, want)
		}
	}
	if _, err := FromPath("results"); err == nil || !strings.Contains(err.Error(), `ending ""`) {
		t.Errorf("no ending: %v", err)
	}
	if _, err := New("xml", Options{}); err == nil {
		t.Error("format xml: no error")
	}
}

// What a spreadsheet would calculate is text where that is asked for, and what it is otherwise.
func TestNoFormulas(t *testing.T) {
	p := []float64{1, 0, 0}
	r := []Record{{File: "=cmd|' /C calc'!A0", Stream: "@a", Raw: p, Adapted: p, Gate: 1, Mode: "filtered"}, {File: "ok", Stream: "-1", Failure: "+x"}}
	if got := render(t, "csv", Options{Quoted: true}, r); !strings.Contains(got, "'=cmd|' /C calc'!A0,'@a,,fox,1,fox,1,1,filtered,\nok,'-1,,,,,,,,'+x\n") {
		t.Errorf("%s", got)
	}
	if got := render(t, "csv", Options{}, r); !strings.Contains(got, "\n=cmd|' /C calc'!A0,@a,") {
		t.Errorf("%s", got)
	}
}
