package models

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/replace"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/weights"
)

func modelsBuildCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name: "build", Usage: "make an ONNX file and its manifest of a network and its weights", ArgsUsage: "NETWORK",
		Description: "The networks are " + strings.Join(backbone.Names(), ", ") + ".\n\n" +
			"Weights are published ones or your own: safetensors, a PyTorch state dict (.pt, .pth, .bin), npz. With another number of\n" +
			"--classes the last layer is made anew. What a network leaves open has the values of its published weights; signals are\n" +
			"those of movement (50 Hz) or, with --task sleep, of epochs of 30 seconds at 100 Hz.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "weights", Aliases: []string{"w"}, Usage: "`FILE` of weights"},
			&cli.Uint64Flag{Name: "init", Usage: "start from a `SEED` instead: the network is untrained; with --weights, seed of a new last layer"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FILE` to write, .onnx; the manifest goes beside it"},
			&cli.BoolFlag{Name: "overwrite", Usage: "replace files that exist"},
			&cli.BoolFlag{Name: "half", Usage: "store large weights as float16"},
			&cli.IntFlag{Name: "classes", Usage: "`NUMBER` of classes; default: that of the labels, or of the network"},
			&cli.StringFlag{Name: "labels", Usage: "`FILE` of the names of the classes, one a line, in the network's order"},
			&cli.Float64Flag{Name: "dropout", Usage: "`RATE` before the last layer; negative: none; default: the network's own"},
			&cli.IntFlag{Name: "size", Usage: "side of the pictures in `PIXELS`"},
			&cli.StringFlag{Name: "recipe", Usage: "`NAME` of the weights whose preparation of pictures is meant, as IMAGENET1K_V2; default: by the file's name"},
			&cli.StringFlag{Name: "task", Usage: "`TASK` of signals: motion or sleep"},
			&cli.StringFlag{Name: "channels", Usage: "`NAMES` of the channels of signals, with commas between, or their number"},
			&cli.IntFlag{Name: "window", Usage: "`SAMPLES` of a window of signals"},
			&cli.IntFlag{Name: "hop", Usage: "`SAMPLES` from one window of movement to the next; default: a window"},
			&cli.Float64Flag{Name: "rate", Usage: "samples a second of signals, in `HZ`"},
			&cli.IntFlag{Name: "levels", Usage: "`NUMBER` of levels of the tcn"},
			&cli.StringFlag{Name: "tokenizer", Usage: "`FOLDER` of tokenizer.json or vocab.txt, to be copied; default: that of the weights"},
			&cli.IntFlag{Name: "max-tokens", Usage: "longest text in `TOKENS`; default: what the tokenizer says"},
			&cli.StringFlag{Name: "name", Usage: "`NAME` for the manifest; default: that of the output"},
			&cli.StringFlag{Name: "license", Usage: "SPDX `IDENTIFIER` of the weights, for the manifest"},
		},
		Action: func(c *cli.Context) error { return buildModel(c, env) },
	}
}

func buildModel(c *cli.Context, env console.Environment) error {
	b, err := newBuild(c)
	if err != nil {
		return fmt.Errorf("models build: %w", err)
	}
	if err := b.load(); err != nil {
		return err
	}
	if err := b.write(); err != nil {
		return err
	}
	b.report(env.Out)
	return nil
}

// build is one network on its way to a file.
type build struct {
	c        *cli.Context
	info     backbone.Info
	net      *backbone.Net
	manifest models.Manifest
	loaded   backbone.Report
	tokens   string   // folder of a tokenizer to be copied
	notes    []string // what the user should know
	bytes    int
}

func newBuild(c *cli.Context) (*build, error) {
	b := &build{c: c}
	if c.NArg() != 1 {
		return nil, fmt.Errorf("want one network: %s", strings.Join(backbone.Names(), ", "))
	}
	var err error
	if b.info, err = backbone.Describe(c.Args().First()); err != nil {
		return nil, err
	}
	if err := b.checkFiles(); err != nil {
		return nil, err
	}
	if err := b.onlyFor(); err != nil {
		return nil, err
	}
	o, err := b.options()
	if err != nil {
		return nil, err
	}
	if b.net, err = backbone.New(b.info.Name, o); err != nil {
		return nil, err
	}
	return b, b.describe()
}

func (b *build) checkFiles() error {
	out, file := b.c.String("output"), b.c.String("weights")
	switch {
	case out == "":
		return errors.New("no output: give -o FILE.onnx")
	case !strings.EqualFold(filepath.Ext(out), ".onnx"):
		return fmt.Errorf("output %s: want a name that ends in .onnx", out)
	case file == "" && !b.c.IsSet("init"):
		return errors.New("no weights: give --weights FILE, or --init SEED for a network that is not trained")
	}
	manifest := models.ManifestPath(out)
	inputs := []files.Place{files.At("the weights", file), files.At("the labels", b.c.String("labels"))}
	if err := files.KeepApart(inputs, []files.Place{files.At("the network", out), files.At("the manifest", manifest)}); err != nil {
		return err
	}
	if err := files.MayReplace(out, b.c.Bool("overwrite")); err != nil {
		return err
	}
	return files.MayReplace(manifest, b.c.Bool("overwrite"))
}

// onlyFor refuses flags that mean nothing for the kind of network.
func (b *build) onlyFor() error {
	for _, k := range []struct {
		kind  backbone.Kind
		flags []string
	}{
		{backbone.Picture, []string{"size", "recipe"}},
		{backbone.Signal, []string{"task", "channels", "window", "hop", "rate", "levels"}},
		{backbone.Text, []string{"tokenizer", "max-tokens"}},
	} {
		set := slices.IndexFunc(k.flags, b.c.IsSet)
		if set >= 0 && k.kind != b.info.Kind {
			return fmt.Errorf("--%s means nothing for %s, a network for a %s", k.flags[set], b.info.Name, b.info.Kind)
		}
	}
	return nil
}

// options are the network's, with the number of classes that the labels have.
func (b *build) options() (backbone.Options, error) {
	o := backbone.Options{
		Classes: b.c.Int("classes"), Size: b.c.Int("size"), Samples: b.c.Int("window"), Levels: b.c.Int("levels"),
		Dropout: b.c.Float64("dropout"), Seed: b.c.Uint64("init"),
	}
	if b.info.Kind == backbone.Signal {
		if err := b.describeSignal(&o); err != nil {
			return o, err
		}
	}
	if path := b.c.String("labels"); path != "" {
		labels, err := readLabels(path)
		if err != nil {
			return o, err
		}
		if o.Classes != 0 && o.Classes != len(labels) {
			return o, fmt.Errorf("%s: %d labels for %d classes", path, len(labels), o.Classes)
		}
		o.Classes, b.manifest.Labels = len(labels), labels
	}
	return o, nil
}

func (b *build) load() error {
	path := b.c.String("weights")
	if path == "" {
		b.notes = append(b.notes, fmt.Sprintf("untrained: all weights are fresh, from seed %d", b.c.Uint64("init")))
		return nil
	}
	f, err := weights.Open(path)
	if err != nil {
		return err
	}
	b.loaded, err = b.net.Load(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(b.loaded.Fresh) > 0 {
		b.notes = append(b.notes, "untrained: the file does not have "+strings.Join(b.loaded.Fresh, ", "))
	}
	if len(b.loaded.Interpolated) > 0 {
		b.notes = append(b.notes, "interpolated for another size of picture: "+strings.Join(b.loaded.Interpolated, ", "))
	}
	b.manifest.Source = filepath.Base(path)
	if s := f.Metadata()["source"]; s != "" {
		b.manifest.Source += ", " + s
	}
	return nil
}

// write saves the network, its tokenizer and last its manifest, and reads all again as any later command will.
func (b *build) write() error {
	out := b.c.String("output")
	data, err := modelBytes(onnx.New(b.net.Graph), b.c.Bool("half"))
	if err != nil {
		return err
	}
	b.bytes, b.manifest.SHA256 = len(data), filtering.Digest(data)
	if b.loaded.Loaded == 0 || len(b.loaded.Fresh) > 0 {
		b.manifest.Notes = "Not trained for these classes yet."
	}
	var text bytes.Buffer
	if err := b.manifest.Write(&text); err != nil {
		return err
	}
	if err := files.CopyTokenizer(b.tokens, filepath.Join(filepath.Dir(out), b.tokenizerName()), b.c.Bool("overwrite")); err != nil {
		return err
	}
	if err := replace.Bytes(out, data); err != nil {
		return err
	}
	if err := replace.Bytes(models.ManifestPath(out), text.Bytes()); err != nil {
		return err
	}
	_, err = models.Load(out)
	return err
}

// modelBytes are those of the file, with large weights of half their size if so asked.
func modelBytes(m *onnx.Model, half bool) ([]byte, error) {
	p, err := m.Proto()
	if err != nil {
		return nil, err
	}
	if half {
		p, _ = onnx.Halve(p)
	}
	return onnx.Encode(p)
}

func (b *build) report(w io.Writer) {
	out := b.c.String("output")
	fmt.Fprintf(w, "wrote       %s (%.1f MB) and %s\n", out, float64(b.bytes)/1e6, models.ManifestPath(out))
	fmt.Fprintf(w, "network     %s: %s; %.2f M parameters\n", b.info.Name, b.info.About, float64(b.manifest.Parameters)/1e6)
	if b.loaded.Loaded > 0 {
		fmt.Fprintf(w, "weights     %d tensors of %s\n", b.loaded.Loaded, results.Printable(filepath.Base(b.c.String("weights"))))
	}
	printLabels(w, b.manifest.Labels)
	for _, n := range b.notes {
		fmt.Fprintf(w, "note        %s\n", results.Printable(n))
	}
}
