package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// The pages are programs. In README.md and docs, a block of shell (```sh) is run in an empty folder that belongs to its page, where the
// repository's folders datasets and docs and the program as bin/oatta are at hand; a block of text (```text) that follows is what it
// prints. Before a block there may be a comment:
//
//	<!-- not run: REASON -->  the block is not run; that its commands and flags exist is checked
//	<!-- prepare              shell that makes the data of a reader; it is run and not shown
//	... -->
//
// A block of Go (```go) is a program that is run. go test ./cmd/oatta -run Docs -update writes the outputs.

// block is a fenced block of a page.
type block struct {
	lang, text string
	from, to   int // its lines, without the fences
	notRun     string
}

const notRun, prepare = "<!-- not run:", "<!-- prepare"

func blocksOf(lines []string) (out []block) {
	reason := ""
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, notRun):
			reason = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(line, notRun), "-->"))
		case line == prepare:
			end := closing(lines, i+1, "-->")
			out = append(out, block{lang: "prepare", text: strings.Join(lines[i+1:end], "\n"), from: i + 1, to: end})
			i = end
		case strings.HasPrefix(line, "```"):
			end := closing(lines, i+1, "```")
			out = append(out, block{strings.TrimPrefix(line, "```"), strings.Join(lines[i+1:end], "\n"), i + 1, end, reason})
			i, reason = end, ""
		}
	}
	return out
}

// closing is where a block ends that begins at from: at the next line that is mark, or with the page.
func closing(lines []string, from int, mark string) int {
	if at := slices.Index(lines[from:], mark); at >= 0 {
		return from + at
	}
	return len(lines)
}

// pages are the files that readers are shown, by their paths from the root.
func pages(t *testing.T) (out []string) {
	t.Helper()
	for _, pattern := range []string{"README.md", "docs/*.md"} {
		found, err := filepath.Glob(filepath.Join(testdata.Root(), pattern))
		if err != nil || found == nil {
			t.Fatal(pattern, err)
		}
		for _, f := range found {
			out = append(out, strings.TrimPrefix(filepath.ToSlash(f), filepath.ToSlash(testdata.Root())+"/"))
		}
	}
	return out
}

func TestDocs(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		testdata.Missing(t, "%v", err)
	}
	bin := filepath.Join(t.TempDir(), "oatta")
	build := exec.Command("go", "build", "-o", bin, "./cmd/oatta")
	build.Dir = testdata.Root()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range pages(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runPage(t, name, bin)
		})
	}
}

// usesEngine tells of commands that need ONNX Runtime.
var usesEngine = regexp.MustCompile(`oatta (run|eval|train) `)

func runPage(t *testing.T, name, bin string) {
	path := filepath.Join(testdata.Root(), name)
	lines := strings.Split(readFile(t, path), "\n")
	blocks := blocksOf(lines)
	if slices.ContainsFunc(blocks, func(b block) bool { return b.lang == "sh" && b.notRun == "" && usesEngine.MatchString(b.text) }) {
		needEngine(t)
	}
	folder := scratch(t, bin)
	replaced := lines
	shift := 0
	for i, b := range blocks {
		var got string
		switch {
		case b.notRun != "":
			t.Logf("%s:%d: not run: %s", name, b.from+1, b.notRun)
			continue
		case b.lang == "sh" || b.lang == "prepare":
			got = runShell(t, folder, fmt.Sprintf("%s:%d", name, b.from+1), b.text)
		case b.lang == "go":
			got = runGo(t, fmt.Sprintf("%s:%d", name, b.from+1), b.text)
		default:
			continue
		}
		if b.lang == "prepare" || i+1 == len(blocks) || blocks[i+1].lang != "text" {
			continue
		}
		want := blocks[i+1]
		if *update {
			now := strings.Split(got, "\n")
			replaced = slices.Concat(replaced[:want.from+shift], now, replaced[want.to+shift:])
			shift += len(now) - (want.to - want.from)
		} else if why := unlike(got, want.text); why != "" {
			t.Errorf("%s:%d: %s; it prints (-update writes it)\n%s", name, want.from+1, why, got)
		}
	}
	if *update {
		writeFile(t, path, strings.Join(replaced, "\n"))
	}
}

