package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/cli/console"
)

// split writes the lines of a file into two others.
func split(t *testing.T, path string, first int) (a, b string) {
	t.Helper()
	lines := strings.SplitAfter(readFile(t, path), "\n")
	a, b = strings.TrimSuffix(path, ".jsonl")+"-a.jsonl", strings.TrimSuffix(path, ".jsonl")+"-b.jsonl"
	writeFile(t, a, strings.Join(lines[:first], ""))
	writeFile(t, b, strings.Join(lines[first:], ""))
	return a, b
}

// Streams continue in the next input, as if the two were one; the same input again adds nothing.
func TestStateContinuesStreams(t *testing.T) {
	dir := t.TempDir()
	in, store := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "cams.state")
	crowd(t, in, 4, 200)
	want, _ := mustOatta(t, console.Fine, "filter", in)
	a, b := split(t, in, 90)
	outA, outB := filepath.Join(dir, "a.out"), filepath.Join(dir, "b.out")
	mustOatta(t, console.Fine, "filter", a, "-o", outA, "--format", "jsonl", "--state", store)
	again, errOut := mustOatta(t, console.Fine, "filter", a, "-o", outA, "--state", store)
	if again != "" || !strings.Contains(errOut, "0 items in 0 streams") {
		t.Errorf("the same input again: %s%s", again, errOut)
	}
	mustOatta(t, console.Fine, "filter", b, "-o", outB, "--state", store)
	if got := readFile(t, outA) + readFile(t, outB); got != want {
		t.Errorf("in two parts\n%s\nin one\n%s", got, want)
	}
	if info, err := os.Stat(store); err != nil || goruntime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("state: %v, %v", info.Mode(), err)
	}
}

// A log that grows is read on where it was left, also in the middle of a line that was being written.
func TestStateFollowsAGrowingFile(t *testing.T) {
	for _, ending := range []string{".jsonl", ".csv"} {
		dir := t.TempDir()
		in, out, store := filepath.Join(dir, "log"+ending), filepath.Join(dir, "out"+ending), filepath.Join(dir, "cams.state")
		whole := filepath.Join(dir, "whole.jsonl")
		crowd(t, whole, 5, 120)
		text := readFile(t, whole)
		if ending == ".csv" {
			text = "stream,p:a,p:b,p:c\n"
			for _, l := range hindsightLines(t, readFile(t, whole)) {
				text += fmt.Sprintf("%s,%g,%g,%g\n", l.Stream, 0.5, 0.25+float64(l.ID)/1e3, 0.25-float64(l.ID)/1e3)
			}
			whole = filepath.Join(dir, "whole.csv")
			writeFile(t, whole, text)
		}
		want, _ := mustOatta(t, console.Fine, "filter", whole)
		r := rand.New(rand.NewPCG(6, 6))
		for n := 0; n < len(text); {
			n = min(len(text), n+1+r.IntN(1500))
			writeFile(t, in, text[:n])
			if code, _, errOut := oatta(t, "filter", in, "-o", out, "--state", store); code != console.Fine && n > 200 {
				t.Fatalf("after %d bytes: %d %s", n, code, errOut)
			}
		}
		if got := readFile(t, out); got != want {
			t.Errorf("%s: grown\n%s\nat once\n%s", ending, got, want)
		}
	}
}

// A run that is killed, again and again, ends with the output and the state of one that was not.
func TestStateSurvivesKills(t *testing.T) {
	dir := t.TempDir()
	in, next := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "next.jsonl")
	out, store := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "cams.state")
	crowd(t, in, 7, 30_000)
	crowd(t, next, 8, 200)
	want, _ := mustOatta(t, console.Fine, "filter", in)
	both := filepath.Join(dir, "both.jsonl")
	writeFile(t, both, readFile(t, in)+readFile(t, next))
	wantBoth, _ := mustOatta(t, console.Fine, "filter", both)
	r := rand.New(rand.NewPCG(9, 9))
	kills := 0
	for size := int64(0); ; kills++ {
		cmd, said := program(t, "filter", in, "-o", out, "--state", store, "-q"), &strings.Builder{}
		cmd.Stderr = said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		until := size + 1 + r.Int64N(int64(len(want))/6)
		if until >= int64(len(want)) { // the output may be whole already, and what it stands for not committed
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			break
		}
		waitForSize(out, until)
		_ = cmd.Process.Kill()
		if err := cmd.Wait(); err == nil { // it was faster
			break
		} else if said.Len() > 0 {
			t.Fatalf("%v: %s", err, said)
		}
		info, err := os.Stat(out)
		if err != nil {
			t.Fatal(err)
		}
		size = info.Size()
	}
	if kills == 0 {
		t.Fatal("the run was over before it could be killed")
	}
	if got := readFile(t, out); got != want {
		t.Fatalf("after %d kills the output differs", kills)
	}
	rest, _ := mustOatta(t, console.Fine, "filter", next, "--state", store)
	if want+rest != wantBoth {
		t.Errorf("after %d kills the state differs", kills)
	}
}

