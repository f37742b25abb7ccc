package report

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	goimage "image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/report/items"
)

// hostile is what no page may obey: markup, quotes, marks that turn the direction of text, bytes that a terminal obeys, a scheme.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "javascript:alert(1)", "\u202egnp.exe", "\x1b[31mred\x07", "{{.Title}}", "</style></svg>", `\u003cscript\u003e`,
}

// line is one result as run writes it.
type line map[string]any

func result(file, stream, raw, adapted string, at time.Time) line {
	l := line{"file": file, "stream": stream, "label": raw, "prob": 0.625, "adapted_label": adapted, "adapted_prob": 0.75, "gate": 0.5, "adapted_mode": "smoothed"}
	if !at.IsZero() {
		l["time"] = at.Format("2006-01-02T15:04:05")
	}
	return l
}

func results(t testing.TB, name string, lines []line) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func gathered(t testing.TB, s Settings, paths ...string) (*Collected, error) {
	t.Helper()
	var files []*items.File
	for _, path := range paths {
		f, err := items.Open(path, items.Options{})
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	c, err := Gather(files, s)
	if err == nil {
		err = c.Again()
	}
	return c, err
}

func pageOf(t testing.TB, s Settings, paths ...string) string {
	t.Helper()
	c, err := gathered(t, s, paths...)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := c.Page(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Whatever names and labels say, the page shows it as text: no element, attribute, address or direction comes of it.
func TestHostileTextIsShown(t *testing.T) {
	for _, kind := range Kinds() {
		var lines []line
		for i, bad := range hostile {
			l := result("dir/"+bad, "stream "+bad, "raw "+bad, hostile[(i+1)%len(hostile)], noon.Add(time.Duration(i)*time.Minute))
			if i%4 == 3 {
				l = line{"file": bad, "stream": "stream " + bad, "failure": bad}
			}
			lines = append(lines, l)
		}
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		s := Settings{Kind: kind, Title: hostile[0], Program: hostile[1], Inputs: root, Transitions: true, Texts: func(wanted map[string]string) error {
			for name := range wanted {
				wanted[name] = strings.Join(hostile, "\n")
			}
			return nil
		}}
		path := results(t, "r.jsonl", lines)
		manifest := fmt.Sprintf(`{"settings":{"program":%q,"command":%q,"input":[%[1]q],%[1]q:%[1]q,"model":{"name":%[1]q}},"warnings":[%[1]q]}`, hostile[0], hostile[1])
		if err := os.WriteFile(items.ManifestPath(path), []byte(manifest), 0o644); err != nil {
			t.Fatal(err)
		}
		page := pageOf(t, s, path)
		checkPage(t, page)
		for _, bad := range []string{"<script", "<img src=x", "onerror=alert(1)>", "' onmouseover='", "\u202e", "\x1b", "\x07", `href="javascript`, `src="javascript`} {
			if strings.Contains(page, bad) {
				at := strings.Index(page, bad)
				t.Errorf("%s: the page holds %q: %q", kind, bad, page[max(0, at-80):min(len(page), at+80)])
			}
		}
		for _, shown := range []string{"&lt;script&gt;alert(1)&lt;/script&gt;", `\u202egnp.exe`, `\x1b[31mred\x07`, "{{.Title}}"} {
			if !strings.Contains(page, shown) {
				t.Errorf("%s: the page does not show %q", kind, shown)
			}
		}
	}
}

// checkPage holds what every page keeps to.
func checkPage(t testing.TB, page string) {
	t.Helper()
	const most = 8 << 20
	if len(page) > most {
		t.Errorf("a page of %d bytes", len(page))
	}
	for _, want := range []string{`<html lang="en">`, "default-src 'none'", "<main>", "<h1>", `name="viewport"`, "prefers-color-scheme", "@media print"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, bad := range []string{"http://", "https://", "@import", "url(", "<link", "<iframe", "ZgotmplZ"} {
		rest := strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, "")
		if strings.Contains(strings.ReplaceAll(rest, "http://www.w3.org/1999/xlink", ""), bad) {
			at := strings.Index(rest, bad)
			t.Errorf("the page holds %s: %q", bad, rest[max(0, at-60):at+40])
		}
	}
	if n, named := strings.Count(page, "<svg "), strings.Count(page, `role="img"`); n != named {
		t.Errorf("%d figures, %d of which are named", n, named)
	}
	level := 1
	for rest := page; ; {
		at := strings.Index(rest, "<h")
		if at < 0 {
			break
		}
		if c := rest[at+2]; c >= '1' && c <= '6' {
			if next := int(c - '0'); next > level+1 {
				t.Errorf("a heading of level %d under one of %d", next, level)
			} else {
				level = next
			}
		}
		rest = rest[at+2:]
	}
}

// Names, labels and messages of any length leave a page small.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("long é ", 100_000)
	var lines []line
	for i := range 30 {
		lines = append(lines, result(long+fmt.Sprint(i), long+fmt.Sprint(i%5), long, long+"x", noon), line{"file": long, "stream": long, "failure": long + fmt.Sprint(i)})
	}
	page := pageOf(t, Settings{}, results(t, "r.jsonl", lines))
	checkPage(t, page)
	if len(page) > 1<<20 {
		t.Errorf("a page of %d bytes", len(page))
	}
}

func TestCountsAndWarns(t *testing.T) {
	path := results(t, "r.jsonl", []line{
		result("a", "s", "deer", "fox", noon), result("b", "s", "fox", "fox", noon), result("c", "t", "deer", "deer", noon), {"file": "d", "stream": "t", "failure": "damaged"}, {"file": "e", "stream": "t"},
	})
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"file":"cut`)
	}
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	c, err := gathered(t, Settings{}, path)
	if err != nil {
		t.Fatal(err)
	}
	if want := (counts{items: 5, failed: 1, unpredicted: 1, changed: 1, bad: 1}); c.total != want || !c.cut || !c.Damaged() {
		t.Errorf("%+v, want %+v", c.total, want)
	}
	if r := c.ranked(); r[0].name != "s" || r[0].changed != 1 || r[0].meanGate() != 0.5 {
		t.Errorf("first in rank: %+v", r[0])
	}
	if c.changes[[2]int{c.index["deer"], c.index["fox"]}] != 1 || len(c.changes) != 1 {
		t.Errorf("changes %v", c.changes)
	}
	said := strings.Join(c.Warnings(), "\n")
	for _, want := range []string{"no manifest", "1 line could not", "in the middle of a line", "1 item of 5 failed"} {
		if !strings.Contains(said, want) {
			t.Errorf("no warning says %q:\n%s", want, said)
		}
	}
}

func TestRefusesWhatDoesNotBelongTogether(t *testing.T) {
	a := results(t, "a.jsonl", []line{result("a.jpg", "s", "deer", "fox", noon)})
	b := results(t, "b.jsonl", []line{result("b.jpg", "s", "deer", "fox", noon)})
	if _, err := gathered(t, Settings{}, a, b); err == nil || !strings.Contains(err.Error(), "one report for each file") {
		t.Errorf("one stream in two files: %v", err)
	}
	night := results(t, "n.jsonl", []line{{"file": "n#0", "stream": "n", "label": "W", "prob": 1, "adapted_label": "W", "adapted_prob": 1, "classes": []string{"W", "N1"}}})
	if _, err := gathered(t, Settings{}, a, night); err == nil || !strings.Contains(err.Error(), "one report is of one kind") {
		t.Errorf("two kinds: %v", err)
	}
	other := results(t, "c.jsonl", []line{result("c.jpg", "other", "deer", "fox", noon)})
	if c, err := gathered(t, Settings{}, a, other); err != nil || c.total.items != 2 {
		t.Errorf("two files of one kind: %v", err)
	}
}

// tall is a JPEG whose left half is black, with an orientation in its EXIF.
func tall(t testing.TB, path string, orientation byte) {
	t.Helper()
	m := goimage.NewGray(goimage.Rect(0, 0, 64, 32))
	for i := range 64 * 32 {
		m.SetGray(i%64, i/64, color.Gray{uint8(255 * (i % 64 / 32))})
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	exif := append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), orientation, 0, 0, 0, 0, 0, 0)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(exif)+2))
	data := append(append(head, exif...), b.Bytes()[2:]...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestThumbnails(t *testing.T) {
	dir := t.TempDir()
	tall(t, filepath.Join(dir, "in", "plain.jpg"), 1)
	tall(t, filepath.Join(dir, "in", "turned.jpg"), 6)
	tall(t, filepath.Join(dir, "outside.jpg"), 1)
	if err := os.Symlink("../outside.jpg", filepath.Join(dir, "in", "link.jpg")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "in", "no.jpg"), []byte("no picture"), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, size := range map[string]goimage.Point{"plain.jpg": {64, 32}, "turned.jpg": {32, 64}, `.\plain.jpg`: {64, 32}} {
		data, err := Picture(root, name, nil, thumbSide, thumbQuality)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil || m.Bounds().Size() != size {
			t.Errorf("%s: %v, %v, want %v", name, err, m.Bounds(), size)
			continue
		}
		first, _, _, _ := m.At(4, 4).RGBA() // 6 turns clockwise: what was left is above
		last, _, _, _ := m.At(size.X-5, size.Y-5).RGBA()
		if first > 0x3000 || last < 0xc000 {
			t.Errorf("%s: %x and %x: the picture is not upright", name, first, last)
		}
	}
	data, err := Picture(root, "plain.jpg#0", &[4]float64{0.5, 0, 0.5, 1}, thumbSide, thumbQuality)
	if m, e := jpeg.Decode(bytes.NewReader(data)); err != nil || e != nil || m.Bounds().Dx() > 40 {
		t.Errorf("a box: %v %v", err, e)
	}
	for _, name := range []string{"link.jpg", "../outside.jpg", filepath.Join(dir, "outside.jpg"), "gone.jpg", "no.jpg", ".", "", "a\x00b"} {
		if _, err := Picture(root, name, nil, thumbSide, thumbQuality); err == nil {
			t.Errorf("%q was opened", name)
		}
	}
}

// Bursts with changes come first, and no more pictures are shown than may be.
func TestBursts(t *testing.T) {
	var lines []line
	for i := range 300 {
		at := noon.Add(time.Duration(i/5) * time.Hour).Add(time.Duration(i%5) * time.Second)
		raw := "fox"
		if i == 203 || i == 251 {
			raw = "deer"
		}
		lines = append(lines, result(fmt.Sprintf("p%d.jpg", i), "cam", raw, "fox", at))
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close() // read only
	c, err := gathered(t, Settings{Inputs: root, Thumbnails: 50}, results(t, "r.jsonl", lines))
	if err != nil {
		t.Fatal(err)
	}
	b := c.second.bursts
	if len(b) != 10 || len(b[0].items) != 5 || b[0].items[3].file != "p203.jpg" || b[1].items[1].file != "p251.jpg" || b[2].changes != 0 {
		t.Errorf("%d bursts, the first %+v", len(b), b[0].items[3].file)
	}
	if !strings.Contains(pageOf(t, Settings{Inputs: root}, results(t, "r.jsonl", lines)), "not in the folder of inputs") {
		t.Error("the page does not say that pictures are missing")
	}
}

// What learned transitions can reveal is told on request alone.
func TestTransitionsOnRequest(t *testing.T) {
	path := results(t, "r.jsonl", []line{result("a", "s", "home", "home", noon), result("b", "s", "work", "work", noon), result("c", "s", "home", "home", noon)})
	for _, asked := range []bool{false, true} {
		if got := strings.Contains(pageOf(t, Settings{Transitions: asked}, path), `id="transitions"`); got != asked {
			t.Errorf("asked %t, shown %t", asked, got)
		}
	}
}

// fixed is a truth that knows.
type fixed map[string]int

func (f fixed) Decide([]string, []string) error { return nil }
func (f fixed) Notes() []string                 { return []string{"as it is"} }
func (f fixed) Of(it *items.Item) (int, error) {
	if class, ok := f[it.File]; ok {
		return class, nil
	}
	return NoLabel, nil
}

func TestScores(t *testing.T) {
	var lines []line
	truth := fixed{}
	for i := range 40 {
		l := result(fmt.Sprint("i", i), fmt.Sprint("s", i%4), "a", []string{"a", "b"}[i%2], noon.Add(time.Duration(i)*time.Minute))
		lines = append(lines, l)
		truth[fmt.Sprint("i", i)] = i % 2
	}
	lines = append(lines, result("unknown", "s0", "b", "b", noon))
	path := results(t, "r.jsonl", lines)
	c, err := gathered(t, Settings{Truth: truth, Labelled: true}, path)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range c.byName["s1"].series.records {
		if want := int32((4*i + 1) % 2); r.truth != want {
			t.Errorf("record %d of s1 has the true class %d, want %d", i, r.truth, want)
		}
	}
	e := c.evaluation()
	if e == nil || e.Raw.Accuracy != 0.5 || e.Adapted.Accuracy != 1 || c.second.unlabelled != 1 || c.second.intervals == nil || len(e.Streams) != 4 {
		t.Fatalf("%+v", e)
	}
	page := pageOf(t, Settings{Truth: truth, Labelled: true}, path)
	checkPage(t, page)
	for _, want := range []string{"Confusion matrix, raw", "Reliability", "95 % intervals over 4 streams", "likelihood and Brier score are not known", "Scores of each stream"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "NLL") {
		t.Error("the page tells a likelihood that nobody knows")
	}
}

// Vectors are in the order of the file's classes, whatever the order in which labels came.
func TestNightVectors(t *testing.T) {
	var lines []line
	for i, stage := range []string{"N3", "N3", "W", "R"} {
		p := map[string][]float64{"W": {0.1, 0.7, 0.2}, "R": {0.1, 0.1, 0.8}, "N3": {0.9, 0.1, 0}}[stage]
		l := result(fmt.Sprint("n#", i), "n", stage, stage, noon.Add(time.Duration(i)*30*time.Second))
		l["offset"], l["duration"], l["probs"], l["adapted"] = 30*i, 30, p, p
		if i == 0 {
			l["classes"] = []string{"N3", "W", "R"}
		}
		if i == 3 {
			l["offset"] = 150 // two epochs are missing
		}
		lines = append(lines, l)
	}
	c, err := gathered(t, Settings{}, results(t, "n.jsonl", lines))
	if err != nil {
		t.Fatal(err)
	}
	if c.kind != Sleep {
		t.Fatalf("kind %s", c.kind)
	}
	n := c.streams[0].night
	if len(n.raw) != 6 || n.raw[3] != 0 || n.raw[4] != 0 {
		t.Errorf("stages %v: what is missing is not scored", n.raw)
	}
	names, lane, ok := c.lanes()
	if !ok || names[lane[n.raw[0]]] != "N3" || names[lane[n.raw[5]]] != "R" {
		t.Errorf("lanes %v of %v", lane, c.classes)
	}
	if d := densities(n.probs, lane, 5); d[0][4] < 0.89 || d[2][0] < 0.69 || d[5][1] < 0.79 || d[3] != nil {
		t.Errorf("densities %v", d)
	}
	page := pageOf(t, Settings{}, results(t, "n.jsonl", lines))
	checkPage(t, page)
	if !strings.Contains(page, "The numbers of the nights") || !strings.Contains(page, "Hypnogram of n") {
		t.Error("no night in the page")
	}
}

// A week of movement has a strip for each day, blank where nothing was recorded.
// Results that were put together may list their classes in another order each.
func TestVectorsOfTwoOrders(t *testing.T) {
	one, other := result("night.edf", "n", "W", "N1", time.Time{}), result("night.edf", "n", "W", "N1", time.Time{})
	one["classes"], one["probs"], one["adapted"] = []string{"W", "N1"}, []float64{0.75, 0.25}, []float64{0.25, 0.75}
	other["classes"], other["probs"], other["adapted"] = []string{"N1", "W"}, []float64{0.25, 0.75}, []float64{0.75, 0.25}
	c, err := gathered(t, Settings{Kind: Sleep}, results(t, "two.jsonl", []line{one, other}))
	if err != nil {
		t.Fatal(err)
	}
	if n := c.streams[0].night; fmt.Sprint(n.probs, n.after) != "[[0.75 0.25] [0.75 0.25]] [[0.25 0.75] [0.25 0.75]]" {
		t.Error(n.probs, n.after)
	}
}

func TestWeek(t *testing.T) {
	var lines []line
	for minute := 0; minute < 7*24*60; minute += 2 {
		if day := minute / 1440; day == 3 {
			continue
		}
		label := []string{"sit", "walk"}[minute/240%2]
		lines = append(lines, result(fmt.Sprint("w#", minute), "w", label, label, noon.Truncate(24*time.Hour).Add(time.Duration(minute)*time.Minute)))
	}
	c, err := gathered(t, Settings{Kind: Movement}, results(t, "w.jsonl", lines))
	if err != nil {
		t.Fatal(err)
	}
	m := c.streams[0].movement
	if len(m.days) != 6 || m.days[0].slots[0][0] != 1 || m.days[0].slots[1][120] != 2 {
		t.Errorf("%d days", len(m.days))
	}
	if h := m.days[1].hours[1][0]; h < 11.99 || h > 12.01 {
		t.Errorf("%g hours of sitting, want 12", h)
	}
	var from, to float64 = 0, 24
	if rows := m.rows(&from, &to); len(rows) != 12 || len(rows[0].Spans) != 6 {
		t.Errorf("%d rows, the first of %d spans", len(rows), len(rows[0].Spans))
	}
	checkPage(t, pageOf(t, Settings{Kind: Movement}, results(t, "w.jsonl", lines)))
}

// A long stream keeps its first and its last record, and the number of its items.
func TestSeriesIsBounded(t *testing.T) {
	var s series
	it := items.Item{Gate: 0.25, Prob: 0.5, AdaptedProb: 1}
	for i := range 100_000 {
		s.add(&it, i%3, 0)
	}
	n := 0
	for i, r := range s.records {
		if i > 0 && int(r.first) != n+1 {
			t.Fatalf("record %d begins at %d after %d items", i, r.first, n)
		}
		n += int(r.count)
		if r.gate != 0.25 || r.prob != 0.5 {
			t.Fatalf("record %d: %+v", i, r)
		}
	}
	if n != 100_000 || len(s.records) > mostRecords {
		t.Errorf("%d items in %d records", n, len(s.records))
	}
}
