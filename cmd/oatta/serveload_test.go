package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/serve/client"
)

// spent is what some pictures took.
type spent struct{ wall, cpu time.Duration }

func (a spent) minus(b spent) spent { return spent{a.wall - b.wall, a.cpu - b.cpu} }

// Pictures through the server, of eight clients with a stream each, against the same pictures through `oatta run images`: times in turn in one run, of
// both what more pictures take, without the start.
func TestServePictureLoad(t *testing.T) {
	testdata.Heavy(t, "it takes minutes, and measures")
	needEngine(t)
	const few, many, rounds = 16, 144, 3
	found, err := filepath.Glob(filepath.Join(testdata.Root(), "datasets", "samples", "heron", "*.JPG"))
	if err != nil || len(found) == 0 {
		t.Fatal("no sample pictures", err)
	}
	folders := map[int]string{few: t.TempDir(), many: t.TempDir()}
	var pictures [][]byte
	for n, folder := range folders {
		for i := range n {
			data, err := os.ReadFile(found[i%len(found)])
			if err != nil {
				t.Fatal(err)
			}
			if n == many {
				pictures = append(pictures, data)
			}
			camera := filepath.Join(folder, fmt.Sprint(i%8))
			if err := os.MkdirAll(camera, 0o755); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(camera, fmt.Sprintf("%03d.jpg", i)), string(data))
		}
	}
	s := startServer(t, "-m", "efficientnet-lite0")
	served := func(n int) spent { return serverTakes(t, s, pictures[:n]) }
	served(few) // the first run of a network takes longer
	for round := range rounds {
		run := runTakes(t, folders[many]).minus(runTakes(t, folders[few]))
		server := served(many).minus(served(few))
		t.Logf("round %d: %d pictures: run images %v, processor %v; server %v, processor %v; ratio of throughput %.2f, of the processor's %.2f",
			round+1, many-few, run.wall, run.cpu, server.wall, server.cpu, run.wall.Seconds()/server.wall.Seconds(), run.cpu.Seconds()/server.cpu.Seconds())
	}
}

func runTakes(t *testing.T, folder string) spent {
	t.Helper()
	cmd := program(t, "run", "images", "--causal", folder)
	begun := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil || cmd.ProcessState.ExitCode() != console.Fine {
		t.Fatalf("%v: %s", err, out)
	}
	return spent{time.Since(begun), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
}

func serverTakes(t *testing.T, s *served, pictures [][]byte) spent {
	t.Helper()
	c, err := client.New("http://"+s.at, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var all sync.WaitGroup
	cpu, begun := processor(t, s), time.Now()
	for w := range 8 {
		all.Go(func() {
			for i := w; i < len(pictures); i += 8 {
				_, err := c.Infer(t.Context(), &client.Request{Model: "efficientnet-lite0", Stream: fmt.Sprint("camera ", w), NoKey: true, Input: client.Images(pictures[i]), Outputs: []string{"adapted"}})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	return spent{time.Since(begun), processor(t, s) - cpu}
}

// processor is the processor's time that a server has taken.
func processor(t *testing.T, s *served) time.Duration {
	t.Helper()
	return time.Duration(s.metrics(t)["process_cpu_seconds_total"].Metric[0].Counter.GetValue() * float64(time.Second))
}
