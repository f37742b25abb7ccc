package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/cli/console"
)

// Command is `oatta bench`.
func Command(env console.Environment) *cli.Command {
	c := &cli.Command{Name: "bench", Usage: "run the studies: what filter, settings and predictors are worth, and how fast they are"}
	c.Subcommands = append(c.Subcommands, allCommand(env))
	for _, s := range studies() {
		c.Subcommands = append(c.Subcommands, studyCommand(env, s))
	}
	for _, p := range printings() {
		c.Subcommands = append(c.Subcommands, printingCommand(env, p))
	}
	return c
}

// studyCommand runs a study and writes its sections.
func studyCommand(env console.Environment, s report.Study) *cli.Command {
	set := newFlags(s.Name)
	run := s.Declare(set)
	var outs []string
	declareOut(set, &outs)
	return command(env, s, set, func(c *cli.Context, h *host) error {
		sections, err := runStudy(c.Context, s, set, run, h)
		if err != nil {
			return err
		}
		return report.Write(env.Out, outs, sections)
	})
}

// declareOut declares the files of a report: given more than once, each is written; without one the text goes to the standard output.
func declareOut(f report.Flags, dst *[]string) {
	f.Func("out", "`FILE` to write, .md, .json, .html or text; may be repeated (default: text to standard output)", func(name string) error {
		*dst = append(*dst, name)
		return nil
	})
}

func newFlags(name string) report.Flags {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return report.Flags{FlagSet: set}
}

// command makes a command of the flags in a set, which do reads after they were handed what was typed.
func command(env console.Environment, s report.Study, set report.Flags, do func(c *cli.Context, h *host) error) *cli.Command {
	return &cli.Command{
		Name: s.Name, Usage: s.Does, Description: s.Help, ArgsUsage: orBlank(s.Args),
		Flags: append(cliFlags(set.FlagSet), &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress"}),
		Action: func(c *cli.Context) error {
			if s.Args == "" && c.NArg() > 0 {
				return fmt.Errorf("bench %s: unexpected argument %q", s.Name, c.Args().First())
			}
			if err := hand(c, set.FlagSet); err != nil {
				return err
			}
			h := newHost(env.Err, c.Bool("quiet"))
			defer h.finish()
			err := do(c, h)
			if err == nil || err.Error() == "" { // an exit code alone
				return err
			}
			return fmt.Errorf("bench %s: %w", s.Name, err)
		},
	}
}

// orBlank keeps the library from telling of arguments that a command does not take.
func orBlank(args string) string {
	if args == "" {
		return " "
	}
	return args
}

// printing is a study, or a tool for studies, that prints by itself what it has done.
type printing struct {
	name, does string
	args       string // what it takes behind the flags; empty: nothing
	declare    func(f report.Flags) printed
}

type printed func(ctx context.Context, h *host, args []string, w io.Writer) error

func printingCommand(env console.Environment, p printing) *cli.Command {
	set := newFlags(p.name)
	do := p.declare(set)
	return command(env, report.Study{Name: p.name, Does: p.does, Args: p.args}, set, func(c *cli.Context, h *host) error {
		return do(c.Context, h, c.Args().Slice(), env.Out)
	})
}

// typed is the command line that sets the flags of a set as they are, without those that have their defaults.
func typed(name string, set report.Flags) string {
	words := []string{"oatta bench", name}
	set.Visit(func(f *flag.Flag) {
		if f.Name == "out" || f.Name == "cache" { // no number depends on these
			return
		}
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() && f.Value.String() == "true" {
			words = append(words, "--"+f.Name)
			return
		}
		if text := f.Value.String(); text != "" {
			words = append(words, "--"+f.Name, quoted(text))
		}
	})
	return strings.Join(words, " ")
}

// quoted is a word as a shell takes it.
func quoted(text string) string {
	plain := strings.IndexFunc(text, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+%@~", r)
	}) < 0
	if plain {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
