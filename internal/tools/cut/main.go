// Command cut moves the version of the source tree: `cut cut 0.1.0` gives the newest version of CHANGELOG.md its date, and `cut open 0.2.0`
// begins the next one. CONTRIBUTING.md says what is done between them.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	if err := run("../..", os.Args[1:], time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "cut:", err)
		os.Exit(1)
	}
}

// run changes the files below root.
func run(root string, args []string, now time.Time) error {
	if len(args) != 2 {
		return errors.New("want `cut VERSION` or `open VERSION`")
	}
	if !semantic.MatchString(args[1]) {
		return fmt.Errorf("%q is no version: want three numbers, as 0.2.0", args[1])
	}
	changelog := filepath.Join(root, "CHANGELOG.md")
	switch args[0] {
	case "cut":
		return edit(changelog, func(text string) (string, error) { return date(text, args[1], now) })
	case "open":
		program := filepath.Join(root, "internal", "cli", "console", "version.go")
		return errors.Join(
			edit(changelog, func(text string) (string, error) { return begin(text, args[1]) }),
			edit(program, func(text string) (string, error) { return set(text, args[1]) }),
		)
	}
	return fmt.Errorf("%q: want cut or open", args[0])
}

var (
	semantic = regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	newest   = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+), (.*)$`)
	constant = regexp.MustCompile(`(?m)^const Release = ".*"$`)
)

// date ends the version that is in the works.
func date(changelog, version string, now time.Time) (string, error) {
	at := newest.FindStringSubmatchIndex(changelog)
	if at == nil || changelog[at[2]:at[3]] != version || changelog[at[4]:at[5]] != "unreleased" {
		return "", fmt.Errorf("CHANGELOG.md: the newest heading is not \"## %s, unreleased\"", version)
	}
	return changelog[:at[4]] + now.UTC().Format("2006-01-02") + changelog[at[5]:], nil
}

// begin puts a new version above a dated one.
func begin(changelog, version string) (string, error) {
	at := newest.FindStringSubmatchIndex(changelog)
	if at == nil || changelog[at[4]:at[5]] == "unreleased" {
		return "", errors.New("CHANGELOG.md: the newest version is not released")
	}
	return changelog[:at[0]] + "## " + version + ", unreleased\n\n" + changelog[at[0]:], nil
}

func set(program, version string) (string, error) {
	if !constant.MatchString(program) {
		return "", errors.New("version.go: no constant Release")
	}
	return constant.ReplaceAllString(program, `const Release = "`+version+`"`), nil
}

func edit(name string, change func(string) (string, error)) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	changed, err := change(strings.ReplaceAll(string(text), "\r\n", "\n"))
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(changed), 0o644)
}
