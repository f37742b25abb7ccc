package run

import (
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models/forms"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// tune settles in which forms the predictor's graph is written. A run that is continued keeps those that it began with, whatever the flag
// says now.
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
	if mode != "on" || k.method.Name != method.Tent && k.method.Name != method.Memo {
		return nil
	}
	if d := c.String("device"); d != string(runtime.DeviceCPU) {
		return fmt.Errorf("--tune on: forms are timed on the CPU alone, and --device is %s", d)
	}
	if k.method.Tent != nil {
		k.method.Tent.Rows = min(positive(c.Int("batch"), 4), k.input.Streams())
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
