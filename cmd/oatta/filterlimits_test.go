package main

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/lock"
	"github.com/oatta/oatta/internal/testdata"
)

// With --state more may come: a last line counts when its line end is there, and the header, too. Without --state it is a line.
func TestHalfALine(t *testing.T) {
	for _, c := range []struct{ name, first, rest string }{
		{"log.csv", "id,p:a,p:b,stream\n1,0.7,0.3,cam1\n2,0.6,0.4,cam12", "3\n4,0.5,0.5,cam1\n"},
		{"log.csv", "stream,p:a,p:b\n1,0.7,0.3\n\"ca", "m\n1\",0.4,0.6\n"},
		{"log.csv", "stream,p:a,p:b\n1,0.7,0.3\n\"cam\n", "1\",0.4,0.6\n"},
		{"log.jsonl", `{"stream":"a","probs":[0.4,0.6]}` + "\n" + `{"stream":"b","probs":[0.5,0.5]}`, "\n"},
	} {
		dir := t.TempDir()
		in, out, store := filepath.Join(dir, c.name), filepath.Join(dir, "out-"+c.name), filepath.Join(dir, "s.state")
		writeFile(t, in, c.first)
		_, errOut := mustOatta(t, console.Fine, "filter", in, "-o", out, "--state", store)
		if !strings.Contains(errOut, "has no end yet") {
			t.Errorf("nothing is told: %s", errOut)
		}
		if got := stepsOf(t, store, "cam12"); got != 0 {
			t.Errorf("half a line was taken: %d steps of cam12", got)
		}
		writeFile(t, in, c.first+c.rest)
		mustOatta(t, console.Fine, "filter", in, "-o", out, "--state", store)
		want, _ := mustOatta(t, console.Fine, "filter", in)
		if got := readFile(t, out); got != want {
			t.Errorf("grown\n%s\nat once\n%s", got, want)
		}
	}
	in := filepath.Join(t.TempDir(), "log.csv")
	writeFile(t, in, "id,p:a,p:b,stream\n1,0.7,0.3,cam1\n2,0.6,0.4,cam12")
	if out, _ := mustOatta(t, console.Fine, "filter", in); !strings.Contains(out, "cam12,") {
		t.Errorf("a last line without a line end: %s", out)
	}
}

func TestHalfAHeader(t *testing.T) {
	dir := t.TempDir()
	in, out, store := filepath.Join(dir, "log.csv"), filepath.Join(dir, "out.csv"), filepath.Join(dir, "s.state")
	writeFile(t, in, "stream,p:a,p:b")
	if _, errOut := mustOatta(t, console.Nothing, "filter", in, "-o", out, "--state", store); !strings.Contains(errOut, "log.csv:1: the header has no line end") {
		t.Error(errOut)
	}
	writeFile(t, in, "stream,p:a,p:b,p:c\ncam,0.2,0.3,0.5\n")
	mustOatta(t, console.Fine, "filter", in, "-o", out, "--state", store)
	lines := strings.Split(readFile(t, out), "\n")
	if a, b := strings.Count(lines[0], ","), strings.Count(lines[1], ","); a != b || a != 9 {
		t.Errorf("%d and %d columns: %v", a+1, b+1, lines)
	}
}

// Two runs do not write one output, and none writes through a link.
func TestFilterLocksItsOutput(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.jsonl")
	crowd(t, in, 21, 10)
	held, err := lock.Acquire(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{{}, {"--overwrite"}, {"--state", filepath.Join(dir, "s.state")}} {
		args := append([]string{"filter", in, "-o", out}, more...)
		if _, errOut := mustOatta(t, console.Nothing, args...); !strings.Contains(errOut, out+": another run is writing this output") {
			t.Error(errOut)
		}
	}
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	mustOatta(t, console.Fine, "filter", in, "-o", out)
	if left, _ := filepath.Glob(out + ".oatta-lock"); left != nil {
		t.Errorf("left: %v", left)
	}
	precious := filepath.Join(dir, "precious")
	writeFile(t, precious, "precious")
	for _, to := range []string{precious, filepath.Join(dir, "nowhere")} {
		link := filepath.Join(dir, "link.jsonl")
		if err := os.Symlink(to, link); err != nil {
			testdata.Missing(t, "%v", err)
		}
		if _, errOut := mustOatta(t, console.Nothing, "filter", in, "-o", link, "--overwrite"); !strings.Contains(errOut, link+": is a link") {
			t.Error(errOut)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "nowhere")); err == nil || readFile(t, precious) != "precious" {
		t.Error("a link was written through")
	}
	mustOatta(t, console.Fine, "filter", in, "-o", os.DevNull)
}

// Files that are meant to be small, and are given by mistake, are refused before they fill the memory.
func TestFilterBoundsFiles(t *testing.T) {
	dir := t.TempDir()
	in, big := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "big")
	crowd(t, in, 22, 3)
	writeFile(t, big, "")
	if err := os.Truncate(big, 1<<30); err != nil { // takes no space
		t.Fatal(err)
	}
	for _, flag := range []string{"--settings", "--classes", "--prior", "--transitions"} {
		if _, errOut := mustOatta(t, console.Nothing, "filter", in, flag, big); !strings.Contains(errOut, "big: more than ") {
			t.Errorf("%s: %s", flag, errOut)
		}
	}
	bomb := filepath.Join(dir, "bomb.json.gz")
	f, err := os.Create(bomb)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	for range 20 {
		if _, err := z.Write([]byte(strings.Repeat(" ", 1<<20))); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, errOut := mustOatta(t, console.Nothing, "filter", bomb, "--max-document", "1000000"); !strings.Contains(errOut, "document is over 1000000 bytes") {
		t.Error(errOut)
	}
}

// A table of more columns of classes than there can be is refused; other columns are no matter.
func TestFilterManyColumns(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "wide.csv")
	const n = 20_000
	wide := func(name, value string) (head, row string) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ",%s%d", name, i)
		}
		return b.String(), strings.Repeat(value, n)
	}
	head, row := wide("x", ",1")
	writeFile(t, in, "stream,p:a,p:b"+head+"\ns,0.5,0.5"+row+"\n")
	if out, _ := mustOatta(t, console.Fine, "filter", in); !strings.Contains(out, ",filtered,") {
		t.Error("the columns of classes were not found")
	}
	head, row = wide("p:", ",0")
	writeFile(t, in, "stream"+head+"\ns"+row+"\n")
	if _, errOut := mustOatta(t, console.Nothing, "filter", in); !strings.Contains(errOut, "20000 classes: want 1 to") {
		t.Error(errOut)
	}
}
