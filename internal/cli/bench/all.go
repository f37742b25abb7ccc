package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/lock"
)

// whole is the report of all studies.
type whole struct {
	out     string // its folder
	cache   string // folder of what studies keep; empty: one in out
	only    []string
	quick   bool
	fresh   bool
	passed  report.Flags // flags that are handed to every study that has them
	studies []report.Study
}

func allCommand(env console.Environment) *cli.Command {
	set := newFlags("all")
	w := &whole{studies: chapters(studies())}
	w.declare(set)
	s := report.Study{
		Name: "all", Does: "all studies, as one report: JSON, CSV, Markdown and a page",
		Help: "Each study is kept in the folder as soon as it is done. The same command goes on where an earlier one was cut, and makes anew what was\n" +
			"made by other settings, models, data or another version of the program. What cannot be done for want of data is told in its place.",
	}
	return command(env, s, set, func(c *cli.Context, h *host) error { return w.run(c.Context, h, env.Out) })
}

// declare declares the flags of the command, and passes on those that studies share.
func (w *whole) declare(set report.Flags) {
	set.StringVar(&w.out, "out", "", "`DIR` of the report, made if it is not there")
	set.List(&w.only, "only", "names of studies, separated by commas (default: all)")
	set.StringVar(&w.cache, "cache", "", "`DIR` where studies keep predictions, each in a folder of its name (default: cache in that of --out)")
	set.BoolVar(&w.fresh, "fresh", false, "make anew what is kept in the folder")
	set.Quick(&w.quick)
	w.passed = set
	var shared, cifar, network string
	var workers int
	set.Shared(&shared)
	set.CIFAR(&cifar)
	set.Workers(&workers)
	set.StringVar(&network, "network", "", "`NAME` of the network of the studies that run one on CIFAR-10 (default: that of each study)")
}

// part is a study with its flags set.
type part struct {
	report.Study
	set report.Flags
	run report.Run
	key string
}

