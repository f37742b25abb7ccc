package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
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
	shared, out := testdata.Shared(t), filepath.Join(t.TempDir(), "real.md")
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

func TestUnpackCIFAR(t *testing.T) {
	if _, _, err := bench("unpackcifar", "strip.png"); err == nil || !strings.Contains(err.Error(), "-out: want a folder") {
		t.Errorf("without a folder: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "fog")
	out, _, err := bench("unpackcifar", "-labels", testdata.Shared(t, "data", "cifar10", "test_labels.u8"), "-out", dir, testdata.Shared(t, "data", "cifar10c", "fog.png"))
	if err != nil || out != "1000 pictures in "+dir+"\n" {
		t.Errorf("%q, %v", out, err)
	}
}
