package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
)

// indexed is an input on which the program was wrong or silent once, and what it does with it now.
type indexed struct {
	// of is the files of the folder of cases that it is about, separated by spaces; one that ends in a slash is a folder with all in it.
	of string
	// made writes input that is described there and not kept, into a folder; nil: none.
	made func(t *testing.T, dir string)
	// args is the command. A word that begins with @ is a path in the folder of cases, with % one in the folder of what was made, with = a
	// network of [caseNetworks].
	args string
	code int    // exit code
	out  string // what must stand in standard output or in %out, a ; between
	err  string // what must stand in standard error
	not  string // what must stand in neither
	// scored is how many items of each class eval scored, as "W 3, N1 1".
	scored string
	// check looks at what the command wrote, for what lines cannot say; nil: nothing.
	check func(t *testing.T, c *caseRun)
}

// caseRun is what a command did.
type caseRun struct {
	dir, out, errOut, file string
	nets                   *caseNetworks
}

func casesFolder(t *testing.T) string {
	t.Helper()
	return testdata.Shared(t, "cases")
}

// TestIndexOfCases runs the program on every input of the folder of cases, and fails for one that is in none of the tables.
func TestIndexOfCases(t *testing.T) {
	needEngine(t)
	root := casesFolder(t)
	tables := map[string][]indexed{
		"pictures": pictureCases, "names and tables": nameCases, "filter": filterCases, "movement": motionCases, "sleep": sleepCases, "text": textCases, "damage": damageCases, "neighbours": neighbourCases,
	}
	left := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if name, _ := filepath.Rel(root, path); err == nil && !d.IsDir() && d.Name() != "README.md" {
			left[filepath.ToSlash(name)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		for _, c := range table {
			for name := range strings.FieldsSeq(c.of) {
				found := false
				for file := range left {
					if file == name || strings.HasSuffix(name, "/") && strings.HasPrefix(file, name) {
						found, left[file] = true, false
					}
				}
				if !found {
					t.Errorf("%s is not in the folder of cases", name)
				}
			}
		}
	}
	for file, missed := range left {
		if missed {
			t.Errorf("%s is in no table of cases", file)
		}
	}
	nets := &caseNetworks{dir: t.TempDir(), made: map[string]string{}}
	for name, table := range tables {
		t.Run(name, func(t *testing.T) {
			for _, c := range table {
				t.Run(strings.ReplaceAll(c.of+" "+c.args, "/", "|"), func(t *testing.T) { c.run(t, root, nets) })
			}
		})
	}
}

func (c indexed) run(t *testing.T, root string, nets *caseNetworks) {
	r := &caseRun{dir: t.TempDir(), nets: nets}
	if c.made != nil {
		c.made(t, r.dir)
	}
	var args []string
	for arg := range strings.FieldsSeq(c.args) {
		switch arg = strings.ReplaceAll(arg, "~", " "); arg[0] {
		case '@':
			arg = filepath.Join(root, filepath.FromSlash(arg[1:]))
		case '%':
			arg = filepath.Join(r.dir, filepath.FromSlash(arg[1:]))
		case '=':
			arg = nets.path(t, arg[1:], root)
		}
		args = append(args, arg)
	}
	if strings.HasSuffix(args[0], ".sh") || strings.HasSuffix(args[0], ".py") {
		r.script(t, args[0])
	} else {
		var code int
		if code, r.out, r.errOut = oatta(t, args...); code != c.code {
			t.Errorf("exit code %d, want %d", code, c.code)
		}
	}
	if data, err := os.ReadFile(filepath.Join(r.dir, "out")); err == nil {
		r.file = string(data)
	}
	for _, want := range parts(c.out) {
		if !strings.Contains(r.out+"\n"+r.file, want) {
			t.Errorf("no %q in %s\n%s", want, r.out, r.file)
		}
	}
	for _, want := range parts(c.err) {
		if !strings.Contains(r.errOut, want) {
			t.Errorf("no %q in %s", want, r.errOut)
		}
	}
	if c.not != "" && strings.Contains(r.out+r.errOut, c.not) {
		t.Errorf("%q in %s", c.not, r.out+r.errOut)
	}
	if c.scored != "" {
		r.checkScored(t, c.scored)
	}
	if c.check != nil {
		c.check(t, r)
	}
}

func parts(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "; ")
}

