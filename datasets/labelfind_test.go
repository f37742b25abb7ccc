package datasets

import (
	"fmt"
	"strings"
	"testing"
)

func TestLabelFinder(t *testing.T) {
	for name, c := range map[string]struct {
		table string // of name=label
		files string
		want  string // labels, - for none, ! for an error
		err   string // of the first
	}{
		"equal":                     {"cam1/1.jpg=a cam2/1.jpg=b", "cam2/1.jpg cam1/1.jpg cam3/1.jpg", "b a -", ""},
		"of another camera":         {"cam1/100/1.jpg=a", "cam1/100/1.jpg cam2/100/1.jpg", "a -", ""},
		"separators, case, drives":  {`E:\all\cam1\1.JPG=a E:/all/cam2\1.jpg=b`, "all/cam1/1.jpg all/cam2/1.jpg", "a b", ""},
		"a folder more":             {"x/cam1/1.jpg=a x/cam2/1.jpg=b", "cam1/1.jpg cam2/1.jpg", "a b", ""},
		"a folder less":             {"cam1/1.jpg=a cam2/1.jpg=b", "x/cam1/1.jpg x/cam2/1.jpg", "a b", ""},
		"base names":                {"1.jpg=a 2.jpg=b", "cam1/1.jpg cam2/2.jpg cam1/1.jpg", "a b a", ""},
		"base names of two":         {"1.jpg=a", "cam1/1.jpg cam2/1.jpg", "a !", "1.jpg could be cam1/1.jpg or cam2/1.jpg"},
		"of two in the table":       {"cam1/1.jpg=a cam2/1.jpg=b", "1.jpg", "!", "1.jpg could be cam1/1.jpg or cam2/1.jpg"},
		"of two places":             {"y/cam1/1.jpg=a z/cam2/1.jpg=b", "cam1/1.jpg cam2/1.jpg", "a !", "y/cam1/1.jpg is taken for cam1/1.jpg, so z/cam2/1.jpg cannot be cam2/1.jpg"},
		"of two by case":            {"a/1.jpg=a A/1.JPG=b", "a/1.jpg A/1.JPG a/1.JPG", "a b !", "a/1.JPG could be a/1.jpg or A/1.JPG"},
		"a name that is one of two": {"1.jpg=a", "1.jpg cam2/1.jpg", "a !", "1.jpg could be 1.jpg or cam2/1.jpg"},
		"boxes":                     {"cam1/1.jpg=a cam1/1.jpg#2=b cam2/1.jpg=c cam1/2.jpg#1=d", "cam1/1.jpg#0 cam1/1.jpg#2 cam2/1.jpg#10 cam1/2.jpg#0 cam1/1.jpg cam1/1.jpg#x #1", "a b c - a - -", ""},
		"boxes of two":              {"1.jpg=a", "cam1/1.jpg#0 cam1/1.jpg#1 cam2/1.jpg#0", "a a !", "1.jpg could be cam1/1.jpg or cam2/1.jpg"},
		"no files":                  {"17=a 18=b", "18 17 19", "b a -", ""},
	} {
		l := &Labels{Name: "labels.csv"}
		for i, e := range strings.Fields(c.table) {
			file, label, _ := strings.Cut(e, "=")
			l.Entries = append(l.Entries, LabelEntry{File: file, Label: label, Line: i + 2})
		}
		f := l.Finder()
		var got []string
		said := ""
		for _, file := range strings.Fields(c.files) {
			label, err := f.Of(file)
			switch {
			case err != nil:
				label, said = "!", err.Error()
			case label == "":
				label = "-"
			}
			got = append(got, label)
		}
		if text := strings.Join(got, " "); text != c.want || c.err != "" && said != "datasets: labels.csv: "+c.err && !strings.HasPrefix(said, "datasets: labels.csv: "+c.err) {
			t.Errorf("%s: %s, %q; want %s, %q", name, text, said, c.want, c.err)
		}
	}
}

// Boxes that have the labels of their pictures are counted; a box with an entry of its own is not, be its label empty.
func TestLabelsOfBoxes(t *testing.T) {
	l := &Labels{Name: "l", Entries: []LabelEntry{{File: "1.jpg", Label: "a"}, {File: "1.jpg#1"}}}
	f := l.Finder()
	for file, want := range map[string]string{"1.jpg": "a", "1.jpg#0": "a", "1.jpg#1": "", "1.jpg#12": "a"} {
		if label, err := f.Of(file); label != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", file, label, err, want)
		}
	}
	if note := f.Note(); note != "the labels of pictures count for their boxes (FILE#NUMBER): 2 items" {
		t.Error(note)
	}
}

// The case that was reported: the labels of one camera are of no other.
func TestLabelsOfOneCamera(t *testing.T) {
	l, err := ReadLabels("testdata/cases/basename_labels.csv")
	must(t, err)
	f := l.Finder()
	for cam, want := range map[string]int{"cam1": 60, "cam2": 0} {
		n := 0
		for i := range 60 {
			label, err := f.Of(fmt.Sprintf("%s/100RECNX/IMG_%04d.JPG", cam, i))
			must(t, err)
			if label != "" {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d labels, want %d", cam, n, want)
		}
	}
}
