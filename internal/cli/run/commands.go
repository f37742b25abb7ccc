package run

import (
	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
)

// Command is `oatta run`.
func Command(env console.Environment) *cli.Command {
	return &cli.Command{
		Name: "run", Usage: "raw input to adapted label", Action: console.NeedsSubcommand,
		Subcommands: []*cli.Command{runImagesCommand(env), runMotionCommand(env), runSleepCommand(env), runTextCommand(env)},
	}
}

// EvalCommand is `oatta eval`.
func EvalCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name: "eval", Usage: "the same with labels: metrics before and after the filter", Action: console.NeedsSubcommand,
		Subcommands: []*cli.Command{evalImagesCommand(env), evalMotionCommand(env), evalSleepCommand(env), evalTextCommand(env)},
	}
}
