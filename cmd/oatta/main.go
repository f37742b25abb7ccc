// Command oatta classifies ordered streams: pictures in, labels out, before and after the order-aware filter.
//
// See README.md for what it does, `oatta help` for how, and package adapt for the filter itself.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stops := newStopper()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		if stops.request() {
			fmt.Fprintln(os.Stderr, "\noatta: stopping after the items in hand; interrupt again to stop at once")
			<-signals
		}
		cancel()
		signal.Stop(signals) // what does not heed the context is ended by the next one
	}()
	os.Exit(run(ctx, os.Args, environment{out: os.Stdout, err: os.Stderr, stops: stops, stop: stops.ch}))
}

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, env environment) int {
	app := newApp(env)
	err := app.RunContext(ctx, flagsFirst(app, args))
	if err == nil {
		return exitFine
	}
	code := exitNothing
	if ctx.Err() != nil {
		code = exitInterrupted
	}
	var exit exitError
	if errors.As(err, &exit) {
		code = exit.code
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(env.err, "oatta: %s\n", text)
	}
	return code
}

func newApp(env environment) *cli.App {
	app := &cli.App{
		Name:      "oatta",
		Usage:     "classify ordered streams: raw and adapted labels for pictures, sleep, movement and posts",
		Version:   version(),
		Writer:    env.out,
		ErrWriter: env.err,
		Commands: []*cli.Command{
			setupCommand(env),
			{Name: "run", Usage: "raw input to adapted label", Subcommands: []*cli.Command{runImagesCommand(env), runMotionCommand(env), runSleepCommand(env), runTextCommand(env)}, Action: needsSubcommand},
			{Name: "eval", Usage: "the same with labels: metrics before and after the filter", Subcommands: []*cli.Command{evalImagesCommand(env), evalMotionCommand(env), evalSleepCommand(env), evalTextCommand(env)}, Action: needsSubcommand},
			filterCommand(env),
			calibrateCommand(env),
			stateCommand(env),
			forgetCommand(env),
			{Name: "models", Usage: "list, inspect, build, convert and export models", Subcommands: modelCommands(env), Action: needsSubcommand},
			versionCommand(env),
			completionCommand(env),
			completeCommand(env),
			referenceCommand(env),
		},
		Action:         needsSubcommand,
		ExitErrHandler: func(*cli.Context, error) {}, // run decides
		OnUsageError:   usageError,
	}
	quietUsage(app.Commands)
	return app
}

// usageError returns the error alone: the screenful of help that the library would print hides it.
func usageError(c *cli.Context, err error, _ bool) error {
	return fmt.Errorf("%w; see `%s --help`", err, c.Command.HelpName)
}

func quietUsage(commands []*cli.Command) {
	for _, c := range commands {
		c.OnUsageError = usageError
		quietUsage(c.Subcommands)
	}
}

// needsSubcommand answers a command that stops short, and names a word that is no command.
func needsSubcommand(c *cli.Context) error {
	if c.NArg() > 0 {
		return fmt.Errorf("%s: no command %q; see `%s --help`", c.Command.HelpName, c.Args().First(), c.Command.HelpName)
	}
	if err := cli.ShowSubcommandHelp(c); err != nil {
		return err
	}
	return exit(exitNothing, nil)
}
