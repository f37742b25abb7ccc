package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sample has everything that a section can have.
func sample() []Section {
	t := Table{ID: "streams", Title: "Change | in points", Columns: []string{"stream", "off", "auto"}, Notes: []string{"A note."}}
	t.AddCells(Text("s1"), Points(-0.004).WithStd(0.115).WithMark("*").WithPaper(-0.5, 0.25).WithPaperMark("**"), Num(math.NaN(), 1))
	t.AddCells(Text("a|b\n<script>alert(1)</script>"), Points(12.345), Num(math.Inf(-1), 1))
	t.Add("s3")
	return []Section{{
		ID: "controlled", Title: "Controlled <b>streams</b>", Intro: []string{"What was done."}, Missing: []string{"the sky"}, Tables: []Table{t},
		Figures: []Figure{{ID: "gain", Caption: "Gain", Alt: "a line", SVG: []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), Data: Table{Columns: []string{"x"}, Rows: [][]Cell{{Count(3)}}}}},
		Notes:   []string{"Another picture set."},
		Made: Made{
			Command: "oatta bench controlled", Settings: "ab12", Seeds: "0 to 9", Models: map[string]string{"resnet20": "cd34"}, Versions: map[string]string{"oatta": "0.1.0"},
			Machine: "2 cores", Began: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Took: 61500 * time.Millisecond,
		},
		Details: json.RawMessage(`{"a":[1,2]}`),
	}, {ID: "empty", Title: "Nothing"}}
}

func TestJSONLosesNothing(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJSON(&b, sample()); err != nil {
		t.Fatal(err)
	}
	back, err := ReadJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), back, cmp.Comparer(func(a, b Number) bool { return a == b || a != a && b != b })); diff != "" {
		t.Error(diff)
	}
	b.Reset()
	if err := WriteJSON(&b, nil); err != nil || b.String() != "[]\n" {
		t.Errorf("nothing: %q, %v", b.String(), err)
	}
	for _, bad := range []string{"", "{", `[{"more":1}]`, `[{"tables":[{"rows":[[{"value":"x"}]]}]}]`} {
		if _, err := ReadJSON(strings.NewReader(bad)); err == nil || !strings.HasPrefix(err.Error(), "report: ") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, v := range []float64{0, math.Copysign(0, -1), 0.1, 1e300, 5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1)} {
		b, err := json.Marshal(Number(v))
		if err != nil {
			t.Fatal(err)
		}
		var back Number
		if err := json.Unmarshal(b, &back); err != nil || math.Float64bits(float64(back)) != math.Float64bits(v) {
			t.Errorf("%g became %s, then %g (%v)", v, b, float64(back), err)
		}
	}
	for v, want := range map[float64]string{0: "+0.00", -0.001: "+0.00", -0.006: "-0.01", 12.345: "+12.35", -100: "-100.00", 10: "+10.00", math.Inf(1): "+Inf", math.Inf(-1): "-Inf"} {
		if got := Points(v).String(); got != want {
			t.Errorf("Points(%g) = %s, want %s", v, got, want)
		}
	}
	if got := Points(math.NaN()).String(); got != "NaN" {
		t.Errorf("NaN is %s", got)
	}
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	sections := sample()
	sections[0].Figures[0].Alt = "a [line]"
	if err := WriteMarkdownLinked(&b, sections, func(s Section, f Figure) string { return "figures/" + s.ID + "-" + f.ID + ".svg" }); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## Controlled &lt;b>streams&lt;/b>\n", "Missing: the sky\n", "### Change | in points\n", "| +0.00 ±0.12* | -0.50 ±0.25** |  NaN |\n",
		`| a\|b &lt;script>alert(1)&lt;/script> |`, "| ----", "### Gain\n", "| 3   |\n", "A note.\n", "Another picture set.\n",
		"- Made: 2026-01-02 03:04 UTC, in 1m2s\n", "- Models: `resnet20 cd34`\n", "![a (line)](figures/controlled-gain.svg)\n", "## Nothing\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestTableFormats(t *testing.T) {
	table := Table{Title: "Two rows", Notes: []string{"A note."}, Columns: []string{"stream", "±"}}
	table.Add("s1", "+0.10 ±.02")
	table.Add("s2 alpha=0.70")
	var text, markdown strings.Builder
	if err := table.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := table.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	wantText := `Two rows

stream                  ±
s1             +0.10 ±.02
s2 alpha=0.70

A note.

`
	wantMarkdown := `## Two rows

| stream        |          ± |
| ------------- | ---------: |
| s1            | +0.10 ±.02 |
| s2 alpha=0.70 |            |

A note.

`
	if text.String() != wantText {
		t.Errorf("text:\n%s", text.String())
	}
	if markdown.String() != wantMarkdown {
		t.Errorf("Markdown:\n%s", markdown.String())
	}
}

func TestCSV(t *testing.T) {
	var b strings.Builder
	if err := sample()[0].Tables[0].WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	want := "stream,off,off std,off mark,off paper,off paper std,off paper mark,auto\n" +
		"s1,-0.004,0.115,*,-0.5,0.25,**,NaN\n" +
		"\"a|b\n<script>alert(1)</script>\",12.345,,,,,,-Inf\n" +
		"s3,,,,,,,\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestText(t *testing.T) {
	var b strings.Builder
	if err := WriteText(&b, sample()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "Controlled <b>streams</b>\n=========================\n\nWhat was done.\n") {
		t.Errorf("%s", b.String())
	}
}

func TestMissingError(t *testing.T) {
	err := &MissingError{What: "recordings", How: "fetch them", Err: fs.ErrNotExist}
	if !errors.Is(err, fs.ErrNotExist) || err.Error() != "missing: recordings; to have it: fetch them (file does not exist)" {
		t.Error(err)
	}
}

// A figure of thousands of points does not fill the pages with them.
func TestManyPoints(t *testing.T) {
	sections := sample()
	data := &sections[0].Figures[0].Data
	for range 2000 {
		data.AddCells(Num(123.25, 2))
	}
	for format, write := range map[string]func(w *bytes.Buffer) error{
		"text": func(w *bytes.Buffer) error { return WriteText(w, sections) }, "Markdown": func(w *bytes.Buffer) error { return WriteMarkdown(w, sections) },
		"HTML": func(w *bytes.Buffer) error { return WriteHTML(w, "many", nil, sections) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil || strings.Contains(b.String(), "123.25") || !strings.Contains(b.String(), "2001 rows are left out here") {
			t.Errorf("%s: %v, %d bytes", format, err, b.Len())
		}
	}
	var csv strings.Builder
	if err := data.WriteCSV(&csv); err != nil || strings.Count(csv.String(), "123.25") != 2000 || len(data.Rows) != 2001 {
		t.Errorf("CSV: %v, %d rows", err, len(data.Rows))
	}
}
