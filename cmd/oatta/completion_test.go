package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
)

func TestCompletionCandidates(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"", "setup run eval filter report view serve work key calibrate train bench state forget models version completion"},
		{"ru", "run"},
		{"run ", "images motion sleep text"},
		{"run images --gat", "--gate --gate-tau"},
		{"run images --gate ", "auto off ewma window"},
		{"run images --gate e", "ewma"},
		{"run images DIR -o out.csv --resu", "--resume"}, // flags behind arguments, as they may stand
		{"run images -o ", ""},                           // a file: the shell's to know
		{"run images --smooth --caus", "--causal"},       // a flag without a value takes none
		{"run images --gate=ewma --caus", "--causal"},
		{"run images -- --caus", ""},
		{"setup --method ", "pip npm release"},
		{"run images --method ", "base mc-dropout ttaug tent memo"},
		{"models build --task ", "motion sleep"},
		{"calibrate --format ", "text json"},
		{"run images --he", "--help"},
		{"nonsense --", "--help --version"},
	} {
		out, _ := mustOatta(t, 0, append([]string{"__complete", "--"}, strings.Split(c.typed, " ")...)...)
		var words []string
		for line := range strings.Lines(out) {
			word, _, _ := strings.Cut(line, "\t")
			words = append(words, word)
		}
		if got := strings.Join(words, " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.typed, got, c.want)
		}
	}
}

// Every flag of the table is one that some command has, and every word of it one that this flag's usage names.
func TestCompletionValues(t *testing.T) {
	offered := map[string][]string{}
	for _, d := range documentedCommands("oatta", newApp(console.Environment{}).Commands) {
		for _, f := range d.Flags {
			for _, v := range valuesOf(f) {
				offered[f.Names()[0]] = append(offered[f.Names()[0]], v.word)
			}
		}
	}
	for name, values := range flagValues {
		for _, v := range values {
			if !slices.Contains(offered[name], v) {
				t.Errorf("no usage of --%s names %q", name, v)
			}
		}
	}
}

func TestCompletionRefusals(t *testing.T) {
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"}, {"completion", "bash", "zsh"}} {
		if _, errOut := mustOatta(t, console.Nothing, args...); !strings.Contains(errOut, "want bash, zsh or fish") {
			t.Errorf("%v: %s", args, errOut)
		}
	}
}

// The scripts in real shells: each asks its shell what would be offered behind a line, and compares.
func TestCompletionInShells(t *testing.T) {
	shells := map[string]string{
		"bash": `source <(oatta completion bash); COMP_WORDS=($LINE); [[ $LINE == *' ' ]] && COMP_WORDS+=(''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _oatta; printf '%s\n' "${COMPREPLY[@]}"`,
		"fish": `oatta completion fish | source; complete -C "$LINE" | string replace -r '\t.*' ''`,
		"zsh": `compdef() { }; source <(oatta completion zsh); _describe() { print -l -- "${(@)${(P)2}%%:*}" }; _files() { print FILES }; ` +
			`words=(${(s: :)LINE}); [[ $LINE == *' ' ]] && words+=(''); CURRENT=$#words; _oatta`,
	}
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(bin, "oatta"), "#!/bin/sh\n"+asProgram+"=0s exec '"+self+"' \"$@\"\n")
	if err := os.Chmod(filepath.Join(bin, "oatta"), 0o700); err != nil {
		t.Fatal(err)
	}
	for shell, script := range shells {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil && shell == "bash" { // which the tests of pages need, too
				testdata.Missing(t, "%v", err)
			} else if err != nil {
				t.Skipf("no %s here", shell)
			}
			for line, want := range map[string]string{
				"oatta run ":                               "images motion sleep text",
				"oatta run images --gat":                   "--gate --gate-tau",
				"oatta run images DIR --gate ":             "auto ewma off window",
				"oatta filter in.jsonl -o out.jsonl --via": "",
			} {
				cmd := exec.Command(path, "-c", script)
				cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "LINE="+line, "HOME="+bin)
				cmd.Dir = bin
				out, err := cmd.Output()
				got := strings.Fields(strings.ReplaceAll(string(out), "FILES", ""))
				slices.Sort(got)
				if strings.Join(got, " ") != want {
					t.Errorf("%q: %q, want %q (%v)", line, got, want, err)
				}
			}
		})
	}
}