// script runs one of the folder's with the program that this is.
func (r *caseRun) script(t *testing.T, path string) {
	shell := map[string]string{".sh": "bash", ".py": "python3"}[filepath.Ext(path)]
	for _, needed := range []string{shell, "python3"} {
		if _, err := exec.LookPath(needed); err != nil {
			testdata.Missing(t, "%s: %v", needed, err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(shell, path)
	cmd.Env = append(os.Environ(), asProgram+"=0s", "OATTA="+self)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	r.out = string(out)
}

func (r *caseRun) checkScored(t *testing.T, want string) {
	t.Helper()
	var s printedScores
	if err := json.Unmarshal([]byte(r.out), &s); err != nil {
		t.Fatalf("%v in %s", err, r.out)
	}
	got := s.supports()
	for part := range strings.SplitSeq(want, ", ") {
		var label string
		label, count, _ := strings.Cut(part, " ")
		if n := jsonNumber(t, count); got[label] != n {
			t.Errorf("%d of %s scored, want %s", got[label], label, want)
		}
		delete(got, label)
	}
	for label, n := range got {
		if n > 0 {
			t.Errorf("%d of %s scored, want %s", n, label, want)
		}
	}
}

func jsonNumber(t *testing.T, s string) (n int) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// caseNetworks are the untrained networks of the cases, made when they are asked for.
type caseNetworks struct {
	dir  string
	made map[string]string
}

func (n *caseNetworks) path(t *testing.T, name, root string) string {
	t.Helper()
	if n.made[name] != "" {
		return n.made[name]
	}
	args := map[string]string{
		"tcn": "tcn --task motion", "harth": "tcn --task motion --channels back_x,back_y,back_z", "sleep": "cnn1d --task sleep", "c4": "cnn1d --task sleep --channels C4-M1",
		"nostd": "cnn1d --task sleep", "num": "cnn1d --task sleep", "s3": "bert_mini",
	}[name]
	words := append(strings.Fields("models build "+args+" --init 1"), "-o", filepath.Join(n.dir, name+".onnx"))
	if name == "s3" {
		labels := writeText(t, filepath.Join(n.dir, "labels.txt"), "negative\nneutral\npositive\n")
		tokenizer := filepath.Join(n.dir, "tokenizer")
		if err := os.MkdirAll(tokenizer, 0o700); err != nil {
			t.Fatal(err)
		}
		writeText(t, filepath.Join(tokenizer, "tokenizer.json"), readFile(t, testdata.Shared(t, "data", "tokenizer", "all-MiniLM-L6-v2_tokenizer.json")))
		words = append(words, "--tokenizer", tokenizer, "--labels", labels)
	}
	mustOatta(t, console.Fine, words...)
	switch name { // networks of the same bytes, as the folder's manifests name them by their hashes
	case "nostd", "num":
		writeText(t, filepath.Join(n.dir, name+".json"), readFile(t, filepath.Join(root, "recordings", "manifest-"+name+".json")))
	}
	n.made[name] = filepath.Join(n.dir, name+".onnx")
	return n.made[name]
}

// adapted returns what the filter said of each item of a MegaDetector document: the first class of the first box.
func (r *caseRun) adapted(t *testing.T) (names []string) {
	t.Helper()
	var d struct {
		Categories map[string]string `json:"classification_categories"`
		Images     []struct {
			Detections []struct{ Classifications [][2]any }
		}
	}
	if err := json.Unmarshal([]byte(r.file), &d); err != nil {
		t.Fatal(err)
	}
	for _, image := range d.Images {
		names = append(names, d.Categories[image.Detections[0].Classifications[0][0].(string)])
	}
	return names
}

// copied puts a file of the cases into the folder of what is made, unpacked, with some words replaced by others of the same length.
func copied(name, as string, words ...string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		path := filepath.Join(casesFolder(t), filepath.FromSlash(name))
		data := readFile(t, path)
		if strings.HasSuffix(name, ".gz") {
			data = gunzipped(t, path)
		}
		writeFile(t, filepath.Join(dir, as), strings.NewReplacer(words...).Replace(data))
	}
}

// inOrder tells whether words stand in a text one behind the other.
func inOrder(words ...string) func(t *testing.T, c *caseRun) {
	return func(t *testing.T, c *caseRun) {
		t.Helper()
		at := -1
		for _, w := range words {
			i := strings.Index(c.out, w)
			if i <= at {
				t.Errorf("%s is not behind those before it of %q in\n%s", w, words, c.out)
			}
			at = i
		}
	}
}

// equalLabels compares what the filter said of each picture.
func equalLabels(want ...string) func(t *testing.T, c *caseRun) {
	return func(t *testing.T, c *caseRun) {
		t.Helper()
		if got := c.adapted(t); !slices.Equal(got, want) {
			t.Errorf("labels %v, want %v", got, want)
		}
	}
}
