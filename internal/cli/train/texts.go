package train

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/reading"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/preprocess/text"
)

// polarities are the classes of posts that codes may be of.
var polarities = [][]string{{"negative", "positive"}, {"negative", "neutral", "positive"}}

var timelines = kind{
	name: "text", args: "FILE|DIR...", group: "account", arch: "bert_mini", takes: backbone.Text,
	usage: "train a network on labelled posts",
	about: "Reads what `oatta run text` reads: Sentiment140, CSV, JSON lines and LEAF files with a column of labels. All posts of one user in a file\n" +
		"are a stream.",
	recipe: training.Settings{
		Epochs: 3, Batch: 32, Rates: []float64{3e-5}, Schedule: training.Schedule{Course: training.Linear, Warmup: 100}, Optimizer: "adamw", Decay: 1e-2, Clip: 1,
	},
	flags: func() []cli.Flag {
		return append(reading.PostFlags(),
			&cli.StringFlag{Name: "tokenizer", Category: modelCategory, Usage: "`FOLDER` of tokenizer.json or vocab.txt, to be copied (default: that of the weights)"},
			&cli.IntFlag{Name: "max-tokens", Value: 128, Category: modelCategory, Usage: "longest text in `TOKENS`; what is behind is cut off"},
			&cli.StringFlag{Name: "transforms", Category: modelCategory, Usage: "what a text goes through first, NAMES with commas between, kept in the manifest: " + strings.Join(text.Transforms(), ", ")},
			&cli.StringFlag{Name: "words", Category: modelCategory, Usage: "`FILE` of weights of a larger network with the same tokenizer, such as minilm: its table of words begins that of text_cnn"},
			&cli.Float64Flag{Name: "word-dropout", Category: changeCategory, DefaultText: "0", Usage: "share of the words that is left out each time a post is shown"},
		)
	},
	describe: describeText, load: loadTexts, ready: func(*task) error { return nil },
}

// wordChanges is what is done to texts.
type wordChanges struct {
	WordDropout float64 `json:"word_dropout"`
}

// longestText bounds the tokens of a text for a network that has no table of places.
const longestText = 4096

func describeText(t *task) error {
	c := t.c
	drop := c.Float64("word-dropout")
	switch {
	case !(drop >= 0 && drop < 1):
		return fmt.Errorf("--word-dropout %v: want 0 to below 1", drop)
	case c.String("words") != "" && c.String("weights") != "":
		return errors.New("--words and --weights: all weights have a beginning already")
	case t.settings.Mixup > 0:
		return errors.New("--mixup: words cannot be laid over each other")
	}
	t.changes = wordChanges{drop}
	t.tokens = c.String("tokenizer")
	if file := c.String("weights"); t.tokens == "" && file != "" {
		t.tokens = filepath.Dir(file)
	}
	if t.tokens == "" || !files.HasTokenizer(t.tokens) {
		return errors.New("no tokenizer: give --tokenizer FOLDER, of tokenizer.json or vocab.txt")
	}
	net, err := backbone.New(t.info.Name, backbone.Options{}) // what it takes does not depend on its options
	if err != nil {
		return err
	}
	m := &models.Text{MaxTokens: c.Int("max-tokens"), Tokenizer: t.manifest.Name + ".tokenizer"}
	if m.Transforms, err = transformsOf(c.String("transforms")); err != nil {
		return err
	}
	names := []*string{&m.IDs, &m.Mask, &m.Types}
	for i, v := range net.Graph.Inputs() {
		*names[i] = net.Graph.NameOf(v)
	}
	most := cmp.Or(net.Options.Positions, longestText)
	if m.MaxTokens < 3 || m.MaxTokens > most {
		return fmt.Errorf("--max-tokens %d: want 3 to %d", m.MaxTokens, most)
	}
	t.manifest.Task, t.manifest.Text = models.TextClassification, m
	return nil
}

// transformsOf reads names with commas between.
func transformsOf(names string) ([]string, error) {
	if names == "" {
		return nil, nil
	}
	out := strings.Split(names, ",")
	for _, name := range out {
		if _, ok := text.Transform(name, ""); !ok {
			return nil, fmt.Errorf("--transforms: no transform %q; there are %s", name, strings.Join(text.Transforms(), ", "))
		}
	}
	return out, nil
}

func loadTexts(t *task) error {
	o, err := reading.PostOptions(t.c)
	if err != nil {
		return err
	}
	there := t.manifest // with the tokenizer where it lies now
	here := *t.manifest.Text
	here.Tokenizer = "."
	there.Text = &here
	m := &models.Model{Manifest: there, Path: filepath.Join(t.tokens, "model.onnx")}
	texts, err := inputs.OpenTexts(t.c.Context, t.c.Args().Slice(), m, o)
	if err != nil {
		return err
	}
	in, err := t.corrected(texts)
	if err != nil {
		return err
	}
	tokenizer, _, err := m.Tokenizer()
	if err != nil {
		return err
	}
	r, err := t.reading(in, polarities...)
	if err != nil {
		return err
	}
	var tokens *training.Tokens
	if t.data, tokens, err = training.ReadTokens(t.c.Context, in, tokenizer.Pad(), training.TokenInputs{Mask: here.Mask != "", Types: here.Types != ""}, r); err != nil {
		return err
	}
	console.Warn(t.c, t.env, in.Warnings())
	tokens.Drop(t.changes.(wordChanges).WordDropout, goesOn(tokenizer))
	if t.c.String("weights") == "" {
		t.options.Vocabulary = tokens.Vocabulary(tokenizer.Len())
	}
	t.counts = func() []int { return tokens.Counts(t.options.Vocabulary, t.train) }
	return nil
}

// goesOn tells the pieces that go on with a word.
func goesOn(t *text.Tokenizer) func(id int64) bool {
	return func(id int64) bool {
		token, ok := t.Token(id)
		return ok && strings.HasPrefix(token, "##")
	}
}
