package train

import (
	"errors"
	"fmt"

	"github.com/oatta/oatta/models/optim"
)

// Settings say how a network is trained. The zero value is plain SGD on the mean cross-entropy, on all parameters.
type Settings struct {
	Output string // name of the output that holds the logits [N, K]; "": the first. Of one behind a Softmax the logits before it are taken

	// Optimizer moves the parameters. Its ClipNorm bounds the norm of all gradients together.
	Optimizer optim.Settings

	// Weights are the classes' weights in the loss, K numbers >= 0, not all 0; nil: all 1. The loss is divided by the sum of the weights
	// of the targets, as PyTorch does for labels; for targets that are probabilities it divides by the number of items instead.
	Weights []float64
	// Smoothing is the part of each target that is shared among all classes, 0 <= Smoothing < 1.
	Smoothing float64

	// Accumulate is how many batches make one step, >= 1; 0 means 1. Without BatchNormalization, which sees each batch by itself, that
	// many batches are as one large one, whatever their sizes.
	Accumulate int

	// Frozen tells by name which parameters stay as they are; nil: none. The derivative is not followed further than the others need. A
	// BatchNormalization whose scale and bias both are frozen uses its running statistics and keeps them.
	Frozen func(name string) bool
	// FreezeStatistics makes every BatchNormalization use its running statistics and keep them.
	FreezeStatistics bool
	// Exempt tells which parameters Optimizer.Decay does not pull, by name and sizes, as [Vectors]; nil: none is exempt.
	Exempt func(name string, dims []int64) bool

	// NoDropout leaves out the Dropout layers of the network, which else drop elements with the probability that each says.
	NoDropout bool
	// Seed is what masks of dropout are drawn from.
	Seed uint64
}

// Vectors reports a parameter of at most one axis, as biases and the scales of normalisations are. It is for [Settings.Exempt].
func Vectors(_ string, dims []int64) bool { return len(dims) <= 1 }

// ErrNotFinite is the cause of a step whose loss or gradient is no finite number. It has changed nothing.
var ErrNotFinite = errors.New("a lower learning rate may help, or a look at the batch")

// maxAccumulate bounds the batches of one step.
const maxAccumulate = 1 << 20

// Validate reports the first setting out of its range.
func (s Settings) Validate() error {
	if err := s.Optimizer.Validate(); err != nil {
		return err
	}
	sum := 0.0
	for i, w := range s.Weights {
		if !(w >= 0 && w < 1e30) {
			return fmt.Errorf("train: weight %v of class %d: want a number >= 0", w, i)
		}
		sum += w
	}
	switch {
	case s.Weights != nil && sum == 0:
		return fmt.Errorf("train: the weights of all %d classes are 0", len(s.Weights))
	case !(s.Smoothing >= 0 && s.Smoothing < 1):
		return fmt.Errorf("train: label smoothing %v is not in [0, 1)", s.Smoothing)
	case s.Accumulate < 0 || s.Accumulate > maxAccumulate:
		return fmt.Errorf("train: %d batches to a step: want 1 to %d", s.Accumulate, maxAccumulate)
	}
	return nil
}
