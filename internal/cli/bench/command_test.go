package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
)

// bench runs the program and returns what it prints.
func bench(args ...string) (out, errOut string, err error) {
	var o, e bytes.Buffer
	app := &cli.App{Name: "oatta", Writer: &o, ErrWriter: &e, Commands: []*cli.Command{Command(console.Environment{Out: &o, Err: &e})}, ExitErrHandler: func(*cli.Context, error) {}}
	err = app.RunContext(context.Background(), append([]string{"oatta", "bench"}, args...))
	return o.String(), e.String(), err
}

func TestReal(t *testing.T) {
	shared, out := testdata.Tree(t, append(testdata.RealPredictions, "data/streams")...), filepath.Join(t.TempDir(), "real.md")
	if _, _, err := bench("real", "--shared", shared, "--quick", "--shuffles", "1", "--sets", "casale_rf,sleep*", "--methods", "auto 3,base", "--out", out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## casale_rf, in order", "## sleep_lr, shuffled", "## Overview, mean over 2 sets", "## Goals, tried on auto 3", "A quick look"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for name, bad := range map[string][]string{
		"an argument":    {"--shared", shared, "more"},
		"no such folder": {"--shared", t.TempDir()},
		"no such set":    {"--shared", shared, "--sets", "none"},
	} {
		if _, _, err := bench(append([]string{"real"}, bad...)...); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
}

// Every command refuses what it does not know before it does anything.
func TestRefused(t *testing.T) {
	for _, c := range Command(console.Environment{}).Subcommands {
		if _, _, err := bench(c.Name, "--nonsense"); err == nil || !strings.Contains(err.Error(), "nonsense") {
			t.Errorf("%s --nonsense: %v", c.Name, err)
		}
		if _, _, err := bench(c.Name, "more"); c.ArgsUsage == " " && (err == nil || !strings.Contains(err.Error(), "bench "+c.Name+`: unexpected argument "more"`)) {
			t.Errorf("%s more: %v", c.Name, err)
		}
	}
}

// What several commands share says and does the same in each.
func TestFlagsAgree(t *testing.T) {
	shared := map[string]string{}
	for _, c := range Command(console.Environment{}).Subcommands {
		for _, f := range c.Flags {
			name, text := f.Names()[0], f.String()
			if name != "shared" && name != "steps" && name != "cifar" && name != "cache" || name == "cache" && c.Name == "all" {
				continue
			}
			if said, ok := shared[name]; ok && said != text {
				t.Errorf("%s: --%s is %q, elsewhere %q", c.Name, name, text, said)
			}
			shared[name] = text
		}
	}
	if len(shared) != 4 {
		t.Errorf("shared flags: %v", shared)
	}
}

// standInStrip writes a thousand pictures, one a row, as those of CIFAR-10-C lie in a file.
func standInStrip(t *testing.T, path string) {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 1024, 1000))
	for i := range img.Pix {
		img.Pix[i] = byte(i>>10) | 3
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, img), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestUnpackCIFAR(t *testing.T) {
	if _, _, err := bench("unpackcifar", "strip.png"); err == nil || !strings.Contains(err.Error(), "--out: want a folder") {
		t.Errorf("without a folder: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "fog")
	strip := filepath.Join(t.TempDir(), "fog.png")
	if testdata.Have(t, "data", "cifar10c", "fog.png") {
		strip = testdata.Shared(t, "data", "cifar10c", "fog.png")
	} else {
		standInStrip(t, strip)
	}
	out, _, err := bench("unpackcifar", "--labels", testdata.Shared(t, "data", "cifar10", "test_labels.u8"), "--out", dir, strip)
	if err != nil || out != "1000 pictures in "+dir+"\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// What the pages and the packages tell to type is a command with these flags.
func TestDocumentedCommands(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "benchmarks/*/doc.go", "benchmarks/*/*/doc.go", "internal/*/doc.go", "internal/cli/bench/*.go"} {
		found, err := filepath.Glob(filepath.Join(testdata.Root(), pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	told := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range typedIn.FindAllStringSubmatch(string(text), -1) {
			told++
			if err := documented(strings.Fields(m[1])); err != nil {
				t.Errorf("%s: oatta bench %s: %v", name, m[1], err)
			}
		}
	}
	if told < 20 {
		t.Errorf("only %d commands are told in %d files", told, len(files))
	}
}

// typedIn finds commands in lines of their own and between backquotes.
var typedIn = regexp.MustCompile("(?m)(?:^|^//\t|`)oatta bench ([a-z][^`\n]*)")

func documented(words []string) error {
	commands := Command(console.Environment{}).Subcommands
	at := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.Name == words[0] })
	if at < 0 {
		if words[0] == "torch" && goruntime.GOOS == "windows" {
			return nil
		}
		return errors.New("no such command")
	}
	for _, word := range words[1:] {
		name, isFlag := strings.CutPrefix(word, "-")
		if !isFlag || word == "--help" {
			continue
		}
		if !slices.ContainsFunc(commands[at].Flags, func(f cli.Flag) bool { return "-"+f.Names()[0] == name }) {
			return fmt.Errorf("no flag %s", word)
		}
	}
	return nil
}
