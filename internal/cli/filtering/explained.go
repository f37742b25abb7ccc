package filtering

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/explain"
	"github.com/oatta/oatta/internal/streams"
)

// Explanation is the stream that the user wants to see explained.
type Explanation struct {
	recorder  *explain.Recorder // nil until the classes are known
	stream    string
	prefix    string
	overwrite bool
}

// ExplanationOf reads the flags; nil without them. Files that are there are found now, not after the run.
func ExplanationOf(c *cli.Context, mode streams.Mode) (*Explanation, error) {
	e := &Explanation{stream: c.String("explain"), prefix: c.String("explain-to"), overwrite: c.Bool("overwrite") || c.Bool("resume")}
	if e.stream == "" {
		return nil, console.Refuse(c, []string{"explain-to"}, "--explain STREAM")
	}
	if mode != streams.Filtered {
		return nil, errors.New("--explain shows what the causal filter does: without --lag, --smooth and --viterbi")
	}
	if e.prefix == "" {
		e.prefix = "explain-" + FileName(e.stream)
	}
	for _, name := range explain.Files(e.prefix) {
		if _, err := os.Stat(name); err == nil && !e.overwrite {
			return nil, fmt.Errorf("%s: exists: --overwrite replaces it, --explain-to names another place", name)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return e, nil
}

// FileName turns the name of a stream, which comes from the input, into one that names no folder.
func FileName(stream string) string {
	if long := []rune(stream); len(long) > 64 {
		stream = string(long[:64])
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, stream)
}

// Begin is told the classes.
func (e *Explanation) Begin(labels []string) (err error) {
	if e == nil {
		return nil
	}
	e.recorder, err = explain.New(explain.Settings{Stream: e.stream, Classes: labels, Overwrite: e.overwrite})
	return err
}

// BeginStream is told the classes of a stream that begins, where those of one stream are not those of another.
func (e *Explanation) BeginStream(stream string, labels []string) error {
	if e == nil || e.stream != stream {
		return nil
	}
	return e.Begin(labels)
}

// Places are the files that will be written.
func (e *Explanation) Places() (out []files.Place) {
	if e == nil {
		return nil
	}
	for _, name := range explain.Files(e.prefix) {
		out = append(out, files.At("the explanation", name))
	}
	return out
}

// Add records a step of the stream, but for the event before it.
func (e *Explanation) Add(r *streams.Result, s explain.Step) {
	if e == nil || r == nil || r.Stream != e.stream {
		return
	}
	for _, event := range []struct {
		is bool
		as explain.Event
	}{{r.Missed > 0, explain.Gap}, {r.Break, explain.Break}, {r.Restart, explain.Reset}} {
		if event.is {
			s.Event |= event.as
		}
	}
	e.recorder.Add(r.Filter, r.Diagnostics, s)
}

// Keep takes the matrix, before the filter goes on without the recorder.
func (e *Explanation) Keep() {
	if e != nil {
		e.recorder.Keep()
	}
}

// Write makes the files and tells w of them.
func (e *Explanation) Write(w io.Writer) error {
	if e == nil || e.recorder == nil {
		return nil
	}
	if e.recorder.Steps() == 0 {
		return fmt.Errorf("--explain: no item of the stream %q: nothing to draw", e.stream)
	}
	files, err := e.recorder.Write(e.prefix)
	if err == nil {
		fmt.Fprintf(w, "%s of stream %s explained in %s and %d more\n", console.Number(e.recorder.Steps(), "step"), e.stream, files[0], len(files)-1)
	}
	return err
}
