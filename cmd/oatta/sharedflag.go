package main

import (
	"flag"

	"github.com/urfave/cli/v2"
)

// The library shares its command of help, and its flags of help and version, between all programs of a process, and each of them writes into
// these what it has parsed: two runs at a time, as tests have them, would race. The flags here keep nothing.
func init() {
	cli.HelpFlag = sharedFlag{cli.HelpFlag.(*cli.BoolFlag)}
	cli.VersionFlag = sharedFlag{cli.VersionFlag.(*cli.BoolFlag)}
}

// sharedFlag is a flag of yes or no that is only read.
type sharedFlag struct{ *cli.BoolFlag }

// Apply implements [cli.Flag].
func (f sharedFlag) Apply(set *flag.FlagSet) error {
	for _, name := range f.Names() {
		set.Bool(name, false, f.Usage)
	}
	return nil
}

// ownHelp gives every command that has others below it a help command of its own in place of the library's. One without takes files and
// folders, which may be called help or h.
func ownHelp(commands []*cli.Command) []*cli.Command {
	for _, c := range commands {
		if len(c.Subcommands) == 0 {
			c.HideHelpCommand = true
			continue
		}
		c.Subcommands = ownHelp(c.Subcommands)
	}
	return append(commands, &cli.Command{
		Name: "help", Aliases: []string{"h"}, Usage: "Shows a list of commands or help for one command", ArgsUsage: "[command]", HideHelpCommand: true,
		Action: func(c *cli.Context) error {
			parent := c.Lineage()[1]
			if c.NArg() > 0 {
				return cli.ShowCommandHelp(parent, c.Args().First())
			}
			if parent.Command.Name == "" || parent.Command.Name == parent.App.Name {
				return cli.ShowAppHelp(parent)
			}
			return cli.ShowSubcommandHelp(parent)
		},
	})
}
