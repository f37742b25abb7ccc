package models

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
)

// Classes of networks whose labels are known.
var (
	cifarLabels  = []string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}
	textLabels   = []string{"negative", "positive"}
	signalLabels = map[string][]string{
		models.Motion: {"Walking", "Running", "Static", "Lying", "Stairs", "Cycling"},
		models.Sleep:  {"W", "N1", "N2", "N3", "R"},
	}
)

// describe fills the manifest with what the network takes and what its outputs mean.
func (b *build) describe() error {
	m := &b.manifest
	m.Version, m.License, m.Output = models.ManifestVersion, b.c.String("license"), models.Output{Name: "logits", Kind: models.Logits}
	if m.Name = b.c.String("name"); m.Name == "" {
		m.Name = strings.TrimSuffix(filepath.Base(b.c.String("output")), filepath.Ext(b.c.String("output")))
	}
	m.Description = fmt.Sprintf("%s; %d classes", b.info.About, b.net.Options.Classes)
	for _, t := range b.net.Tensors {
		if !t.Buffer {
			m.Parameters += b.net.Graph.ConstOf(t.Value).Len()
		}
	}
	if err := b.describeInput(); err != nil {
		return err
	}
	if m.Labels == nil {
		b.guessLabels()
	}
	return m.Validate()
}

func (b *build) describeInput() error {
	switch b.info.Kind {
	case backbone.Picture:
		return b.describePicture()
	case backbone.Text:
		return b.describeText()
	}
	b.manifest.Task = models.SignalClassification // its section is filled already: options came from it
	b.manifest.Signal.Samples = b.net.Options.Samples
	return nil
}

// describePicture takes the preparation of the published weights, for the size that the network has.
func (b *build) describePicture() error {
	r, err := b.recipe()
	if err != nil {
		return err
	}
	size := b.net.Options.Size
	b.manifest.Task = models.ImageClassification
	b.manifest.Input = models.Input{
		Name: "input", Height: size, Width: size, Layout: models.NCHW, Color: models.RGB, Mean: r.Mean[:], Std: r.Std[:],
		Resize: (r.Resize*size + b.info.Defaults.Size/2) / b.info.Defaults.Size, Interpolation: r.Interpolation,
	}
	return nil
}

func (b *build) recipe() (backbone.Recipe, error) {
	name, file := b.c.String("recipe"), filepath.Base(b.c.String("weights"))
	var names []string
	for _, r := range b.info.Recipes {
		if name == r.Name || name == "" && r.File != "" && strings.Contains(file, r.File) {
			return r, nil
		}
		names = append(names, r.Name)
	}
	if name != "" {
		return backbone.Recipe{}, fmt.Errorf("--recipe %s: %s has %s", name, b.info.Name, strings.Join(names, ", "))
	}
	first := b.info.Recipes[0]
	b.notes = append(b.notes, fmt.Sprintf("pictures are prepared as for %s; the manifest can be corrected", first.Name))
	return first, nil
}

// describeSignal fills the section of the manifest, and with it the options that depend on the task.
func (b *build) describeSignal(o *backbone.Options) error {
	s := &models.Signal{Name: "input", Modality: b.c.String("task"), Rate: b.c.Float64("rate"), Hop: b.c.Int("hop")}
	if s.Modality == "" && b.info.Defaults.Samples == 3000 {
		s.Modality = models.Sleep
	}
	s.Modality = cmp.Or(s.Modality, models.Motion)
	switch s.Modality {
	case models.Motion:
		s.Channels, s.Rate = []string{"x", "y", "z"}, cmp.Or(s.Rate, 50)
		o.Samples = cmp.Or(o.Samples, 150)
	case models.Sleep:
		s.Channels, s.Rate = []string{"EEG Fpz-Cz"}, cmp.Or(s.Rate, 100)
		o.Samples = cmp.Or(o.Samples, int(30*s.Rate))
		s.Low, s.High, s.Standardise = 0.3, min(35, 0.49*s.Rate), models.PerRecording
	default:
		return fmt.Errorf("--task %s: want %s or %s", s.Modality, models.Motion, models.Sleep)
	}
	if given := b.c.String("channels"); given != "" {
		var err error
		if s.Channels, err = channelNames(given); err != nil {
			return err
		}
	}
	o.Channels = len(s.Channels)
	if o.Classes == 0 && !b.c.IsSet("labels") {
		o.Classes = len(signalLabels[s.Modality])
	}
	b.manifest.Signal = s
	return nil
}

