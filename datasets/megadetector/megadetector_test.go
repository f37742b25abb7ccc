package megadetector

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets"
	"golang.org/x/text/unicode/norm"
)

func mustRead(t *testing.T, text string) *File {
	t.Helper()
	f, err := Read("d.json", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Everything of a file comes back as it was, but for an earlier classifier's fields and what JSON does not know.
func TestReadAndWrite(t *testing.T) {
	f := mustRead(t, "\xef\xbb\xbf"+`{
	"info": {"format_version": "1.4", "detector": "md", "classifier": "old", "detector_metadata": {"x": [1, 2]}},
	"detection_categories": {"1": "animal", "2": "person"}, "classification_categories": {"0": "deer"},
	"images": [
	  {"file": "a & NaN.jpg", "max_detection_conf": 0.9, "detections": [
	    {"category": 1, "conf": 0.90, "bbox": [0.1, 0.2, 0.3, 0.4], "frame_number": 3, "classifications": [["0", 0.7]]},
	    {"conf": NaN, "category": "2", "bbox": [-Infinity, 0, Infinity, 1]}]},
	  {"file": "b.jpg", "failure": "Failure image access", "detections": null},
	  {"file": "c.jpg", "detections": []}]}`)
	if len(f.Images) != 3 || f.Earlier != 1 || len(f.SHA256) != 64 || f.Images[1].Failure != "Failure image access" {
		t.Fatalf("%+v", f)
	}
	d := f.Images[0].Detections[0]
	if d.Category != "1" || d.Conf != 0.9 || d.Box != [4]float64{0.1, 0.2, 0.3, 0.4} || d.Check() != nil {
		t.Errorf("%+v: %v", d, d.Check())
	}
	if bad := f.Images[0].Detections[1]; bad.Check() == nil || !json.Valid(append(bad.AppendOpen(nil), '}')) {
		t.Errorf("numbers that are none: %v", bad.Check())
	}
	for i, want := range []string{
		`{"file":"a & NaN.jpg","max_detection_conf":0.9,"detections":[{"category":1,"conf":0.90,"bbox":[0.1,0.2,0.3,0.4],"frame_number":3},{"conf":null,"category":"2","bbox":[null,0,null,1]}]}`,
		`{"file":"b.jpg","failure":"Failure image access","detections":null}`,
		`{"file":"c.jpg","detections":[]}`,
	} {
		if got := string(f.Images[i].Append(nil)); got != want {
			t.Errorf("image %d:\n%s\nwant\n%s", i, got, want)
		}
	}
	const info = `{"format_version":"1.4","detector":"md","detector_metadata":{"x":[1,2]}`
	if got := string(f.AppendInfo(nil)); got != info {
		t.Errorf("info %s", got)
	}
	if got := string(f.AppendCategories(nil)); got != `{"1":"animal","2":"person"}` {
		t.Errorf("categories %s", got)
	}
	if got := string(f.Images[2].AppendOpen(nil, [2]string{"file", "x"}, [2]string{"stream", `a"b`}, [2]string{"datetime", ""})); got != `{"file":"c.jpg","stream":"a\"b"` {
		t.Errorf("further fields: %s", got)
	}
	if got := f.Place(0, 1); got != "d.json: images[0] (a & NaN.jpg), detections[1]" {
		t.Errorf("place %s", got)
	}
}

// A file without a head is MegaDetector's, of the first version.
func TestCategories(t *testing.T) {
	f := mustRead(t, `{"images": []}`)
	for name, want := range map[string][]string{"animal": {"1"}, "Person": {"2"}, "3": {"3"}, AllCategories: {"1", "2", "3"}} {
		if ids, err := f.Category(name); err != nil || !slices.Equal(ids, want) {
			t.Errorf("%s: %v, %v", name, ids, err)
		}
	}
	if _, err := f.Category("cat"); err == nil || !strings.Contains(err.Error(), `no category "cat": it has animal ("1"), person`) {
		t.Errorf("no category: %v", err)
	}
	if f.CategoryName("1") != "animal" || f.CategoryName("9") != "9" {
		t.Error("names of categories")
	}
	if got := string(f.AppendInfo(nil)); got != `{"format_version":"1.6"` {
		t.Errorf("info %s", got)
	}
}

func TestNotTheFormat(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "is empty",
		"{\n\"images\": [\n{]}": "line 3",
		"[1]":                   "want an object",
		`{}`:                    "no images",
		`{"images": 3}`:         "images",
		`{"images": ["a"]}`:     `images[0]: "a": want an object`,
		`{"images": [{}]}`:      "images[0]: no file name",
		`{"images": [{"file": "a", "detections": 3}]}`:            "images[0]: a: detections: 3: want an array",
		`{"images": [{"file": "a", "detections": [7]}]}`:          "images[0]: a: detections[0]: 7: want an object",
		`{"info": [], "images": []}`:                              "info: []: want an object",
		`{"info": {"format_version": "2.0"}, "images": []}`:       `format_version "2.0": want 1.0 to 1.6`,
		`{"detection_categories": ["animal"], "images": []}`:      `detection_categories: ["animal"]: want an object`,
		`{"images": [{"file": "a", "detections": [{"conf": 1}, 2`: "images[0]: a: detections[1]: 2: want an object",
		`{"images": [{"file": "a", "detections": [{"conf": 1}, `:  "the text ends inside a value",
		`{"images": [{"file": "a", "file": "b"}]}`:                "duplicate",
		`{"images": []} {}`:                                       "more text behind the value",
		"{\"images\": [{\"file\": \"\xff\"}]}":                    "invalid UTF-8",
	} {
		if _, err := Read("d.json", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "megadetector: d.json: ") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("no file: no error")
	}
}

func TestCheck(t *testing.T) {
	for box, want := range map[string]string{
		"0, 0, 1, 1": "", "0.5, 0.5, 0.505, 0.5": "", "-0.005, 0, 0.2, 0.2": "",
		"0.1, 0.1, 0, 0.2": "no area", "0.1, 0.1, 0.2, -0.1": "no area", "0.6, 0, 0.5, 0.1": "beyond the picture", "-0.1, 0, 0.5, 0.1": "beyond the picture",
		"10, 20, 300, 400": "beyond the picture", "1.001, 0, 0.005, 0.1": "outside of the picture", "-0.005, 0, 0.004, 0.1": "outside of the picture",
		"0, 0, 1": "value 0 is no finite number", `0, 0, "1", 1`: "value 2 is no finite number", "0, 0, 1e999, 1": "value 2",
	} {
		f := mustRead(t, fmt.Sprintf(`{"images": [{"file": "a", "detections": [{"category": "1", "conf": 0.5, "bbox": [%s]}]}]}`, box))
		d := f.Images[0].Detections[0]
		err := d.Check()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", box, err, want)
		}
		if l, top, r, b := d.Within(); err == nil && !(0 <= l && l < r && r <= 1 && 0 <= top && top < b && b <= 1) {
			t.Errorf("%s: within %v %v %v %v", box, l, top, r, b)
		}
	}
	for _, conf := range []string{"1.5", "-0.1", `"0.5"`, "null"} {
		d := mustRead(t, `{"images": [{"file": "a", "detections": [{"conf": `+conf+`, "bbox": [0, 0, 1, 1]}]}]}`).Images[0].Detections[0]
		if err := d.Check(); err == nil || !strings.Contains(err.Error(), "conf") {
			t.Errorf("conf %s: %v", conf, err)
		}
	}
}

