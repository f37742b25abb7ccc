package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/run"
)

// What earlier versions wrote lies in testdata/kept, a folder a version, each with the program that wrote it (made.json) and how (make.sh).
// It is read for good: a new version that cannot is no new version of this program. Snapshots have files of their own, in adapt/testdata, and
// so have the formats of states, in internal/state/testdata.

// kept calls the test for each folder, with its path.
func kept(t *testing.T, test func(t *testing.T, dir string)) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("testdata", "kept", "*", "made.json"))
	if err != nil || found == nil {
		t.Fatal("no kept files", err)
	}
	for _, made := range found {
		dir := filepath.Dir(made)
		var by struct{ Version, Revision string }
		if err := json.Unmarshal([]byte(readFile(t, made)), &by); err != nil || by.Version == "" || by.Revision == "" {
			t.Fatalf("%s names no program: %v", made, err)
		}
		t.Run(filepath.Base(dir), func(t *testing.T) { test(t, dir) })
	}
}

// Streams that an earlier version remembered go on as they did with it, sealed or not.
func TestKeptStates(t *testing.T) {
	kept(t, func(t *testing.T, dir string) {
		for _, name := range []string{"plain", "sealed"} {
			state := filepath.Join(t.TempDir(), "a.state")
			writeFile(t, state, gunzipped(t, filepath.Join(dir, name+".state.gz")))
			args := []string{"filter", "--quiet", "--classes", "fox,deer,empty", "--state", state}
			if name == "sealed" {
				key := filepath.Join(t.TempDir(), "key")
				writeFile(t, key, readFile(t, filepath.Join(dir, "key")))
				args = append(args, "--state-key", key)
			}
			out, _ := mustOatta(t, console.Fine, append(args, filepath.Join(dir, "second.jsonl"))...)
			sameAnswers(t, out, readFile(t, filepath.Join(dir, "continued-"+name+".jsonl")))
		}
	})
}

// Settings and transitions that an earlier version learned mean the same.
func TestKeptSettings(t *testing.T) {
	kept(t, func(t *testing.T, dir string) {
		out, _ := mustOatta(t, console.Fine, "filter", "--quiet", "--classes", "fox,deer,empty", "--settings", filepath.Join(dir, "settings.json"),
			"--transitions", filepath.Join(dir, "transitions.json"), filepath.Join(dir, "second.jsonl"))
		sameAnswers(t, out, readFile(t, filepath.Join(dir, "taught.jsonl")))
	})
}

// Outputs with their manifests are read: for --resume, and for a page.
func TestKeptManifests(t *testing.T) {
	kept(t, func(t *testing.T, dir string) {
		output := filepath.Join(dir, "run.jsonl")
		m, err := run.ReadManifest(output)
		if err != nil {
			t.Fatal(err)
		}
		s := m.Settings
		if !m.Complete || m.Finished == nil || m.Summary == nil || s.Items != 10 || s.Command != "oatta run images" || s.Model.Name == "" || s.Filter.Auto == nil || s.Engine.Version == "" || s.Listing == "" {
			t.Errorf("%+v", m)
		}
		for _, name := range []string{"run.jsonl", "taught.jsonl"} {
			page := filepath.Join(t.TempDir(), "page.html")
			mustOatta(t, console.Fine, "report", "-o", page, filepath.Join(dir, name))
			if text := readFile(t, page); !strings.Contains(text, s.Program) {
				t.Errorf("the page of %s does not name %s", name, s.Program)
			}
		}
	})
}

// sameAnswers compares lines of answers; numbers may differ in their last places, as processors do.
func sameAnswers(t *testing.T, got, want string) {
	t.Helper()
	lines, wanted := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(lines) != len(wanted) {
		t.Fatalf("%d lines, want %d", len(lines), len(wanted))
	}
	for i := range lines {
		if wanted[i] == "" && lines[i] == "" {
			continue
		}
		var a, b struct {
			ID      string
			Label   string `json:"adapted_label"`
			Mode    string `json:"adapted_mode"`
			Gate    float64
			Adapted []float64
		}
		if err := json.Unmarshal([]byte(lines[i]), &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(wanted[i]), &b); err != nil {
			t.Fatal(err)
		}
		alike := a.ID == b.ID && a.Label == b.Label && a.Mode == b.Mode && len(a.Adapted) == len(b.Adapted) && near(a.Gate, b.Gate)
		for c := range min(len(a.Adapted), len(b.Adapted)) {
			alike = alike && near(a.Adapted[c], b.Adapted[c])
		}
		if !alike {
			t.Fatalf("line %d: %s\nwant %s", i+1, lines[i], wanted[i])
		}
	}
}

func near(a, b float64) bool { return max(a-b, b-a) <= 1e-9 }