// channelNames reads names, or makes them of a number; those of six are HARTH's.
func channelNames(given string) ([]string, error) {
	n, err := strconv.Atoi(given)
	switch {
	case err != nil:
		names := strings.Split(given, ",")
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		return names, nil
	case n < 1 || n > 1024:
		return nil, fmt.Errorf("--channels %d: want 1 to 1024", n)
	case n == 3:
		return []string{"x", "y", "z"}, nil
	case n == 6:
		return []string{"back_x", "back_y", "back_z", "thigh_x", "thigh_y", "thigh_z"}, nil
	}
	return numbered("channel_", 1, n), nil
}

func numbered(prefix string, from, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = prefix + strconv.Itoa(from+i)
	}
	return out
}

// describeText names the inputs and looks for the tokenizer.
func (b *build) describeText() error {
	t := &models.Text{MaxTokens: b.c.Int("max-tokens")}
	names := []*string{&t.IDs, &t.Mask, &t.Types}
	for i, v := range b.net.Graph.Inputs() {
		*names[i] = b.net.Graph.NameOf(v)
	}
	if most := b.net.Options.Positions; t.MaxTokens > most {
		return fmt.Errorf("--max-tokens %d: the network has %d places", t.MaxTokens, most)
	}
	b.manifest.Task, b.manifest.Text = models.TextClassification, t
	b.tokens = b.c.String("tokenizer")
	if file := b.c.String("weights"); b.tokens == "" && file != "" && files.HasTokenizer(filepath.Dir(file)) {
		b.tokens = filepath.Dir(file)
	}
	switch {
	case b.tokens == "":
		b.notes = append(b.notes, "no tokenizer: put tokenizer.json or vocab.txt beside the model, or give --tokenizer FOLDER")
	case !files.HasTokenizer(b.tokens):
		return fmt.Errorf("--tokenizer %s: there is neither tokenizer.json nor vocab.txt", b.tokens)
	default:
		t.Tokenizer = b.tokenizerName()
	}
	return nil
}

// tokenizerName is the folder beside the output.
func (b *build) tokenizerName() string {
	return replaceEnding(filepath.Base(b.c.String("output")), ".tokenizer")
}

// guessLabels names classes whose number tells what they are; any others get numbers.
func (b *build) guessLabels() {
	k := b.net.Options.Classes
	b.manifest.Labels = b.usualLabels()
	if len(b.manifest.Labels) != k {
		b.manifest.Labels = numbered("class_", 0, k)
	}
	b.notes = append(b.notes, "the labels are a guess by their number: give --labels FILE if they are others")
}

// usualLabels are those of the data that networks of a kind are mostly trained on.
func (b *build) usualLabels() []string {
	switch {
	case b.info.Kind == backbone.Text:
		return textLabels
	case b.info.Kind == backbone.Signal:
		return signalLabels[b.manifest.Signal.Modality]
	case b.info.Defaults.Classes == len(cifarLabels):
		return cifarLabels
	}
	if m, err := models.Load(models.Default); err == nil {
		return m.Manifest.Labels
	}
	return nil
}

// readLabels reads one label a line.
func readLabels(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) > models.MaxManifestBytes {
		return nil, fmt.Errorf("%s: %d bytes, want at most %d", path, len(data), models.MaxManifestBytes)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	var labels []string
	for line := range strings.Lines(text) {
		labels = append(labels, strings.TrimSpace(line))
	}
	for len(labels) > 0 && labels[len(labels)-1] == "" {
		labels = labels[:len(labels)-1]
	}
	return labels, nil
}
