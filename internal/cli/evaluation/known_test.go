package evaluation

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// knownIn reads a file of corrections as a command does.
func knownIn(t *testing.T, text string) (*Known, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.String(KnownFlag, path, "")
	k, err := KnownOf(cli.NewContext(nil, set, nil))
	if err == nil {
		err = k.Begin([]string{"deer", "fox"})
	}
	return k, err
}

func TestKnown(t *testing.T) {
	k, err := knownIn(t, "file,stream,label,who,when\n1.jpg,a,fox,ann,x\n2.jpg,,DEER,ann,x\n3.jpg,a,,ann,x\n9.jpg,b,fox,ann,x\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, file := range []string{"1.jpg", "2.jpg", "3.jpg", "4.jpg"} {
		class, ok, err := k.Of("a", file)
		if err != nil {
			t.Error(err)
		}
		if !ok {
			class = -1
		}
		got = append(got, class)
	}
	if !slices.Equal(got, []int{1, 0, -1, -1}) || k.Found() != 2 || k.Record().Labels != 3 {
		t.Errorf("%v, %d found, %+v", got, k.Found(), k.Record())
	}
	notes, err := k.Warnings()
	if err != nil || len(notes) != 1 || notes[0] != `c.csv: 1 known label is of no item of the input: "9.jpg" of stream "b" (line 5)` {
		t.Errorf("%q, %v", notes, err)
	}
}

// What a file says is what its record is of: not its name, the order of its rows, or who said it.
func TestKnownRecord(t *testing.T) {
	var of []string
	for _, text := range []string{
		"file,stream,label,who\n1,a,fox,ann\n2,a,deer,ann\n", "label,file,stream\ndeer,2,a\nFox,1,a\n,7,a\n", "file,stream,label\n1,a,fox\n2,a,fox\n", "file,stream,label\n1,b,fox\n2,a,deer\n",
	} {
		k, err := knownIn(t, text)
		if err != nil {
			t.Fatal(err)
		}
		of = append(of, k.Record().SHA256)
	}
	if of[0] != of[1] || of[0] == of[2] || of[0] == of[3] {
		t.Error(of)
	}
}

func TestKnownRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"file,label\n1,fox\n2,wolf\n":            `--labels-known: c.csv:3: label "wolf" is none of the 2 classes deer, fox`,
		"file,stream,label\n1,a,fox\n1,a,deer\n": `c.csv:3: column label: 1 is "deer" here and "fox" in line 2`,
		"name\n1\n":                              `no column "file"`,
		"file,label\n1,0\n":                      "--label-map FILE names them",
	} {
		if _, err := knownIn(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	k, err := knownIn(t, "file,stream,label\n1,a,fox\n1,,deer\n")
	if err == nil {
		_, _, err = k.Of("a", "1")
	}
	if err == nil || !strings.Contains(err.Error(), `c.csv:2: 1 is "fox" here and "deer" in line 3`) {
		t.Error(err)
	}
	k, _ = knownIn(t, "file,stream,label\n1,a,fox\n")
	if _, err := k.Warnings(); err == nil || !strings.Contains(err.Error(), "of no item of the input") {
		t.Error(err)
	}
	if class, ok, err := (*Known)(nil).Of("a", "1"); class != 0 || ok || err != nil || (*Known)(nil).Record() != nil || (*Known)(nil).Found() != 0 {
		t.Error("nothing known, and something found")
	}
}