// waitForSize waits, not for ever, until a file is as large.
func waitForSize(path string, size int64) {
	for range 200_000 {
		if info, err := os.Stat(path); err == nil && info.Size() >= size {
			return
		}
		time.Sleep(50 * time.Microsecond)
	}
}

// In a pipe the state is on the disk before the answer is seen.
func TestStateInAPipe(t *testing.T) {
	dir := t.TempDir()
	in, store := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "cams.state")
	crowd(t, in, 10, 60)
	want, _ := mustOatta(t, console.Fine, "filter", in)
	a, b := split(t, in, 31)
	got := ""
	for _, part := range []string{a, b} {
		cmd := program(t, "filter", "-", "--state", store, "-q")
		cmd.Stdin = strings.NewReader(readFile(t, part))
		text, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		got += string(text)
	}
	if got != want {
		t.Errorf("in two parts\n%s\nin one\n%s", got, want)
	}
}

func TestStateCommands(t *testing.T) {
	dir := t.TempDir()
	in, store, key := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "cams.state"), filepath.Join(dir, "key")
	crowd(t, in, 11, 100)
	writeFile(t, key, strings.Repeat("ab", 32))
	if err := os.Chmod(key, 0o600); err != nil {
		t.Fatal(err)
	}
	sealed := []string{"--state", store, "--state-key", key}
	mustOatta(t, console.Fine, append([]string{"filter", in, "-q"}, sealed...)...)
	list, _ := mustOatta(t, console.Fine, append([]string{"state", "list"}, sealed...)...)
	if strings.Count(list, "cam") != 5 || !strings.Contains(list, "auto") {
		t.Error(list)
	}
	show, _ := mustOatta(t, console.Fine, append([]string{"state", "show", "cam1"}, sealed...)...)
	var e struct {
		Steps       int
		Transitions [][]float64
	}
	if err := json.Unmarshal([]byte(show), &e); err != nil || e.Steps == 0 || e.Transitions != nil {
		t.Errorf("%v: %s", err, show)
	}
	show, _ = mustOatta(t, console.Fine, append([]string{"state", "show", "cam1", "--transitions"}, sealed...)...)
	if err := json.Unmarshal([]byte(show), &e); err != nil || len(e.Transitions) != 3 {
		t.Errorf("%v: %s", err, show)
	}
	if _, errOut := mustOatta(t, console.Nothing, append([]string{"forget", "cam1", "cam9"}, sealed...)...); !strings.Contains(errOut, `"cam9"`) {
		t.Error(errOut)
	}
	mustOatta(t, console.Fine, append([]string{"forget", "cam1"}, sealed...)...)
	mustOatta(t, console.Fine, append([]string{"state", "forget", "cam2", "cam3"}, sealed...)...)
	list, _ = mustOatta(t, console.Fine, append([]string{"state", "list"}, sealed...)...)
	if strings.Count(list, "cam") != 2 {
		t.Error(list)
	}
	other := filepath.Join(dir, "other.jsonl")
	crowd(t, other, 13, 10)
	for _, args := range [][]string{
		{"state", "list", "--state", store}, // sealed
		{"state", "list"},
		{"state", "show", "--state", store, "--state-key", key},
		{"forget", "--state", store, "--state-key", key},
		{"state", "list", "--state", filepath.Join(dir, "absent")},
		{"filter", other, "--state", store, "--state-key", key, "--gate", "off"}, // other settings
		{"filter", in, "--state-key", key},
		{"filter", in, "--state", store, "-o", "x.jsonl.gz"},
	} {
		mustOatta(t, console.Nothing, args...)
	}
}

