package train

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/setup"
	"github.com/oatta/oatta/internal/lock"
	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/weights"
	"github.com/oatta/oatta/runtime"
)

// run trains, in the order of what is cheapest to get wrong.
func (k kind) run(c *cli.Context, env console.Environment) (err error) {
	t := &task{kind: k, c: c, env: env, folder: filepath.Clean(c.String("output"))}
	if c.String("output") == "" {
		t.folder = ""
	}
	if err := t.read(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(t.folder), 0o755); err != nil {
		return err
	}
	held, err := lock.Acquire(t.folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	_, statErr := os.Stat(t.folder)
	if err := prepareFolder(t.folder, c.Bool("resume"), c.Bool("overwrite")); err != nil {
		return err
	}
	defer func() {
		if err != nil && statErr != nil {
			_ = os.Remove(t.folder) // it is new; what is not empty stays
		}
	}()
	if err := t.load(t); err != nil {
		return err
	}
	if err := t.divide(); err != nil {
		return err
	}
	t.tellData()
	if err := t.ready(t); err != nil {
		return err
	}
	return t.learn()
}

// read reads the flags.
func (t *task) read() error {
	c := t.c
	if c.NArg() == 0 {
		return fmt.Errorf("no data given; see `%s --help`", c.Command.HelpName)
	}
	if t.folder == "" {
		return errors.New("no folder: give -o FOLDER")
	}
	var err error
	if t.info, err = backbone.Describe(strings.ReplaceAll(c.String("arch"), "-", "_")); err != nil {
		return err
	}
	if t.info.Kind != t.takes {
		return fmt.Errorf("--arch %s: takes a %s; want %s", t.info.Name, t.info.Kind, strings.Join(networks(t.takes), ", "))
	}
	if err := t.readSettings(); err != nil {
		return err
	}
	t.options = backbone.Options{Dropout: c.Float64("dropout"), Seed: t.settings.Seed}
	t.manifest = models.Manifest{
		Version: models.ManifestVersion, Name: cmp.Or(c.String("name"), filepath.Base(t.folder)), License: c.String("license"),
		Output: models.Output{Name: "logits", Kind: models.Logits},
	}
	if strings.ContainsAny(t.manifest.Name, `/\`) || t.manifest.Name == "." {
		return fmt.Errorf("--name %q: want a name that can be one of a file", t.manifest.Name)
	}
	return t.describe(t)
}

// learn trains the network and writes the model.
func (t *task) learn() error {
	net, err := t.network()
	if err != nil {
		return err
	}
	engine, err := setup.LoadEngine(t.c.Context, runtime.Device(t.c.String("device")))
	if err != nil {
		return err
	}
	config := runtime.Config{Device: runtime.Device(t.c.String("device")), DeviceID: t.c.Int("device-id"), IntraThreads: t.threads()}
	hash := t.data.Hash()
	identity, err := t.identity(hash, engine.Version())
	if err != nil {
		return err
	}
	if err := t.begin(identity); err != nil {
		return err
	}
	network := training.Network{Model: onnx.New(net.Graph), Head: headOf(net), Engine: engine, Config: config}
	apart, why, err := network.Apart(t.settings, t.data, t.split)
	if err != nil {
		return err
	}
	var open func() (training.Stepper, error)
	if apart == nil {
		if open, err = network.Opener(t.settings, t.data.Counts(t.train)); err != nil {
			return err
		}
	}
	switch {
	case why != "":
		console.Warn(t.c, t.env, []string{"--head-only: the whole network runs in each epoch: " + why})
	case apart != nil:
		items := len(t.train) + len(t.data.Of(t.split.Validation))
		console.Warn(t.c, t.env, []string{"--head-only: the network runs once over " + console.Number(items, t.data.Noun) + " before the first step"})
	}
	show, end := t.stepProgress()
	o, err := training.Run(t.c.Context, training.Job{
		Data: t.data, Split: t.split, Settings: t.settings, Open: open, Apart: apart, Folder: t.folder, Identity: identity, Resume: t.c.Bool("resume"),
		Loaders: t.c.Int("loaders"), SaveEvery: t.c.Duration("save-every"), Stop: t.env.Stops.Begin(), Progress: show,
	})
	end()
	if err != nil {
		return t.ended(err)
	}
	return t.write(t.c.Context, o, engine, config, hash)
}

func (t *task) threads() int {
	if n := t.c.Int("threads"); n > 0 {
		return n
	}
	return goruntime.GOMAXPROCS(0)
}

// network builds what learns.
func (t *task) network() (*backbone.Net, error) {
	t.options.Classes = len(t.data.Labels)
	net, err := backbone.New(t.info.Name, t.options)
	if err != nil {
		return nil, err
	}
	t.manifest.Labels = t.data.Labels
	for _, tensor := range net.Tensors {
		if !tensor.Buffer {
			t.manifest.Parameters += net.Graph.ConstOf(tensor.Value).Len()
		}
	}
	t.manifest.Description = fmt.Sprintf("%s; %d classes", t.info.About, len(t.data.Labels))
	if t.settings.HeadOnly && t.c.String("weights") == "" {
		return nil, errors.New("--head-only: the rest would stay as chance made it: give --weights FILE")
	}
	return net, errors.Join(
		t.startFrom("weights", func(f *weights.File, name string) error {
			report, err := net.Load(f)
			if err == nil {
				t.from = name
				console.Warn(t.c, t.env, []string{fmt.Sprintf("%d tensors of %s; fresh: %s", report.Loaded, name, cmp.Or(strings.Join(report.Fresh, ", "), "none"))})
			}
			return err
		}),
		t.startFrom("words", func(f *weights.File, name string) error {
			t.from = "the words of " + name
			return net.LoadWords(f, t.counts())
		}))
}

// startFrom takes from the file that a flag names what the network begins with; of no file nothing.
func (t *task) startFrom(flag string, take func(f *weights.File, name string) error) error {
	path := t.c.String(flag)
	if path == "" {
		return nil
	}
	f, err := weights.Open(path)
	if err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	if err := errors.Join(take(f, filepath.Base(path)), f.Close()); err != nil {
		return fmt.Errorf("--%s: %s: %w", flag, path, err)
	}
	return nil
}

// headOf returns the names of what belongs to the head.
func headOf(net *backbone.Net) (names []string) {
	for _, tensor := range net.Tensors {
		if tensor.Head {
			names = append(names, tensor.Name)
		}
	}
	return names
}

// ended turns the error of a training into an exit code.
func (t *task) ended(err error) error {
	if errors.Is(err, training.ErrStopped) || t.c.Context.Err() != nil {
		return console.Exit(console.Interrupted, fmt.Errorf("stopped; the same command with --resume goes on"))
	}
	return console.Exit(console.Unfinished, fmt.Errorf("%w\nWhat was done is in %s; the same command with --resume goes on from its last checkpoint", err, t.folder))
}
