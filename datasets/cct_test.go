package datasets

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets/internal/textfile"
)

// cctJSON is a small collection with everything that collections do: ids as numbers and texts, locations as both, annotations of several
// kinds, a burst of one second whose frames are not in the order of their names, pictures that are not here, members of no concern.
const cctJSON = `{
 "info": {"version": "1.0", "nested": [{"a": [1, 2, {"b": null}]}], "text": "} ] {"},
 "categories": [{"id": 0, "name": "empty"}, {"id": 19, "name": "opossum"}, {"id": "7", "name": "deer"}],
 "images": [
  {"id": "i1", "file_name": "46/z.jpg", "location": 46, "datetime": "2011-05-03 22:04:44", "seq_id": "s1", "frame_num": 1, "seq_num_frames": 3},
  {"id": "i2", "file_name": "46/y.jpg", "location": 46, "datetime": "2011-05-03 22:04:44", "seq_id": "s1", "frame_num": 2},
  {"id": 3, "file_name": "46/x.jpg", "location": 46, "datetime": "2011-05-03 22:04:44", "seq_id": "s1", "frame_num": "3"},
  {"id": 4, "file_name": "46/w.jpg", "location": 46, "datetime": "2011-05-03 22:04:44", "seq_id": "s0", "frame_num": 1},
  {"id": 5, "file_name": "46/v.jpg", "location": "46", "date_captured": "2011-05-03 12:07:19"},
  {"id": 6, "file_name": "7b/a.jpg", "location": "7b", "datetime": "yesterday", "site": "north"},
  {"id": 7, "file_name": "7b/b.jpg", "location": null, "datetime": null},
  {"id": 8, "file_name": "99/gone.jpg", "location": 99, "datetime": "2011-05-03 12:07:19", "bbox": [0.5, {}]}
 ],
 "annotations": [
  {"id": 1, "image_id": "i1", "category_id": 19}, {"id": 2, "image_id": "i2", "category_id": 19}, {"id": 3, "image_id": "i2", "category_id": 19},
  {"id": 4, "image_id": 3, "category_id": 19}, {"id": 5, "image_id": 3, "category_id": "7"},
  {"id": 6, "image_id": 5, "category_id": 0}, {"id": 7, "image_id": 6, "category_id": 55}, {"id": 8, "image_id": 8, "category_id": 7}
 ]
}`

var cctTree = map[string]string{
	"46/z.jpg": "", "46/y.jpg": "", "46/x.jpg": "", "46/w.jpg": "", "46/v.jpg": "", "7b/a.jpg": "", "7b/b.jpg": "", "new/c.jpg": "",
}

const cctListing = `
stream 7b
  7b/a.jpg = 55
  7b/b.jpg
stream 46
  46/v.jpg 2011-05-03 12:07:19 metadata = empty
  46/w.jpg 2011-05-03 22:04:44 metadata
  46/z.jpg 2011-05-03 22:04:44 metadata = opossum
  46/y.jpg 2011-05-03 22:04:44 metadata = opossum
  46/x.jpg 2011-05-03 22:04:44 metadata
stream new
  new/c.jpg
warning cct.json: names 7 of 8 pictures; the other takes its folder as stream: new/c.jpg
warning cct.json: names 1 file that is not here: 99/gone.jpg
warning cct.json: 1 time could not be read: "yesterday" (7b/a.jpg)
warning cct.json: 1 picture with several different labels, left without one: 46/x.jpg
warning cct.json: 1 picture without a stream takes its folder's: 7b/b.jpg
warning 2 streams without any capture time, ordered by name: 7b, new
`

func TestCCT(t *testing.T) {
	root := tree(t, cctTree)
	meta := tree(t, map[string]string{"cct.json": cctJSON})
	want(t, list(t, root, Options{Metadata: meta + "/cct.json"}), "", cctListing)
}

