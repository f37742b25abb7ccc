package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/run"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/scores"
)

// kind is a modality with a small input and a small network for it.
type kind struct {
	name           string // of the command: motion, sleep, text
	input, model   string
	items, streams int
	classes        int
	noun           string
	rate           string // of Tent, at which it moves
}

// run runs the command on the input and returns its lines.
func (k kind) run(t *testing.T, extra ...string) []result {
	t.Helper()
	out, _ := mustOatta(t, console.Fine, append([]string{"run", k.name, k.input, "--model", k.model, "-q", "--vectors", "--format", "jsonl"}, extra...)...)
	return parseLines(t, out)
}

// checkMethods: every predictor gives every item probabilities, the same for another batch size, and not those of the plain network;
// streams come whole, one after another.
func (k kind) checkMethods(t *testing.T) {
	base := k.run(t)
	for _, name := range method.Names() {
		t.Run(name, func(t *testing.T) {
			args := slices.Clone(methodArgs[name])
			if name == method.Tent {
				args = []string{"--method", "tent", "--rate", k.rate}
			}
			lines, again := k.run(t, args...), k.run(t, append(args, "--batch", "3")...)
			if len(lines) != k.items || len(again) != k.items {
				t.Fatalf("%d and %d lines, want %d", len(lines), len(again), k.items)
			}
			moved, seen := 0.0, map[string]bool{}
			for i, l := range lines {
				k.checkVector(t, l.Probs)
				k.checkVector(t, l.Adapted)
				if d := distance(l.Probs, again[i].Probs); d > 1e-4 || l.File != again[i].File {
					t.Errorf("%s: %g from what another batch size gave", l.File, d)
				}
				moved = max(moved, distance(l.Probs, base[i].Probs))
				if seen[l.Stream] && l.Stream != lines[i-1].Stream {
					t.Errorf("stream %s comes in pieces", l.Stream)
				}
				seen[l.Stream] = true
			}
			if len(seen) != k.streams {
				t.Errorf("%d streams, want %d", len(seen), k.streams)
			}
			if name != method.Base && moved < 1e-6 {
				t.Errorf("at most %g from the plain network", moved)
			}
		})
	}
}

func (k kind) checkVector(t *testing.T, p []float64) {
	t.Helper()
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	if len(p) != k.classes || sum < 1-1e-6 || sum > 1+1e-6 {
		t.Errorf("%v: want %d probabilities", p, k.classes)
	}
}

// checkResume: a run that is killed and resumed writes the bytes of one that was left alone, and so do what it writes beside, named by
// the flags of extra for an output.
func (k kind) checkResume(t *testing.T, method string, extra func(out string) []string) {
	args := append([]string{"run", k.name, k.input, "--model", k.model, "-q", "--batch", "1", "--vectors"}, methodArgs[method]...)
	whole, cut := filepath.Join(t.TempDir(), "out.jsonl"), filepath.Join(t.TempDir(), "out.jsonl")
	mustOatta(t, console.Fine, append(append(args, "-o", whole), extra(whole)...)...)
	args = append(append(args, "-o", cut, "--resume"), extra(cut)...)
	killAt(t, cut, 800, args...)
	mustOatta(t, console.Fine, args...)
	want, got := filesOf(t, filepath.Dir(whole)), filesOf(t, filepath.Dir(cut))
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, slices.Sorted(maps.Keys(want))) {
		t.Errorf("files %q", names)
	}
	for name := range want {
		if !strings.HasSuffix(name, ".manifest.json") && got[name] != want[name] {
			t.Errorf("%s differs from that of an undisturbed run", name)
		}
	}
	k.checkManifest(t, cut, method)
	mustOatta(t, console.Nothing, append(args[:len(args)-len(extra(cut))-1], "--resume", "--gate", "off")...) // another run
}

func (k kind) checkManifest(t *testing.T, out, method string) {
	t.Helper()
	var m run.Manifest
	if err := json.Unmarshal([]byte(readFile(t, files.ManifestPath(out))), &m); err != nil {
		t.Fatal(err)
	}
	s := m.Settings
	if !m.Complete || m.Summary.Items != k.items || s.Items != k.items || s.Streams != k.streams || s.What != k.noun || s.Method.Name != method {
		t.Errorf("manifest %+v", m)
	}
	id := s.Identity()
	if s.Command != "oatta run "+k.name || id[k.noun+"s"] == "" || len(s.Prepare) < 10 || len(s.Listing) != 64 || len(s.Model.SHA256) != 64 {
		t.Errorf("identity %v", id)
	}
}

