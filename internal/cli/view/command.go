package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets/motion"
	"github.com/oatta/oatta/datasets/posts"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/predicted"
	"github.com/oatta/oatta/internal/cli/readback"
	"github.com/oatta/oatta/internal/corrections"
	"github.com/oatta/oatta/internal/report/items"
	"github.com/oatta/oatta/internal/view"
	"github.com/oatta/oatta/models"
)

// Command is `oatta view`.
//
// program runs the program with arguments in this process, and returns its exit code: a first page without results runs on a folder by it.
func Command(env console.Environment, program func(ctx context.Context, args []string, said io.Writer) int) *cli.Command {
	return &cli.Command{
		Name:      "view",
		Usage:     "look at results in a browser, and correct their labels",
		ArgsUsage: "[RESULTS] [DIR|FILE]",
		Description: "Serves pages to a browser on this machine, and prints the address, which opens them once: streams with search and filters, every item\n" +
			"with its neighbours, both distributions and the gate, and what the item shows where the folder or file that was run on is named: pictures,\n" +
			"signals, texts. Labels that you give go to a table that `eval --labels`, `calibrate --labels`, `train --corrections` and --labels-known of `run`,\n" +
			"`eval` and `filter` read. Every action has a key: ? shows them. Nothing leaves the machine, and no input is ever written.\n" +
			"Without results, or with a folder of pictures in their place, the first page runs `run images` on a folder and shows what comes out.",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "labels", Category: console.OutputCategory, Usage: "CSV `FILE` of the labels that you give; it is gone on with if it is there (default: RESULTS with the ending .labels.csv)"},
			&cli.StringFlag{Name: "who", Category: console.OutputCategory, Usage: "`NAME` that stands beside your labels (default: that of your account)"},
			&cli.Float64Flag{Name: "unsure", Value: 0.6, Category: console.InputCategory, Usage: "adapted labels less probable than this are unsure, 0 to 1"},
			&cli.StringFlag{Name: "classes", Category: console.InputCategory, Usage: "names of the model's classes: a `FILE` with one a line, or NAMES separated by commas (default: as the results or the model in the binary say, else those that occur)"},
			readback.KindFlag(),
			readback.TruthFlag(console.InputCategory),
		}, readback.FieldFlags(), []cli.Flag{
			&cli.StringFlag{Name: "stream-column", Category: console.InputCategory, Usage: "movement, posts: column of the stream, as it was given to run"},
			&cli.StringFlag{Name: "time-column", Category: console.InputCategory, Usage: "movement, posts: column of the time, as it was given to run"},
			&cli.StringFlag{Name: "time-layout", Category: console.InputCategory, Usage: "movement, posts: `LAYOUT` of times, as it was given to run"},
			&cli.StringFlag{Name: "text-column", Category: console.InputCategory, Usage: "posts: column of the text, as it was given to run"},
			&cli.StringFlag{Name: "id-column", Category: console.InputCategory, Usage: "posts: column of the post's id, as it was given to run"},
			&cli.BoolFlag{Name: "open", Usage: "open the address in the browser of this machine"},
			&cli.IntFlag{Name: "port", Usage: "`PORT` of this machine (default: one that is free)"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print the address alone"},
		}),
		Action: func(c *cli.Context) error { return serve(c, env, program) },
	}
}

// serve shows results until it is stopped.
func serve(c *cli.Context, env console.Environment, program program) (err error) {
	first := c.NArg() == 0 || c.NArg() == 1 && isFolder(c.Args().First())
	var o view.Options
	if !first {
		if o, err = options(c, c.Args().First(), c.Args().Get(1)); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, o.Inputs.Close()) }()
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", c.Int("port")))
	if err != nil {
		return fmt.Errorf("--port: %w", err)
	}
	gate, err := view.NewGate(l)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if first {
		var opened lastInputs
		defer func() { err = errors.Join(err, opened.Close()) }()
		gate.Start(c.Context, opened.of(starter(c, program)))
	} else {
		gate.Show(o)
		tell(c, env, o)
	}
	fmt.Fprintln(env.Out, gate.URL())
	if !c.Bool("quiet") {
		fmt.Fprintln(env.Err, "Open this address in a browser on this machine; it holds once. Stop by Ctrl-C.")
	}
	if c.Bool("open") {
		page, err := open(gate.URL())
		defer os.Remove(page)
		if err != nil {
			console.Warn(c, env, []string{"no browser could be opened: " + err.Error()})
		}
	}
	return run(c.Context, gate, l)
}

// lastInputs closes what a first page has opened, when all is over: on Windows an open folder is in the way of whoever removes it.
type lastInputs struct {
	mu     sync.Mutex
	inputs *view.Inputs
}

// of returns the starter, watched.
func (l *lastInputs) of(s view.Starter) view.Starter {
	open := s.Open
	s.Open = func(results, folder string) (view.Options, error) {
		o, err := open(results, folder)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.inputs = o.Inputs
		return o, err
	}
	return s
}

