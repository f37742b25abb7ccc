package datasets

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

func TestParseLabels(t *testing.T) {
	plainEntries := []LabelEntry{{"a/1.jpg", "fox", 2, ""}, {"b 2.jpg", "3", 3, ""}}
	for name, c := range map[string]struct {
		text string
		want []LabelEntry
	}{
		"plain":          {"file,label\na/1.jpg,fox\nb 2.jpg,3\n", plainEntries},
		"CRLF and BOM":   {"\xef\xbb\xbffile,label\r\na/1.jpg,fox\r\nb 2.jpg,3\r\n", plainEntries},
		"semicolons":     {"file;label\na/1.jpg;fox\nb 2.jpg;3", plainEntries},
		"tabs":           {"file\tlabel\na/1.jpg\tfox\nb 2.jpg\t3", plainEntries},
		"more columns":   {"id,Label , FILE\n9, fox ,a/1.jpg\n8,3,b 2.jpg,left over\n", plainEntries},
		"repeated":       {"file,label\na/1.jpg,fox\nb 2.jpg,3\na/1.jpg,fox\n", plainEntries},
		"empty lines":    {"file,label\na/1.jpg,fox\nb 2.jpg,3\n\n\n", plainEntries},
		"quotes":         {"file,label\n\"a,\"\"1\"\".jpg\",\"fox, red\"\n", []LabelEntry{{`a,"1".jpg`, "fox, red", 2, ""}}},
		"line in a name": {"file,label\n\"a\nb.jpg\",fox\nc.jpg,hare\n", []LabelEntry{{"a\nb.jpg", "fox", 2, ""}, {"c.jpg", "hare", 4, ""}}},
		"no header":      {"A.JPG,fox\nb.jpg,hare\n", []LabelEntry{{"A.JPG", "fox", 1, ""}, {"b.jpg", "hare", 2, ""}}},
		"open label":     {"file,label\na.jpg,\n", []LabelEntry{{"a.jpg", "", 2, ""}}},
		"header only":    {"file,label\n", nil},
		"comma inside":   {"file;label;note\na.jpg;fox;\"1,2,3,4\"\n", []LabelEntry{{"a.jpg", "fox", 2, ""}}},
	} {
		l, err := parseLabels("labels.csv", strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !reflect.DeepEqual(l.Entries, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, l.Entries, c.want)
		}
	}
	for text, want := range map[string]string{
		"":                                "datasets: labels.csv: file is empty, want a header",
		"name,class\na.jpg,1\n":           `datasets: labels.csv:1: no column "file"; columns are name, class`,
		"file,class\na.jpg,1\n":           `datasets: labels.csv:1: no column "label"; columns are file, class`,
		"a.jpg,1,2\n":                     `datasets: labels.csv:1: no column "file"; columns are a.jpg, 1, 2`,
		"file,label\n\na.jpg\n":           "datasets: labels.csv:3: column label: is missing: the row has 1 column",
		"file,label\n,fox\n":              "datasets: labels.csv:2: column file: is empty",
		"file,label\na,1\nb,1\na,2\n":     `datasets: labels.csv:4: column label: a is "2" here and "1" in line 2`,
		"file,label\na,\"fox\nb,1\nc,2\n": `datasets: labels.csv:4: character 5: extraneous or missing " in quoted-field`,
		"file,label\na,fo\"x\n":           `datasets: labels.csv:2: character 5: bare " in non-quoted-field`,
	} {
		if _, err := parseLabels("labels.csv", strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestApplyLabels(t *testing.T) {
	root := tree(t, map[string]string{
		"a/1.jpg": "", "b/1.jpg": "", "b/2.jpg": "", "c/3.jpg": "", "d/4.jpg": "",
		"labels.csv": "file,label\nphotos/a/1.jpg,fox\nb/1.jpg,hare\n2.jpg,deer\n3.jpg,\nx/9.jpg,owl\nanother/10.jpg,owl\n",
		"meta.csv":   "file,label\nc/3.jpg,badger\nb/2.jpg,badger\n",
	})
	l, err := List(context.Background(), root, Options{Metadata: root + "/meta.csv"})
	must(t, err)
	labels, err := ReadLabels(root + "/labels.csv")
	must(t, err)
	l.Warnings = nil
	if n := labels.Apply(l); n != 3 || l.Labelled() != 4 {
		t.Errorf("%d labels applied, %d pictures labelled", n, l.Labelled())
	}
	want(t, transcript(l, nil), root, `
stream a
  a/1.jpg = fox
stream b
  b/1.jpg = hare
  b/2.jpg = deer
stream c
  c/3.jpg = badger
stream d
  d/4.jpg
ignored .csv: 2
warning labels.csv: no label for 1 of 5 pictures: d/4.jpg
warning labels.csv: 2 labels are of no picture here: x/9.jpg, another/10.jpg
`)
}

// A number is a name where a class bears it, and nothing else here: what other numbers mean is for who has seen all labels of the data.
func TestClassNamed(t *testing.T) {
	set := []string{"cat", "Dog", "dog", "crane", "crane", "7", "Fox", "0"}
	for label, want := range map[string]int{"cat": 0, "CAT": 0, "Dog": 1, "dog": 2, "fox": 6, "7": 5, "0": 7, "1": -1, "3": -1, "06": -1, "8": -1, "-1": -1, "owl": -1, "": -1, "1.0": -1} {
		if got, err := ClassNamed(label, set); err != nil || got != want {
			t.Errorf("%q: got %d, %v; want %d", label, got, err, want)
		}
	}
	for label, want := range map[string]string{"crane": "classes 3 and 4 both have this name", "DOG": "classes 1 and 2 both have this name"} {
		if _, err := ClassNamed(label, set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", label, err, want)
		}
	}
}

func TestLabelMap(t *testing.T) {
	m, err := parseLabelMap("map.csv", strings.NewReader("to;from;note\nred fox;Vulpes vulpes;\n;Homo sapiens;drop\nred fox;vulpes VULPES;again\n"))
	must(t, err)
	l := &Listing{Pictures: []Picture{{Label: "vulpes vulpes"}, {Label: "homo sapiens"}, {Label: "owl"}, {}}}
	for i := range l.Pictures {
		l.Pictures[i].Label = m.Map(l.Pictures[i].Label)
	}
	for i, want := range []string{"red fox", "", "owl", ""} {
		if got := l.Pictures[i].Label; got != want {
			t.Errorf("picture %d: label %q, want %q", i, got, want)
		}
	}
	if got := (&LabelMap{}).Map("owl"); got != "owl" {
		t.Errorf("the zero map made %q", got)
	}
	for text, want := range map[string]string{
		"from\nx\n":                `no column "to"`,
		"a,b\n":                    `no column "from"`,
		"from,to\n,x\n":            "map.csv:2: column from: is empty",
		"from,to\na,x\nb,x\nA,y\n": `map.csv:4: column to: "a" becomes "y" here and "x" above`,
	} {
		if _, err := parseLabelMap("map.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func FuzzLabels(f *testing.F) {
	f.Add([]byte("file,label\na.jpg,fox\n"))
	f.Add([]byte("\xef\xbb\xbfLabel;x;File\r\n\"fo;x\";1;\"a\r\nb.jpg\"\r\n"))
	f.Add([]byte("a.jpg\tfox\nb.jpg\thare"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := parseLabels("labels.csv", strings.NewReader(string(b)))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "datasets: labels.csv:") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		lines := strings.Count(string(b), "\n") + 1
		seen := map[string]bool{}
		for _, e := range l.Entries {
			if e.File == "" || seen[e.File] || e.Line < 1 || e.Line > lines {
				t.Errorf("entry %+v", e)
			}
			seen[e.File] = true
		}
		list := &Listing{Pictures: []Picture{{Name: "a.jpg"}, {Name: "x/b.jpg"}}}
		if n := l.Apply(list); n != list.Labelled() {
			t.Errorf("%d labels applied, %d there", n, list.Labelled())
		}
	})
}
