package run

import (
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/models/forms"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// tune settles in which forms the predictor's graph is written: by how many rows its runs have, and by timing if that is wanted. A run that
// is continued keeps those that it began with, whatever the flag says now.
func (k *network) tune(c *cli.Context, began *method.Settings) error {
	mode := c.String("tune")
	if mode != "on" && mode != "off" && mode != "" { // "" where a command has no such flag
		return fmt.Errorf("--tune %q: want on or off", mode)
	}
	if began != nil {
		if began.Name == k.method.Name {
			k.method.Forms = began.Forms
			if k.method.Tent != nil && began.Tent != nil {
				k.method.Tent.Rows = began.Tent.Rows
			}
		}
		return nil
	}
	k.method = k.method.ForRows(k.rows(c), k.config.Device)
	if mode != "on" || k.method.Name != method.Tent && k.method.Name != method.Memo {
		return nil
	}
	if d := c.String("device"); d != string(runtime.DeviceCPU) {
		return fmt.Errorf("--tune on: forms are timed on the CPU alone, and --device is %s", d)
	}
	t := &forms.Tuner{Engine: k.engine, Machine: forms.Machine(k.engine.Version())}
	if !c.Bool("quiet") {
		t.Tell = func(format string, args ...any) { fmt.Fprintf(c.App.ErrWriter, "oatta: "+format+"\n", args...) }
	}
	if dir, err := ortlib.CacheDir(); err == nil { // without one nothing is kept
		t.File = filepath.Join(dir, "forms.json")
	}
	var err error
	if k.method, err = k.method.Tuned(k.model, t); err != nil {
		return fmt.Errorf("--tune on: %w", err)
	}
	return nil
}

// rows is how many streams a run of the network advances in the mean.
func (k *network) rows(c *cli.Context) int {
	if k.method.Tent == nil {
		return 0
	}
	batch := positive(c.Int("batch"), method.DefaultBatch(string(k.config.Device)))
	return pipeline.MeanRows(k.input.Items(), max(1, min(batch, k.input.Streams())), len(k.model.Manifest.Labels))
}
