package main

import (
	"encoding/json"
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

// Programs read the same from JSON.
func TestVersionForPrograms(t *testing.T) {
	out, _ := mustOatta(t, console.Fine, "version", "--json")
	var is struct {
		Version, Go, Platform string
		ONNXRuntime           *struct{ Version, Path, Error string }
	}
	if err := json.Unmarshal([]byte(out), &is); err != nil {
		t.Fatal(err)
	}
	if is.Version != console.Release || is.Go != goruntime.Version() || is.Platform != goruntime.GOOS+"/"+goruntime.GOARCH {
		t.Errorf("%+v", is)
	}
	if lib := is.ONNXRuntime; lib != nil && (lib.Path == "" || (lib.Version == "") == (lib.Error == "")) {
		t.Errorf("library %+v: want a path, and a version or an error", *lib)
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
