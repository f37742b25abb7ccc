package main

import (
	"fmt"
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

// inline is a command in a line of prose.
var inline = regexp.MustCompile("`((?:bin/)?oatta [^`]+)`")

// Every command that a page names, run or not, has the subcommands and flags that it is given.
func TestDocsCommandsParse(t *testing.T) {
	app, told := newApp(console.Environment{}), 0
	for _, name := range pages(t) {
		text := readFile(t, filepath.Join(testdata.Root(), name))
		var scripts []string
		for _, b := range blocksOf(strings.Split(text, "\n")) {
			if b.lang == "sh" || b.lang == "prepare" {
				scripts = append(scripts, b.text)
			}
		}
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			scripts = append(scripts, m[1])
		}
		for _, script := range scripts {
			for _, words := range commandsIn(script) {
				told++
				if goruntime.GOOS == "windows" && strings.HasPrefix(strings.Join(words, " "), "bench torch ") {
					continue // a study that takes unix
				}
				if err := exists(app, words); err != nil {
					t.Errorf("%s: %s: %v", name, strings.Join(words, " "), err)
				}
			}
		}
	}
	if told < 50 {
		t.Errorf("only %d commands found", told)
	}
}

// commandsIn finds the program's command lines in a script, as words behind its name. Quotes are enough looked at for flags.
func commandsIn(script string) (out [][]string) {
	script = strings.ReplaceAll(script, "\\\n", " ")
	for _, line := range strings.FieldsFunc(script, func(r rune) bool { return strings.ContainsRune("\n;|&", r) }) {
		words := strings.Fields(line)
		at := slices.IndexFunc(words, func(w string) bool { return w == "oatta" || w == "bin/oatta" })
		if at >= 0 {
			out = append(out, words[at+1:])
		}
	}
	return out
}

func exists(app *cli.App, words []string) error {
	flags, commands := []cli.Flag{cli.HelpFlag, cli.VersionFlag}, app.Commands
	for at := 0; at < len(words); at++ {
		word := words[at]
		if isFlag(word) {
			name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
			if flagNamed(flags, name) == nil && name != "help" {
				return fmt.Errorf("no flag %s", word)
			}
			continue
		}
		if len(commands) == 0 || strings.Contains(word, "|") || word == strings.ToUpper(word) {
			continue
		}
		cmd := commandNamed(commands, word)
		if cmd == nil {
			return fmt.Errorf("no command %s", word)
		}
		flags, commands = cmd.Flags, cmd.Subcommands
	}
	return nil
}