// scratch makes the folder in which the blocks of a page run.
func scratch(t *testing.T, bin string) string {
	t.Helper()
	folder := t.TempDir()
	err := os.Mkdir(filepath.Join(folder, "bin"), 0o755)
	for link, target := range map[string]string{"bin/oatta": bin, "datasets": filepath.Join(testdata.Root(), "datasets"), "docs": filepath.Join(testdata.Root(), "docs")} {
		err = errors.Join(err, os.Symlink(target, filepath.Join(folder, link)))
	}
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(folder, "night.edf"), nightEDF())
	return folder
}

// timing is a line about speed, which no two runs print alike.
var timing = regexp.MustCompile(`(?m)^(.* a second(:.*)?|seconds of work,.*)\n?`)

func runShell(t *testing.T, folder, where, script string) string {
	t.Helper()
	cmd := exec.Command("bash", "-euc", script)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(folder, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", where, err, out)
	}
	return strings.TrimRight(timing.ReplaceAllString(string(out), ""), "\n")
}

func runGo(t *testing.T, where, program string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	writeFile(t, file, program)
	cmd := exec.Command("go", "run", file)
	cmd.Dir = testdata.Root()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", where, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

var figures = regexp.MustCompile(`[-+]?\d+(\.\d+)?(e[-+]?\d+)?`)

// unlike says in what two outputs differ, or nothing. Numbers may differ by 2 %, or by 0.02 if small: processors round differently.
func unlike(got, want string) string {
	words := func(s string) string { return strings.Join(strings.Fields(figures.ReplaceAllString(s, " # ")), " ") }
	if words(got) != words(want) {
		return "the output is another one"
	}
	now := figures.FindAllString(got, -1)
	for i, said := range figures.FindAllString(want, -1) {
		a, err1 := strconv.ParseFloat(now[i], 64)
		b, err2 := strconv.ParseFloat(said, 64)
		if err1 != nil || err2 != nil || math.Abs(a-b) > 0.02*max(1, math.Abs(a), math.Abs(b)) {
			return fmt.Sprintf("%s is %s now", said, now[i])
		}
	}
	return ""
}

// The checks of outputs find what they are there for.
func TestDocsUnlike(t *testing.T) {
	for _, c := range []struct {
		got, want string
		alike     bool
	}{
		{"fox 0.51  x", "fox 0.52 x", true},
		{"fox 0.51", "deer 0.51", false},
		{"fox 0.51", "fox 0.61", false},
		{"1000 items", "1001 items", true},
		{"a\nb", "a", false},
	} {
		if got := unlike(c.got, c.want); (got == "") != c.alike {
			t.Errorf("%q, %q: %q", c.got, c.want, got)
		}
	}
}

// nightEDF is a recording of 40 epochs of 30 seconds in EDF+: one EEG channel at 100 Hz, waves that slow down, with the stages that a
// scorer might give.
func nightEDF() string {
	const epochs, rate, marks = 40, 100, 40
	var b bytes.Buffer
	field := func(width int, values ...string) {
		for _, v := range values {
			fmt.Fprintf(&b, "%-*s", width, v)
		}
	}
	field(8, "0")
	field(80, "X X X X", "Startdate 24-APR-1989 X X X")
	field(8, "24.04.89", "23.10.00", strconv.Itoa(256*3))
	field(44, "EDF+C")
	field(8, strconv.Itoa(epochs), "30")
	field(4, "2")
	field(16, "EEG Fpz-Cz", "EDF Annotations")
	field(80, "", "")
	field(8, "uV", "", "-200", "-1", "200", "1", "-32768", "-32768", "32767", "32767")
	field(80, "", "")
	field(8, strconv.Itoa(30*rate), strconv.Itoa(marks))
	field(32, "", "")
	for e := range epochs {
		stage, hertz, height := "W", 10.0, 3000.0
		if e >= 8 {
			stage, hertz, height = "2", 6, 5000
		}
		if e >= 20 {
			stage, hertz, height = "3", 2, 12000
		}
		for s := range 30 * rate {
			v := int16(height * math.Sin(2*math.Pi*hertz*float64(s)/rate))
			b.Write(binary.LittleEndian.AppendUint16(nil, uint16(v)))
		}
		list := fmt.Sprintf("+%d\x14\x14\x00+%d\x1530\x14Sleep stage %s\x14\x00", 30*e, 30*e, stage)
		b.WriteString(list + strings.Repeat("\x00", 2*marks-len(list)))
	}
	return b.String()
}
