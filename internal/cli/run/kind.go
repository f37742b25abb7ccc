package run

import (
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/reading"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/models"
)

// kind is a kind of data that run and eval take from files: movement, sleep, posts.
type kind[I inputs.Input] struct {
	noun  string                 // one of the arguments is called
	reads func(name string) bool // tells by its name whether a file is an input
	// open reads the flags, and returns what opens the input for a model.
	open func(c *cli.Context, eval bool) (func(m *models.Model) (I, error), error)
	// model chooses the model in the binary where none is named, and says why.
	model func(c *cli.Context) (name string, notes []string, err error)
	// more, if set, is given the run before it begins, to gather what else is to be written.
	more func(c *cli.Context, r *classification, m *models.Model, in I) error
}

// load opens model and input, and tells how long that took.
func (k kind[I]) load(c *cli.Context, env console.Environment, eval bool) (m *models.Model, in I, listed time.Duration, err error) {
	open, err := k.open(c, eval)
	if err == nil {
		m, err = k.modelOf(c, env)
	}
	if err != nil {
		return nil, in, 0, err
	}
	begin := time.Now()
	in, err = open(m)
	return m, in, time.Since(begin), err
}

// modelOf loads the model of a command, after a look at the arguments.
func (k kind[I]) modelOf(c *cli.Context, env console.Environment) (*models.Model, error) {
	switch {
	case c.NArg() == 0:
		return nil, fmt.Errorf("no folder or %s given; see `%s --help`", k.noun, c.Command.HelpName)
	case c.String("model") != "":
		return models.Load(c.String("model"))
	}
	name, notes, err := k.model(c)
	if err != nil {
		return nil, err
	}
	console.Warn(c, env, notes)
	return models.Load(name)
}

// run is the command run; also are outputs beside the results.
func (k kind[I]) run(c *cli.Context, env console.Environment, also ...files.Place) error {
	outputs := append([]files.Place{files.At("the results", c.String("output"))}, also...)
	if err := files.CheckOutputs(c.Args().Slice(), outputs, k.reads); err != nil {
		return err
	}
	m, in, listed, err := k.load(c, env, false)
	if err != nil {
		return err
	}
	defer closeInput(in)
	console.Warn(c, env, in.Warnings())
	r := &classification{c: c, env: env, input: in, path: c.String("output"), format: c.String("format")}
	if k.more != nil {
		if err := k.more(c, r, m, in); err != nil {
			return err
		}
	}
	return r.run(m, listed)
}

// eval is the command eval.
func (k kind[I]) eval(c *cli.Context, env console.Environment) error {
	if err := checkEvalFlags(c); err != nil {
		return err
	}
	if err := files.CheckOutputs(c.Args().Slice(), []files.Place{files.At("the predictions", c.String("predictions"))}, k.reads); err != nil {
		return err
	}
	m, in, listed, err := k.load(c, env, true)
	if err != nil {
		return err
	}
	defer closeInput(in)
	labelled, err := reading.Relabelled(c, env, "labels", in)
	if err != nil {
		return err
	}
	return evaluate(c, env, m, in, labelled, listed)
}

// closeInput closes what some inputs hold open. They were only read.
func closeInput(in inputs.Input) {
	if closer, ok := in.(io.Closer); ok {
		_ = closer.Close()
	}
}
