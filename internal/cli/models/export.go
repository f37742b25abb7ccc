package models

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predictor"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/replace"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/onnx"
)

// ExportGraphs are the graphs that can be written, and the predictors that run them.
var ExportGraphs = map[string]string{"forward": method.Base, "tent": method.Tent, "memo": method.Memo, "mc": method.MCDropout}

func exportCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "write the graph of a predictor as an ONNX file that any ONNX Runtime runs", ArgsUsage: "NAME|FILE",
		Description: "forward is the network in the form in which this program sees it: one operator set, shape arithmetic folded. tent, memo and mc\n" +
			"are the graphs behind --method: the file's description says what its inputs and outputs are, its metadata repeat the settings,\n" +
			"and `oatta run -m FILE` runs it. A manifest is written beside the file.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "graph", Value: "forward", Category: predictor.Category, Usage: strings.Join(slices.Sorted(maps.Keys(ExportGraphs)), ", ")},
			&cli.IntFlag{Name: "views", Category: predictor.Category, DefaultText: "16 or 32", Usage: "memo: views beside the plain input"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: console.OutputCategory, Usage: "`FILE` to write"},
			&cli.BoolFlag{Name: "overwrite", Category: console.OutputCategory, Usage: "replace a file that is there"},
		}, predictor.GraphFlags()...),
		Action: func(c *cli.Context) error { return export(c, env) },
	}
}

func export(c *cli.Context, env console.Environment) error {
	out := c.String("output")
	switch {
	case c.NArg() != 1:
		return errors.New("models export: want one model")
	case out == "" || out == "-":
		return errors.New("models export: name the file by -o")
	}
	name := ExportGraphs[c.String("graph")]
	if name == "" {
		return fmt.Errorf("--graph %q: want %s", c.String("graph"), strings.Join(slices.Sorted(maps.Keys(ExportGraphs)), ", "))
	}
	m, err := models.Load(c.Args().First())
	if err != nil {
		return err
	}
	if m.Made() != "" {
		return fmt.Errorf("models export: %s holds a graph of %s already: export from the network itself", m.Path, m.Made())
	}
	s, err := predictor.MethodSettings(c, name, m.Manifest)
	if err != nil {
		return err
	}
	if err := mayExport(out, m, c.Bool("overwrite")); err != nil {
		return err
	}
	g, err := exported(m, s)
	if err != nil {
		return err
	}
	manifest, err := withTokenizer(m, out, c.Bool("overwrite"))
	if err != nil {
		return err
	}
	return saveExport(env, out, g, manifest)
}

// withTokenizer puts the tokenizer of a model of texts beside an output in another folder, and returns the manifest that names it.
func withTokenizer(m *models.Model, out string, overwrite bool) (models.Manifest, error) {
	if m.Manifest.Text == nil || m.Path != "" && filepath.Dir(m.Path) == filepath.Dir(out) {
		return m.Manifest, nil
	}
	text := *m.Manifest.Text
	text.Tokenizer = replaceEnding(filepath.Base(out), ".tokenizer")
	manifest := m.Manifest
	manifest.Text = &text
	folder := filepath.Join(filepath.Dir(out), text.Tokenizer)
	if vocabulary, err := m.Vocabulary(); err != nil || vocabulary != nil {
		return manifest, errors.Join(err, files.WriteVocabulary(folder, vocabulary, overwrite))
	}
	return manifest, files.CopyTokenizer(m.TokenizerDir(), folder, overwrite)
}

func replaceEnding(name, ending string) string {
	return strings.TrimSuffix(name, filepath.Ext(name)) + ending
}

// mayExport refuses to replace what should stay.
func mayExport(out string, m *models.Model, overwrite bool) error {
	manifest := models.ManifestPath(out)
	if manifest == out {
		return fmt.Errorf("-o %s: its manifest would have the same name: let the file end in .onnx", out)
	}
	read := []files.Place{files.At("the model", m.Path)}
	if m.Path != "" {
		read = append(read, files.At("the model's manifest", models.ManifestPath(m.Path)))
	}
	return errors.Join(
		files.KeepApart(read, []files.Place{files.At("the graph", out), files.At("its manifest", manifest)}),
		files.MayReplace(out, overwrite), files.MayReplace(manifest, overwrite),
	)
}

// exported makes the graph that is written.
func exported(m *models.Model, s method.Settings) (*onnx.Model, error) {
	if s.HasGraph() {
		return s.Graph(m)
	}
	return forwardOf(m)
}

// forwardOf is the plain network with its shape arithmetic folded.
func forwardOf(m *models.Model) (*onnx.Model, error) {
	net, err := m.Network()
	if err != nil {
		return nil, err
	}
	if err := net.Graph.Infer(); err != nil {
		return nil, err
	}
	net.Graph.Fold()
	net.Graph.Prune()
	return net, net.Check()
}

// saveExport writes graph and manifest.
func saveExport(env console.Environment, out string, g *onnx.Model, m models.Manifest) error {
	data, err := g.Bytes()
	if err != nil {
		return err
	}
	if err := replace.Bytes(out, data); err != nil {
		return err
	}
	m.SHA256, m.Parameters = filtering.Digest(data), 0
	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		return err
	}
	if err := replace.Bytes(models.ManifestPath(out), text.Bytes()); err != nil {
		return errors.Join(err, os.Remove(out))
	}
	fmt.Fprintf(env.Out, "wrote %s (%.1f MB, %d nodes) and %s\n", out, float64(len(data))/1e6, len(g.Graph.Nodes()), models.ManifestPath(out))
	return nil
}
