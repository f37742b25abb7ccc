package main

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"strings"
)

// flags are those of one command. What several commands have is declared here, once.
type flags struct{ *flag.FlagSet }

func (f flags) shared(dst *string) {
	f.StringVar(dst, "shared", cmp.Or(os.Getenv("OATTA_SHARED"), filepath.Join("..", "shared")), "folder of shared data")
}

// out may be given more than once; none is standard output.
func (f flags) out(dst *[]string) {
	f.Func("out", "file to write, .md, .json or text; may be repeated (default: text to standard output)", func(name string) error {
		*dst = append(*dst, name)
		return nil
	})
}

func (f flags) seeds(dst *int, number int, of string) { f.IntVar(dst, "seeds", number, of) }

func (f flags) steps(dst *int) { f.IntVar(dst, "steps", 2000, "labels in a controlled stream") }

func (f flags) workers(dst *int) {
	f.IntVar(dst, "workers", 0, "streams that run at a time (default: one for each core)")
}

// list appends what stands between commas, and may be repeated.
func (f flags) list(dst *[]string, name, usage string) {
	f.Func(name, usage, func(text string) error {
		*dst = append(*dst, strings.Split(text, ",")...)
		return nil
	})
}