// Values that Python writes and JSON does not know are as null, in either pass.
func TestCCTUnknownNumbers(t *testing.T) {
	root := tree(t, map[string]string{"a/1.jpg": "", "b/2.jpg": ""})
	for _, number := range []string{"null", "NaN", "-Infinity"} {
		meta := tree(t, map[string]string{"cct.json": `{"annotations": [{"image_id": 1, "category_id": 7, "bbox": [` + number + `]}], "categories": [{"id": 7, "name": "NaN"}],
		"images": [{"id": 1, "file_name": "a/1.jpg", "location": ` + number + `, "datetime": "2020-01-02 03:04:05"}, {"id": 2, "file_name": "b/2.jpg", "location": 4, "datetime": ` + number + `}]}`})
		const told = "warning cct.json: 3 values are NaN or infinite, which JSON does not know: they are read as unknown\n"
		got := list(t, root, Options{Metadata: meta + "/cct.json"})
		if (number != "null") != strings.Contains(got, told) {
			t.Errorf("%s: told %s", number, got)
		}
		want(t, strings.Replace(got, told, "", 1), "", `
stream 4
  b/2.jpg
stream a
  a/1.jpg 2020-01-02 03:04:05 metadata = NaN
warning cct.json: 1 picture without a stream takes its folder's: a/1.jpg
warning 1 stream without any capture time, ordered by name: 4
`)
	}
}

// The arrays may come in any order.
func TestCCTOrderOfArrays(t *testing.T) {
	var all map[string]json.RawMessage
	must(t, json.Unmarshal([]byte(cctJSON), &all))
	root := tree(t, cctTree)
	for _, order := range [][]string{
		{"annotations", "images", "categories"},
		{"annotations", "categories", "images", "info"},
		{"images", "categories", "annotations"},
		{"categories", "annotations", "info", "images"},
	} {
		var members []string
		for _, key := range order {
			members = append(members, fmt.Sprintf("%q: %s", key, all[key]))
		}
		meta := tree(t, map[string]string{"cct.json": "{" + strings.Join(members, ",") + "}"})
		want(t, list(t, root, Options{Metadata: meta + "/cct.json"}), "", cctListing)
	}
}

func TestCCTStreamField(t *testing.T) {
	root := tree(t, map[string]string{"7b/a.jpg": "", "7b/b.jpg": ""})
	meta := tree(t, map[string]string{"cct.json": cctJSON})
	opt := Options{Metadata: meta + "/cct.json", Fields: Fields{Stream: "site"}}
	if got := list(t, root, opt); !strings.HasPrefix(got, "stream 7b\n  7b/b.jpg\nstream north\n  7b/a.jpg = 55\n") {
		t.Error(got)
	}
	opt.Fields.Stream = "camera"
	want(t, list(t, root, opt), meta, "error datasets: ROOT/cct.json: no image has a field \"camera\"\n")
}

func TestCCTErrors(t *testing.T) {
	root := tree(t, map[string]string{"a.jpg": ""})
	for text, want := range map[string]string{
		``:               "unexpected EOF",
		`[1]`:            "want a JSON object",
		`{"info": 1}`:    "no array images, so not COCO Camera Traps",
		`{"images": {}}`: "images: want an array",
		`{"images": [{"file_name": "a.jpg"}, 5]}`: "images[1]: json: cannot unmarshal number",
		`{"images": [{"id": 1}]}`:                 "images[0]: no file_name",
		`{"images": [{"file_name": "a.jpg"`:       "images[0]: unexpected EOF",
		`{"images": [{"file_name": NaN}]}`:        "images[0]: no file_name",
		`{"images": [{"file_name": nan}]}`:        "images[0]: invalid character 'a'",
		`{"images": [], "annotations": [[]]}`:     "annotations[0]: json: cannot unmarshal array",
		`{"images": []`:                           "unexpected EOF",
		`{"x": [[[`:                               "unexpected EOF",
		`{"images": [{"file_name": "` + strings.Repeat("x", 17<<20) + `"}]}`: "images[0]: a record of more than 16 MiB",
		`{"info": "` + strings.Repeat("x", 17<<20) + `"}`:                    "a record of more than 16 MiB",
	} {
		meta := tree(t, map[string]string{"cct.json": text})
		_, err := List(context.Background(), root, Options{Metadata: meta + "/cct.json"})
		if err == nil || !strings.HasPrefix(err.Error(), "datasets: "+meta+"/cct.json: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: error %v, want %s", text, err, want)
		}
	}
}

func TestJSONText(t *testing.T) {
	for in, want := range map[string]jsonText{
		`"plain"`: "plain", `"f\u00fcchse\\\" \/"`: "f\u00fcchse\\\" /", `12.50`: "12.50", `null`: "", `true`: "true", `{"a":1}`: "", `[1]`: "", `""`: "",
		"\"bad \xff\"": "bad \ufffd",
	} {
		got := jsonText("before")
		if err := json.Unmarshal([]byte(in), &got); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", in, got, err, want)
		}
	}
}