// An output that is not the one which the state knows is not touched.
func TestStateKnowsItsOutput(t *testing.T) {
	dir := t.TempDir()
	in, out, store := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "cams.state")
	crowd(t, in, 12, 40)
	mustOatta(t, console.Fine, "filter", in, "-o", out, "--state", store)
	writeFile(t, in, readFile(t, in)+`{"stream":"cam1","probs":[1,0,0]}`+"\n")
	writeFile(t, out, strings.Repeat("other ", 10_000)) // longer than what was written
	if _, errOut := mustOatta(t, console.Nothing, "filter", in, "-o", out, "--state", store); !strings.Contains(errOut, "is not the output of the earlier run") {
		t.Error(errOut)
	}
	if readFile(t, out) != strings.Repeat("other ", 10_000) {
		t.Error("it was changed")
	}
	elsewhere := filepath.Join(dir, "precious.txt")
	writeFile(t, elsewhere, strings.Repeat("precious ", 10_000))
	mustOatta(t, console.Nothing, "filter", in, "-o", elsewhere, "--state", store)
	if readFile(t, elsewhere) != strings.Repeat("precious ", 10_000) {
		t.Error("another file was changed")
	}
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	mustOatta(t, console.Nothing, "filter", in, "-o", out, "--state", store)
	mustOatta(t, console.Fine, "filter", in, "-o", out, "--state", store, "--overwrite")
	if got := readFile(t, out); strings.Count(got, "\n") != 1 || !strings.Contains(got, "cam1") {
		t.Errorf("the output that begins with what is new: %s", got)
	}
}

// A run that is killed before it committed anything goes on with the same command; so does one whose input could not be read to its end.
func TestStateOfAnUnbornRun(t *testing.T) {
	dir := t.TempDir()
	in, out, store := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "cams.state")
	crowd(t, in, 14, 30_000)
	want, _ := mustOatta(t, console.Fine, "filter", in)
	cmd := program(t, "filter", in, "-o", out, "--state", store, "-q")
	cmd.Env = append(cmd.Env, asProgram+"=10s") // the first commit is followed by a long pause
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForSize(store, 1)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	mustOatta(t, console.Fine, "filter", in, "-o", out, "--state", store)
	if readFile(t, out) != want {
		t.Error("another output")
	}
}

// While a run waits for its first item, another may use the state: what that one did is not undone.
func TestStateChangedWhileWaiting(t *testing.T) {
	dir := t.TempDir()
	in, store := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "cams.state")
	crowd(t, in, 15, 40)
	a, _ := split(t, in, 20)
	cmd := program(t, "filter", "-", "--state", store, "-q")
	pipe, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForSize(store, 1) // it has looked
	for range 100 {
		if code, _, _ := oatta(t, "filter", a, "-o", filepath.Join(dir, "a.out"), "--state", store); code == console.Fine {
			break
		}
	}
	fmt.Fprintln(pipe, `{"stream":"cam1","probs":[1,0,0]}`)
	if err := errors.Join(pipe.Close(), cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	_, errOut := mustOatta(t, console.Fine, "filter", a, "-o", filepath.Join(dir, "a.out"), "--state", store)
	if !strings.Contains(errOut, "0 items in 0 streams") {
		t.Errorf("the first input is counted again: %s", errOut)
	}
}

// No output destroys an input or another output.
func TestFilterKeepsFilesApart(t *testing.T) {
	dir := t.TempDir()
	in, labels, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "labels.csv"), filepath.Join(dir, "out.jsonl")
	crowd(t, in, 16, 10)
	writeFile(t, labels, "file,label\n0,1\n")
	text := readFile(t, in)
	for _, args := range [][]string{
		{"--scores", in, "--overwrite"},
		{"--scores", out, "-o", out},
		{"--scores", labels, "--labels", labels, "--overwrite"},
		{"-o", labels, "--labels", labels, "--overwrite"},
		{"-o", filepath.Join(dir, "s.state"), "--state", filepath.Join(dir, "s.state")},
		{"--scores", labels},
	} {
		mustOatta(t, console.Nothing, append([]string{"filter", in}, args...)...)
	}
	if readFile(t, in) != text || readFile(t, labels) != "file,label\n0,1\n" {
		t.Error("an input was changed")
	}
}
