package models

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/replace"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
)

// Command is `oatta models`.
func Command(env console.Environment) *cli.Command {
	return &cli.Command{Name: "models", Usage: "list, inspect, build, convert and export models", Action: console.NeedsSubcommand, Subcommands: commands(env)}
}

func commands(env console.Environment) []*cli.Command {
	return []*cli.Command{
		{
			Name: "list", Usage: "the models in the binary, and those that can be built",
			Action: func(*cli.Context) error {
				for _, m := range models.Embedded() {
					fmt.Fprintf(env.Out, "%-20s %s; %s\n", m.Name, m.Description, facts(m))
				}
				fmt.Fprintf(env.Out, "`oatta models build` makes %s\n", strings.Join(backbone.Names(), ", "))
				return nil
			},
		},
		exportCommand(env),
		modelsBuildCommand(env),
		modelsConvertCommand(env),
		{
			Name: "inspect", Usage: "what a model expects and gives, and what was guessed", ArgsUsage: "NAME|FILE",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "write", Usage: "save the guessed manifest beside the model, to be corrected"},
			},
			Action: func(c *cli.Context) error { return inspect(c, env) },
		},
	}
}

// facts are the numbers of an embedded model.
func facts(m models.Info) string {
	size := m.Takes()
	if m.Signal == nil || len(m.Signal.Roles) == 0 { // trees have none
		size += fmt.Sprintf(", %.2g M parameters", float64(m.Parameters)/1e6)
	}
	out := fmt.Sprintf("%d classes, %s, %.1f MB, %s", m.Classes, size, float64(m.Stored)/1e6, m.License)
	if m.Score != "" {
		out += "; right: " + m.Score
	}
	return out
}

func inspect(c *cli.Context, env console.Environment) error {
	if c.NArg() != 1 {
		return errors.New("models inspect: want one model")
	}
	m, err := models.Load(c.Args().First())
	if err != nil {
		return err
	}
	if c.Bool("write") {
		return writeManifest(env.Out, m)
	}
	g := m.Graph
	fmt.Fprintf(env.Out, "model       %s\nsha256      %s\n", m.Manifest.Name, m.Hash())
	for _, p := range g.Inputs {
		fmt.Fprintf(env.Out, "input       %s\n", results.Printable(p.String()))
	}
	for _, p := range g.Outputs {
		fmt.Fprintf(env.Out, "output      %s\n", results.Printable(p.String()))
	}
	printPreparation(env.Out, m.Manifest)
	if m.Made() != "" {
		fmt.Fprintf(env.Out, "made for    --method %s\n", method.MadeFor(m))
	}
	fmt.Fprintf(env.Out, "outputs are %s, temperature %g\n", m.Manifest.Output.Kind, m.Manifest.Temperature)
	if f := g.Forest; f.Trees > 0 {
		fmt.Fprintf(env.Out, "trees       %d, of %d nodes\n", f.Trees, f.Nodes)
	} else {
		fmt.Fprintf(env.Out, "parameters  %d\n", m.Manifest.Parameters)
	}
	fmt.Fprintf(env.Out, "licence     %s\n", orUnknown(m.Manifest.License))
	if m.Manifest.Score != "" {
		fmt.Fprintf(env.Out, "right       %s\n", results.Printable(m.Manifest.Score))
	}
	printLabels(env.Out, m.Manifest.Labels)
	printCodes(env.Out, m.Manifest)
	for _, guess := range m.Guessed {
		fmt.Fprintf(env.Out, "guessed     %s\n", results.Printable(guess))
	}
	if m.Path == "" {
		if card := models.Card(m.Manifest.Name); card != "" {
			fmt.Fprintf(env.Out, "\n%s", card)
		}
	}
	return nil
}

// printPreparation shows how items become the network's input.
func printPreparation(w io.Writer, m models.Manifest) {
	switch in := m.Input; {
	case m.Signal != nil:
		s := m.Signal
		if s.Features != "" {
			for i, role := range s.Roles {
				fmt.Fprintf(w, "%-11s %s\n", role, results.Printable(s.Channels[i]))
			}
			fmt.Fprintf(w, "features    %d of %s for each epoch of %g seconds, normalised by the whole recording; not causal\n", s.Shape()[0], s.Features, float64(s.Samples)/s.Rate)
			return
		}
		fmt.Fprintf(w, "channels    %s\n", results.Printable(strings.Join(s.Channels, ", ")))
		fmt.Fprintf(w, "windows     %d samples at %g Hz in %s, one every %d, band %g to %g Hz, standardised: %s\n",
			s.Samples, s.Rate, s.Unit, s.Hop, s.Low, s.High, cmp.Or(s.Standardise, "no"))
	case m.Text != nil:
		fmt.Fprintf(w, "texts       at most %d tokens (0: as the tokenizer's files say), after %q; tokenizer in %q\n",
			m.Text.MaxTokens, m.Text.Transforms, cmp.Or(m.Text.Tokenizer, "."))
	default:
		fmt.Fprintf(w, "transform   resize %d (%s), crop %dx%d, %s %s, mean %v, std %v\n",
			in.Resize, in.Interpolation, in.Height, in.Width, in.Color, in.Layout, in.Mean, in.Std)
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// printCodes lists the numbers of labels, of many the first.
func printCodes(w io.Writer, m models.Manifest) {
	var codes []string
	for _, label := range m.Labels {
		if code, ok := m.Codes[label]; ok {
			codes = append(codes, fmt.Sprintf("%d %q", code, label))
		}
	}
	if codes != nil {
		fmt.Fprintf(w, "codes       %s\n", console.Some(codes, 8))
	}
}

// printLabels shows the first few, which tell whether the order is the right one.
func printLabels(w io.Writer, labels []string) {
	shown := labels[:min(8, len(labels))]
	more := ""
	if len(labels) > len(shown) {
		more = ", ..."
	}
	fmt.Fprintf(w, "labels      %d: %s%s\n", len(labels), results.Printable(strings.Join(shown, ", ")), more)
}

func writeManifest(w io.Writer, m *models.Model) error {
	if m.Path == "" {
		return fmt.Errorf("models inspect: %s is embedded and has its manifest", m.Manifest.Name)
	}
	path := models.ManifestPath(m.Path)
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("models inspect: %s exists: it is what the model uses", path)
	}
	var data bytes.Buffer
	if err := m.Manifest.Write(&data); err != nil {
		return err
	}
	if err := replace.Bytes(path, data.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(w, "wrote %s\n", path)
	return nil
}
