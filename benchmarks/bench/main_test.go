package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// bench runs the program and returns what it prints.
func bench(args ...string) (out, errOut string, err error) {
	var o, e bytes.Buffer
	err = run(context.Background(), args, &o, &e)
	return o.String(), e.String(), err
}

func TestReal(t *testing.T) {
	shared, out := testdata.Tree(t, append(testdata.RealPredictions, "data/streams")...), filepath.Join(t.TempDir(), "real.md")
	if _, _, err := bench("real", "-shared", shared, "-quick", "-shuffles", "1", "-sets", "casale_rf,sleep*", "-methods", "auto 3,base", "-out", out); err != nil {
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
		"an argument":    {"-shared", shared, "more"},
		"no such folder": {"-shared", t.TempDir()},
		"no such set":    {"-shared", shared, "-sets", "none"},
	} {
		if _, _, err := bench(append([]string{"real"}, bad...)...); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
}

// Every command tells its flags, and refuses what it does not know before it does anything.
func TestHelp(t *testing.T) {
	for _, c := range commands {
		out, errOut, err := bench(c.name, "-help")
		if !errors.Is(err, flag.ErrHelp) || out != "" || !strings.Contains(errOut, "Usage of bench "+c.name) {
			t.Errorf("%s -help: %v\n%s%s", c.name, err, out, errOut)
		}
		if _, _, err := bench(c.name, "-nonsense"); !errors.Is(err, errUsage) {
			t.Errorf("%s -nonsense: %v", c.name, err)
		}
		if _, _, err := bench(c.name, "more"); c.args == "" && (err == nil || !strings.Contains(err.Error(), c.name+`: unexpected argument "more"`)) {
			t.Errorf("%s more: %v", c.name, err)
		}
	}
	for _, args := range [][]string{nil, {"-help"}, {"nonsense"}} {
		_, errOut, err := bench(args...)
		if !errors.Is(err, errUsage) || !strings.Contains(errOut, "unpackcifar") {
			t.Errorf("%q: %v\n%s", args, err, errOut)
		}
	}
}

// What several commands share says and does the same in each.
func TestFlagsAgree(t *testing.T) {
	shared := map[string]string{}
	for _, c := range commands {
		f := flags{flag.NewFlagSet(c.name, flag.ContinueOnError)}
		f.SetOutput(io.Discard)
		c.declare(f)
		f.VisitAll(func(one *flag.Flag) {
			if one.Name != "shared" && one.Name != "steps" {
				return
			}
			if said, ok := shared[one.Name]; ok && said != one.Usage+one.DefValue {
				t.Errorf("%s: -%s is %q by %q, elsewhere %q", c.name, one.Name, one.Usage, one.DefValue, said)
			}
			shared[one.Name] = one.Usage + one.DefValue
		})
	}
	if len(shared) != 2 {
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
	if _, _, err := bench("unpackcifar", "strip.png"); err == nil || !strings.Contains(err.Error(), "-out: want a folder") {
		t.Errorf("without a folder: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "fog")
	strip := filepath.Join(t.TempDir(), "fog.png")
	if testdata.Have(t, "data", "cifar10c", "fog.png") {
		strip = testdata.Shared(t, "data", "cifar10c", "fog.png")
	} else {
		standInStrip(t, strip)
	}
	out, _, err := bench("unpackcifar", "-labels", testdata.Shared(t, "data", "cifar10", "test_labels.u8"), "-out", dir, strip)
	if err != nil || out != "1000 pictures in "+dir+"\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// What the pages and the packages tell to type is a command with these flags.
func TestDocumentedCommands(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "benchmarks/*/doc.go", "benchmarks/*/*/doc.go", "benchmarks/bench/main.go", "internal/*/doc.go"} {
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
		for _, m := range typed.FindAllStringSubmatch(string(text), -1) {
			words := strings.Fields(m[1])
			if len(words) < 2 || words[0] != "bench" {
				t.Errorf("%s: %s", name, m[0])
				continue
			}
			if told++; words[1] == "NAME" {
				continue
			}
			at := slices.IndexFunc(commands, func(c command) bool { return c.name == words[1] })
			if at < 0 {
				if words[1] != "torch" || goruntime.GOOS != "windows" {
					t.Errorf("%s: no command %q", name, words[1])
				}
				continue
			}
			f := flags{flag.NewFlagSet("", flag.ContinueOnError)}
			commands[at].declare(f)
			for _, word := range words[2:] {
				if flagName, ok := strings.CutPrefix(word, "-"); ok && f.Lookup(flagName) == nil {
					t.Errorf("%s: %s has no flag %s", name, words[1], word)
				}
			}
		}
	}
	if told < 20 {
		t.Errorf("only %d commands are told in %d files", told, len(files))
	}
}

var typed = regexp.MustCompile("go run \\./benchmarks/([^`\n]*)")
