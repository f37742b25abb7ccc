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
	"syscall"

	"github.com/urfave/cli/v2"
)

// The exit codes.
const (
	exitFine        = 0   // all went well
	exitSome        = 1   // some items failed, or the run ended early with work done
	exitNothing     = 2   // nothing was done: wrong arguments, no input, no library
	exitInterrupted = 130 // stopped by a signal; what was done is kept and can be resumed
)

// exitError carries the code of an error that left work done behind.
type exitError struct {
	error
	code int
}

func (e exitError) Unwrap() error { return e.error }

// environment is what a command may touch beside files; tests bring their own.
type environment struct {
	out, err io.Writer
	// stop is closed at the first interrupt: finish what is in hand. The context is cancelled at the second.
	stop <-chan struct{}
}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		fmt.Fprintln(os.Stderr, "\noatta: stopping after the items in hand; interrupt again to stop at once")
		close(stop)
		<-signals
		cancel()
	}()
	os.Exit(run(ctx, os.Args, environment{out: os.Stdout, err: os.Stderr, stop: stop}))
}

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, env environment) int {
	app := newApp(env)
	err := app.RunContext(ctx, flagsFirst(app, args))
	if err == nil {
		return exitFine
	}
	var exit exitError
	if !errors.As(err, &exit) {
		exit = exitError{err, exitNothing}
	}
	if exit.error != nil {
		fmt.Fprintf(env.err, "oatta: %v\n", exit.error)
	}
	return exit.code
}

func newApp(env environment) *cli.App {
	return &cli.App{
		Name:      "oatta",
		Usage:     "classify ordered streams: raw and adapted labels for camera-trap pictures",
		Version:   version(),
		Writer:    env.out,
		ErrWriter: env.err,
		Suggest:   true,
		Commands: []*cli.Command{
			setupCommand(env),
			{Name: "run", Usage: "raw input to adapted label", Subcommands: []*cli.Command{runImagesCommand(env)}, Action: needsSubcommand},
			{Name: "eval", Usage: "the same with labels: metrics before and after the filter", Subcommands: []*cli.Command{evalImagesCommand(env)}, Action: needsSubcommand},
			{Name: "models", Usage: "list and inspect models", Subcommands: modelCommands(env), Action: needsSubcommand},
		},
		Action:         needsSubcommand,
		ExitErrHandler: func(*cli.Context, error) {}, // run decides
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return err },
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
	return exitError{nil, exitNothing}
}
