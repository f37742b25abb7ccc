package console

import (
	"io"
	"os"

	"golang.org/x/term"
)

// The exit codes.
const (
	Fine        = 0   // all went well
	Partial     = 1   // some items failed, or the run ended early with work done
	Nothing     = 2   // nothing was done: wrong arguments, no input, no library
	Interrupted = 130 // stopped by a signal; what was done is kept and can be resumed
)

// ExitError carries the exit code that goes with an error, or a code alone.
type ExitError struct {
	err  error // nil: there is nothing to say beyond the code
	Code int
}

func (e ExitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// Exit returns an error that ends the program with a code; with nil there is nothing to say beyond it.
func Exit(code int, err error) error { return ExitError{err, code} }

func (e ExitError) Unwrap() error { return e.err }

// Environment is what a command may touch beside files; tests bring their own.
type Environment struct {
	Out, Err io.Writer
	Stops    *stopper
	Stop     <-chan struct{} // that of stops
}

// IsTerminal tells whether what is written goes to a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
