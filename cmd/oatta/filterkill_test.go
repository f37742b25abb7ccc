package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
)

// stepsOf returns how many steps a state has of a stream; 0 if it has none.
func stepsOf(t *testing.T, store, stream string) int {
	t.Helper()
	code, out, errOut := oatta(t, "state", "show", stream, "--state", store)
	if code != console.Fine {
		if !strings.Contains(errOut, "no such stream") {
			t.Fatal(errOut)
		}
		return 0
	}
	var e struct{ Steps int }
	if err := json.Unmarshal([]byte(out), &e); err != nil {
		t.Fatal(err)
	}
	return e.Steps
}

// In a pipe no answer leaves before its state is on the disk: one who has seen answers finds them in the state, whenever the run is killed.
func TestStateComesBeforeTheAnswer(t *testing.T) {
	store := filepath.Join(t.TempDir(), "cams.state")
	cmd := program(t, "filter", "-", "--state", store, "-q")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go fmt.Fprint(in, strings.Repeat(`{"stream":"cam1","probs":[0.5,0.2,0.2,0.1]}`+"\n", 1300)) // as much as a pipe delivers at once
	seen := make([]byte, 1<<20)
	n, err := out.Read(seen)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if answers, steps := bytes.Count(seen[:n], []byte("\n")), stepsOf(t, store, "cam1"); answers == 0 || steps < answers {
		t.Errorf("%d answers were out, and the state has %d steps", answers, steps)
	}
}

// The same holds for a file that is read, where answers go to standard output; the next run says what is left.
func TestStateOfAFileComesBeforeTheAnswer(t *testing.T) {
	dir := t.TempDir()
	in, store := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "cams.state")
	const lines = 60_000
	writeFile(t, in, strings.Repeat(`{"stream":"cam1","probs":[0.5,0.2,0.2,0.1]}`+"\n", lines))
	cmd := program(t, "filter", in, "--state", store, "-q")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	seen := make([]byte, 1<<20)
	n, err := out.Read(seen)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	steps := stepsOf(t, store, "cam1")
	if answers := bytes.Count(seen[:n], []byte("\n")); answers == 0 || steps < answers {
		t.Errorf("%d answers were out, and the state has %d steps", answers, steps)
	}
	rest, _ := mustOatta(t, console.Fine, "filter", in, "--state", store, "-q")
	if got := strings.Count(rest, "\n"); got != lines-steps || stepsOf(t, store, "cam1") != lines {
		t.Errorf("the next run answered %d lines behind %d of %d", got, steps, lines)
	}
}

// Where the disk is full, no answer leaves either.
func TestStateOnAFullDisk(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		testdata.Missing(t, "a shell that can bound the size of files: %v", err)
	}
	dir := t.TempDir()
	in, store := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "cams.state")
	var text strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&text, `{"stream":"cam%d","probs":[0.5,0.2,0.2,0.1]}`+"\n", i)
	}
	writeFile(t, in, text.String())
	cmd := program(t, "filter", "-", "--state", store, "-q")
	cmd.Args = append([]string{shell, "-c", `ulimit -f 10000; exec "$0" "$@"`}, cmd.Args...) // of 512 bytes, in some shells of 1024
	cmd.Path = shell
	cmd.Stdin = strings.NewReader(text.String())
	var errOut strings.Builder
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err == nil || !strings.Contains(errOut.String(), "file too large") {
		t.Fatalf("the bound was not met: %v, %s", err, &errOut)
	}
	list, _ := mustOatta(t, console.Fine, "state", "list", "--state", store)
	if answers, streams := bytes.Count(out, []byte("\n")), strings.Count(list, "cam"); answers != streams || answers == 0 {
		t.Errorf("%d answers were out, and the state has %d streams", answers, streams)
	}
}

