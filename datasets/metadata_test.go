package datasets

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

func TestMatchFiles(t *testing.T) {
	for _, c := range []struct {
		name            string
		pictures, files []string
		want            []int
		doubts          string // f: could be several files, p: the file could be several pictures
	}{
		{"equal", []string{"a/1.jpg", "b/1.jpg"}, []string{"b/1.jpg", "a/1.jpg"}, []int{1, 0}, "--"},
		{"a folder more", []string{"a/1.jpg", "b/1.jpg"}, []string{"media/a/1.jpg", "media/b/1.jpg"}, []int{0, 1}, "--"},
		{"a folder less", []string{"x/a/1.jpg", "x/b/1.jpg"}, []string{"a/1.jpg", "b/1.jpg"}, []int{0, 1}, "--"},
		{"base name", []string{"a/1.jpg"}, []string{"z/1.jpg"}, []int{0}, "-"},
		{"case", []string{"a/IMG_1.jpg"}, []string{"IMG_1.JPG"}, []int{0}, "-"},
		{"base name of two pictures", []string{"a/1.jpg", "b/1.jpg"}, []string{"z/1.jpg"}, []int{-1, -1}, "pp"},
		{"base name of two files", []string{"a/1.jpg"}, []string{"y/1.jpg", "z/1.jpg"}, []int{-1}, "f"},
		{"exact beside others", []string{"a/1.jpg", "b/1.jpg"}, []string{"a/1.jpg"}, []int{0, -1}, "--"},
		{"no base name left over by others", []string{"a/1.jpg", "b/1.jpg"}, []string{"a/1.jpg", "c/1.jpg"}, []int{0, -1}, "-p"},
		{"several on both sides", []string{"a/1.jpg", "b/1.jpg"}, []string{"y/1.jpg", "z/1.jpg"}, []int{-1, -1}, "ff"},
		{"case of two", []string{"1.jpg", "1.JPG"}, []string{"1.JPG", "1.jpg"}, []int{1, 0}, "--"},
		{"without extension", []string{"a/1f-2.jpg", "a/2.jpg"}, []string{"2", "1f-2"}, []int{1, 0}, "--"},
		{"without extension of two", []string{"a/1.jpg", "a/1.png"}, []string{"1"}, []int{-1, -1}, "pp"},
		{"dots in a bare name", []string{"a/v1.2.jpg"}, []string{"v1.2"}, []int{0}, "-"},
		{"others altogether", []string{"1.jpg"}, []string{"2.jpg"}, []int{-1}, "-"},
		{"nothing", nil, nil, []int{}, ""},
	} {
		got, doubts := matchFiles(c.pictures, c.files)
		text := ""
		for _, d := range doubts {
			text += string("-fp"[d])
		}
		if !slices.Equal(got, c.want) || text != c.doubts {
			t.Errorf("%s: got %v, doubts %q; want %v, %q", c.name, got, text, c.want, c.doubts)
		}
	}
}

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		`cam1\IMG_1.JPG`: "cam1/IMG_1.JPG", "./a/b.jpg": "a/b.jpg", "/a//b.jpg": "a/b.jpg", "../../a.jpg": "a.jpg", "": "", `a/b\c.jpg`: `a/b\c.jpg`,
	} {
		if got := cleanName(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

var csvTree = map[string]string{
	"a/1.jpg": at("2024:05:01 10:00:00"), "a/2.jpg": "", "b/1.jpg": "", "b/3.jpg": "", "c/4.jpg": "",
}

func TestStreamsFromCSV(t *testing.T) {
	root := tree(t, csvTree)
	meta := tree(t, map[string]string{"streams.csv": "\xef\xbb\xbfFile;Camera;when;Species;x\r\n" +
		"a/1.jpg;cam2;;fox;1\r\n" +
		`a\2.jpg;cam10;2024-05-02 10:00;"red; deer";2` + "\r\n" +
		"b/1.jpg;cam2;2024-05-01 09:00:00;fox;\r\n" +
		"b/1.jpg;cam2;2024-05-01 09:00:00;hare;\r\n" +
		"3.jpg;;2024-05-01;;\r\n" +
		"d/9.jpg;cam2;;;\r\n"})
	opt := Options{Metadata: meta + "/streams.csv", Fields: Fields{Stream: "camera", Time: "WHEN", Label: "species"}}
	want(t, list(t, root, opt), meta, `
stream b
  b/3.jpg 2024-05-01 00:00:00 metadata
stream c
  c/4.jpg
stream cam2
  b/1.jpg 2024-05-01 09:00:00 metadata
  a/1.jpg 2024-05-01 10:00:00 exif = fox
stream cam10
  a/2.jpg 2024-05-02 10:00:00 metadata = red; deer
warning streams.csv: names 4 of 5 pictures; the other takes its folder as stream: c/4.jpg
warning streams.csv: names 1 file that is not here: d/9.jpg
warning streams.csv: 1 picture with several different labels, left without one: b/1.jpg
warning streams.csv: 1 picture without a stream takes its folder's: b/3.jpg
warning 1 stream without any capture time, ordered by name: c
`)
	opt.Streams = StreamByFolder
	if got := list(t, root, opt); !strings.HasPrefix(got, "stream a\n  a/1.jpg 2024-05-01 10:00:00 exif = fox\n  a/2.jpg 2024-05-02 10:00:00 metadata = red; deer\n") {
		t.Errorf("streams by folder, the rest from metadata: %s", got)
	}
}

func TestCSVOfTimesAlone(t *testing.T) {
	root := tree(t, map[string]string{"a/1.jpg": "", "a/2.jpg": "", "m.csv": "file\ttime\n1.jpg\t2024-05-02 10:00:00\n2.jpg\t2024-05-01 10:00:00\n"})
	want(t, list(t, root, Options{Metadata: root + "/m.csv"}), root, `
stream a
  a/2.jpg 2024-05-01 10:00:00 metadata
  a/1.jpg 2024-05-02 10:00:00 metadata
ignored .csv: 1
`)
}

func TestCSVContradiction(t *testing.T) {
	const rows = "file,stream\na/1.jpg,x\na/1.jpg,y\na/1.jpg,x\n"
	root := tree(t, map[string]string{"a/1.jpg": "", "a/2.jpg": "", "m.csv": rows + "2.jpg,x\n", "alone.csv": rows})
	want(t, list(t, root, Options{Metadata: root + "/m.csv"}), root, `
stream a
  a/1.jpg
stream x
  a/2.jpg
ignored .csv: 2
warning m.csv: names 1 of 2 pictures; the other takes its folder as stream: a/1.jpg
warning m.csv: says different things of 1 file, which it is not believed about: a/1.jpg
warning 2 streams without any capture time, ordered by name: a, x
`)
	want(t, list(t, root, Options{Metadata: root + "/alone.csv"}), root, `
error datasets: ROOT/alone.csv: matches none of the pictures: they are a/1.jpg, a/2.jpg; it says different things of a/1.jpg
`)
}

// Metadata that helps no picture is that of another collection: going on by folder would be another run than the one asked for.
func TestMetadataOfNothing(t *testing.T) {
	root := tree(t, map[string]string{
		"a/1.jpg": "", "a/2.jpg": "", "b/1.jpg": "", "c/1.jpg": "",
		"other.csv": "file,stream\nx/5.jpg,s\nx/6.jpg,s\nx/7.jpg,s\nx/8.jpg,s\nx/9.jpg,s\n", "none.csv": "file,stream\n",
		"unclear.csv": "file,stream\n1.jpg,s\n", "open.csv": "file,stream\na/1.jpg,\na/2.jpg,\n", "part.csv": "file,stream\na/1.jpg,s\na/2.jpg,\n",
	})
	for _, by := range []StreamBy{"", StreamByFolder, StreamByMetadata} {
		for file, rest := range map[string]string{
			"other.csv":   "it names x/5.jpg, x/6.jpg, x/7.jpg and 2 more",
			"none.csv":    "it names no file",
			"unclear.csv": "it names 1.jpg",
		} {
			want(t, list(t, root, Options{Metadata: root + "/" + file, Streams: by}), root,
				"error datasets: ROOT/"+file+": matches none of the pictures: they are a/1.jpg, a/2.jpg, b/1.jpg and 1 more; "+rest+"\n")
		}
	}
	want(t, list(t, root, Options{Metadata: root + "/open.csv", Streams: StreamByMetadata}), root,
		"error datasets: ROOT/open.csv: streams are to come from here, and it tells none of any picture that it names: a/1.jpg, a/2.jpg\n")
	if got := list(t, root, Options{Metadata: root + "/open.csv"}); strings.Contains(got, "error") || strings.Contains(got, "without a stream") {
		t.Errorf("streams that nobody asked of the metadata: %s", got)
	}
	if got := list(t, root, Options{Metadata: root + "/part.csv", Streams: StreamByMetadata}); !strings.Contains(got,
		"warning part.csv: names 2 of 4 pictures; the others take their folder as stream: b/1.jpg, c/1.jpg\n"+
			"warning part.csv: 1 picture without a stream takes its folder's: a/2.jpg\n") {
		t.Errorf("metadata that helps some: %s", got)
	}
}

// Which side has several is said rightly, of metadata and of labels.
func TestDoubts(t *testing.T) {
	root := tree(t, map[string]string{
		"a/1.jpg": "", "b/1.jpg": "", "c/2.jpg": "", "c/3.jpg": "", "d/4.jpg": "", "e/4.jpg": "",
		"m.csv": "file,label\n1.jpg,fox\nx/2.jpg,fox\ny/2.jpg,fox\nc/3.jpg,fox\nd/4.jpg,fox\nz/4.jpg,fox\n",
	})
	const doubts = `warning m.csv: 1 picture could be any of several files that it names, and matches none: c/2.jpg
warning m.csv: files that it names could be any of several pictures, so 3 pictures are left without a match: a/1.jpg, b/1.jpg, e/4.jpg
`
	if got := list(t, root, Options{Metadata: root + "/m.csv"}); !strings.Contains(got, doubts) {
		t.Errorf("metadata: %s", got)
	}
	l, err := List(context.Background(), root, Options{})
	must(t, err)
	labels, err := ReadLabels(root + "/m.csv")
	must(t, err)
	labels.Apply(l)
	if got := transcript(l, nil); !strings.Contains(got, doubts) {
		t.Errorf("labels: %s", got)
	}
	labels.Entries = labels.Entries[3:4]
	l.Warnings, labels.Entries[0].File = nil, "gone.jpg"
	labels.Apply(l)
	if got := transcript(l, nil); !strings.Contains(got, "warning m.csv: 1 label is of no picture here: gone.jpg\n") {
		t.Errorf("one label: %s", got)
	}
}

func TestMetadataErrors(t *testing.T) {
	root := tree(t, map[string]string{
		"a.jpg": "", "empty.csv": "", "cols.csv": "name,site\na.jpg,1\n", "quote.csv": "file,stream\n\na.jpg,\"x\nb.jpg,y\n",
		"nofile.csv": "file,stream\n,x\n", "utf16.csv": "\xff\xfef\x00i\x00", "x.json.zip": "PK", "gz.csv": "\x1f\x8bnot gzip",
	})
	for file, part := range map[string]string{
		"missing.csv": "datasets: ROOT/missing.csv: no such file or directory",
		"empty.csv":   "datasets: ROOT/empty.csv: file is empty, want a header",
		"cols.csv":    `datasets: ROOT/cols.csv:1: no column "file"; columns are name, site`,
		"quote.csv":   "datasets: ROOT/quote.csv:",
		"nofile.csv":  "datasets: ROOT/nofile.csv:2: column file: is empty",
		"utf16.csv":   `datasets: ROOT/utf16.csv:1: no column "file"; columns are fi`,
		"x.json.zip":  "datasets: ROOT/x.json.zip: metadata in a zip archive: unpack it first",
		"gz.csv":      "datasets: ROOT/gz.csv: ",
	} {
		_, err := List(context.Background(), root, Options{Metadata: root + "/" + file})
		if err == nil || !strings.HasPrefix(testdata.Plain(withoutRoot(err.Error(), root)), part) {
			t.Errorf("%s: error %v, want %s", file, err, part)
		}
	}
	opt := Options{Metadata: root + "/nofile.csv", Fields: Fields{Label: "species"}}
	if _, err := List(context.Background(), root, opt); err == nil || !strings.Contains(err.Error(), `no column "species"`) {
		t.Errorf("a column asked for and absent: %v", err)
	}
}

// A bomb: 64 MiB in one field of a few kilobytes of gzip.
func TestRecordLimit(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte("file,stream\na.jpg,\"" + strings.Repeat("x", 64<<20)))
	must(t, err)
	must(t, z.Close())
	root := tree(t, map[string]string{"a.jpg": "", "bomb.csv.gz": b.String()})
	_, err = List(context.Background(), root, Options{Metadata: root + "/bomb.csv.gz"})
	if err == nil || !strings.Contains(err.Error(), "a record of more than 16 MiB") {
		t.Errorf("error %v, want the limit", err)
	}
}

func TestManyRecordsAreWithinTheLimit(t *testing.T) {
	root := tree(t, map[string]string{"a.jpg": ""})
	f, err := os.Create(root + "/big.csv")
	must(t, err)
	row := strings.Repeat("x", 60<<10)
	_, err = f.WriteString("file,stream\n")
	must(t, err)
	for range 600 { // 36 MB in all
		_, err = f.WriteString("b.jpg," + row + "\n")
		must(t, err)
	}
	_, err = f.WriteString("a.jpg,cam1\n")
	must(t, err)
	must(t, f.Close())
	if got := list(t, root, Options{Metadata: root + "/big.csv"}); !strings.HasPrefix(got, "stream cam1\n  a.jpg\n") {
		t.Error(got)
	}
}

// matchFiles is [matchPlaced] of pictures that lie nowhere in particular.
func matchFiles(pictures, names []string) (of []int, doubts []doubt) {
	p := matchPlaced(pictures, make([]string, len(pictures)), names)
	return p.of, p.doubts
}