// Close implements [io.Closer].
func (l *lastInputs) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inputs.Close()
}

// tell says what is shown and where labels go.
func tell(c *cli.Context, env console.Environment, o view.Options) {
	if !c.Bool("quiet") {
		fmt.Fprintf(env.Err, "%s: %s\nlabels go to %s\n", o.Collection.Name, o.Collection.Told(), o.Table.Path())
		console.Warn(c, env, o.Collection.Warnings)
	}
}

// run serves until the context ends.
func run(ctx context.Context, handler http.Handler, l net.Listener) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 64 << 10}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		stopped <- server.Shutdown(last)
	})
	err := server.Serve(l)
	if stop() { // it ended by itself
		return err
	}
	if err = <-stopped; errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	return err
}

// options reads the flags, the results and the labels. Inputs may be "".
func options(c *cli.Context, results, inputs string) (o view.Options, err error) {
	if c.NArg() > 2 {
		return o, fmt.Errorf("view: want the results of run, eval or filter, and the folder or file of what was run on; see `%s --help`", c.Command.HelpName)
	}
	labels := cmp.Or(c.String("labels"), labelsBeside(results))
	if err := checkPlaces(c, results, inputs, labels); err != nil {
		return o, err
	}
	if o.Collection, err = collection(c, results); err != nil {
		return o, err
	}
	if o.Table, err = corrections.Open(labels); err != nil {
		return o, fmt.Errorf("--labels: %w", err)
	}
	o.Who = cmp.Or(c.String("who"), account())
	o.Stale = changes(results)
	if inputs != "" {
		o.Inputs, err = view.OpenInputs(inputs, readingOf(c))
	}
	return o, err
}

// labelsBeside is the file of labels of results: out.jsonl.gz has out.labels.csv.
func labelsBeside(results string) string {
	plain := strings.TrimSuffix(results, ".gz")
	return strings.TrimSuffix(plain, filepath.Ext(plain)) + ".labels.csv"
}

// checkPlaces refuses a file of labels that is something else, or cannot be made.
func checkPlaces(c *cli.Context, results, inputs, labels string) error {
	if u := c.Float64("unsure"); !(u >= 0 && u <= 1) {
		return fmt.Errorf("--unsure %g: want 0 to 1", u)
	}
	if p := c.Int("port"); p < 0 || p > 65535 {
		return fmt.Errorf("--port %d: want 1 to 65535, or 0 for one that is free", p)
	}
	read := []files.Place{files.At("the results", results), files.At("a manifest", items.ManifestPath(results)), files.At("the classes", c.String("classes"))}
	if inputs != "" && files.IsFile(inputs) && !isFolder(inputs) {
		read = append(read, files.At("an input", inputs))
	}
	if err := files.KeepApart(read, []files.Place{files.At("the file of labels", labels)}); err != nil {
		return err
	}
	return files.MayCreate(filepath.Dir(labels))
}

func collection(c *cli.Context, results string) (*view.Collection, error) {
	s := view.Settings{Unsure: c.Float64("unsure")}
	var err error
	if s.Kind, err = readback.KindOf(c); err != nil {
		return nil, err
	}
	f, err := items.Open(results, readback.OptionsOf(c))
	if err != nil {
		return nil, err
	}
	if name := c.String("classes"); name != "" {
		if s.Classes, err = predicted.ReadClasses(name); err != nil {
			return nil, err
		}
	} else if f.Classes == nil {
		s.Classes = embedded(f.Manifest)
	}
	return view.Read(f, s)
}

// embedded are the classes of the model in the binary that a manifest names, nil if it names none of them.
func embedded(m *items.Manifest) []string {
	if m == nil {
		return nil
	}
	for _, e := range models.Embedded() {
		if e.Name == m.Model {
			if loaded, err := models.Load(e.Name); err == nil {
				return loaded.Manifest.Labels
			}
		}
	}
	return nil
}

// readingOf says how tables are read that were run on.
func readingOf(c *cli.Context) view.Reading {
	return view.Reading{
		Tables: motion.Options{Stream: c.String("stream-column"), Time: c.String("time-column"), TimeLayout: c.String("time-layout")},
		Posts: posts.Options{
			Stream: c.String("stream-column"), Time: c.String("time-column"), TimeLayout: c.String("time-layout"), Text: c.String("text-column"), ID: c.String("id-column"),
		},
	}
}

// account is the name of whoever runs the program.
func account() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

// changes tells whether a file is no longer what it was.
func changes(path string) func() bool {
	was, err := os.Stat(path)
	return func() bool {
		is, now := os.Stat(path)
		return err == nil && (now != nil || !os.SameFile(was, is) || was.Size() != is.Size() || !was.ModTime().Equal(is.ModTime()))
	}
}
