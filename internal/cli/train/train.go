package train

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/setup"
	"github.com/oatta/oatta/internal/lock"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/weights"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
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

// identity is what must be the same when a training is resumed, by name, so that a difference can be told.
func (t *task) identity(hash, engine string) (map[string]string, error) {
	out := map[string]string{
		"program": console.Version(), "platform": goruntime.GOOS + "/" + goruntime.GOARCH, "onnxruntime": engine,
		"network": t.info.Name, "device": t.c.String("device"), "threads": strconv.Itoa(t.threads()), "data": hash, "labels": strings.Join(t.data.Labels, ", "), "recipe": t.recipe,
	}
	for name, of := range map[string][]training.Group{"training": t.split.Train, "validation": t.split.Validation, "test": t.split.Test} {
		out[name+" "+t.group+"s"] = told(of)
	}
	for name, v := range map[string]any{"setting": t.settings, "network": t.options, "change": t.changes, "input": t.input()} {
		if err := fieldsOf(out, name, v); err != nil {
			return nil, err
		}
	}
	for _, flag := range []string{"weights", "words"} {
		path := t.c.String(flag)
		if path == "" {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		out[flag] = filtering.Digest(data)
	}
	return out, nil
}

// told names groups, of many the first and a digest of all.
func told(groups []training.Group) string {
	var names []string
	for _, g := range groups {
		names = append(names, g.Name)
	}
	const most = 40
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, ... (%d, %s)", strings.Join(names[:most], ", "), len(names), filtering.Digest(strings.Join(names, "\n"))[:16])
}

// fieldsOf adds the fields of a struct, each by its name.
func fieldsOf(out map[string]string, prefix string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	for name, value := range fields {
		out[prefix+" "+name] = string(value)
	}
	return nil
}

// input is what the manifest says of it.
func (t *task) input() any {
	m := t.manifest
	switch {
	case m.Signal != nil:
		return *m.Signal
	case m.Text != nil:
		return *m.Text
	}
	return m.Input
}

// begin writes what the training is begun with, or compares it with what it was.
func (t *task) begin(identity map[string]string) error {
	was, err := readIdentity(t.folder)
	if err != nil {
		return err
	}
	if t.c.Bool("resume") && was != nil {
		if diff := pipeline.Differences(was, identity); diff != "" {
			return fmt.Errorf("%s: the training there was begun with something else (--overwrite begins anew):\n%s", t.folder, diff)
		}
		return nil
	}
	if err := forget(t.folder, t.manifest.Name); err != nil {
		return err
	}
	return files.ReplaceJSON(filepath.Join(t.folder, identityName), identity)
}

// ended turns the error of a training into an exit code.
func (t *task) ended(err error) error {
	if errors.Is(err, training.ErrStopped) || t.c.Context.Err() != nil {
		return console.Exit(console.Interrupted, fmt.Errorf("stopped; the same command with --resume goes on"))
	}
	return console.Exit(console.Unfinished, fmt.Errorf("%w\nWhat was done is in %s; the same command with --resume goes on from its last checkpoint", err, t.folder))
}

// write measures the network that was learned, as it will be used, and writes it.
func (t *task) write(ctx context.Context, o *training.Outcome, engine *ort.Engine, config runtime.Config, hash string) error {
	data, err := o.Network.Bytes()
	if err != nil {
		return err
	}
	session, err := engine.Open(data, config)
	if err != nil {
		return err
	}
	l, err := training.Learn(ctx, t.data, t.scored(), training.Session{Session: session}, t.settings)
	if err := errors.Join(err, session.Close()); err != nil {
		return t.ended(err)
	}
	t.manifest.Source = fmt.Sprintf("oatta train %s on %s (sha256 %s)", t.name, strings.Join(t.sources(), ", "), hash)
	t.manifest.Notes = fmt.Sprintf("Trained on %s, validated on %d, tested on %d; README.md beside the model has the scores.",
		console.Number(len(t.split.Train), t.group), len(t.split.Validation), len(t.scored().Test))
	card := training.Card{
		Command: fmt.Sprintf("oatta run %s %s -m %s.onnx", t.name, strings.TrimSuffix(t.args, "..."), t.manifest.Name), Program: "oatta " + console.Version(), Network: t.info.Name,
		From: t.from, Sources: t.sources(), Recipe: t.recipe, Settings: t.settings, Changes: t.changes, Group: t.group,
		Later: t.later(),
	}
	if t.manifest.Text != nil {
		if err := files.CopyTokenizer(t.tokens, filepath.Join(t.folder, t.manifest.Text.Tokenizer), true); err != nil {
			return t.ended(err)
		}
	}
	m, err := training.WriteModel(t.folder, data, t.data, t.split, o, l, t.manifest, card, hash)
	if err != nil {
		return t.ended(err)
	}
	if _, err := models.Load(filepath.Join(t.folder, m.Name+".onnx")); err != nil {
		return err
	}
	if !t.c.Bool("quiet") {
		t.tell(o, l, m)
	}
	return nil
}

// later tells whether there is a test that is not scored yet.
func (t *task) later() bool { return t.c.Bool("test-later") && len(t.split.Test) > 0 }

// scored is the split as far as it may be looked at.
func (t *task) scored() *training.Split {
	if !t.later() {
		return t.split
	}
	return &training.Split{Train: t.split.Train, Validation: t.split.Validation}
}

// sources are the names of the data, without where they lie.
func (t *task) sources() []string {
	var out []string
	for _, arg := range t.c.Args().Slice() {
		out = append(out, filepath.Base(arg))
	}
	return out
}

// tell prints what came out.
func (t *task) tell(o *training.Outcome, l *training.Learned, m models.Manifest) {
	e, part := l.Validation, "validation"
	if l.Test != nil {
		e, part = *l.Test, "test"
	}
	w := t.env.Out
	fmt.Fprintf(w, "wrote       %s\n", filepath.Join(t.folder, m.Name+".onnx"))
	fmt.Fprintf(w, "network     %s, %d parameters\n", t.info.Name, m.Parameters)
	kept := cmp.Or(t.settings.Keep, training.KeepBest)
	fmt.Fprintf(w, "%-12sstep %d with the rate %g: validation accuracy %.4f\n", kept, o.Best.Step, o.Best.Rate, o.Best.Accuracy)
	fmt.Fprintf(w, "%-12saccuracy %.4f raw, %.4f filtered, %.4f smoothed\n", part, e.Raw.Accuracy, e.Adapted.Accuracy, l.Smoothed.Adapted.Accuracy)
	if t.later() {
		fmt.Fprintf(w, "test        not scored: the same command with --resume and without --test-later does\n")
	}
	worst := slices.MinFunc(e.Raw.Classes, func(a, b scoresOfClass) int { return cmp.Compare(a.F1, b.F1) })
	fmt.Fprintf(w, "hardest     %s: F1 %.4f raw\n", worst.Label, worst.F1)
	fmt.Fprintf(w, "temperature %.3f\n", l.Temperature)
}
