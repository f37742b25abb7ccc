package main

import (
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
)

func TestVersion(t *testing.T) {
	out, _ := mustOatta(t, console.Fine, "version")
	for _, want := range []string{"oatta         " + console.Release, goruntime.Version(), "ONNX Runtime  "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if code, _, errOut := oatta(t, "version", "x"); code != console.Nothing || !strings.Contains(errOut, `unexpected argument "x"`) {
		t.Errorf("exit code %d, %s", code, errOut)
	}
}

// Help is printed wherever it is asked for, also behind arguments.
func TestHelpBehindArguments(t *testing.T) {
	for _, args := range []string{"run images DIR --help", "models build resnet18 -h", "filter x.jsonl --help", "calibrate --help"} {
		if out, _ := mustOatta(t, console.Fine, strings.Fields(args)...); !strings.Contains(out, "USAGE:") || !strings.Contains(out, "OPTIONS:") {
			t.Errorf("%s prints\n%s", args, out)
		}
	}
}

// A file or folder may be called as the library calls its help.
func TestFilesCalledHelp(t *testing.T) {
	for _, name := range []string{"h", "help"} {
		t.Chdir(t.TempDir())
		writeFile(t, name, `{"stream":"a","probs":[0.7,0.3]}`+"\n")
		if out, _ := mustOatta(t, console.Fine, "filter", "--format", "jsonl", name); !strings.Contains(out, `"probs":[0.7,0.3]`) {
			t.Errorf("filter %s prints\n%s", name, out)
		}
	}
}
