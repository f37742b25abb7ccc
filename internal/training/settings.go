package training

import (
	"errors"
	"fmt"
	"strings"

	"github.com/oatta/oatta/models/optim"
)

// Settings say how a network learns. They are kept with what is learned.
type Settings struct {
	Epochs int `json:"epochs,omitempty"` // times that each example is shown; or
	Steps  int `json:"steps,omitempty"`  // of the optimiser, whatever the number of examples
	// Every is how many steps lie between two looks at the validation examples; 0: an epoch.
	Every    int `json:"evaluate_every,omitempty"`
	Patience int `json:"patience,omitempty"` // looks without a better one after which a rate is given up; 0: never
	// Keep is which network of a learning rate counts: [KeepBest], as "" does, or [KeepLast].
	Keep string `json:"keep,omitempty"`

	Batch      int       `json:"batch"`                // examples that are shown at once
	Accumulate int       `json:"accumulate,omitempty"` // batches that make one step; 0: 1
	Rates      []float64 `json:"rates"`                // learning rates, each a training of its own; the best on the validation examples counts
	Schedule   Schedule  `json:"schedule"`

	Optimizer string  `json:"optimizer"` // sgd, adam or adamw
	Momentum  float64 `json:"momentum,omitempty"`
	Nesterov  bool    `json:"nesterov,omitempty"`
	Decay     float64 `json:"decay,omitempty"` // not of norms and biases
	Clip      float64 `json:"clip,omitempty"`  // bound of the gradient's norm; 0: none

	Smoothing float64 `json:"label_smoothing,omitempty"`
	Balanced  bool    `json:"balanced,omitempty"` // classes weigh in the loss by the inverse of their frequency
	Mixup     float64 `json:"mixup,omitempty"`    // of Beta(Mixup, Mixup) is the weight of the other example; 0: none

	Freeze   []string `json:"freeze,omitempty"`    // patterns of names of parameters that stay as they are
	HeadOnly bool     `json:"head_only,omitempty"` // only the last layer learns
	Seed     uint64   `json:"seed"`
}

// Which network of a learning rate counts.
const (
	KeepBest = "best" // the one of the best look at the validation examples
	// KeepLast is the one after the last step: validation examples of a few people are too noisy a judge of steps. Among several rates they
	// still choose.
	KeepLast = "last"
)

// methods are the optimisers by name.
var methods = map[string]optim.Method{"sgd": optim.SGD, "adam": optim.Adam, "adamw": optim.AdamW}

// Validate reports the first setting out of its range.
func (s Settings) Validate() error {
	if err := s.validate(); err != nil {
		return fmt.Errorf("training: %w", err)
	}
	return nil
}

func (s Settings) validate() error {
	switch {
	case (s.Epochs > 0) == (s.Steps > 0) || s.Epochs < 0 || s.Steps < 0:
		return fmt.Errorf("%d epochs and %d steps: want one of the two", s.Epochs, s.Steps)
	case s.Every < 0 || s.Patience < 0:
		return fmt.Errorf("a look every %d steps, patience of %d: want 0 or more", s.Every, s.Patience)
	case s.Keep != "" && s.Keep != KeepBest && s.Keep != KeepLast:
		return fmt.Errorf("keep %q: want %s or %s", s.Keep, KeepBest, KeepLast)
	case s.Keep == KeepLast && s.Patience > 0:
		return errors.New("the last network is kept, so that no rate may be given up before its end: leave patience out")
	case s.Batch < 1 || s.Batch > 1<<16:
		return fmt.Errorf("batch of %d: want 1 to %d", s.Batch, 1<<16)
	case s.Accumulate < 0 || s.Accumulate > 1<<16:
		return fmt.Errorf("%d batches a step: want 1 to %d", s.Accumulate, 1<<16)
	case len(s.Rates) == 0:
		return errors.New("no learning rate")
	case !(s.Mixup >= 0 && s.Mixup <= 100):
		return fmt.Errorf("mixup %v: want 0 to 100", s.Mixup)
	case !(s.Smoothing >= 0 && s.Smoothing < 1):
		return fmt.Errorf("label smoothing %v: want 0 to below 1", s.Smoothing)
	case s.HeadOnly && len(s.Freeze) > 0:
		return errors.New("only the head learns, so that nothing else need be frozen")
	}
	for _, r := range s.Rates {
		if !(r > 0 && r < 1e6) {
			return fmt.Errorf("learning rate %v: want more than 0", r)
		}
	}
	if _, known := methods[s.Optimizer]; !known {
		return fmt.Errorf("optimizer %q: want %s", s.Optimizer, strings.Join([]string{"sgd", "adam", "adamw"}, ", "))
	}
	if err := s.optimizer().Validate(); err != nil {
		return err
	}
	return s.Schedule.validate()
}

func (s Settings) optimizer() optim.Settings {
	return optim.Settings{Method: methods[s.Optimizer], Momentum: s.Momentum, Nesterov: s.Nesterov, Decay: s.Decay, ClipNorm: s.Clip}
}

// plan is how many steps there are.
type plan struct {
	batch, accumulate int
	perEpoch          int // steps
	total             int // steps
	every             int
}

// planOf fits the settings to a number of examples. What an epoch leaves over is shown in another one: each is drawn anew.
func (s Settings) planOf(examples int) plan {
	p := plan{batch: max(1, min(s.Batch, examples)), accumulate: max(1, s.Accumulate)}
	p.accumulate = max(1, min(p.accumulate, examples/p.batch))
	p.perEpoch = max(1, examples/(p.batch*p.accumulate))
	p.total = s.Steps
	if s.Epochs > 0 {
		p.total = s.Epochs * p.perEpoch
	}
	p.every = s.Every
	if p.every == 0 {
		p.every = p.perEpoch
	}
	return p
}
