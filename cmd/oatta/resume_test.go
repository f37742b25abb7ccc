package main

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/run"
	"github.com/oatta/oatta/internal/streams"
	"github.com/oatta/oatta/models"
)

// A process that is killed again and again, at any moment, and resumed, leaves the output of one that was left alone.
func TestKilledAndResumed(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 300)
	for _, c := range []struct {
		ending string
		flags  []string
		mode   streams.Mode
	}{
		{"jsonl", nil, streams.Smoothed},
		{"csv", []string{"--causal"}, streams.Filtered},
		{"json", []string{"--viterbi"}, streams.Smoothed},
		{"jsonl", []string{"--lag", "3"}, streams.Lagged},
		{"json", []string{"--state", "STATE"}, streams.Filtered},
		{"csv", []string{"--explain", "cam0", "--explain-to", "DRAWN"}, streams.Filtered},
	} {
		t.Run(strings.Join(append([]string{c.ending}, c.flags...), " "), func(t *testing.T) {
			args := append([]string{"run", "images", dir, "--model", "resnet20-cifar10", "-q", "--batch", "3"}, c.flags...)
			at := func(name string) (string, []string) { // a folder for each of the two runs
				folder := t.TempDir()
				own := slices.Clone(args)
				for i, arg := range own {
					if arg == "STATE" || arg == "DRAWN" {
						own[i] = filepath.Join(folder, strings.ToLower(arg))
					}
				}
				path := filepath.Join(folder, name+"."+c.ending)
				return path, append(own, "-o", path)
			}
			whole, undisturbed := at("whole")
			cut, disturbed := at("cut")
			mustOatta(t, console.Fine, undisturbed...)
			kills := killUntilDone(t, append(disturbed, "--resume"))
			if got := readFile(t, cut); got != readFile(t, whole) {
				t.Errorf("after %d kills the output differs from that of an undisturbed run:\n%s", kills, got)
			}
			if kills == 0 {
				t.Error("the process was never killed")
			}
			checkManifest(t, cut, c.mode)
			sameBeside(t, filepath.Dir(whole), filepath.Dir(cut))
			mustOatta(t, console.Fine, append(disturbed, "--resume")...) // complete: nothing to do
		})
	}
}

