package classifier

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/backend"
)

// Options say how a model runs. The zero value runs it on the CPU.
type Options struct {
	Config    runtime.Config
	Batch     int   // rows of a run, or streams that a run advances; 0: 4 on a CPU, 32 elsewhere
	Runs      int   // at the same time; 0: one
	MaxPixels int64 // of a picture; 0: 32 Mi
	Memory    int64 // of a predictor that learns along streams, for those that are in no lane, in bytes; 0: 256 MiB
}

// maxPixels is the default of Options.MaxPixels: most cameras', and less than what takes a server's memory.
const maxPixels = 32 << 20

// Classifier is an open model.
type Classifier struct {
	manifest  models.Manifest
	predictor *method.Predictor
	rows      rows
	lanes     *lanes // nil: items go in any order
	batch     int
	runs      int
	seed      uint64
}

var (
	_ backend.Network = (*Classifier)(nil)
	_ backend.Learner = (*Classifier)(nil)
)

// Open opens the predictor of a model.
func Open(e runtime.Engine, m *models.Model, s method.Settings, o Options) (*Classifier, error) {
	s = s.ForRows(cmp.Or(o.Batch, method.DefaultBatch(string(runtime.DeviceCPU))), o.Config.Device)
	p, err := method.Open(e, m, s, method.Options{Config: o.Config})
	if err != nil {
		return nil, fmt.Errorf("classifier: %w", err)
	}
	c := &Classifier{manifest: m.Manifest, predictor: p, batch: p.Batch(cmp.Or(o.Batch, method.DefaultBatch(p.Device()))), runs: max(1, o.Runs), seed: s.Seed}
	if c.rows, err = rowsOf(m, p, o); err == nil && p.Streams != nil {
		c.runs = 1
		c.lanes, err = newLanes(p.Streams, c.batch, o.Memory)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("classifier: %w", err), p.Close())
	}
	return c, nil
}

// Platform implements [backend.Network].
func (c *Classifier) Platform() string { return "onnxruntime_onnx" }

// Inputs implements [backend.Network]. Where there are two, a request gives one of them.
func (c *Classifier) Inputs() []serve.Port { return c.rows.ports() }

// Len implements [backend.Network].
func (c *Classifier) Len() int { return c.predictor.InputLen() }

// Batch implements [backend.Network].
func (c *Classifier) Batch() int { return c.batch }

// Runs implements [backend.Network].
func (c *Classifier) Runs() int { return c.runs }

// Close implements [backend.Network].
func (c *Classifier) Close() error { return c.predictor.Close() }

// Forget implements [backend.Learner].
func (c *Classifier) Forget(stream string) {
	if c.lanes != nil {
		c.lanes.forget(stream)
	}
}

// Prepare implements [backend.Network].
func (c *Classifier) Prepare(inputs []serve.Tensor) ([]float32, int, error) {
	if len(inputs) != 1 {
		return nil, 0, serve.Errorf(serve.InvalidArgument, "%d inputs: want one", len(inputs))
	}
	return c.rows.read(&inputs[0], c.predictor.InputLen(), c.seed)
}

// seeds are those of n rows; none where nothing is drawn.
func (c *Classifier) seeds(rows []float32, n int) []uint64 {
	if _, plain := c.predictor.Any.(*predict.Base); plain {
		return nil
	}
	seeds, length := make([]uint64, n), c.predictor.InputLen()
	for i := range seeds {
		seeds[i] = seedOf(c.seed, floatBytes(rows[i*length:(i+1)*length]))
	}
	return seeds
}

// Predict implements [backend.Network].
func (c *Classifier) Predict(ctx context.Context, dst []float64, rows []float32, of []backend.Row, errs []error) (err error) {
	k := c.predictor.Classes()
	raw := make([]float32, len(of)*k)
	if c.lanes != nil {
		err = c.lanes.step(ctx, raw, rows, of, errs)
	} else {
		err = c.predictor.Any.Predict(ctx, raw, rows, c.seeds(rows, len(of)))
	}
	if err != nil {
		return err
	}
	for i := range of {
		if errs[i] == nil {
			errs[i] = c.predictor.Probabilities(dst[i*k:(i+1)*k], raw[i*k:(i+1)*k])
		}
	}
	return nil
}
