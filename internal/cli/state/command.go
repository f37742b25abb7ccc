package state

import (
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/state"
)

// Command is `oatta state`.
func Command(env console.Environment) *cli.Command {
	sub := func(name, args, usage string, action func(*cli.Context, *state.Store, io.Writer) error, flags ...cli.Flag) *cli.Command {
		return &cli.Command{
			Name: name, ArgsUsage: args, Usage: usage, Flags: append(stateFlags(), flags...),
			Action: func(c *cli.Context) error {
				return withState(c, func(s *state.Store) error { return action(c, s, env.Out) })
			},
		}
	}
	return &cli.Command{
		Name:  "state",
		Usage: "look into the file of `oatta filter --state`, or one of `oatta serve`, and forget streams",
		Subcommands: []*cli.Command{
			sub("list", " ", "the streams, with the steps of each", listStreams),
			sub("show", "STREAM", "what the filter of a stream has found out, as JSON", showStream,
				&cli.BoolFlag{Name: "transitions", Usage: "with the learned transition matrix, which can reveal a routine"}),
			sub("forget", "STREAM...", "remove streams and every trace of them from the file", forgetStreams),
		},
	}
}

// ForgetCommand is the short form of what people look for first.
func ForgetCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name: "forget", ArgsUsage: "STREAM...", Usage: "remove streams and every trace of them from a file of states", Flags: stateFlags(),
		Action: func(c *cli.Context) error {
			return withState(c, func(s *state.Store) error { return forgetStreams(c, s, env.Out) })
		},
	}
}

func stateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "state", Usage: "`FILE` of the states"},
		&cli.StringFlag{Name: "state-key", Usage: "`FILE` of the key that seals it"},
	}
}

// withState opens the file of the states, which must be there, and closes it.
func withState(c *cli.Context, do func(*state.Store) error) error {
	path := c.String("state")
	if err := checkState(path); err != nil {
		return err
	}
	o := state.Options{}
	if key := c.String("state-key"); key != "" {
		var err error
		if o.Key, err = state.ReadKey(key); err != nil {
			return err
		}
	}
	s, err := state.Open(path, o)
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

func listStreams(c *cli.Context, s *state.Store, w io.Writer) error {
	if c.NArg() > 0 {
		return fmt.Errorf("state list: %d arguments: want none", c.NArg())
	}
	names, err := s.Streams()
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "stream\tsteps\tclasses\tgate")
	for _, name := range names {
		f, err := s.Load(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\n", results.Printable(name), f.Steps(), f.Classes(), f.Settings().Gate)
	}
	return t.Flush()
}

func showStream(c *cli.Context, s *state.Store, w io.Writer) error {
	if c.NArg() != 1 {
		return fmt.Errorf("state show: %d arguments: want one stream", c.NArg())
	}
	f, err := s.Load(c.Args().First())
	if err != nil {
		return err
	}
	return f.ExportJSON(w, c.Bool("transitions"))
}

// forgetStreams removes streams. One that is not there may be misspelt, and then its owner would believe it gone.
func forgetStreams(c *cli.Context, s *state.Store, w io.Writer) error {
	if c.NArg() == 0 {
		return errors.New("forget: no stream: want the names of those to forget")
	}
	for _, name := range c.Args().Slice() {
		if _, err := s.Load(name); errors.Is(err, state.ErrUnknown) {
			return fmt.Errorf("stream %q: %w; nothing was forgotten", name, err)
		}
	}
	if err := s.Forget(c.Args().Slice()...); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s forgotten\n", console.Number(c.NArg(), "stream"))
	return err
}

// checkState tells that the file of the flag is there, for commands that only look.
func checkState(path string) error {
	if path == "" {
		return errors.New("--state FILE: want the file of the states")
	}
	_, err := os.Stat(path)
	return err
}