// A collection of many more pictures than are here costs no memory for the others, which shows in what is kept.
func TestCCTKeepsOnlyWhatIsHere(t *testing.T) {
	pr, pw := io.Pipe()
	go func() {
		_, _ = io.WriteString(pw, `{"images": [`)
		for i := range 20000 {
			_, _ = fmt.Fprintf(pw, `{"id": %d, "file_name": "x/%d.jpg", "location": %d, "datetime": "2011-05-03 12:07:19"},`, i, i, i%9)
		}
		_, _ = io.WriteString(pw, `{"id": -1, "file_name": "x/-1.jpg"}], "annotations": [`)
		for i := range 20000 {
			_, _ = fmt.Fprintf(pw, `{"image_id": %d, "category_id": 1},`, i)
		}
		_, _ = io.WriteString(pw, `{"image_id": -1, "category_id": 1}], "categories": [{"id": 1, "name": "fox"}]}`)
		_ = pw.Close()
	}()
	here := newWanted([]*item{{Picture: Picture{Name: "77.jpg"}}, {Picture: Picture{Name: "a/78.JPG"}}})
	md, err := readCCT(context.Background(), "x", func() (*textfile.File, error) { return &textfile.File{Reader: pr}, nil }, Fields{}, here)
	must(t, err)
	if len(md.records) != 2 || md.records[0].stream != "5" || md.records[1].label != "fox" || md.absent.n != 19999 {
		t.Errorf("records %+v, %d absent", md.records, md.absent.n)
	}
}

func FuzzCCT(f *testing.F) {
	f.Add([]byte(cctJSON))
	f.Add([]byte(`{"annotations":[{"image_id":1,"category_id":2}],"images":[{"id":1,"file_name":"a.jpg","location":3}],"categories":[{"id":2,"name":"x"}]}`))
	items := []*item{{Picture: Picture{Name: "46/z.jpg"}}, {Picture: Picture{Name: "46/x.jpg"}}, {Picture: Picture{Name: "a.jpg"}}}
	f.Fuzz(func(t *testing.T, b []byte) {
		open := func() (*textfile.File, error) { return &textfile.File{Reader: strings.NewReader(string(b))}, nil }
		for _, stream := range []string{"", "site"} {
			md, err := readCCT(context.Background(), "x.json", open, Fields{Stream: stream}, newWanted(items))
			checkMetadata(t, md, err)
		}
	})
}

// checkMetadata joins metadata with some pictures, and checks what must hold whatever a file says.
func checkMetadata(t *testing.T, md *metadata, err error) {
	t.Helper()
	if err != nil {
		if !strings.HasPrefix(err.Error(), "datasets: ") {
			t.Errorf("error without a place: %v", err)
		}
		return
	}
	s := &settings{Options: Options{Metadata: "x"}}
	var items []*item
	for _, name := range []string{"46/x.jpg", "46/z.jpg", "a.jpg"} {
		items = append(items, &item{folder: ".", Picture: Picture{Name: name}})
	}
	l := &Listing{}
	if err := s.join(l, items, md); err != nil {
		if !strings.HasPrefix(err.Error(), "datasets: ") || strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("error without a place, or of several lines: %v", err)
		}
		return
	}
	must(t, s.nameStreams(items, "top"))
	l.order(items)
	if len(l.Pictures) != len(items) {
		t.Errorf("%d pictures became %d", len(items), len(l.Pictures))
	}
	for _, p := range l.Pictures {
		if p.Stream == "" || p.Time.IsZero() != (p.TimeFrom == "") {
			t.Errorf("picture %+v", p)
		}
	}
	for _, w := range l.Warnings {
		if strings.ContainsAny(w, "\n\r") {
			t.Errorf("a warning of several lines: %q", w)
		}
	}
}

func BenchmarkCCT(b *testing.B) {
	var text strings.Builder
	text.WriteString(`{"images": [`)
	for i := range 50000 {
		fmt.Fprintf(&text, "{\"id\": \"image-%d\", \"file_name\": \"loc/%d.jpg\", \"location\": \"%d\", \"datetime\": \"2011-05-03 12:07:19\", \"seq_id\": \"s%d\", \"frame_num\": 1, \"width\": 2048, \"height\": 1536},\n", i, i, i%100, i/3)
	}
	text.WriteString(`{"file_name": "x"}]}`)
	path := b.TempDir() + "/cct.json"
	must(b, os.WriteFile(path, []byte(text.String()), 0o644))
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		_, err := readCCT(context.Background(), path, func() (*textfile.File, error) { return textfile.Open(path) }, Fields{}, wanted{"17.jpg": true})
		must(b, err)
	}
}