// sameBeside compares what two runs left beside their outputs: the streams that they remember, and what they drew.
func sameBeside(t *testing.T, whole, cut string) {
	t.Helper()
	if state := filepath.Join(whole, "state"); isThere(state) {
		want, _ := mustOatta(t, console.Fine, "state", "list", "--state", state)
		got, _ := mustOatta(t, console.Fine, "state", "list", "--state", filepath.Join(cut, "state"))
		if got != want || !strings.Contains(want, "cam0") {
			t.Errorf("the streams that are remembered: %s, want %s", got, want)
		}
	}
	drawn, err := filepath.Glob(filepath.Join(whole, "drawn*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range drawn {
		if readFile(t, filepath.Join(cut, filepath.Base(file))) != readFile(t, file) {
			t.Errorf("%s differs from that of an undisturbed run", filepath.Base(file))
		}
	}
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// killUntilDone starts the process over and over and kills it after a random time that grows, until one run ends by itself.
func killUntilDone(t *testing.T, args []string) (kills int) {
	r := rand.New(rand.NewPCG(2, 3))
	for limit := 150 * time.Millisecond; kills < 200; limit += limit / 12 { // so that a machine of any speed comes to an end
		cmd := program(t, args...)
		var errOut strings.Builder
		cmd.Stderr = &errOut
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(r.Int64N(int64(limit))), func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
		err := cmd.Wait()
		timer.Stop()
		if err == nil {
			return kills
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != killedCode {
			t.Fatalf("after %d kills: %v\n%s", kills, err, errOut.String())
		}
		kills++
	}
	t.Fatal("never done")
	return 0
}

func checkManifest(t *testing.T, output string, mode streams.Mode) {
	t.Helper()
	var m run.Manifest
	if err := json.Unmarshal([]byte(readFile(t, files.ManifestPath(output))), &m); err != nil {
		t.Fatal(err)
	}
	if !m.Complete || m.Summary.Items != 300 || m.Settings.Model.Name != "resnet20-cifar10" || m.Settings.Mode != mode {
		t.Errorf("manifest %+v", m)
	}
	left, err := filepath.Glob(output + "*")
	if err != nil || len(left) != 2 {
		t.Errorf("files %v, want the output and its manifest", left)
	}
}

// startUntil starts the program and waits until a file that it writes is larger than size.
func startUntil(t *testing.T, file string, size int64, args ...string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd, errOut := program(t, args...), &strings.Builder{}
	cmd.Stderr = errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 20_000 {
		if info, err := os.Stat(file); err == nil && info.Size() > size {
			return cmd, errOut
		}
		time.Sleep(time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	t.Fatalf("%s never grew over %d bytes\n%s", file, size, errOut.String())
	return nil, nil
}

// killAt starts the program and kills it when its journal is larger than size. The pauses before pictures leave time for that.
func killAt(t *testing.T, output string, size int64, args ...string) {
	t.Helper()
	cmd, _ := startUntil(t, output+".journal", size, args...)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if _, err := os.Stat(output + ".journal"); err != nil {
		t.Fatalf("the run was over before it could be killed: %v", err)
	}
}

// The first interrupt lets the items in hand finish and says how to go on.
func TestInterrupted(t *testing.T) {
	needEngine(t)
	for _, flag := range []string{"--causal", "--smooth"} {
		t.Run(flag, func(t *testing.T) { interrupted(t, flag) })
	}
}

func interrupted(t *testing.T, flag string) {
	dir, out := pictures(t, 200), filepath.Join(t.TempDir(), "out.jsonl")
	args := []string{"run", "images", dir, "--model", "resnet20-cifar10", "--batch", "1", "-o", out, flag}
	cmd, errOut := startUntil(t, out, 0, args...)
	if err := interrupt(cmd); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != console.Interrupted || !strings.Contains(errOut.String(), "--resume continues") {
		t.Fatalf("%v\n%s", err, errOut.String())
	}
	before := strings.Count(readFile(t, out), "\n")
	_, text := mustOatta(t, console.Fine, append(args, "--resume")...)
	done := 0
	if said := regexp.MustCompile(`(\d+) of 200 pictures were done before`).FindStringSubmatch(text); said != nil {
		done, _ = strconv.Atoi(said[1])
	}
	// The pictures of the stream in hand are done and not answered where an answer waits for the end of its stream.
	if n := strings.Count(readFile(t, out), "\n"); n != 200 || done < before || done > before+25 || flag == "--causal" && done != before {
		t.Errorf("%d lines, %d before the interrupt:\n%s", n, before, text)
	}
}

// What was decided differently is named, and nothing is touched: not even by other labels for the same network.
func TestResumeOfAnotherRun(t *testing.T) {
	needEngine(t)
	dir, out, model := pictures(t, 100), filepath.Join(t.TempDir(), "out.jsonl"), cifarModel(t)
	args := []string{"run", "images", dir, "--model", model, "-q", "-o", out}
	killAt(t, out, 2000, append(args, "--batch", "1")...)
	before := readFile(t, out)
	_, text := mustOatta(t, console.Nothing, append(args, "--batch", "2", "--gate", "off", "--resume")...)
	for _, want := range []string{"cannot resume", `batch: was "1", is "2"`, "filter: was"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	manifest := strings.TrimSuffix(model, ".onnx") + ".json"
	honest := readFile(t, manifest)
	writeFile(t, manifest, strings.Replace(honest, `"cat"`, `"lynx"`, 1))
	if _, text := mustOatta(t, console.Nothing, append(args, "--batch", "1", "--resume")...); !strings.Contains(text, "labels and manifest: was") {
		t.Errorf("with other labels: %s", text)
	}
	writeFile(t, manifest, honest)
	if _, text := mustOatta(t, console.Nothing, append(args, "--batch", "1")...); !strings.Contains(text, "--resume continues it") {
		t.Errorf("over an unfinished run: %s", text)
	}
	if readFile(t, out) != before {
		t.Error("the output was touched")
	}
	mustOatta(t, console.Fine, append(args, "--batch", "1", "--resume")...)
	if _, text := mustOatta(t, console.Fine, append(args, "--batch", "1", "--resume")...); !strings.Contains(text, "complete: nothing to resume") {
		t.Errorf("resume of a complete run: %s", text)
	}
	if _, text := mustOatta(t, console.Nothing, append(args, "--batch", "3", "--resume")...); !strings.Contains(text, "another run") {
		t.Errorf("resume of another complete run: %s", text)
	}
	if err := os.Remove(files.ManifestPath(out)); err != nil {
		t.Fatal(err)
	}
	if _, text := mustOatta(t, console.Nothing, append(args, "--batch", "1", "--resume")...); !strings.Contains(text, "no manifest tells") {
		t.Errorf("resume of a file without a manifest: %s", text)
	}
}

// cifarModel writes the embedded network and its manifest to files, to be changed.
func cifarModel(t *testing.T) string {
	t.Helper()
	m, err := models.Load("resnet20-cifar10")
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.Data()
	if err != nil {
		t.Fatal(err)
	}
	var manifest strings.Builder
	if err := m.Manifest.Write(&manifest); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "net.onnx")
	writeFile(t, path, string(data))
	writeFile(t, models.ManifestPath(path), manifest.String())
	return path
}

// A manifest that cannot be written ends the run before it begins, and leaves no half of it.
func TestManifestThatCannotBeWritten(t *testing.T) {
	needEngine(t)
	dir, out := pictures(t, 3), filepath.Join(t.TempDir(), "out.jsonl")
	if err := os.MkdirAll(filepath.Join(files.ManifestPath(out), "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	mustOatta(t, console.Nothing, "run", "images", dir, "--model", "resnet20-cifar10", "-o", out)
	if left, _ := filepath.Glob(out + "*lock*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.RemoveAll(files.ManifestPath(out)); err != nil {
		t.Fatal(err)
	}
	mustOatta(t, console.Fine, "run", "images", dir, "--model", "resnet20-cifar10", "-o", out, "--resume")
}
