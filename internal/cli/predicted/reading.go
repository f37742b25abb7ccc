package predicted

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/cli/console"
)

// Reading is one pass over the predictions of another program, whatever becomes of them: it knows what the flags say of the input and of its
// true labels, and counts and names what fails.
type Reading struct {
	C       *cli.Context
	Env     console.Environment
	Stop    <-chan struct{} // closed at an interrupt
	Name    string          // of the input, for messages
	Format  predictions.Format
	Options predictions.Options
	Truths  *Truths
	stopAt  bool // the first failure
	times   times

	Classes int // 0: the first vector will tell
	Labels  []string

	Items, Failures, Unpredicted int
	Rounded                      int // items whose probabilities did not sum to 1, by rounding
}

// NewReading reads the flags that say what the input is; its format is that of the flag named so.
func NewReading(c *cli.Context, env console.Environment, formatFlag string) (Reading, error) {
	r := Reading{C: c, Env: env, Name: c.Args().First()}
	if c.NArg() != 1 {
		return r, fmt.Errorf("%s: %d inputs: want one file, or - for standard input", c.Command.Name, c.NArg())
	}
	if r.Name == "-" {
		r.Name = "standard input"
	}
	switch c.String("on-error") {
	case "stop":
		r.stopAt = true
	case "skip":
	default:
		return r, fmt.Errorf("--on-error %q: want skip or stop", c.String("on-error"))
	}
	var err error
	if r.Format, err = formatOf(c.Args().First(), formatFlag, c.String(formatFlag)); err != nil {
		return r, err
	}
	if r.times, err = newTimes(c.String("time-layout")); err != nil {
		return r, err
	}
	r.Options, err = OptionsOf(c)
	return r, err
}

// fatalError is an error that no later line can mend.
type fatalError struct{ error }

func (f fatalError) Unwrap() error { return f.error }

// Fatal makes an error one that ends the pass.
func Fatal(err error) error { return fatalError{err} }

// Failed counts and names a failure. It returns an error that ends the run.
func (r *Reading) Failed(err error) error {
	if err == nil {
		return nil
	}
	r.Failures++
	r.Items++
	var end fatalError
	if r.stopAt || errors.As(err, &end) || errors.Is(err, predictions.ErrNeedsClasses) {
		return err
	}
	if most := r.C.Int("max-messages"); most == 0 || r.Failures <= most {
		fmt.Fprintf(r.Env.Err, "oatta: %v\n", err)
	} else if r.Failures == most+1 {
		fmt.Fprintln(r.Env.Err, "oatta: further failures are counted and not named (--max-messages)")
	}
	return nil
}

// RoundedNote tells of probabilities that were printed with so few digits that they do not sum to 1.
func (r *Reading) RoundedNote() string {
	return fmt.Sprintf("the probabilities of %s are rounded: they sum to 0.95 to 1.05, and were divided by their sum", console.Number(r.Rounded, "item"))
}

// NoteOf tells what of the input is not as it looks.
func (r *Reading) NoteOf(in interface{ Notes() []string }) {
	for _, note := range in.Notes() {
		console.Warn(r.C, r.Env, []string{r.Name + ": " + note})
	}
}
