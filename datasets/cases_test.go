package datasets

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// pictureTree makes empty pictures.
func pictureTree(tb testing.TB, names ...string) string {
	files := map[string]string{}
	for _, n := range names {
		files[n] = ""
	}
	return tree(tb, files)
}

// twoCameras are the pictures of tables/timelapse.csv and names/mixsep.csv: equal names in every folder.
func twoCameras() (names []string) {
	for _, cam := range []string{"CAM01", "CAM02"} {
		for _, dir := range []string{"100RECNX", "101RECNX"} {
			for i := range 3 {
				names = append(names, fmt.Sprintf("%s/%s/IMG_%04d.JPG", cam, dir, i+1))
			}
		}
	}
	return names
}

// uuids are the pictures of a sequence of iWildCam, in its order.
func uuids() (names []string) {
	for _, head := range []string{"8b31d3be", "8cf202be", "8a87ce62", "9b2e9d4e", "8792549a"} {
		names = append(names, head+"-21bc-11ea-a13a-137349068a90.jpg")
	}
	return names
}

// What users' files look like: every name is found, and the order is that of the metadata.
func TestCases(t *testing.T) {
	decomposed := []string{norm.NFD.String("Größe/IMG_1.JPG"), norm.NFD.String("Süd/IMG_1.JPG"), norm.NFD.String("Größe/IMG_2.JPG"), norm.NFD.String("Süd/IMG_2.JPG")}
	for name, c := range map[string]struct {
		pictures []string
		fields   Fields
		order    []string // as listed
		streams  int
		warnings string
	}{
		"nfc.csv":            {decomposed, Fields{}, decomposed, 1, ""},
		"mixsep.csv":         {twoCameras(), Fields{}, twoCameras(), 2, ""},
		"timelapse.csv":      {twoCameras(), Fields{Label: "Species"}, twoCameras(), 4, ""},
		"seq_frame_num.json": {uuids(), Fields{}, uuids(), 1, ""},
		"cct_nan.json": {
			uuids(),
			Fields{},
			[]string{uuids()[0], uuids()[1], uuids()[2], uuids()[4], uuids()[3]},
			2,
			"2 values are NaN or infinite, which JSON does not know: they are read as unknown",
		},
	} {
		l, err := List(context.Background(), pictureTree(t, c.pictures...), Options{Metadata: "testdata/cases/" + name, Fields: c.fields})
		must(t, err)
		var order []string
		for _, p := range l.Pictures {
			order = append(order, p.Name)
			if name != "cct_nan.json" && (p.Time.IsZero() || p.Label == "") {
				t.Errorf("%s: %s has time %v, label %q", name, p.Name, p.Time, p.Label)
			}
		}
		if strings.Join(order, " ") != strings.Join(c.order, " ") || len(l.Streams()) != c.streams {
			t.Errorf("%s: %d streams, order\n%s, want %d and\n%s", name, len(l.Streams()), strings.Join(order, " "), c.streams, strings.Join(c.order, " "))
		}
		if text := strings.Join(l.Warnings, "\n"); !strings.Contains(text, c.warnings) || c.warnings == "" && text != "" {
			t.Errorf("%s: warnings %q, want %q", name, text, c.warnings)
		}
	}
}

// Two columns can name a file, and those of Timelapse and camtrapR are known.
func TestFolderColumn(t *testing.T) {
	pictures := []string{"cam1/d/1.jpg", "cam2/d/1.jpg"}
	for text, f := range map[string]Fields{
		"RelativePath,File,label\ncam1\\d,1.jpg,a\ncam2\\d,1.jpg,b\n":                                              {},
		"Station,Directory,FileName,Time,label\nx,E:/all/cam1/d,1.JPG,10:00:00,a\nx,E:/all/cam2/d,1.JPG,10:00,b\n": {},
		"dir,name,label\ncam1/d/,1.jpg,a\ncam2/d,1.jpg,b\n":                                                        {Folder: "dir", File: "name"},
		"dir,file,label\ncam1/d/,1.jpg,a\ncam2/d,1.jpg,b\n":                                                        {Folder: "dir"},
		"RelativePath,File,label\ncam1,cam1/d/1.jpg,a\ncam2,cam2/d/1.jpg,b\n":                                      {}, // the file says all
		"RelativePath,File,label\ncam1,cam1/d/1.jpg,a\ncam2,cam2/d/1.jpg,b\n ":                                     {File: "File"},
	} {
		if strings.HasPrefix(text, "Station") {
			text = strings.Replace(text, "Time,", "DateTimeOriginal,", 1)
			text = strings.NewReplacer("10:00:00", "2024-05-01 10:00:00", "10:00,", "2024-05-01 11:00:00,").Replace(text)
		}
		root := pictureTree(t, pictures...)
		meta := tree(t, map[string]string{"m.csv": strings.TrimSuffix(text, " ")})
		l, err := List(context.Background(), root, Options{Metadata: meta + "/m.csv", Fields: f})
		must(t, err)
		for i, want := range []string{"a", "b"} {
			if p := l.Pictures[i]; p.Label != want || p.Name != pictures[i] || strings.HasPrefix(text, "Station") == p.Time.IsZero() {
				t.Errorf("%q: picture %d is %s, %q, %v", text, i, p.Name, p.Label, p.Time)
			}
		}
		if f == (Fields{}) {
			labels, err := ReadLabels(meta + "/m.csv")
			must(t, err)
			if n := labels.Apply(l); n != 2 {
				t.Errorf("%q: %d labels", text, n)
			}
		}
	}
	root := tree(t, map[string]string{"1.jpg": "", "m.csv": "file,label\n1.jpg,a\n"})
	if _, err := List(context.Background(), root, Options{Metadata: root + "/m.csv", Fields: Fields{Folder: "dir"}}); err == nil || !strings.Contains(err.Error(), `no column "dir"`) {
		t.Errorf("a folder column that is not there: %v", err)
	}
}

