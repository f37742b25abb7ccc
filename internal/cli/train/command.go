package train

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
)

// Command is `oatta train`.
func Command(env console.Environment) *cli.Command {
	return &cli.Command{
		Name: "train", Usage: "labelled streams to a model: networks learn, whole people held out", Action: console.NeedsSubcommand,
		Subcommands: []*cli.Command{pictures.command(env), movement.command(env), nights.command(env), timelines.command(env)},
	}
}

// kind is a kind of data that a network can be trained on.
type kind struct {
	name, usage, args, about string

	group    string // what a stream is of: person, camera, account
	arch     string // network by default
	takes    backbone.Kind
	recipe   training.Settings // in place of one that is named
	flags    func() []cli.Flag
	describe func(t *task) error // fills in what the manifest says of the input, and the options of the network that follow from it
	load     func(t *task) error // reads the data
	ready    func(t *task) error // fits the inputs to the examples for training, and says how they are changed
}

func (k kind) command(env console.Environment) *cli.Command {
	return &cli.Command{
		Name: k.name, Usage: k.usage, ArgsUsage: k.args, Description: k.about + "\n" + aboutFolder,
		Flags:  slices.Concat(modelFlags(k), k.flags(), dataFlags(k), learningFlags(k), computeFlags()),
		Action: func(c *cli.Context) error { return k.run(c, env) },
	}
}

const aboutFolder = "The folder of -o gets NAME.onnx and NAME.json, which `oatta run -m` takes, README.md with data, people and scores, scores.json,\n" +
	"metrics.csv and curves.svg, and checkpoints. A run that was stopped, or killed, goes on with --resume and ends with the same bytes."

// task is one training in hand.
type task struct {
	kind
	c   *cli.Context
	env console.Environment

	folder   string
	info     backbone.Info
	options  backbone.Options
	manifest models.Manifest
	settings training.Settings
	recipe   string
	from     string // what the weights at the beginning are of; "": a fresh start

	data    *training.Data
	split   *training.Split
	train   []int // items
	changes any   // of examples, as they stand in the manifest of the run
	apart   bool  // the test is drawn, as the groups are no streams
	usual   usual
	tokens  string       // folder of the tokenizer
	counts  func() []int // how often each word is in the examples for training
}

// usual is who is held out where no flag says so; "" is nobody's word.
type usual struct{ test, validation string }
