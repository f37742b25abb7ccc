package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/run"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/testdata"
)

// hapt writes the first recordings of HAPT, and the labels of theirs, into a new folder.
func hapt(t *testing.T, recordings int) string {
	t.Helper()
	if !testdata.Have(t, "data", "motion", "hapt_rawdata_acc.tar.gz") {
		return standInHAPT(t, recordings)
	}
	f, err := os.Open(testdata.Shared(t, "data", "motion", "hapt_rawdata_acc.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		var experiment, user int
		name := path.Base(h.Name)
		_, scanErr := fmt.Sscanf(name, "acc_exp%d_user%d.txt", &experiment, &user)
		if name != "labels.txt" && (scanErr != nil || experiment > recordings) {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if name == "labels.txt" {
			data = []byte(someLabels(string(data), recordings))
		}
		writeFile(t, filepath.Join(dir, name), string(data))
	}
}

func someLabels(text string, recordings int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		var experiment int
		if _, err := fmt.Sscan(line, &experiment); err == nil && experiment <= recordings {
			out.WriteString(line)
		}
	}
	return out.String()
}

func tcn(t *testing.T, extra ...string) string {
	t.Helper()
	m, _ := built(t, append([]string{"tcn", "--task", "motion", "--init", "1", "--levels", "3"}, extra...)...)
	return m.Path
}

// Two real recordings of one person, from the text files to adapted labels.
func TestMotion(t *testing.T) {
	needEngine(t)
	k := kind{"motion", hapt(t, 2), tcn(t), 137 + 128, 2, 6, "window", "0.01"}
	t.Run("methods", k.checkMethods)
	t.Run("resume", func(t *testing.T) {
		for _, method := range []string{method.Base, method.Tent} {
			k.checkResume(t, method, func(out string) []string {
				return []string{"--summary", filepath.Join(filepath.Dir(out), "sum.json")}
			})
		}
	})
	t.Run("summary", func(t *testing.T) { checkTimes(t, k) })
	t.Run("eval", func(t *testing.T) { checkMotionEval(t, k) })
	t.Run("refusals", func(t *testing.T) {
		sleep, _ := built(t, "cnn1d", "--task", "sleep", "--init", "1")
		k.checkRefusals(t, sleep.Path, filepath.Join(k.input, "acc_exp01_user01.txt"))
		_, errOut := mustOatta(t, console.Nothing, "run", "motion", k.input, "--model", k.model, "--summary", filepath.Join(t.TempDir(), "gone", "x.json"))
		if !strings.Contains(errOut, "--summary: ") {
			t.Errorf("a summary in a folder that is not there: %s", errOut)
		}
	})
}

// checkTimes compares the summary with what the lines add up to.
func checkTimes(t *testing.T, k kind) {
	path := filepath.Join(t.TempDir(), "sum.json")
	lines := k.run(t, "--summary", path)
	var sum run.ClassTimes
	if err := json.Unmarshal([]byte(readFile(t, path)), &sum); err != nil {
		t.Fatal(err)
	}
	if !sum.Complete || sum.Period != 3 || len(sum.Recordings) != 2 || sum.Recordings[1].Recording != "acc_exp02_user01" {
		t.Fatalf("summary %+v", sum)
	}
	for _, r := range sum.Recordings {
		raw, adapted, n := map[string]float64{}, map[string]float64{}, 0
		for _, l := range lines {
			if l.Stream == r.Recording {
				raw[l.Label] += 3
				adapted[l.AdaptedLabel] += 3
				n++
			}
		}
		if fmt.Sprint(raw) != fmt.Sprint(r.Raw) || fmt.Sprint(adapted) != fmt.Sprint(r.Adapted) || r.Windows != n || r.Failed != 0 {
			t.Errorf("%+v, want %v and %v of %d windows", r, raw, adapted, n)
		}
	}
	mustOatta(t, console.Nothing, "run", "motion", k.input, "--model", k.model, "--summary", path) // it exists
}

// checkMotionEval: labels are translated, those that the model does not have are counted, and scores are by person.
func checkMotionEval(t *testing.T, k kind) {
	strange := tcn(t, "--labels", writeText(t, filepath.Join(t.TempDir(), "labels.txt"), "calm\nwild\n"))
	_, errOut := mustOatta(t, console.Nothing, "eval", "motion", k.input, "--model", strange)
	if !strings.Contains(errOut, "none of the model's 2") || !strings.Contains(errOut, "--label-map FILE translates") {
		t.Errorf("labels that do not belong together: %s", errOut)
	}
	labels := writeText(t, filepath.Join(t.TempDir(), "map.csv"),
		"from,to\nwalking,Walking\nwalking upstairs,Stairs\nwalking downstairs,Stairs\nsitting,Static\nstanding,Static\nlying,Lying\n")
	s := evaluated(t, "motion", k.input, "--model", k.model, "--label-map", labels, "--format", "json", "-q", "--groups", "_(user..)$")
	n := s.supports()
	if s.Items != k.items || s.Unlabelled == 0 || s.Raw.Items+s.Unlabelled+s.Unknown != k.items || n["Stairs"] < 10 || n["Lying"] < 5 || n["Cycling"] != 0 {
		t.Errorf("%d scored, %d without a label, %d unknown of %d: %v", s.Raw.Items, s.Unlabelled, s.Unknown, s.Items, n)
	}
	if len(s.Streams) != 1 || s.Streams[0].Stream != "user01" || s.Settings.What != "window" || !s.Complete {
		t.Errorf("streams %+v of %s", s.Streams, s.Settings.What)
	}
	lines := k.run(t)
	right := 0
	for _, l := range lines {
		if l.Label == lines[0].Label {
			right++
		}
	}
	if right == len(lines) && math.Abs(s.Raw.Accuracy-float64(n[lines[0].Label])/float64(s.Raw.Items)) > 1e-9 {
		t.Errorf("accuracy %g where all are called %s", s.Raw.Accuracy, lines[0].Label)
	}
	strict := evaluated(t, "motion", k.input, "--model", k.model, "--label-map", labels, "--format", "json", "-q", "--purity", "1")
	if strict.Unlabelled <= s.Unlabelled {
		t.Errorf("%d windows of one activity alone are unlabelled, and %d of half", strict.Unlabelled, s.Unlabelled)
	}
}

// harth is a table as HARTH has them: six channels, 50 Hz, codes for labels.
func harth(seconds int) string {
	var b strings.Builder
	b.WriteString("timestamp,back_x,back_y,back_z,thigh_x,thigh_y,thigh_z,label\n")
	for i := range seconds * 50 {
		x := math.Sin(float64(i) / 5)
		fmt.Fprintf(&b, "2021-03-24 14:%02d:%02d.%03d,%.4f,0.1,-0.9,%.4f,-0.2,0.8,%s\n", i/3000, i/50%60, i%50*20, x, -x, []string{"1", "13", "6"}[i/1000%3])
	}
	return b.String()
}

func TestMotionOfHARTH(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	for _, name := range []string{"S006.csv", "S008.csv"} {
		writeFile(t, filepath.Join(dir, name), harth(60))
	}
	model := tcn(t, "--channels", "6", "--window", "250", "--hop", "125")
	s := evaluated(t, "motion", dir, "--model", model, "--format", "json", "-q")
	if n := s.supports(); s.Items != 46 || s.Raw.Items != 46 || len(s.Streams) != 2 || n["Walking"] == 0 || n["Cycling"] == 0 || n["Static"] == 0 {
		t.Errorf("%d of %d scored: %v", s.Raw.Items, s.Items, n)
	}
	lines := parseLines(t, first(mustOatta(t, console.Fine, "run", "motion", dir, "--model", model, "-q")))
	if l := lines[1]; l.File != "S006.csv#1" || l.Time != "2021-03-24T14:00:02.5" || l.Stream != "S006.csv" {
		t.Errorf("second line %+v", l)
	}
}

func first(out, _ string) string { return out }

// Recordings as people have them, in one folder: each is a right result, or a failure or warning that says why.
func TestBadMotionAmongGood(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	good := strings.SplitAfter(harth(30), "\n")
	head, rows := good[0], good[1:1501]
	join := func(rows ...string) string { return head + strings.Join(rows, "") }
	blank := slices.Clone(rows)
	for i := 400; i < 900; i++ {
		f := strings.Split(blank[i], ",")
		f[1], f[2] = "NaN", ""
		blank[i] = strings.Join(f, ",")
	}
	twice := slices.Clone(rows)
	for i := range twice {
		twice[i] += twice[i]
	}
	backwards := slices.Concat(rows[:750], rows[500:600], rows[750:])
	slow := slices.Clone(rows)
	for i := 750; i < 1500; i++ {
		if i%2 == 1 {
			slow[i] = ""
		}
	}
	for name, text := range map[string]string{
		"empty.csv": "", "header.csv": head, "one.csv": join(rows[0]), "short.csv": join(rows[:100]...), "good.csv": join(rows...),
		"cut.csv": join(rows...)[:60000], "nan.csv": join(blank...), "twice.csv": join(twice...), "backwards.csv": join(backwards...),
		"mixed.csv": join(slow...), "wrong.csv": strings.ReplaceAll(join(rows...), "thigh_y", "wrist"), "zeros.csv": strings.Repeat("\x00", 1<<16),
		"latin.csv": strings.ReplaceAll(join(rows...), ",13\n", ",\xe9\n"), "bad.cwa": strings.Repeat("MD", 3000), "bad.gt3x": "PK\x03\x04 no zip",
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.csv"), 0o755); err != nil {
		t.Fatal(err)
	}
	out, text := mustOatta(t, console.Partial, "run", "motion", dir, "--model", tcn(t, "--channels", "6", "--window", "250"))
	windows, failures := map[string]int{}, map[string]string{}
	for _, l := range parseLines(t, out) {
		if windows[l.Stream]++; l.Failure != "" {
			failures[l.File] = l.Failure
		}
	}
	for name, want := range map[string]int{"good.csv": 6, "nan.csv": 3, "twice.csv": 6, "backwards.csv": 6, "mixed.csv": 6, "latin.csv": 4, "cut.csv": 4} {
		if windows[name] != want {
			t.Errorf("%s: %d windows, want %d", name, windows[name], want)
		}
	}
	for name, want := range map[string]string{
		"empty.csv": "empty", "header.csv": "no rows", "one.csv": "rate is unknown", "short.csv": "no whole window of 5 seconds",
		"wrong.csv": `channel "thigh_y"`, "zeros.csv": "no rows", "bad.cwa": "motion: ", "bad.gt3x": "not a GT3X file",
	} {
		if !strings.Contains(failures[name], want) {
			t.Errorf("%s: failure %q, want %q in it", name, failures[name], want)
		}
	}
	for _, want := range []string{
		"nan.csv: missing values: 1000", "nan.csv: gaps of more than", "twice.csv: samples at the time of their predecessor left out: 1500",
		"backwards.csv: samples", "mixed.csv: stretches of", "latin.csv: damaged rows left out: 500",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if len(failures) != 8 || strings.Contains(out+text, dir) {
		t.Errorf("%d failures; or the folder is told:\n%s", len(failures), text)
	}
}
