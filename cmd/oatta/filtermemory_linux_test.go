package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Streams that are remembered wait in the file: the memory is that of the flag, however many there are.
func TestStateMemoryIsBounded(t *testing.T) {
	const classes, most = 300, 48 << 20 // with all classes apart a filter takes 1.6 MB, so that 100 of them are over three times the bound
	dir := t.TempDir()
	settings := filepath.Join(dir, "settings.json")
	writeFile(t, settings, fmt.Sprintf(`{"gate": "auto", "auto": {"active": %d}}`, classes))
	vector := "[" + strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%.9f,", 1./classes), classes), ",") + "]"
	peaks := map[int]int64{}
	for _, streams := range []int{10, 100} {
		in := filepath.Join(dir, fmt.Sprint(streams, ".jsonl"))
		var text strings.Builder
		for i := range 2 * streams {
			fmt.Fprintf(&text, `{"stream":"c%d","probs":%s}`+"\n", i%streams, vector)
		}
		writeFile(t, in, text.String())
		cmd := program(t, "filter", in, "-o", in+".out", "--state", in+".state", "--settings", settings, "--max-memory", fmt.Sprint(most), "-q")
		cmd.Env = append(os.Environ(), asProgram+"=0s")
		peaks[streams] = peakMemory(t, cmd)
		if got := strings.Count(readFile(t, in+".out"), "\n"); got != 2*streams {
			t.Errorf("%d lines of %d", got, 2*streams)
		}
		if n := stepsOf(t, in+".state", "c7"); n != 2 {
			t.Errorf("%d steps of a stream that left memory, want 2", n)
		}
	}
	t.Logf("peaks %v", peaks)
	if !raceDetector && (peaks[10] == 0 || peaks[100] > most+peaks[10]) { // the smaller run is mostly the program itself
		t.Errorf("%d bytes at 10 streams, %d at 100: want at most %d more", peaks[10], peaks[100], most)
	}
}

var anonymous = regexp.MustCompile(`RssAnon:\s+(\d+) kB`)

// peakMemory runs a process and returns the most memory of its own that it was seen to have; the file of states, which it maps, is the system's.
func peakMemory(t *testing.T, cmd *exec.Cmd) (peak int64) {
	t.Helper()
	var errOut strings.Builder
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %s", err, &errOut)
			}
			return peak
		case <-time.After(2 * time.Millisecond):
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if m := anonymous.FindSubmatch(status); m != nil {
				kb, _ := strconv.ParseInt(string(m[1]), 10, 64)
				peak = max(peak, kb<<10)
			}
		}
	}
}
