package console

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// Where flags stand in the help.
const (
	OutputCategory = "OUTPUT"
	TruthCategory  = "TRUTH"
	InputCategory  = "INPUT"
)

// Number returns "1 picture", "2 pictures".
func Number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Warn prints what a reader of the results should know.
func Warn(c *cli.Context, env Environment, warnings []string) {
	if c.Bool("quiet") {
		return
	}
	for _, w := range warnings {
		fmt.Fprintln(env.Err, "oatta: "+w)
	}
}

// Were returns "1 picture is", "2 pictures are".
func Were(n int, what string) string {
	if n == 1 {
		return Number(n, what) + " is"
	}
	return Number(n, what) + " are"
}

// Some joins the first n words.
func Some(words []string, n int) string {
	if len(words) > n {
		return strings.Join(words[:n], ", ") + ", ..."
	}
	return strings.Join(words, ", ")
}

// Refuse names a flag that was given and would do nothing.
func Refuse(c *cli.Context, names []string, why string) error {
	for _, name := range names {
		if c.IsSet(name) {
			return fmt.Errorf("--%s is a setting of %s", name, why)
		}
	}
	return nil
}

// NeedsSubcommand answers a command that stops short, and names a word that is no command.
func NeedsSubcommand(c *cli.Context) error {
	if c.NArg() > 0 {
		return fmt.Errorf("%s: no command %q; see `%s --help`", c.Command.HelpName, c.Args().First(), c.Command.HelpName)
	}
	if err := cli.ShowSubcommandHelp(c); err != nil {
		return err
	}
	return Exit(Nothing, nil)
}
