package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

func TestRun(t *testing.T) {
	shared, out := testdata.Shared(t), filepath.Join(t.TempDir(), "real.md")
	args := []string{"-shared", shared, "-quick", "-shuffles", "1", "-sets", "casale_rf,sleep*", "-methods", "auto 3,base", "-out", out}
	if err := run(args); err != nil {
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
		if err := run(bad); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
}
