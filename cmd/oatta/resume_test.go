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
	for limit := 150 * time.Millisecond; kills < 200; limit += 10 * time.Millisecond {
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

// The first interrupt lets the items in hand finish and says how to go on.
func TestInterrupted(t *testing.T) {
	needEngine(t)
	dir, out := pictures(t, 400), filepath.Join(t.TempDir(), "out.jsonl")
	cmd := program(t, "run", "images", dir, "--model", "resnet20-cifar10", "--batch", "1", "-o", out)
	var errOut strings.Builder
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if info, err := os.Stat(out); err == nil && info.Size() > 0 {
			break
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted || !strings.Contains(errOut.String(), "--resume continues") {
		t.Fatalf("%v\n%s", err, errOut.String())
	}
	before := strings.Count(readFile(t, out), "\n")
	_, text := mustOatta(t, exitFine, "run", "images", dir, "--model", "resnet20-cifar10", "--batch", "1", "-o", out, "--resume")
	if n := strings.Count(readFile(t, out), "\n"); n != 400 || !strings.Contains(text, fmt.Sprintf("%d of 400 pictures were done before", before)) {
		t.Errorf("%d lines, %d before the interrupt:\n%s", n, before, text)
	}
}

// What was decided differently is named, and nothing is touched.
func TestResumeOfAnotherRun(t *testing.T) {
	needEngine(t)
	dir, out := pictures(t, 60), filepath.Join(t.TempDir(), "out.jsonl")
	args := []string{"run", "images", dir, "--model", "resnet20-cifar10", "-q", "-o", out}
	cmd := program(t, append(args, "--batch", "1")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if info, err := os.Stat(out + ".journal"); err == nil && info.Size() > 2000 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if _, err := os.Stat(out + ".journal"); err != nil {
		t.Skip("the run was over before it could be killed")
	}
	before := readFile(t, out)
	_, text := mustOatta(t, exitNothing, append(args, "--batch", "2", "--gate", "off", "--resume")...)
	for _, want := range []string{"cannot resume", `batch: was "1", is "2"`, "filter: was"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if _, text := mustOatta(t, exitNothing, append(args, "--batch", "1")...); !strings.Contains(text, "--resume continues it") {
		t.Errorf("over an unfinished run: %s", text)
	}
	if readFile(t, out) != before {
		t.Error("the output was touched")
	}
	mustOatta(t, exitFine, append(args, "--overwrite")...)
}
