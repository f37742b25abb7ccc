package training

import (
	"context"
	"errors"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/weights"
	"github.com/oatta/oatta/runtime"
)

// Stepper is a network that learns: package models/train on an engine, as [NewStepper] opens it.
type Stepper interface {
	// Step shows a batch, and moves the parameters if it is the last of those that make a step.
	Step(ctx context.Context, b Batch, rate float64) (Told, error)
	// Logits returns [N, classes] of inputs, as the network is in use: without dropout, with running statistics.
	Logits(ctx context.Context, inputs []runtime.Tensor) ([]float32, error)
	// State returns all that decides what comes next, and Restore goes back to it, bit for bit.
	State() ([]*weights.Tensor, error)
	Restore(state []*weights.Tensor) error
	// Export returns the network as it is now, for use.
	Export() (*onnx.Model, error)
	Close() error
}

// Told is what a batch told.
type Told struct {
	Loss  float64 // mean over the batch
	Right int     // examples whose most probable class is theirs
}

// ErrDiverged is the cause of a step after which nothing can be learned any more.
var ErrDiverged = errors.New("the loss is no number any more")
