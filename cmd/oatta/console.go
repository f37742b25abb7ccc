package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

const outputCategory = "OUTPUT"

// number returns "1 picture", "2 pictures".
func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// warn prints what a reader of the results should know.
func warn(c *cli.Context, env environment, warnings []string) {
	if c.Bool("quiet") {
		return
	}
	for _, w := range warnings {
		fmt.Fprintln(env.err, "oatta: "+w)
	}
}

const truthCategory = "TRUTH"

// were returns "1 picture is", "2 pictures are".
func were(n int, what string) string {
	if n == 1 {
		return number(n, what) + " is"
	}
	return number(n, what) + " are"
}

// some joins the first n words.
func some(words []string, n int) string {
	if len(words) > n {
		return strings.Join(words[:n], ", ") + ", ..."
	}
	return strings.Join(words, ", ")
}

// refuse names a flag that was given and would do nothing.
func refuse(c *cli.Context, names []string, why string) error {
	for _, name := range names {
		if c.IsSet(name) {
			return fmt.Errorf("--%s is a setting of %s", name, why)
		}
	}
	return nil
}

const inputCategory = "INPUT"

// The exit codes.
const (
	exitFine        = 0   // all went well
	exitSome        = 1   // some items failed, or the run ended early with work done
	exitNothing     = 2   // nothing was done: wrong arguments, no input, no library
	exitInterrupted = 130 // stopped by a signal; what was done is kept and can be resumed
)

// exitError carries the exit code that goes with an error, or a code alone.
type exitError struct {
	err  error // nil: there is nothing to say beyond the code
	code int
}

func (e exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// exit returns an error that ends the program with a code; with nil there is nothing to say beyond it.
func exit(code int, err error) error { return exitError{err, code} }

func (e exitError) Unwrap() error { return e.err }

// environment is what a command may touch beside files; tests bring their own.
type environment struct {
	out, err io.Writer
	stops    *stopper
	stop     <-chan struct{} // that of stops
}

// stopper tells a run of the pipeline to end after the items in hand. Anything else is stopped by its context.
type stopper struct {
	mu      sync.Mutex
	running bool
	asked   bool
	ch      chan struct{}
}

func newStopper() *stopper { return &stopper{ch: make(chan struct{})} }

// begin says that a pipeline runs from here on, and returns the channel that it must heed.
func (s *stopper) begin() <-chan struct{} {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = true
	return s.ch
}

// request asks the pipeline to stop; false if there is none, and the context must be cancelled.
func (s *stopper) request() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running && !s.asked {
		s.asked = true
		close(s.ch)
	}
	return s.running
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// release is the version of this source tree.
const release = "0.1.0"

// version returns the release, with the revision where the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if revision == "" {
		return release
	}
	return release + " (" + revision + dirty + ")"
}
