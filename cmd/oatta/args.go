package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst moves the flags of the command that args name before its arguments: urfave/cli v2 takes everything behind the first
// argument for arguments, so that `oatta run images DIR -o out.csv` would lose its output. "--" ends the flags, as everywhere. Of a command
// that is asked for help nothing else is left: the library would take the arguments for topics of help.
func flagsFirst(app *cli.App, args []string) []string {
	flags, commands := app.Flags, app.Commands
	at := min(1, len(args))
	for at < len(args) {
		if isFlag(args[at]) {
			at = skipFlag(flags, args, at)
			continue
		}
		cmd := commandNamed(commands, args[at])
		if cmd == nil {
			break
		}
		flags, commands = cmd.Flags, cmd.Subcommands
		at++
		if len(commands) == 0 {
			break
		}
	}
	head := args[:min(at, len(args))]
	return slices.Concat(head, reordered(flags, args[len(head):]))
}

func commandNamed(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func reordered(flags []cli.Flag, rest []string) []string {
	var front, back []string
	for i := 0; i < len(rest); {
		switch {
		case rest[i] == "--":
			back = append(back, rest[i+1:]...)
			i = len(rest)
		case asksForHelp(rest[i]):
			return []string{"--help"}
		case isFlag(rest[i]):
			next := skipFlag(flags, rest, i)
			front = append(front, rest[i:next]...)
			i = next
		default:
			back = append(back, rest[i])
			i++
		}
	}
	if len(back) == 0 {
		return front
	}
	return append(append(front, "--"), back...)
}

// isFlag: a lone dash is standard input or output, no flag.
func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

// asksForHelp tells whether an argument is the flag of help, which no command has for anything else.
func asksForHelp(arg string) bool {
	return slices.Contains([]string{"--help", "-help", "-h", "--h"}, arg)
}

// skipFlag returns the index behind the flag at i and its value.
func skipFlag(flags []cli.Flag, args []string, i int) int {
	name := strings.TrimLeft(args[i], "-")
	if strings.Contains(name, "=") {
		return i + 1
	}
	for _, f := range flags {
		if !slices.Contains(f.Names(), name) {
			continue
		}
		if _, isBool := f.(*cli.BoolFlag); !isBool {
			return min(i+2, len(args))
		}
	}
	return i + 1
}
