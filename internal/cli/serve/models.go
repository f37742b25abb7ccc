package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predicted"
	"github.com/oatta/oatta/internal/cli/predictor"
	"github.com/oatta/oatta/internal/cli/setup"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/serve/backend"
	"github.com/oatta/oatta/serve/backend/classifier"
)

// filterModel is the name of the model that takes probabilities.
const filterModel = "filter"

// sources are all models of flags and of the file of settings.
func sources(c *cli.Context, others []own) (out []backend.Source, err error) {
	if c.String("classes") != "" {
		out = append(out, backend.Source{Name: filterModel, Open: func(context.Context) (*backend.Opened, error) { return openFilter(c) }})
	}
	for _, arg := range c.StringSlice("model") {
		others = append(others, own{"model": {arg}})
	}
	engine := sync.OnceValues(func() (runtime.Engine, error) { // when the first network wants it
		e, err := setup.LoadEngine(c.Context, runtime.Device(c.String("device")))
		if err != nil {
			return nil, err // an interface that holds no nil
		}
		return e, nil
	})
	for _, m := range others {
		s, err := source(c, m, engine)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, errors.New("nothing to serve: want --classes for predictions of other programs, or -m for a network")
	}
	return out, nil
}

// source is a network: its path is read anew whenever it is loaded.
func source(c *cli.Context, m own, engine func() (runtime.Engine, error)) (backend.Source, error) {
	name, version, path, err := modelOf(m["model"][0])
	if err != nil {
		return backend.Source{}, err
	}
	mine, err := contextOf(c, m)
	if err != nil {
		return backend.Source{}, fmt.Errorf("model %s: %w", path, err)
	}
	var first *models.Model // that was read for its name, until it is opened
	if name == "" {
		if name, first, err = nameOf(path); err != nil {
			return backend.Source{}, err
		}
	}
	return backend.Source{Name: name, Version: version, Open: func(context.Context) (*backend.Opened, error) {
		e, err := engine()
		if err != nil {
			return nil, err
		}
		model := first
		if first = nil; model == nil {
			if model, err = models.Load(path); err != nil {
				return nil, err
			}
		}
		return openNetwork(mine, model, e)
	}}, nil
}

// modelOf reads as:version=path, of which all but the path may be missing.
func modelOf(arg string) (name, version, path string, err error) {
	name, path, named := strings.Cut(arg, "=")
	if !named {
		return "", "", arg, nil
	}
	name, version, _ = strings.Cut(name, ":")
	if name == "" || path == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
		return "", "", "", fmt.Errorf("-m %s: want NAME=PATH or NAME:VERSION=PATH, and a name without slashes", arg)
	}
	return name, version, path, nil
}

// nameOf is that of the manifest of a model, which it returns, too.
func nameOf(path string) (string, *models.Model, error) {
	m, err := models.Load(path)
	if err != nil {
		return "", nil, err
	}
	if name := m.Manifest.Name; name != filterModel && name == filepath.Base(name) && !strings.HasPrefix(name, ".") {
		return name, m, nil
	}
	return "", nil, fmt.Errorf("-m %s: the model is called %q there: give it another name by NAME=%s", path, m.Manifest.Name, path)
}

// perModel are the flags that a model of the file of settings may have of its own.
func perModel() []cli.Flag {
	own := slices.Concat(filtering.CausalFlags(), predictor.Flags(), timeFlags(), computeFlags())
	return slices.DeleteFunc(own, func(f cli.Flag) bool { return slices.Contains([]string{"device", "device-id", "delay"}, f.Names()[0]) })
}

// contextOf are the flags as they are for one model: those of the command, and over them its own.
func contextOf(c *cli.Context, m own) (*cli.Context, error) {
	set, flags := flag.NewFlagSet("model", flag.ContinueOnError), perModel()
	for _, f := range flags {
		if err := f.Apply(set); err != nil {
			return nil, err
		}
	}
	child := cli.NewContext(c.App, set, c)
	child.Command = c.Command
	for _, f := range flags {
		name := f.Names()[0]
		values, mine := m[name]
		switch {
		case mine:
		case c.IsSet(name):
			values = given(c, name)
		}
		for _, v := range values {
			if err := child.Set(name, v); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	for name := range m {
		if name != "model" && !hasFlag(flags, name) {
			return nil, fmt.Errorf("%s: no setting of one model", name)
		}
	}
	return child, nil
}

// given are the values of a flag of the command.
func given(c *cli.Context, name string) []string {
	if list, ok := c.Value(name).(cli.StringSlice); ok {
		return list.Value()
	}
	return []string{fmt.Sprint(c.Value(name))}
}

// openFilter makes the model that takes probabilities.
func openFilter(c *cli.Context) (*backend.Opened, error) {
	o := &backend.Opened{}
	n, err := strconv.Atoi(c.String("classes"))
	switch {
	case err == nil && (n < 2 || n > 1<<20):
		return nil, fmt.Errorf("--classes %d: want at least 2", n)
	case err == nil:
		o.Classes = n
	default:
		if o.Labels, err = predicted.ReadClasses(c.String("classes")); err != nil {
			return nil, err
		}
		o.Classes = len(o.Labels)
	}
	own := filtering.Own{Labels: o.Labels}
	if o.Filter, _, err = own.Filter(c, 0); err == nil {
		err = timesOf(c, o)
	}
	return o, err
}

// openNetwork opens a model's predictor, and reads how its streams are filtered.
func openNetwork(c *cli.Context, m *models.Model, e runtime.Engine) (o *backend.Opened, err error) {
	o = &backend.Opened{Classes: len(m.Manifest.Labels), Labels: m.Manifest.Labels}
	own := filtering.Own{Prior: m.Manifest.Prior, Temperature: m.Manifest.Temperature, Transitions: m.Manifest.Transitions, Labels: o.Labels}
	if o.Filter, _, err = own.Filter(c, 0); err == nil {
		err = timesOf(c, o)
	}
	if err != nil {
		return nil, err
	}
	how, err := predictor.Of(c, m)
	if err != nil {
		return nil, err
	}
	net, err := classifier.Open(e, m, how, computeOf(c))
	if err != nil {
		return nil, err
	}
	m.Release()
	o.Network = net
	return o, nil
}

func timesOf(c *cli.Context, o *backend.Opened) (err error) {
	o.Late = timeline.Policy(c.String("late"))
	o.Times, err = filtering.GapsOf(c, o.Filter.Gate)
	return err
}

// computeOf reads how networks run: on a CPU, runs on one thread each use the cores better than one run on all of them.
func computeOf(c *cli.Context) classifier.Options {
	device := runtime.Device(c.String("device"))
	o := classifier.Options{
		Config: runtime.Config{Device: device, DeviceID: c.Int("device-id"), IntraThreads: max(1, c.Int("threads"))},
		Batch:  c.Int("batch"), Runs: c.Int("runs"), MaxPixels: c.Int64("max-pixels"),
	}
	if o.Runs == 0 {
		o.Runs = 2
		if device == runtime.DeviceCPU {
			o.Runs = max(1, goruntime.GOMAXPROCS(0)/o.Config.IntraThreads)
		}
	}
	return o
}
