package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommandsFile(t *testing.T) {
	commands, err := parseCommands(commandsText)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, c := range commands {
		for _, a := range c.args {
			if from := takes(a); from != "" && from != c.name && !names[from] {
				t.Errorf("%s takes %s, which no earlier command writes", c.name, a)
			}
		}
		names[c.name] = true
	}
}

func TestParseCommands(t *testing.T) {
	got, err := parseCommands("# a comment\n\none: ! filter - -o $o/x.csv < in/y.csv # why\n")
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if c := got[0]; c.name != "one" || !c.fails || c.stdin != "in/y.csv" || strings.Join(c.args, " ") != "filter - -o out/one/x.csv" {
		t.Errorf("%+v", c)
	}
	for _, bad := range []string{"one", "one:", "one: a\none: b", "one: !"} {
		if _, err := parseCommands(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// What the absence of an input leaves out is the command and those that take its outputs.
func TestPresent(t *testing.T) {
	work := t.TempDir()
	if err := write(filepath.Join(work, "in", "here"), nil); err != nil {
		t.Fatal(err)
	}
	all, err := parseCommands("a: x in/here\nb: x in/gone\nc: x out/b/y\nd: x out/a/y\ne: - < in/gone")
	if err != nil {
		t.Fatal(err)
	}
	if got := present(all, work, ""); len(got) != 2 || got[0].name != "a" || got[1].name != "d" {
		t.Errorf("%+v", got)
	}
	if got := present(all, work, "d"); len(got) != 2 || got[0].name != "a" || got[1].name != "d" {
		t.Errorf("with what it needs: %+v", got)
	}
	if got := present(all, work, "a"); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestCompareFolders(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"old/x/same": "a", "new/x/same": "a",
		"old/x/text.csv": "a,b\n1,2\n", "new/x/text.csv": "a,b\n1,3\n",
		"old/x/bytes": "a\x00b", "new/x/bytes": "a\x00c",
		"old/x/short": "a\n", "new/x/short": "a\nb\n",
		"old/x/gone": "", "new/x/come": "",
		"old/x/m.manifest.json": "{\n\"started\": \"1\",\n\"seconds\": 1.5e-05}", "new/x/m.manifest.json": "{\n\"started\": \"2\",\n\"seconds\": 2}",
		"old/x/stderr": "10 items and 1.1 MB a second: 0.1 s\n", "new/x/stderr": "9.5 items and 1.2 MB a second: 0.12 s\n",
	} {
		if err := write(filepath.Join(root, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	found, err := compareFolders(filepath.Join(root, "old", "x"), filepath.Join(root, "new", "x"))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, d := range found {
		got += d.String() + "\n"
	}
	want := `bytes: from byte 2 on (3 and 3 bytes)
come: only in the new version
gone: only in the old version
short: line 2, column 1
  old: (the end)
  new: b
text.csv: line 2, column 3
  old: 1,2
  new: 1,3
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestAllowed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "allow")
	if err := os.WriteFile(file, []byte("# why\nfilter-*/stdout: spelling\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	allowed, err := readAllowed(file)
	if err != nil {
		t.Fatal(err)
	}
	if expected(allowed, "filter-csv/stdout") != "spelling" || expected(allowed, "filter-csv/out.csv") != "" {
		t.Errorf("%+v", allowed)
	}
	if err := os.WriteFile(file, []byte("filter-*/stdout\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readAllowed(file); err == nil {
		t.Error("no reason is taken for one")
	}
}