func TestMatch(t *testing.T) {
	root := t.TempDir()
	pic := func(name string) datasets.Picture {
		return datasets.Picture{Name: name, Path: filepath.Join(root, "media", filepath.FromSlash(name))}
	}
	pictures := []datasets.Picture{pic("cam1/1.jpg"), pic("cam2/1.jpg"), pic("2.jpg")}
	above := filepath.ToSlash(filepath.Join(root, "media"))
	for what, test := range map[string]struct {
		files []string
		want  []int
	}{
		"equal":                  {[]string{"2.jpg", "cam2/1.jpg", "cam1/1.jpg"}, []int{2, 1, 0}},
		"of Windows":             {[]string{`cam1\1.jpg`, `./2.jpg`}, []int{0, -1, 1}},
		"from the folder above":  {[]string{"media/cam1/1.jpg", "other/cam2/1.jpg", "media/2.jpg"}, []int{0, -1, 2}},
		"absolute, here":         {[]string{above + "/cam1/1.jpg", above + "/2.jpg"}, []int{0, -1, 1}},
		"absolute, elsewhere":    {[]string{"/data/x/cam1/1.jpg", `D:\data\x\cam2\1.jpg`, "/data/x/2.jpg"}, []int{0, 1, 2}},
		"in one place elsewhere": {[]string{"x/cam1/1.jpg", "x/2.jpg"}, []int{0, -1, 1}},
		"another camera":         {[]string{"cam1/1.jpg", "2.jpg", "cam3/1.jpg", "cam4/1.jpg"}, []int{0, -1, 1}},
		"renamed":                {[]string{"old/1.jpg"}, []int{-1, -1, -1}},
		"the nearest":            {[]string{"media/2.jpg", "2.jpg"}, []int{-1, -1, 1}},
	} {
		f := &File{Name: "d.json"}
		for _, name := range test.files {
			f.Images = append(f.Images, Image{File: name})
		}
		if of, _, err := f.Match(pictures); err != nil || !slices.Equal(of, test.want) {
			t.Errorf("%s: %v, %v, want %v", what, of, err, test.want)
		}
	}
	for want, files := range map[string][]string{
		"d.json: 2.jpg could be /data/x/2.jpg or /data/y/2.jpg": {"/data/x/2.jpg", "/data/y/2.jpg"},
		"d.json: 1.jpg could be cam1/1.jpg or cam2/1.jpg":       {"1.jpg", "cam3/2.jpg", "x/1.jpg"},
		"d.json: cam1/1.jpg could be CAM1/1.jpg or Cam1/1.jpg":  {"CAM1/1.jpg", "Cam1/1.jpg"},
	} {
		f := &File{Name: "d.json"}
		for _, name := range files {
			f.Images = append(f.Images, Image{File: name})
		}
		if of, _, err := f.Match(pictures); err == nil || err.Error() != want {
			t.Errorf("%v, %v, want %s", of, err, want)
		}
	}
	lone := &File{Name: "d.json", Images: []Image{{File: "old/5.jpg"}, {File: "old/6.jpg"}}}
	if of, note, err := lone.Match([]datasets.Picture{pic("new/5.jpg"), pic("new/6.jpg")}); err != nil || !slices.Equal(of, []int{0, 1}) || !strings.Contains(note, "old is taken for new") {
		t.Errorf("a folder that was renamed: %v, %q, %v", of, note, err)
	}
	if of, _, err := lone.Match([]datasets.Picture{pic("5.jpg")}, "old/5.jpg"); err != nil || of[0] != -1 {
		t.Errorf("the image of a picture that could not be listed: %v, %v", of, err)
	}
	twice := &File{Name: "d.json", Images: []Image{{File: "a.jpg"}, {File: "b.jpg"}, {File: "./a.jpg"}}}
	if _, _, err := twice.Match(pictures); err == nil || !strings.Contains(err.Error(), "images[0] and images[2] are of one picture") {
		t.Errorf("twice: %v", err)
	}
	if i := twice.MatchName("b.jpg"); i != 1 {
		t.Errorf("the image of a name: %d", i)
	}
}

