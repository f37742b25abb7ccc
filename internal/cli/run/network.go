package run

import (
	"fmt"
	goruntime "runtime"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predictor"
	"github.com/oatta/oatta/internal/cli/setup"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
)

const (
	modelCategory   = "MODEL"
	computeCategory = "COMPUTE"
)

// modelFlags choose the model. Where the default depends on the input, or is told when it is taken, there are words for it in place of a name.
func modelFlags(byDefault, text string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Aliases: []string{"m"}, Value: byDefault, DefaultText: text, Category: modelCategory, Usage: "`NAME` of an embedded model, or path of an ONNX file or manifest"},
	}
}

func computeFlags() []cli.Flag {
	return append(setup.DeviceFlags(computeCategory),
		&cli.IntFlag{Name: "batch", Category: computeCategory, DefaultText: "4 on CPU, 32 on CUDA", Usage: "items a run of the network; for tent, streams that one run may advance"},
		&cli.IntFlag{Name: "runs", Category: computeCategory, DefaultText: "one a core on CPU, 2 on CUDA; of memo on large pictures one", Usage: "runs of the network at the same time"},
		&cli.IntFlag{Name: "threads", Category: computeCategory, DefaultText: "1; of memo on large pictures one a core", Usage: "threads inside one run"},
		&cli.IntFlag{Name: "loaders", Category: computeCategory, DefaultText: "one a core, or one for each core that --runs leaves", Usage: "items loaded at the same time"},
		&cli.StringFlag{Name: "tune", Value: "off", Category: computeCategory, Usage: "tent, memo: off (convolutions are written by rules, so that every machine computes alike), on (as was timed to be fastest on this one, once, and kept)"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress and no summary"},
	)
}

// network is a model ready to predict what an input holds.
type network struct {
	model     *models.Model
	input     inputs.Input
	engine    *ort.Engine
	config    runtime.Config
	method    method.Settings
	predictor *method.Predictor
	reason    string // why it runs where it does
}

// openNetwork loads ONNX Runtime and opens the predictor of the flags, in the forms with which a run that is continued began; nil: it is a
// new one.
func openNetwork(c *cli.Context, m *models.Model, in inputs.Input, began *method.Settings) (k *network, err error) {
	k = &network{model: m, input: in, config: sessionConfig(c)}
	if k.method, err = predictor.Of(c, m); err != nil {
		return nil, err
	}
	if k.method.Name == method.Memo && method.Large(m.Manifest) && c.Int("threads") == 0 && c.Int("runs") == 0 && c.String("device") == string(runtime.DeviceCPU) {
		k.config.IntraThreads = goruntime.GOMAXPROCS(0) // one run on all cores: each holds the values of all views, gigabytes
	}
	if k.engine, err = setup.LoadEngine(c.Context, runtime.Device(c.String("device"))); err != nil {
		return nil, err
	}
	if err = k.tune(c, began); err != nil {
		return nil, err
	}
	if k.predictor, err = method.Open(k.engine, m, k.method, method.Options{Config: k.config, Items: in}); err != nil {
		return nil, fmt.Errorf("--method %s: %w", k.method.Name, err)
	}
	m.Release() // nothing else is made of it
	k.reason = ort.DeviceReason(k.predictor.Session)
	return k, nil
}

// Close closes the session.
func (k *network) Close() error { return k.predictor.Close() }

// sessionConfig: on a CPU, several runs side by side on one thread each use the cores better than one run on all of them, since no
// operator waits for its slowest thread.
func sessionConfig(c *cli.Context) runtime.Config {
	return runtime.Config{
		Device: runtime.Device(c.String("device")), DeviceID: c.Int("device-id"), IntraThreads: positive(c.Int("threads"), 1),
	}
}

// positive returns v, or other where v is 0, the flags' word for a default.
func positive(v, other int) int {
	if v == 0 {
		return other
	}
	return v
}

// share says how the work is divided.
type share struct{ batch, runs, loaders int }

func (k *network) share(c *cli.Context) (share, error) {
	cores := goruntime.GOMAXPROCS(0) // heeds the limits of a container
	s := share{batch: method.DefaultBatch(k.predictor.Device()), runs: max(1, cores/k.config.IntraThreads), loaders: cores}
	onCPU := k.predictor.Device() == string(runtime.DeviceCPU)
	if !onCPU {
		s.runs = 2
	}
	for _, f := range []struct {
		name string
		to   *int
	}{{"batch", &s.batch}, {"runs", &s.runs}, {"loaders", &s.loaders}} {
		if v := c.Int(f.name); v < 0 || v > 4096 {
			return s, fmt.Errorf("--%s %d: want 1 to 4096", f.name, v)
		}
		*f.to = positive(c.Int(f.name), *f.to)
	}
	if busy := s.runs * k.config.IntraThreads; onCPU && c.Int("loaders") == 0 && busy < cores {
		s.loaders = cores - busy // who keeps cores from the network wants them for decoding, and the network's left alone
	}
	if s.batch = k.predictor.Batch(s.batch); k.predictor.Streams != nil {
		s.runs = 1
	}
	return s, nil
}

// streams is how many streams are read side by side.
func (k *network) streams(s share) int {
	if k.predictor.Streams != nil {
		return s.batch
	}
	return 1
}

// filterOf reads the settings of the filter over the model's classes, resolved, with the transitions of others if there are some.
func filterOf(c *cli.Context, m *models.Model, in inputs.Input) (adapt.Settings, *filtering.Transitions, error) {
	own := filtering.Own{Prior: m.Manifest.Prior, Temperature: m.Manifest.Temperature, Transitions: m.Manifest.Transitions, Labels: m.Manifest.Labels}
	s, t, err := own.Filter(c, filtering.SecondsOf(in))
	if err == nil {
		s, err = s.Resolved(len(m.Manifest.Labels))
	}
	return s, t, err
}
