// Command oatta classifies ordered streams: pictures in, labels out, before and after the order-aware filter.
//
// See README.md for what it does, `oatta help` for how, and package adapt for the filter itself.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/bench"
	"github.com/oatta/oatta/internal/cli/calibrate"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/filter"
	"github.com/oatta/oatta/internal/cli/models"
	"github.com/oatta/oatta/internal/cli/report"
	"github.com/oatta/oatta/internal/cli/run"
	"github.com/oatta/oatta/internal/cli/serve"
	"github.com/oatta/oatta/internal/cli/setup"
	"github.com/oatta/oatta/internal/cli/state"
	"github.com/oatta/oatta/internal/cli/train"
	"github.com/oatta/oatta/internal/cli/view"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stops := console.NewStopper()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM) // on Windows: Ctrl-C and Ctrl-Break; closing the window, logging off, shutting down
	go func() {
		<-signals
		if stops.Request() {
			fmt.Fprintln(os.Stderr, "\noatta: stopping after the items in hand; interrupt again to stop at once")
			<-signals
		}
		cancel()
		signal.Stop(signals) // what does not heed the context is ended by the next one
	}()
	os.Exit(execute(ctx, os.Args, console.Environment{Out: os.Stdout, Err: os.Stderr, Stops: stops, Stop: stops.Ch}))
}

// execute is main without the process: it returns the exit code.
func execute(ctx context.Context, args []string, env console.Environment) int {
	out := console.NewChecked(env.Out)
	env.Out, env.Err = out, console.Plain(env.Err)
	if console.IsTerminal(out) {
		env.Out = console.Plain(out)
	}
	app := newApp(env)
	args = flagsFirst(app, args)
	app.Commands, app.Flags = ownHelp(app.Commands), append(app.Flags, cli.HelpFlag)
	err := app.RunContext(ctx, args)
	if err == nil && out.Err() != nil {
		err = fmt.Errorf("standard output: %w", out.Err())
	}
	if err == nil {
		return console.Fine
	}
	code := console.Nothing
	if ctx.Err() != nil {
		code = console.Interrupted
	}
	var exit console.ExitError
	if errors.As(err, &exit) {
		code = exit.Code
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(env.Err, "oatta: %s\n", text)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		fmt.Fprintln(env.Err, "oatta: the file ends in the middle: it was not copied whole, or is still being written")
	}
	return code
}

// runHere runs the program in this process, with all that it says in one place.
func runHere(ctx context.Context, args []string, said io.Writer) int {
	return execute(ctx, args, console.Environment{Out: said, Err: said})
}

func newApp(env console.Environment) *cli.App {
	app := &cli.App{
		Name:      "oatta",
		Usage:     "classify ordered streams: raw and adapted labels for pictures, sleep, movement and posts",
		Version:   console.Version(),
		Writer:    env.Out,
		ErrWriter: env.Err,
		Commands: []*cli.Command{
			setup.Command(env),
			run.Command(env),
			run.EvalCommand(env),
			filter.Command(env),
			report.Command(env),
			view.Command(env, runHere),
			serve.Command(env),
			serve.WorkCommand(env),
			serve.KeyCommand(env),
			calibrate.Command(env),
			train.Command(env),
			bench.Command(env),
			state.Command(env),
			state.ForgetCommand(env),
			models.Command(env),
			setup.VersionCommand(env),
			completionCommand(env),
			completeCommand(env),
			referenceCommand(env),
		},
		Action:         console.NeedsSubcommand,
		ExitErrHandler: func(*cli.Context, error) {}, // run decides
		OnUsageError:   usageError,
	}
	quietUsage(app.Commands)
	tellExitCodes(app.Commands)
	return app
}

// usageError returns the error alone: the screenful of help that the library would print hides it.
func usageError(c *cli.Context, err error, _ bool) error {
	return fmt.Errorf("%w; see `%s --help`", err, c.Command.HelpName)
}

// tellExitCodes says in the help of every command what its exit code means: it is the same everywhere.
func tellExitCodes(commands []*cli.Command) {
	for _, c := range commands {
		if len(c.Subcommands) == 0 && !c.Hidden {
			c.Description = strings.TrimPrefix(c.Description+"\n"+console.ExitCodes, "\n")
		}
		tellExitCodes(c.Subcommands)
	}
}

func quietUsage(commands []*cli.Command) {
	for _, c := range commands {
		c.OnUsageError = usageError
		quietUsage(c.Subcommands)
	}
}