// Whatever the bytes, what is read is written as JSON again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"info": {"format_version": "1.3"}, "images": [{"file": "a", "detections": [{"category": "1", "conf": NaN, "bbox": [0, -Infinity, 1, 1]}]}]}`))
	f.Add([]byte(`{"images": [{"file": "a\"NaN", "failure": "x", "detections": null}], "detection_categories": {"1": "animal"}}`))
	f.Add([]byte(`-Infinity "\`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read("f", strings.NewReader(string(data)))
		if err != nil {
			return
		}
		text := append(file.AppendInfo(nil), '}')
		if !json.Valid(text) || !json.Valid(file.AppendCategories(nil)) {
			t.Errorf("head: %s", text)
		}
		for i := range file.Images {
			if text := file.Images[i].Append(nil); !json.Valid(text) {
				t.Errorf("image %d: %s", i, text)
			}
			for k := range file.Images[i].Detections {
				_ = file.Images[i].Detections[k].Check()
			}
		}
	})
}

// Names as Windows and macOS write them are those of the pictures.
func TestCases(t *testing.T) {
	for file, names := range map[string][]string{
		"nfc_boxes.json":    {norm.NFD.String("Größe/IMG_1.JPG"), norm.NFD.String("Süd/IMG_1.JPG"), norm.NFD.String("Größe/IMG_2.JPG"), norm.NFD.String("Süd/IMG_2.JPG")},
		"winmix_boxes.json": {"cam1/IMG_0001.JPG", "cam1/IMG_0002.JPG", "cam1/IMG_0003.JPG", "cam1/IMG_0004.jpg", "cam2/IMG_0001.JPG", "cam2/IMG_0002.JPG", "cam2/IMG_0003.JPG", "cam2/IMG_0004.JPG"},
	} {
		f, err := Open(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		var pictures []datasets.Picture
		for _, n := range names {
			pictures = append(pictures, datasets.Picture{Name: n, Path: filepath.Join(t.TempDir(), n)})
		}
		of, _, err := f.Match(pictures)
		if err != nil {
			t.Fatal(err)
		}
		for i := range names {
			if of[i] != i {
				t.Errorf("%s: %s is image %d, want %d", file, names[i], of[i], i)
			}
		}
	}
	f := &File{Images: []Image{{File: `a\B.jpg`}, {File: "a/c.jpg"}, {File: "A/C.jpg"}}}
	for name, want := range map[string]int{"a/b.jpg": 0, "A/C.jpg": 2, "a/C.jpg": -1, "d.jpg": -1} {
		if got := f.MatchName(name); got != want {
			t.Errorf("the image of %s: %d, want %d", name, got, want)
		}
	}
}
