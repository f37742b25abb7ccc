package datasets

import (
	"fmt"
	"strings"
	"testing"
)

// corrections are as a page to correct labels writes them.
const corrections = "file,stream,label,who,when\n" +
	"1.jpg,cam1,deer,ann,2026-11-28T20:00:00Z\n" +
	"1.jpg,cam2,fox,ann,2026-11-28T20:00:01Z\n" +
	"2.jpg,,boar,ben,\n" +
	"3.jpg,cam9,owl,ben,\n" +
	"4.jpg,cam1,,ben,\n"

func TestLabelsByStream(t *testing.T) {
	l, err := parseLabels("c.csv", strings.NewReader(corrections))
	must(t, err)
	if !l.NamesStreams() || l.Entries[1].Stream != "cam2" || l.Entries[1].Line != 3 {
		t.Errorf("%+v", l.Entries)
	}
	f := l.ByStream()
	var got []string
	for _, item := range []string{"cam1/1.jpg", "cam2/1.jpg", "cam3/1.jpg", "cam3/2.jpg", "cam1/3.jpg", "cam1/4.jpg"} {
		stream, file, _ := strings.Cut(item, "/")
		label, err := f.Of(stream, file)
		must(t, err)
		got = append(got, label)
	}
	if fmt.Sprintf("%q", got) != `["deer" "fox" "" "boar" "" ""]` {
		t.Errorf("%q", got)
	}
	if unused := f.Unused(); len(unused) != 1 || unused[0].Line != 5 {
		t.Errorf("unused %+v", unused)
	}
	if _, err := l.Finder().Of("1.jpg"); err == nil || !strings.Contains(err.Error(), "1.jpg could be") {
		t.Errorf("a name of two streams: %v", err)
	}
}

func TestLabelsByStreamThatDisagree(t *testing.T) {
	for text, want := range map[string]string{
		"file,stream,label\n1.jpg,a,deer\n1.jpg,b,deer\n1.jpg,a,fox\n": "c.csv:4",
		"file,stream,label\n1.jpg,a,deer\n1.jpg,,fox\n":                "c.csv:2: 1.jpg is \"deer\" here and \"fox\" in line 3",
		"file,stream,label\n1.jpg,a,deer\n1.jpg,,deer\n":               "",
	} {
		l, err := parseLabels("c.csv", strings.NewReader(text))
		if err == nil {
			_, err = l.ByStream().Of("a", "1.jpg")
		}
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %q", text, got, want)
		}
	}
}

// A label of a piece that begins elsewhere is of another time, and no label of this one.
func TestLabelsOfPieces(t *testing.T) {
	l, err := parseLabels("c.csv", strings.NewReader("file,stream,label,offset\nn.edf#3,n.edf,N2,90\nn.edf#4,n.edf,N2,\nn.edf#5,,W,150\nn.edf#6,n.edf,W,soon\n"))
	must(t, err)
	f := l.ByStream()
	for i, want := range map[float64]string{3: "N2", 4: "N2", 5: "W", 6: "W", 7: ""} {
		if label, err := f.OfPiece("n.edf", fmt.Sprintf("n.edf#%g", i), 30*i+0.001); err != nil || label != want {
			t.Errorf("%g: %q, %v", i, label, err)
		}
	}
	for _, name := range []string{"n.edf#3", "n.edf#5"} {
		if label, err := f.OfPiece("n.edf", name, 60); err == nil || label != "" || !strings.Contains(err.Error(), "begins at second") || !strings.Contains(err.Error(), "and at 60 here") {
			t.Errorf("%s: %q, %v", name, label, err)
		}
	}
	if label, err := f.Of("n.edf", "n.edf#3"); label != "N2" || err != nil {
		t.Errorf("where nobody knows where it begins: %q, %v", label, err)
	}
}
