package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/filter"
	"github.com/oatta/oatta/internal/cli/run"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// asProgram makes the test binary be the program, so that tests can kill a real process. Its value is a pause before each picture and
// after each commit of states, so that there is time to kill it.
const asProgram = "OATTA_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if pause, err := time.ParseDuration(os.Getenv(asProgram)); err == nil {
		run.BeforeLoad = func() { time.Sleep(pause) }
		filter.CommitEvery = 0
		filter.AfterCommit = run.BeforeLoad
		main()
		return
	}
	os.Exit(m.Run())
}

// program returns the command line of a real process.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=5ms")
	return cmd
}

// needEngine ends the test where there is no ONNX Runtime.
func needEngine(t testing.TB) {
	t.Helper()
	if _, err := ortlib.Find(context.Background(), ortlib.Options{}); err != nil {
		testdata.Missing(t, "%v (run `make setup`)", err)
	}
}

// oatta runs the program in this process and returns its exit code and outputs.
func oatta(t testing.TB, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = execute(context.Background(), append([]string{"oatta"}, args...), console.Environment{Out: &o, Err: &e})
	return code, o.String(), testdata.Plain(e.String())
}

// mustOatta wants the exit code.
func mustOatta(t testing.TB, want int, args ...string) (out, errOut string) {
	t.Helper()
	code, out, errOut := oatta(t, args...)
	if code != want {
		t.Fatalf("oatta %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code, want, out, errOut)
	}
	return out, errOut
}

// pictures writes n small pictures of coloured noise into streams below a new folder, and returns it.
func pictures(t testing.TB, n int) string {
	t.Helper()
	root := t.TempDir()
	r := rand.New(rand.NewPCG(1, uint64(n)))
	var tint [3]int
	for i := range n {
		if i%7 == 0 {
			tint = [3]int{r.IntN(200), r.IntN(200), r.IntN(200)}
		}
		img := image.NewNRGBA(image.Rect(0, 0, 32, 32))
		for p := range 32 * 32 {
			img.SetNRGBA(p%32, p/32, color.NRGBA{uint8(tint[0] + r.IntN(56)), uint8(tint[1] + r.IntN(56)), uint8(tint[2] + r.IntN(56)), 255})
		}
		writePNG(t, filepath.Join(root, fmt.Sprintf("cam%d", i/25), fmt.Sprintf("p%04d.png", i)), img)
	}
	return root
}

func writePNG(t testing.TB, path string, img image.Image) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		var f *os.File
		if f, err = os.Create(path); err == nil {
			err = errors.Join(png.Encode(f, img), f.Close())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeFile(t testing.TB, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Whatever comes from a file reaches the terminal as text, what cannot be written is an error, and a file that is cut off is called that.
func TestTerminal(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.jsonl")
	writeFile(t, in, "{\"stream\":\"a\",\"probs\":[1,0]}\n{\"stream\":\"\x1b[2J\",\"probs\":[1,0]}\n{\"stream\":\"\\u001b[31m\",\"probs\":[2,0]}\n")
	_, errOut := mustOatta(t, console.Partial, "filter", in)
	if strings.ContainsRune(errOut, 0x1b) || !strings.Contains(errOut, `x1b`) {
		t.Errorf("%q", errOut)
	}
	cut := filepath.Join(dir, "cut.jsonl.gz")
	writeFile(t, cut, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab")
	if _, errOut := mustOatta(t, console.Nothing, "filter", cut); !strings.Contains(errOut, cut+": the compressed data end in the middle") {
		t.Error(errOut)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		return // only Linux has it
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, args := range [][]string{{"models", "list"}, {"version"}, {"filter", in, "-q"}} {
		var e bytes.Buffer
		if code := execute(t.Context(), append([]string{"oatta"}, args...), console.Environment{Out: full, Err: &e}); code == console.Fine || !strings.Contains(testdata.Plain(e.String()), "no space left") {
			t.Errorf("%v: exit code %d: %s", args, code, e.String())
		}
	}
}

// Two runs in one process share nothing. The race detector sees it.
func TestTwoAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, args := range [][]string{{"filter", "--help"}, {"--version"}, {"models", "list"}, {"filter", os.DevNull, "--format", "jsonl"}} {
				var out, errOut bytes.Buffer
				execute(t.Context(), append([]string{"oatta"}, args...), console.Environment{Out: &out, Err: &errOut})
				if out.Len()+errOut.Len() == 0 {
					t.Errorf("%v says nothing", args)
				}
			}
		})
	}
	wg.Wait()
}
