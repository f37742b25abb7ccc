// Command samebytes compares what two versions of the program write, byte for byte: `make same OLD=revision [NEW=revision]`.
//
// It builds both, runs the commands of commands.txt with each in the same folder, one version after the other, and compares every file, the
// standard outputs and the exit codes. Times and durations, which differ from run to run, are taken out first. It ends with exit code 1 if
// anything differs that the file of -allow does not name, and with 2 if it could not compare.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed commands.txt
var commandsText string

// errDiffer tells main that the versions were compared and are not the same.
var errDiffer = errors.New("samebytes: the versions differ")

type options struct {
	old, new string // revisions; new may be "", the working tree
	allow    string // file of expected differences, or ""
	only     string // part of the names of the commands that are run
	keep     string // folder that is kept, or "" for one that is not
	shared   string // folder of shared data
	assets   string // folder of fetched assets
}

func main() {
	var o options
	flag.StringVar(&o.old, "old", "", "`revision` that is compared with")
	flag.StringVar(&o.new, "new", "", "`revision` that is compared; empty: the working tree")
	flag.StringVar(&o.allow, "allow", "", "`file` of expected differences: a line each, COMMAND/FILE: reason; * stands for any name")
	flag.StringVar(&o.only, "only", "", "run only the commands whose names contain this `text`, and those that they need")
	flag.StringVar(&o.keep, "keep", "", "`folder`, new or empty, for inputs and outputs, which are kept")
	flag.StringVar(&o.shared, "shared", envOr("OATTA_SHARED", "../shared"), "`folder` of shared data")
	flag.StringVar(&o.assets, "assets", envOr("OATTA_ASSETS", filepath.Join(os.Getenv("HOME"), ".cache", "oatta", "assets")), "`folder` of fetched assets")
	flag.Parse()
	err := compareVersions(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	switch {
	case errors.Is(err, errDiffer):
		os.Exit(1)
	case err != nil:
		os.Exit(2)
	}
}

func envOr(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

func compareVersions(o options) (err error) {
	if o.old == "" {
		return errors.New("samebytes: -old: name a revision")
	}
	allowed, err := readAllowed(o.allow)
	if err != nil {
		return err
	}
	all, err := parseCommands(commandsText)
	if err != nil {
		return err
	}
	base := o.keep
	if base == "" {
		if base, err = os.MkdirTemp("", "samebytes"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(base)) }()
	}
	work := filepath.Join(base, "work")
	if err := prepareInputs(filepath.Join(work, "in"), o.shared, o.assets); err != nil {
		return fmt.Errorf("samebytes: inputs: %w", err)
	}
	commands := present(all, work, o.only)
	for _, v := range []struct{ name, revision string }{{"old", o.old}, {"new", o.new}} {
		if err := runVersion(base, v.name, v.revision, commands); err != nil {
			return err
		}
	}
	return report(base, commands, allowed)
}

// runVersion builds a version, runs the commands with it in the folder work, and moves what they wrote to the folder of its name.
func runVersion(base, name, revision string, commands []command) error {
	program := filepath.Join(base, "bin", "oatta")
	if err := build(base, revision, program); err != nil {
		return fmt.Errorf("samebytes: %s version %q: %w", name, revision, err)
	}
	work := filepath.Join(base, "work")
	for i, c := range commands {
		fmt.Fprintf(os.Stderr, "\r%-78s", fmt.Sprintf("%s %d/%d %s", name, i+1, len(commands), c.name))
		if err := c.run(program, work); err != nil {
			return fmt.Errorf("samebytes: %s: %w", c.name, err)
		}
	}
	fmt.Fprintf(os.Stderr, "\r%-78s\r", "")
	return os.Rename(filepath.Join(work, "out"), filepath.Join(base, name))
}

// report prints how the outputs of each command compare.
func report(base string, commands []command, allowed []allowance) error {
	differ, suspicious := 0, 0
	for _, c := range commands {
		found, err := compareFolders(filepath.Join(base, "old", c.name), filepath.Join(base, "new", c.name))
		if err != nil {
			return err
		}
		word, lines := "same", []string{}
		for _, d := range found {
			if why := expected(allowed, c.name+"/"+d.file); why != "" {
				lines = append(lines, fmt.Sprintf("    %s: as expected: %s", d.file, why))
				continue
			}
			word = "DIFFERS"
			lines = append(lines, "    "+strings.ReplaceAll(d.String(), "\n", "\n    "))
		}
		if word == "DIFFERS" {
			differ++
		}
		if what := c.unexpected(base); what != "" {
			suspicious++
			lines = append(lines, "    SUSPICIOUS: "+what)
		}
		fmt.Printf("%-8s %s\n", word, c.name)
		for _, l := range lines {
			fmt.Println(l)
		}
	}
	fmt.Printf("%d commands, %d differ, %d suspicious\n", len(commands), differ, suspicious)
	if differ > 0 {
		return errDiffer
	}
	return nil
}
