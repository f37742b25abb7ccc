package main

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/urfave/cli/v2"
)

// The scripts ask the program itself, by its hidden command __complete, so that they never lag behind its flags. The library's own
// completion wants its flag to be the last argument, which flagsFirst moves.
//
//go:embed completion.bash
var bashCompletion string

//go:embed completion.zsh
var zshCompletion string

//go:embed completion.fish
var fishCompletion string

func completionCommand(env console.Environment) *cli.Command {
	scripts := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	return &cli.Command{
		Name:      "completion",
		ArgsUsage: "bash|zsh|fish",
		Usage:     "print the script that makes a shell complete commands, flags and their values",
		Description: "bash: put `source <(oatta completion bash)` into ~/.bashrc.\n" +
			"zsh: put `source <(oatta completion zsh)` into ~/.zshrc, below compinit.\n" +
			"fish: `oatta completion fish > ~/.config/fish/completions/oatta.fish`.",
		Action: func(c *cli.Context) error {
			script, known := scripts[c.Args().First()]
			if !known || c.NArg() != 1 {
				return fmt.Errorf("completion: %q: want bash, zsh or fish", strings.Join(c.Args().Slice(), " "))
			}
			_, err := io.WriteString(env.Out, script)
			return err
		},
	}
}

// completeCommand answers the scripts. Its arguments are the words behind the program's name, up to and with the one at the cursor.
func completeCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name: "__complete", Hidden: true, HideHelp: true,
		Action: func(c *cli.Context) error {
			for _, found := range candidates(c.App, c.Args().Slice()) {
				fmt.Fprintf(env.Out, "%s\t%s\n", found.word, found.about)
			}
			return nil
		},
	}
}

// candidate is a word that may stand at the cursor, and one line about it.
type candidate struct{ word, about string }

// candidates lists what may stand in place of the last of words; none where only the user knows, as a file.
func candidates(app *cli.App, words []string) []candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	flags, commands, open := cursorAt(app, words[:len(words)-1])
	var found []candidate
	switch {
	case open != nil:
		found = valuesOf(open)
	case strings.HasPrefix(last, "-"):
		found = flagsOf(flags)
	default:
		found = commandsOf(commands)
	}
	return slices.DeleteFunc(found, func(c candidate) bool { return !strings.HasPrefix(c.word, last) })
}

// cursorAt tells which flags and commands may follow words, and the flag that still wants its value.
func cursorAt(app *cli.App, words []string) (flags []cli.Flag, commands []*cli.Command, open cli.Flag) {
	flags, commands = app.Flags, app.Commands
	for at := 0; at < len(words); {
		if words[at] == "--" {
			return nil, nil, nil
		}
		if !isFlag(words[at]) {
			if cmd := commandNamed(commands, words[at]); cmd != nil {
				flags, commands = cmd.Flags, cmd.Subcommands
			}
			at++
			continue
		}
		// One more word is put behind, which the flag takes if it wants one.
		next := skipFlag(flags, append(slices.Clone(words), ""), at)
		if next > len(words) {
			open = flagNamed(flags, strings.TrimLeft(words[at], "-"))
		}
		at = next
	}
	return flags, commands, open
}

func flagNamed(flags []cli.Flag, name string) cli.Flag {
	at := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if at < 0 {
		return nil
	}
	return flags[at]
}

func commandsOf(commands []*cli.Command) (out []candidate) {
	for _, c := range commands {
		if !c.Hidden && c.Name != "help" {
			out = append(out, candidate{c.Name, oneLine(c.Usage)})
		}
	}
	return out
}

// flagsOf lists the long names: they say more, and the cursor stands behind a dash, not behind a letter.
func flagsOf(flags []cli.Flag) (out []candidate) {
	for _, f := range append(slices.Clone(flags), cli.HelpFlag) {
		c := candidate{"--" + f.Names()[0], oneLine(usageOf(f))}
		if !slices.Contains(out, c) { // the library adds the flag of help where a command has run
			out = append(out, c)
		}
	}
	return out
}

// flagValues are words that some flags take. A flag is offered those that its own usage names: --method of setup has others than that of run.
var flagValues = map[string][]string{
	"device":       {"cpu", "cuda", "auto"},
	"format":       {"jsonl", "csv", "megadetector", "table", "text", "json"},
	"gaps":         {"auto", "all", "missed", "breaks", "off"},
	"gate":         {"auto", "off", "ewma", "window"},
	"graph":        {"forward", "mc", "memo", "tent"},
	"input-format": {"jsonl", "csv", "megadetector", "speciesnet"},
	"late":         {"keep", "drop", "reorder", "restart", "error"},
	"merge":        {"mean", "geometric", "max", "entropy"},
	"method":       {"base", "mc-dropout", "ttaug", "tent", "memo", "pip", "npm", "release"},
	"on-error":     {"skip", "stop"},
	"optimizer":    {"sgd", "momentum", "adam", "adamw"},
	"predict":      {"after", "before"},
	"streams":      {"folder", "pattern", "metadata"},
	"task":         {"motion", "sleep"},
}

func valuesOf(f cli.Flag) (out []candidate) {
	said := strings.FieldsFunc(usageOf(f), func(r rune) bool { return strings.ContainsRune(" ,;:()`", r) })
	for _, value := range flagValues[f.Names()[0]] {
		if slices.Contains(said, value) {
			out = append(out, candidate{value, ""})
		}
	}
	return out
}

func usageOf(f cli.Flag) string {
	if documented, ok := f.(cli.DocGenerationFlag); ok {
		return documented.GetUsage()
	}
	return ""
}

// oneLine is a usage as menus show it.
func oneLine(usage string) string {
	return strings.NewReplacer("\n", " ", "\t", " ", "`", "").Replace(usage)
}