func TestFoldName(t *testing.T) {
	for in, want := range map[string]string{
		`E:/proj/pics/cam1\IMG_1.JPG`: "proj/pics/cam1/img_1.jpg", `D:\data\1.jpg`: "data/1.jpg", "./a//b.jpg": "a/b.jpg", "/a/b.jpg": "a/b.jpg", "": "",
		norm.NFD.String("Größe/1.jpg"): "größe/1.jpg", "Größe/1.jpg": "größe/1.jpg", "c:": "c:", "\xff.jpg": "\xff.jpg",
	} {
		if got := FoldName(in); norm.NFC.String(got) != got && in != "\xff.jpg" || got != want && in != "\xff.jpg" {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// Names of one place count, those of two are ambiguous, and other folders are none unless all of them were renamed.
func TestMatchPlaces(t *testing.T) {
	for _, c := range []struct {
		name                    string
		pictures, places, files []string
		want                    []int
		doubts                  string // f, p: as in TestMatchFiles; s: several places, o: another folder
		renamed                 string
	}{
		{"another camera of the same file names", []string{"cam1/100/1.jpg", "cam2/100/1.jpg"}, nil, []string{"cam1/100/1.jpg"}, []int{0, -1}, "--", ""},
		{"the same for labels of one and another", []string{"cam1/1.jpg", "cam2/2.jpg"}, nil, []string{"cam1/1.jpg", "cam1/2.jpg"}, []int{0, -1}, "-o", ""},
		{"two places", []string{"a/1.jpg", "b/2.jpg", "b/3.jpg"}, nil, []string{"y/a/1.jpg", "z/b/2.jpg", "z/b/3.jpg"}, []int{-1, 1, 2}, "s--", ""},
		{"two places of as many", []string{"a/1.jpg", "b/2.jpg"}, nil, []string{"y/a/1.jpg", "z/b/2.jpg"}, []int{-1, -1}, "ss", ""},
		{"two drives", []string{"a/1.jpg", "b/2.jpg"}, nil, []string{`D:\y\a\1.jpg`, "E:/y/b/2.jpg"}, []int{0, 1}, "--", ""},
		{"from above", []string{"1.jpg", "2.jpg"}, []string{"x/cam1/1.jpg", "x/cam1/2.jpg"}, []string{"cam1/1.jpg", "cam2/1.jpg", "cam2/2.jpg"}, []int{0, -1}, "-s", ""},
		{"renamed", []string{"n/a/1.jpg", "n/b/1.jpg"}, nil, []string{"m/a/1.jpg", "m/b/1.jpg"}, []int{0, 1}, "--", "n m"},
		{"renamed in two ways", []string{"n/a/1.jpg", "n/b/2.jpg"}, nil, []string{"m/a/1.jpg", "o/b/2.jpg"}, []int{-1, -1}, "oo", ""},
	} {
		places := c.places
		if places == nil {
			places = make([]string, len(c.pictures))
		}
		p := matchPlaced(c.pictures, places, c.files)
		text := ""
		for _, d := range p.doubts {
			text += string("-fpso"[d])
		}
		if fmt.Sprint(p.of) != fmt.Sprint(c.want) || text != c.doubts || strings.TrimSpace(strings.Join(p.renamed[:], " ")) != c.renamed {
			t.Errorf("%s: got %v, doubts %q, renamed %q; want %v, %q, %q", c.name, p.of, text, p.renamed, c.want, c.doubts, c.renamed)
		}
	}
}

func TestPlacesAreTold(t *testing.T) {
	root := pictureTree(t, "a/1.jpg", "b/2.jpg", "b/3.jpg", "c/4.jpg")
	meta := tree(t, map[string]string{
		"m.csv": "file,label\ny/a/1.jpg,x\nz/b/2.jpg,x\nz/b/3.jpg,x\nz/d/4.jpg,x\n", "renamed.csv": "file,label\nq/1.jpg,x\n",
	})
	for file, want := range map[string][]string{
		"m.csv": {
			"warning m.csv: names files of several folders whose contents could be here, so 1 picture is left without a match: a/1.jpg\n",
			"warning m.csv: names files of other folders that are called like 1 picture, which is left without a match: c/4.jpg\n",
		},
		"renamed.csv": {"warning renamed.csv: no name in it is of a picture here but for the folders before it: q is taken for a\n"},
	} {
		got := list(t, root, Options{Metadata: meta + "/" + file})
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %s\nwant %s", file, got, w)
			}
		}
	}
}

// Frames under either name, as numbers or as tables write them; views of a location are cameras of their own unless locations were asked for.
func TestCCTSequences(t *testing.T) {
	const image = `{"file_name": "%s.jpg", "location": 3, %s "seq_id": "s", "datetime": "2020-01-02 03:04:05", %s}`
	write := func(views bool, frames ...string) string {
		var images []string
		for i, f := range frames {
			view := ""
			if views && i > 0 {
				view = fmt.Sprintf(`"sub_location": %d.0,`, i%2)
			}
			images = append(images, fmt.Sprintf(image, string(rune('a'+i)), view, f))
		}
		return tree(t, map[string]string{"c.json": `{"images": [` + strings.Join(images, ",") + `]}`}) + "/c.json"
	}
	root := pictureTree(t, "a.jpg", "b.jpg", "c.jpg")
	for want, frames := range map[string][]string{
		"c.jpg b.jpg a.jpg": {`"frame_num": 2`, `"seq_frame_num": 1`, `"frame_num": 0`},
		"b.jpg c.jpg a.jpg": {`"seq_frame_num": 10.0`, `"frame_num": "2.0"`, `"frame_num": "3"`},
		"a.jpg c.jpg b.jpg": {`"frame_num": null`, `"frame_num": 1e1`, `"seq_frame_num": 9`},
	} {
		l, err := List(context.Background(), root, Options{Metadata: write(false, frames...)})
		must(t, err)
		var order []string
		for _, p := range l.Pictures {
			order = append(order, p.Name)
		}
		if got := strings.Join(order, " "); got != want || len(l.Warnings) > 0 {
			t.Errorf("%v: %s, want %s; %q", frames, got, want, l.Warnings)
		}
	}
	if got := list(t, root, Options{Metadata: write(false, `"frame_num": 1`, `"frame_num": 1.5`, `"frame_num": "x"`)}); !strings.Contains(got, `warning c.json: 2 numbers of frames could not be read: "1.5" (b.jpg), "x" (c.jpg)`) {
		t.Error(got)
	}
	views := write(true, `"frame_num": 1`, `"frame_num": 2`, `"frame_num": 3`)
	want(t, list(t, root, Options{Metadata: views}), "", `
stream 3
  a.jpg 2020-01-02 03:04:05 metadata
stream 3/0
  c.jpg 2020-01-02 03:04:05 metadata
stream 3/1
  b.jpg 2020-01-02 03:04:05 metadata
warning c.json: 2 streams are of one view of a location, its sub_location (the stream field location takes the views together): 3/1, 3/0
`)
	if got := list(t, root, Options{Metadata: views, Fields: Fields{Stream: "location"}}); strings.Count(got, "stream ") != 1 {
		t.Errorf("the stream field location: %s", got)
	}
}

// Whatever a table says, it is joined with pictures or refused in one line with its place.
func FuzzMetadataTable(f *testing.F) {
	f.Add([]byte("file,stream,time,label\n46/x.jpg,a,2020-01-02 03:04:05,fox\n46\\z.jpg,a,,\na,b,NaT,\n"))
	f.Add([]byte("\xef\xbb\xbfRelativePath;File;DateTime\r\nE:/x\\46;x.jpg;2024-05-01 00:00:00\r\n46;z.JPG;\r\n"))
	f.Add([]byte("Directory\tFileName\tDateTimeOriginal\n/46\tX.JPG\t1\n"))
	f.Add([]byte("file\ny/46/x.jpg\nz/46/z.jpg\nq/a.jpg\n"))
	items := []*item{{Picture: Picture{Name: "46/z.jpg"}}, {Picture: Picture{Name: "46/x.jpg"}}, {Picture: Picture{Name: "a.jpg"}}}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, fields := range []Fields{{}, {File: "stream", Folder: "file"}} {
			md, err := readCSV(context.Background(), "x.csv", strings.NewReader(string(b)), fields, newWanted(items))
			checkMetadata(t, md, err)
		}
	})
}
