package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets/predictions"
)

// reading is one pass over the predictions of another program, whatever becomes of them: it knows what the flags say of the input and of its
// true labels, and counts and names what fails.
type reading struct {
	c       *cli.Context
	env     environment
	stop    <-chan struct{} // closed at an interrupt
	name    string          // of the input, for messages
	format  predictions.Format
	options predictions.Options
	truths  *itemTruths
	stopAt  bool // the first failure

	classes int // 0: the first vector will tell
	labels  []string

	items, failures, unpredicted int
	rounded                      int // items whose probabilities did not sum to 1, by rounding
}

// newReading reads the flags that say what the input is; its format is that of the flag named so.
func newReading(c *cli.Context, env environment, formatFlag string) (reading, error) {
	r := reading{c: c, env: env, name: c.Args().First()}
	if c.NArg() != 1 {
		return r, fmt.Errorf("%s: %d inputs: want one file, or - for standard input", c.Command.Name, c.NArg())
	}
	if r.name == "-" {
		r.name = "standard input"
	}
	switch c.String("on-error") {
	case "stop":
		r.stopAt = true
	case "skip":
	default:
		return r, fmt.Errorf("--on-error %q: want skip or stop", c.String("on-error"))
	}
	var err error
	if r.format, err = formatOf(c.Args().First(), formatFlag, c.String(formatFlag)); err != nil {
		return r, err
	}
	r.options, err = predictionOptions(c)
	return r, err
}

// fatalError is an error that no later line can mend.
type fatalError struct{ error }

func (f fatalError) Unwrap() error { return f.error }

// fatal makes an error one that ends the pass.
func fatal(err error) error { return fatalError{err} }

// failed counts and names a failure. It returns an error that ends the run.
func (r *reading) failed(err error) error {
	if err == nil {
		return nil
	}
	r.failures++
	r.items++
	var end fatalError
	if r.stopAt || errors.As(err, &end) || errors.Is(err, predictions.ErrNeedsClasses) {
		return err
	}
	if most := r.c.Int("max-messages"); most == 0 || r.failures <= most {
		fmt.Fprintf(r.env.err, "oatta: %v\n", err)
	} else if r.failures == most+1 {
		fmt.Fprintln(r.env.err, "oatta: further failures are counted and not named (--max-messages)")
	}
	return nil
}

// roundedNote tells of probabilities that were printed with so few digits that they do not sum to 1.
func (r *reading) roundedNote() string {
	return fmt.Sprintf("the probabilities of %s are rounded: they sum to 0.95 to 1.05, and were divided by their sum", number(r.rounded, "item"))
}

// noteOf tells of values in a document that JSON does not know.
func (r *reading) noteOf(d *predictions.Document) {
	if note := d.Note(); note != "" {
		warn(r.c, r.env, []string{r.name + ": " + note})
	}
}