// A log that grows, a pipe and the forgetting of streams, all on one state, each killed wherever it happens to be: nothing is lost, doubled or left.
// OATTA_KILLS says how often.
func TestKilledAnywhere(t *testing.T) {
	kills := 16
	if n, err := strconv.Atoi(os.Getenv("OATTA_KILLS")); err == nil {
		kills = n
	}
	dir := t.TempDir()
	in, out, store := filepath.Join(dir, "log.csv"), filepath.Join(dir, "out.csv"), filepath.Join(dir, "cams.state")
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 49)) // other places each time; the outcome is the same
	text := "stream,id,p:a,p:b,p:c\n"
	for i := range 600 * kills {
		p := r.IntN(500)
		text += fmt.Sprintf("cam%d,\"%d,\n\",0.%03d,0.%03d,0.5\n", r.IntN(5), i, p, 500-p)
	}
	n := strings.Index(text, "\n") + 1
	done, of := 0, map[int]int{}
	for i := 0; done < kills && i < 20*kills; i++ {
		kind, killed := r.IntN(3), false
		switch kind {
		case 0:
			n = min(len(text), n+r.IntN(3*len(text)/kills))
			writeFile(t, in, text[:n])
			_, killed = killSoon(t, r, program(t, "filter", in, "-o", out, "--state", store, "-q"))
		case 1:
			killed = killedPipe(t, r, store, fmt.Sprint("pipe", i))
		case 2:
			killed = killedForgetting(t, r, store, fmt.Sprint("guest", i))
		}
		if killed {
			done, of[kind] = done+1, of[kind]+1
		}
	}
	t.Logf("killed %d times: %v in a file, a pipe, while forgetting", done, of)
	if done < kills {
		t.Error("the runs were over before they could be killed")
	}
	writeFile(t, in, text)
	mustOatta(t, console.Fine, "filter", in, "-o", out, "--state", store, "-q")
	want, _ := mustOatta(t, console.Fine, "filter", in)
	if readFile(t, out) != want {
		t.Error("the output is not that of a run that was left alone")
	}
}

// killSoon starts a process and kills it within 80 ms. It returns what the process wrote, and whether it was killed.
func killSoon(t *testing.T, r *rand.Rand, cmd *exec.Cmd) (wrote string, killed bool) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Duration(r.IntN(80_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	timer.Stop()
	if errOut.Len() > 0 {
		t.Fatalf("%v: %s", cmd.Args, &errOut)
	}
	return out.String(), err != nil
}

// killedPipe sends a stream and holds the answers that came to the steps of the state.
func killedPipe(t *testing.T, r *rand.Rand, store, stream string) bool {
	t.Helper()
	const items = 3000 // over what a pipe delivers at once
	cmd := program(t, "filter", "-", "--state", store, "-q")
	cmd.Stdin = strings.NewReader(strings.Repeat(fmt.Sprintf(`{"stream":%q,"classes":["a","b","c"],"probs":[0.5,0.3,0.2]}`+"\n", stream), items))
	out, killed := killSoon(t, r, cmd)
	answers := strings.Count(out, "\n")
	if steps := stepsIfAny(t, store, stream); answers > steps || steps > items {
		t.Errorf("%d answers were out, and the state has %d steps of %d", answers, steps, items)
	}
	return killed
}

// stepsIfAny is stepsOf where the state need not be there yet.
func stepsIfAny(t *testing.T, store, stream string) int {
	t.Helper()
	if _, err := os.Stat(store); err != nil {
		return 0
	}
	return stepsOf(t, store, stream)
}

// killedForgetting has a stream forgotten, by a process that is killed and by one that is not.
func killedForgetting(t *testing.T, r *rand.Rand, store, stream string) bool {
	t.Helper()
	cmd := program(t, "filter", "-", "--state", store, "-q")
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"stream":%q,"probs":[0.5,0.3,0.2]}`+"\n", stream))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, killed := killSoon(t, r, program(t, "forget", stream, "--state", store))
	if stepsOf(t, store, stream) > 0 {
		mustOatta(t, console.Fine, "forget", stream, "--state", store)
	}
	if strings.Contains(readFile(t, store), stream) {
		t.Errorf("%s is in the state", stream)
	}
	return killed
}
