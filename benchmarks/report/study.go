package report

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/oatta/oatta/runtime"
)

// Study is a study by name.
type Study struct {
	Name string
	Does string // for the help, a line
	Help string // for the help, more; may be empty
	Args string // what it takes behind the flags; empty: nothing
	// Declare declares the flags and returns what is run when they are read. Names that several studies have mean the same in each: those
	// that Flags declares, and quick, a bool for a run of seconds that measures little but all.
	Declare func(f Flags) Run
}

// Run does a study. Where data or programs are absent that it cannot do without, it returns a [MissingError].
type Run func(ctx context.Context, h Host) ([]Section, error)

// Host is what a study may use of the program that runs it.
type Host struct {
	Engine   func(ctx context.Context) (runtime.Engine, error)
	Log      io.Writer                              // lines for who waits
	Progress func(what string, done int, total int) // may be called from one goroutine at a time; a total of 0 is unknown
}

// MissingError says that a study could not be done for want of something, and how it is had.
type MissingError struct {
	What string // such as "the people of HAPT (data/hapt of --shared)"
	How  string // such as "fetch_assets.sh hapt"; may be empty
	Err  error  // the cause; may be nil
}

// Error implements error.
func (e *MissingError) Error() string { return "missing: " + e.Text() }

// Text is the error without its first word, for where that stands already.
func (e *MissingError) Text() string {
	text := e.What
	if e.How != "" {
		text += "; to have it: " + e.How
	}
	if e.Err != nil {
		text += fmt.Sprintf(" (%v)", e.Err)
	}
	return text
}

// Unwrap returns the cause.
func (e *MissingError) Unwrap() error { return e.Err }

// Flags are those of one study. What several studies have is declared here, once.
type Flags struct{ *flag.FlagSet }

// Shared declares the folder of shared data.
func (f Flags) Shared(dst *string) {
	f.StringVar(dst, "shared", cmp.Or(os.Getenv("OATTA_SHARED"), filepath.Join("..", "shared")), "`DIR` of shared data (default: OATTA_SHARED, else ../shared)")
}

// CIFAR declares the folder of lossless CIFAR-10.
func (f Flags) CIFAR(dst *string) {
	f.StringVar(dst, "cifar", Asset("cifar10"), "`DIR` of lossless CIFAR-10 (default: cifar10 in OATTA_ASSETS, else in ~/.cache/oatta/assets)")
}

// Asset returns a path below the folder that `make assets` fills: OATTA_ASSETS, else oatta/assets in ~/.cache.
func Asset(elem ...string) string {
	home, _ := os.UserHomeDir() // without one nothing is found there, and a flag must say
	dir := cmp.Or(os.Getenv("OATTA_ASSETS"), filepath.Join(home, ".cache", "oatta", "assets"))
	return filepath.Join(append([]string{dir}, elem...)...)
}

// Cache declares the folder that keeps what takes long, such as predictions.
func (f Flags) Cache(dst *string) {
	f.StringVar(dst, "cache", "", "`DIR` that keeps predictions, of one version of ONNX Runtime (default: none are kept)")
}

// Seeds declares how many seeds there are, and of what.
func (f Flags) Seeds(dst *int, number int, of string) { f.IntVar(dst, "seeds", number, of) }

// Steps declares the length of the controlled streams.
func (f Flags) Steps(dst *int) { f.IntVar(dst, "steps", 2000, "labels in a controlled stream") }

// Workers declares how much runs at a time.
func (f Flags) Workers(dst *int) {
	f.IntVar(dst, "workers", 0, "streams that run at a time (default: one for each core)")
}

// Quick declares a run of seconds.
func (f Flags) Quick(dst *bool) { f.BoolVar(dst, "quick", false, "a quick look: little of everything") }

// List appends what stands between commas, and may be repeated.
func (f Flags) List(dst *[]string, name, usage string) { f.Var(list{dst}, name, usage) }

type list struct{ dst *[]string }

// Set implements [flag.Value].
func (l list) Set(text string) error {
	*l.dst = append(*l.dst, strings.Split(text, ",")...)
	return nil
}

// String implements [flag.Value].
func (l list) String() string {
	if l.dst == nil { // as the package flag asks for the zero value
		return ""
	}
	return strings.Join(*l.dst, ",")
}
