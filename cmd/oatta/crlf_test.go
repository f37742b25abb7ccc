package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Tables, lines and settings that an editor on Windows has saved mean the same: lines that end in CR LF, with a byte order mark where people's
// programs write one.
func TestLinesOfWindows(t *testing.T) {
	samples := filepath.Join("..", "..", "datasets", "samples")
	files := map[string]string{
		"q.csv":     "stream,p:a,p:b\nx,0.9,0.1\nx,0.4,0.6\n",
		"q.jsonl":   `{"stream":"x","probs":[0.9,0.1],"truth":"0"}` + "\n" + `{"stream":"x","probs":[0.4,0.6],"truth":"1"}` + "\n",
		"s.json":    "{\n\"gate\": \"ewma\"\n}\n",
		"posts.csv": readFile(t, filepath.Join(samples, "posts.csv")),
		"burst.csv": readFile(t, filepath.Join(samples, "heron.csv")),
		"known.csv": "file,label\n20210531082538-RCNX0031.JPG,black stork\n",
		"map.csv":   "from,to\nheron,black stork\n",
		"birds.csv": "file,label\n20210531082538-RCNX0031.JPG,heron\n20210531082539-RCNX0033.JPG,heron\n",
		"walk.csv":  strings.Join(strings.SplitAfter(gunzipped(t, filepath.Join(samples, "walk.csv.gz")), "\n")[:2000], ""),
		"words.csv": "from,to\npositive,positive\nnegative,\n",
	}
	unix, windows := t.TempDir(), t.TempDir()
	for name, text := range files {
		writeText(t, filepath.Join(unix, name), text)
		text = strings.ReplaceAll(text, "\n", "\r\n")
		if !strings.HasSuffix(name, ".json") {
			text = "\ufeff" + text
		}
		writeText(t, filepath.Join(windows, name), text)
	}
	for _, c := range []struct {
		args   string // % is the folder
		engine bool
	}{
		{"filter --format csv %q.csv", false},
		{"filter --settings %s.json %q.jsonl", false},
		{"run text -q %posts.csv", true},
		{"eval text -q --label-map %words.csv %posts.csv", true},
		{"run motion -q %walk.csv", true},
		{"eval motion -q %walk.csv", true},
		{"run images -q --causal --metadata %burst.csv --labels-known %known.csv " + filepath.Join(samples, "heron"), true},
		{"eval images -q --labels %birds.csv --label-map %map.csv " + filepath.Join(samples, "heron"), true},
	} {
		t.Run(c.args, func(t *testing.T) {
			if c.engine {
				needEngine(t)
			}
			in := func(dir string) (string, string) {
				code, out, errOut := oatta(t, strings.Fields(strings.ReplaceAll(c.args, "%", dir+string(filepath.Separator)))...)
				if code != 0 {
					t.Fatalf("exit code %d: %s", code, errOut)
				}
				return strings.NewReplacer("\r\n", "\n", "\ufeff", "", dir, "").Replace(out), strings.ReplaceAll(errOut, dir, "")
			}
			out, said := in(unix)
			got, told := in(windows)
			if got != out || out == "" {
				t.Errorf("%q\n%q\nwant\n%q\n%q", got, told, out, said)
			}
		})
	}
}
