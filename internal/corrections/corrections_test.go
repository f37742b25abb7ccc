package corrections

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/lock"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func opened(t *testing.T, text string) (*Table, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "labels.csv")
	if text != "" {
		write(t, path, text)
	}
	table, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return table, path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func labelOf(table *Table, stream, file string) (out string) {
	table.Look(func(of func(Item) string) { out = of(Item{Stream: stream, File: file}) })
	return out
}

func edit(stream, file, was, label string) []Edit {
	return []Edit{{Item: Item{Stream: stream, File: file}, Was: was, Label: label}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// One row an item: a label takes the place of the last one, and one that is taken back goes.
func TestChange(t *testing.T) {
	table, path := opened(t, "")
	if s := table.Look(nil); s != (Status{}) {
		t.Errorf("%+v", s)
	}
	must(t, table.Change(edit("cam1", "a.jpg", "", "deer"), "ann", noon))
	must(t, table.Change(edit("cam2", "a.jpg", "", `fox, "red"`), "ann", noon))
	must(t, table.Change(edit("cam1", "a.jpg", "deer", "boar"), "ben", noon.Add(time.Second)))
	must(t, table.Change([]Edit{{Item: Item{Stream: "night.edf", File: "night.edf#3", Piece: true, Offset: 90}, Label: "N2"}}, "ann", noon))
	want := "file,stream,label,who,when,offset\n" +
		"a.jpg,cam1,boar,ben,2026-11-29T12:00:01Z,\n" +
		`a.jpg,cam2,"fox, ""red""",ann,2026-11-29T12:00:00Z,` + "\n" +
		"night.edf#3,night.edf,N2,ann,2026-11-29T12:00:00Z,90\n"
	if got := read(t, path); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	must(t, table.Change(edit("cam1", "a.jpg", "boar", ""), "ben", noon))
	if labelOf(table, "cam1", "a.jpg") != "" || labelOf(table, "cam2", "a.jpg") != `fox, "red"` || strings.Contains(read(t, path), "boar") {
		t.Error(read(t, path))
	}
	again, err := Open(path)
	must(t, err)
	if s := again.Look(nil); s.Labels != 2 || s.Err != nil || s.Warning != "" {
		t.Errorf("%+v", s)
	}
	if left, _ := filepath.Glob(path + ".*"); left != nil {
		t.Errorf("left beside it: %v", left)
	}
}

// A table of somebody's own keeps its columns, their order, what parts them and its line ends.
func TestOthersTablesStay(t *testing.T) {
	for text, want := range map[string]string{
		"\ufeffNote;File;Label\r\nold;a.jpg;deer\r\n;b.jpg;fox\r\n": "\ufeffNote;File;Label;who;when\r\nold;a.jpg;boar;ann;2026-11-29T12:00:00Z\r\n;b.jpg;fox;;\r\n",
		"file\tlabel\na.jpg\tdeer":                                  "file\tlabel\twho\twhen\na.jpg\tboar\tann\t2026-11-29T12:00:00Z\n",
	} {
		table, path := opened(t, text)
		must(t, table.Change(edit("cam", "a.jpg", "deer", "boar"), "ann", noon))
		if got := read(t, path); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A last line that ends in the middle is told, and is no label.
func TestHalfLine(t *testing.T) {
	head := "file,stream,label,who,when\na.jpg,cam,deer,ann,2026-11-29T12:00:00Z\n"
	for _, half := range []string{"b.jpg", "b.jpg,cam,fo", `b.jpg,cam,"fo`, "b.jpg,cam,fox,ann,2026-11-29T12:0"} {
		table, path := opened(t, head+half)
		s := table.Look(nil)
		if s.Labels != 1 || !strings.Contains(s.Warning, "labels.csv:3: the last line ends in the middle") || labelOf(table, "cam", "b.jpg") != "" {
			t.Errorf("%q: %+v", half, s)
		}
		must(t, table.Change(edit("cam", "c.jpg", "", "fox"), "ann", noon))
		if want := head + "c.jpg,cam,fox,ann,2026-11-29T12:00:00Z\n"; read(t, path) != want || table.Look(nil).Warning != "" {
			t.Errorf("%q: %q", half, read(t, path))
		}
	}
	table, _ := opened(t, head+"b.jpg,cam,fox,ann,2026-11-29T12:00:00Z")
	if s := table.Look(nil); s.Labels != 2 || s.Warning != "" {
		t.Errorf("a whole line without an end: %+v", s)
	}
}

// What cannot be read is an error with its place, and nothing is written over it.
func TestRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"name,class\na,b\n":                      "the columns are name, class: want file and label",
		"file,label\na,deer\nb,fox\na,boar\n":    `labels.csv:4: "a" is "boar" here and "deer" in line 2`,
		"file,label\n,deer\n":                    "labels.csv:2: no file is named",
		"file,label\n\xff\xfe,deer\n":            "is no UTF-8",
		"file,label\na,\"de\"er\nb,fox\nc,fox\n": "labels.csv: parse error on line 2",
	} {
		path := filepath.Join(t.TempDir(), "labels.csv")
		write(t, path, text)
		table, err := Open(path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
		if err := table.Change(edit("", "x", "", "deer"), "ann", noon); err == nil || read(t, path) != text {
			t.Errorf("%q became %q", text, read(t, path))
		}
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("a folder: %v", err)
	}
}

// A file that is edited while it is open is read anew, and while it cannot be read the labels stay and nothing is written.
func TestEditedMeanwhile(t *testing.T) {
	table, path := opened(t, "file,stream,label\na.jpg,cam,deer\n")
	write(t, path, "file,stream,label\na.jpg,cam,boar\nb.jpg,cam,fox\n")
	var meanwhile *MeanwhileError
	if err := table.Change(edit("cam", "a.jpg", "deer", "owl"), "ann", noon); !errors.As(err, &meanwhile) || meanwhile.Now != "boar" || !strings.Contains(err.Error(), `labelled "boar" meanwhile`) {
		t.Errorf("%v", err)
	}
	must(t, table.Change(edit("cam", "c.jpg", "", "owl"), "ann", noon))
	if labelOf(table, "cam", "b.jpg") != "fox" || !strings.Contains(read(t, path), "b.jpg,cam,fox") {
		t.Error(read(t, path))
	}
	write(t, path, "nonsense\n")
	if s := table.Look(nil); s.Err == nil || labelOf(table, "cam", "b.jpg") != "fox" {
		t.Errorf("%+v", s)
	}
	if err := table.Change(edit("cam", "d.jpg", "", "owl"), "ann", noon); err == nil || read(t, path) != "nonsense\n" {
		t.Error(err)
	}
	must(t, os.Remove(path))
	if s := table.Look(nil); s.Err != nil || s.Labels != 0 {
		t.Errorf("a file that is gone: %+v", s)
	}
}

// A disk that is full leaves the file and the labels as they were.
func TestFullDisk(t *testing.T) {
	table, path := opened(t, "file,stream,label\na.jpg,cam,deer\n")
	table.write = func(string, []byte) error { return syscall.ENOSPC }
	if err := table.Change(edit("cam", "a.jpg", "deer", "boar"), "ann", noon); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if labelOf(table, "cam", "a.jpg") != "deer" || read(t, path) != "file,stream,label\na.jpg,cam,deer\n" {
		t.Error(read(t, path))
	}
}

// Programs at one table do not undo each other.
func TestTwoAtOnce(t *testing.T) {
	_, path := opened(t, "")
	const each = 25
	var wg sync.WaitGroup
	for k := range 3 {
		table, err := Open(path)
		must(t, err)
		wg.Go(func() {
			for i := range each {
				if err := table.Change(edit("cam", fmt.Sprintf("%d-%d.jpg", k, i), "", "deer"), "ann", noon); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	table, err := Open(path)
	must(t, err)
	if s := table.Look(nil); s.Labels != 3*each {
		t.Errorf("%d labels, want %d", s.Labels, 3*each)
	}
}

// Who waits too long for another says so.
func TestBusy(t *testing.T) {
	table, path := opened(t, "")
	held, err := lock.Acquire(path)
	must(t, err)
	time.AfterFunc(100*time.Millisecond, func() { _ = held.Release() })
	must(t, table.Change(edit("cam", "a.jpg", "", "deer"), "ann", noon))
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("file,stream,label,who,when\na,b,c,d,2026-11-29T12:00:00Z\n"))
	f.Add([]byte("\ufefflabel;x;file\r\n\"fo;x\";1;\"a\r\nb\"\r\nc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parse("t.csv", data)
		if err != nil {
			return
		}
		out := c.bytes()
		again, err := parse("t.csv", out)
		if err != nil || len(again.rows) != len(c.rows) {
			t.Fatalf("%q became %q: %v", data, out, err)
		}
		for key, i := range c.index {
			if j, ok := again.index[key]; !ok || again.cell(again.rows[j], label) != c.cell(c.rows[i], label) {
				t.Errorf("%q became %q", data, out)
			}
		}
	})
}