// filesOf reads all files below a folder.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out[strings.TrimPrefix(path, dir)] = readFile(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// printedScores is what eval prints as JSON.
type printedScores struct {
	Settings                             run.Settings
	Items, Failures, Unlabelled, Unknown int
	Complete                             bool
	scores.Evaluation
}

func evaluated(t *testing.T, args ...string) (s printedScores) {
	t.Helper()
	out, _ := mustOatta(t, console.Fine, append([]string{"eval"}, args...)...)
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return s
}

// supports is how many items of each class were scored.
func (s printedScores) supports() map[string]int {
	out := map[string]int{}
	for _, c := range s.Raw.Classes {
		out[c.Label] = c.Support
	}
	return out
}

// checkRaw recomputes the accuracy of the labels of a run, of which truth tells the true one, "" for none.
func (s printedScores) checkRaw(t *testing.T, lines []result, truth func(i int) string) {
	t.Helper()
	right, n := 0, 0
	for i, l := range lines {
		if want := truth(i); want != "" {
			n++
			if l.Label == want {
				right++
			}
		}
	}
	if got := s.Raw.Accuracy; s.Raw.Items != n || n == 0 || got < float64(right)/float64(n)-1e-9 || got > float64(right)/float64(n)+1e-9 {
		t.Errorf("accuracy %g of %d, want %d of %d", got, s.Raw.Items, right, n)
	}
}

// What cannot be done is refused before anything is, and touches nothing.
func (k kind) checkRefusals(t *testing.T, other string, reads string) {
	dir := t.TempDir()
	link := filepath.Join(dir, "folder")
	if err := os.Symlink(filepath.Dir(k.input), link); err != nil {
		t.Fatal(err)
	}
	byDefault, want := []string{"run", k.name, k.input}, "" // with the model in the binary
	switch k.name {
	case "sleep": // which takes channels by their role
		byDefault, want = append(byDefault, "--channels", "EEG Fpz-Cz"), "names channels in the order of a model that --model names"
	case "motion":
		byDefault, want = append(byDefault, "--hop", "-1"), "hop"
	case "text":
		byDefault, want = append(byDefault, "--quote", "single"), "quote"
	}
	for _, test := range []struct {
		want string
		args []string
	}{
		{"given; see", []string{"run", k.name, "--model", k.model}},
		{"given; see", []string{"run", k.name}},
		{want, byDefault},
		{"is not one for", []string{"run", k.name, k.input, "--model", other}},
		{"is not one for", []string{"eval", k.name, k.input, "--model", other}},
		{"no such file", []string{"run", k.name, filepath.Join(dir, "gone"), "--model", k.model}},
		{"found", []string{"run", k.name, t.TempDir(), "--model", k.model}},
		{"is an input, and would be overwritten", []string{"run", k.name, reads, "--model", k.model, "-o", reads, "--overwrite", "--format", "csv"}},
		{"is an input, and would be overwritten", []string{"eval", k.name, reads, "--model", k.model, "--predictions", reads, "--overwrite"}},
		{"want text or json", []string{"eval", k.name, k.input, "--model", k.model, "--format", "xml"}},
		{"--groups", []string{"eval", k.name, k.input, "--model", k.model, "--groups", "nogroup"}},
		{`"median"`, []string{"run", k.name, k.input, "--model", k.model, "--method", "ttaug", "--merge", "median"}},
	} {
		if _, errOut := mustOatta(t, console.Nothing, append(test.args, "-q")...); !strings.Contains(errOut, test.want) {
			t.Errorf("%q: %s, want %q", test.args, errOut, test.want)
		}
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		code, _, errOut := oatta(t, "run", k.name, k.input, "--model", k.model, "-o", "/dev/full", "--format", "csv", "-q")
		if code == console.Fine || !strings.Contains(errOut, "no space left") {
			t.Errorf("a full disk: exit code %d: %s", code, errOut)
		}
	}
}

func TestOutputsAmongInputs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"in", "in/below", "beside"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("in", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	csv := func(name string) bool { return strings.HasSuffix(name, ".csv") }
	for out, refused := range map[string]bool{
		"in/x.csv": true, "in/below/x.csv": true, "link/x.csv": true, "in/x.jsonl": false, "beside/x.csv": false, "x.csv": false, "in..csv": false,
	} {
		err := files.CheckOutputs([]string{filepath.Join(dir, "in")}, []files.Place{files.At("the results", filepath.Join(dir, out))}, csv)
		if (err != nil) != refused {
			t.Errorf("%s: %v", out, err)
		}
	}
}
