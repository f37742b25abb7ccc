package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oatta/oatta/models"
)

// A process that is killed again and again, at any moment, and resumed, leaves the output of one that was left alone.
func TestKilledAndResumed(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 300)
	for _, ending := range []string{"jsonl", "csv", "json"} {
		t.Run(ending, func(t *testing.T) {
			args := []string{"run", "images", dir, "--model", "resnet20-cifar10", "-q", "--batch", "3"}
			whole, cut := filepath.Join(t.TempDir(), "whole."+ending), filepath.Join(t.TempDir(), "cut."+ending)
			mustOatta(t, exitFine, append(args, "-o", whole)...)
			kills := killUntilDone(t, append(args, "-o", cut, "--resume"))
			if got := readFile(t, cut); got != readFile(t, whole) {
				t.Errorf("after %d kills the output differs from that of an undisturbed run:\n%s", kills, got)
			}
			if kills == 0 {
				t.Error("the process was never killed")
			}
			checkManifest(t, cut)
			mustOatta(t, exitFine, append(args, "-o", cut, "--resume")...) // complete: nothing to do
		})
	}
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
		if !errors.As(err, &exit) || exit.ExitCode() != -1 {
			t.Fatalf("after %d kills: %v\n%s", kills, err, errOut.String())
		}
		kills++
	}
	t.Fatal("never done")
	return 0
}

func checkManifest(t *testing.T, output string) {
	t.Helper()
	var m runManifest
	if err := json.Unmarshal([]byte(readFile(t, manifestPath(output))), &m); err != nil {
		t.Fatal(err)
	}
	if !m.Complete || m.Summary.Items != 300 || m.Settings.Model.Name != "resnet20-cifar10" || m.Settings.Mode != "filtered" {
		t.Errorf("manifest %+v", m)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(output), "*"))
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
	dir, out := pictures(t, 200), filepath.Join(t.TempDir(), "out.jsonl")
	args := []string{"run", "images", dir, "--model", "resnet20-cifar10", "--batch", "1", "-o", out}
	cmd, errOut := startUntil(t, out, 0, args...)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted || !strings.Contains(errOut.String(), "--resume continues") {
		t.Fatalf("%v\n%s", err, errOut.String())
	}
	before := strings.Count(readFile(t, out), "\n")
	_, text := mustOatta(t, exitFine, append(args, "--resume")...)
	if n := strings.Count(readFile(t, out), "\n"); n != 200 || !strings.Contains(text, fmt.Sprintf("%d of 200 pictures were done before", before)) {
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
	_, text := mustOatta(t, exitNothing, append(args, "--batch", "2", "--gate", "off", "--resume")...)
	for _, want := range []string{"cannot resume", `batch: was "1", is "2"`, "filter: was"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	manifest := strings.TrimSuffix(model, ".onnx") + ".json"
	honest := readFile(t, manifest)
	writeFile(t, manifest, strings.Replace(honest, `"cat"`, `"lynx"`, 1))
	if _, text := mustOatta(t, exitNothing, append(args, "--batch", "1", "--resume")...); !strings.Contains(text, "labels and manifest: was") {
		t.Errorf("with other labels: %s", text)
	}
	writeFile(t, manifest, honest)
	if _, text := mustOatta(t, exitNothing, append(args, "--batch", "1")...); !strings.Contains(text, "--resume continues it") {
		t.Errorf("over an unfinished run: %s", text)
	}
	if readFile(t, out) != before {
		t.Error("the output was touched")
	}
	mustOatta(t, exitFine, append(args, "--batch", "1", "--resume")...)
	if _, text := mustOatta(t, exitFine, append(args, "--batch", "1", "--resume")...); !strings.Contains(text, "complete: nothing to resume") {
		t.Errorf("resume of a complete run: %s", text)
	}
	if _, text := mustOatta(t, exitNothing, append(args, "--batch", "3", "--resume")...); !strings.Contains(text, "another run") {
		t.Errorf("resume of another complete run: %s", text)
	}
	if err := os.Remove(manifestPath(out)); err != nil {
		t.Fatal(err)
	}
	if _, text := mustOatta(t, exitNothing, append(args, "--batch", "1", "--resume")...); !strings.Contains(text, "no manifest tells") {
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
	if err := os.MkdirAll(filepath.Join(manifestPath(out), "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	mustOatta(t, exitNothing, "run", "images", dir, "--model", "resnet20-cifar10", "-o", out)
	if left, _ := filepath.Glob(out + "*lock*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.RemoveAll(manifestPath(out)); err != nil {
		t.Fatal(err)
	}
	mustOatta(t, exitFine, "run", "images", dir, "--model", "resnet20-cifar10", "-o", out, "--resume")
}
