package console

import (
	"io"
)

// The exit codes, the same in every command.
const (
	Fine        = 0   // all went well
	Partial     = 1   // it came to its end, with failures: items, or something that was to be written beside the results
	Nothing     = 2   // nothing was done: wrong arguments, no input, no item with a prediction, no library
	Unfinished  = 3   // it stopped half way: what was done is kept, and the same command goes on where its output or state is a file
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

// ExitCodes says in the help of a command what its exit code tells.
const ExitCodes = "Exit code 0: all well; 1: done, with failures; 2: nothing done; 3: stopped half way, and what was done is kept; 130: interrupted."