func (w *whole) run(ctx context.Context, h *host, out io.Writer) (err error) {
	if w.out == "" {
		return errors.New("--out: want a folder")
	}
	parts, err := w.parts()
	if err != nil {
		return err
	}
	k := kept{filepath.Join(w.out, "sections")}
	if err := os.MkdirAll(k.dir, 0o755); err != nil {
		return err
	}
	l, err := lock.Acquire(filepath.Join(w.out, "report.json"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	sections, err := w.measure(ctx, h, k, parts)
	if err != nil {
		return err
	}
	sections = append(sections, differences(sections))
	if err := writeWhole(w.out, w.lead(sections), sections); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s in %s\n", console.Number(len(sections), "section"), w.out)
	if lacking(sections) {
		return console.Exit(console.Partial, nil)
	}
	return nil
}

// parts sets the flags of every study.
func (w *whole) parts() (out []part, err error) {
	for _, name := range w.only {
		if !slices.ContainsFunc(w.studies, func(s report.Study) bool { return s.Name == name }) {
			return nil, fmt.Errorf("--only: no study %q", name)
		}
	}
	data, err := dataHash(w.passed.Lookup("shared").Value.String())
	if err != nil {
		return nil, err
	}
	by, err := program()
	if err != nil {
		return nil, err
	}
	for _, s := range w.studies {
		if len(w.only) > 0 && !slices.Contains(w.only, s.Name) {
			continue
		}
		p := part{Study: s, set: newFlags(s.Name)}
		p.run = s.Declare(p.set)
		if err := w.set(p); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		if p.key, err = keyOf(p, by, data); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// set hands a study the flags of the command, a place for its cache, and what makes it quick.
func (w *whole) set(p part) (err error) {
	give := func(name, value string) {
		if err == nil && p.set.Lookup(name) != nil {
			err = p.set.Set(name, value)
		}
	}
	for _, name := range []string{"shared", "cifar", "workers", "network"} {
		if f := w.passed.Lookup(name); f.Value.String() != f.DefValue {
			give(name, f.Value.String())
		}
	}
	give("cache", filepath.Join(cmp.Or(w.cache, filepath.Join(w.out, "cache")), p.Name))
	if !w.quick {
		return err
	}
	if p.set.Lookup("quick") != nil {
		give("quick", "true")
		return err
	}
	return errors.Join(err, p.set.Parse(chapterOf(p.Name).quick))
}

// ownData are flags that name what a study reads beside the shared data.
var ownData = []string{"cifar", "night", "network", "pictures", "labels", "data", "model"}

// keyOf is a hash of all that the numbers of a part depend on. Where caches lie and how much runs at a time changes none.
func keyOf(p part, program, data string) (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q\n", p.Name, program, data)
	var err error
	p.set.VisitAll(func(f *flag.Flag) {
		if f.Name == "cache" || f.Name == "workers" || err != nil {
			return
		}
		fmt.Fprintf(sum, "%q %q\n", f.Name, f.Value.String())
		if slices.Contains(ownData, f.Name) && f.Value.String() != "" {
			err = addTree(sum, f.Value.String())
		}
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// measure runs what is not kept, and returns the sections of all.
func (w *whole) measure(ctx context.Context, h *host, k kept, parts []part) (all []report.Section, err error) {
	found, left := make([][]report.Section, len(parts)), 0.0
	for i, p := range parts {
		if !w.fresh {
			if found[i], err = k.read(p.Name, p.key); err != nil {
				return nil, err
			}
		}
		if found[i] == nil {
			left += chapterOf(p.Name).minutes
		}
	}
	e := estimate{left: left, began: time.Now(), quick: w.quick}
	for i, p := range parts {
		if found[i] != nil {
			h.say("%d of %d: %s was done before", i+1, len(parts), p.Name)
			all = append(all, found[i]...)
			continue
		}
		h.say("%d of %d: %s%s", i+1, len(parts), p.Name, e)
		sections, err := attempt(ctx, h, p)
		if err == nil {
			err = k.write(p.Name, p.key, sections)
		}
		if err != nil {
			return nil, err
		}
		e.did(chapterOf(p.Name).minutes)
		all = append(all, sections...)
	}
	return all, nil
}

// attempt runs a study. What it cannot do becomes a section that says why; an end that was asked for is an error.
func attempt(ctx context.Context, h *host, p part) ([]report.Section, error) {
	type result struct {
		sections []report.Section
		err      error
	}
	done := make(chan result, 1)
	go func() {
		sections, err := runStudy(ctx, p.Study, p.set, p.run, h)
		done <- result{sections, err}
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
		select { // those that heed the context put away what they have
		case r = <-done:
		case <-time.After(patience):
		}
	}
	h.finish()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("stopped in %s: what was done before is kept: %w", p.Name, err)
	}
	if r.err != nil {
		return []report.Section{h.unable(p, r.err)}, nil
	}
	return r.sections, nil
}

// patience is how long a study may take to stop. What it has not put away then is lost, as with a kill.
const patience = 5 * time.Second

// unable is the section of a study that could not be done.
func (h *host) unable(p part, err error) report.Section {
	text := wanting(err)
	h.say("%s: missing: %s", p.Name, text)
	return report.Section{
		ID: p.Name, Title: strings.ToUpper(p.Does[:1]) + p.Does[1:], Missing: []string{text},
		Made: report.Made{Command: typed(p.Name, p.set), Settings: settingsHash(p.Name, p.set), Machine: machine(), Versions: h.with(nil)},
	}
}

// wanting says what is missing for want of what an error tells.
func wanting(err error) string {
	var missing *report.MissingError
	switch {
	case errors.As(err, &missing):
		return missing.Text()
	case errors.Is(err, fs.ErrNotExist):
		return err.Error()
	default:
		return "a run without a failure: " + err.Error()
	}
}

// estimate tells the time that is left.
type estimate struct {
	left, done float64 // minutes, as the table of chapters has them
	began      time.Time
	quick      bool
}

func (e *estimate) did(minutes float64) { e.left, e.done = e.left-minutes, e.done+minutes }

// String tells nothing of a quick look, which is over before it would be true.
func (e estimate) String() string {
	if e.quick {
		return ""
	}
	minutes := e.left
	if e.done > 0 {
		minutes *= time.Since(e.began).Minutes() / e.done
	}
	return fmt.Sprintf("; about %.0f min left", max(minutes, 1))
}
