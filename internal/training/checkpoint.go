package training

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/models/weights"
)

// The files of a run in its folder.
const (
	checkpointFolder = "checkpoints"
	lastName         = "last.safetensors" // where a run goes on
	bestName         = "best.safetensors" // the best network so far
	metricsName      = "metrics.csv"
	curvesName       = "curves.svg"
)

// positionKey is where a checkpoint has its position, among the metadata of safetensors.
const positionKey = "oatta.training"

// position is where a run is, beside the state of its network.
type position struct {
	Identity  map[string]string `json:"identity"`  // of the run: what must be the same when it is resumed
	Candidate int               `json:"candidate"` // number of the learning rate
	Step      int               `json:"step"`      // steps taken with it
	Sum       sums              `json:"sum"`       // since the last look at the validation examples
	Stale     int               `json:"stale"`     // looks without a better one
	Rows      []Row             `json:"rows"`      // of the metrics
	Own       *Best             `json:"own,omitempty"`
	Best      *Best             `json:"best,omitempty"`
	Diverged  []float64         `json:"diverged,omitempty"` // rates that were given up
	Done      bool              `json:"done"`
}

// sums are of the batches since the last look.
type sums struct {
	Loss  float64 `json:"loss"` // times examples
	Right int     `json:"right"`
	Seen  int     `json:"seen"`
}

// Best is a look at the validation examples.
type Best struct {
	Rate     float64 `json:"rate"`
	Step     int     `json:"step"`
	Accuracy float64 `json:"accuracy"`
	NLL      float64 `json:"nll"`
}

// better tells whether a look is better than another: it has more right, or as many with more probability.
func (b Best) better(than *Best) bool {
	return than == nil || b.Accuracy > than.Accuracy || b.Accuracy == than.Accuracy && b.NLL < than.NLL
}

// save writes a checkpoint. The file that was there stays until the new one is whole and on the disk.
func save(folder, name string, state []*weights.Tensor, p position) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, checkpointFolder, name)
	if err := weights.Save(path, state, map[string]string{positionKey: string(text)}); err != nil {
		return fmt.Errorf("training: checkpoint: %w", err)
	}
	return nil
}

// load reads a checkpoint; a file that is not there is fs.ErrNotExist.
func load(folder, name string) (state []*weights.Tensor, p position, err error) {
	path := filepath.Join(folder, checkpointFolder, name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, p, err
	}
	f, err := weights.Open(path)
	if err != nil {
		return nil, p, err
	}
	defer f.Close() // read only
	text, there := f.Metadata()[positionKey]
	if !there {
		return nil, p, fmt.Errorf("training: %s: is no checkpoint of a training", path)
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return nil, p, fmt.Errorf("training: %s: %w", path, err)
	}
	for _, t := range f.Tensors() {
		data, err := t.Bytes()
		if err == nil {
			t, err = weights.New(t.Name(), t.DType(), t.Shape(), data)
		}
		if err != nil {
			return nil, p, fmt.Errorf("training: %s: %w", path, err)
		}
		state = append(state, t)
	}
	return state, p, nil
}
