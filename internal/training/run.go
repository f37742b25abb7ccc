package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/oatta/oatta/internal/replace"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/weights"
)

// Job is a training.
type Job struct {
	Data     *Data
	Split    *Split
	Settings Settings
	// Open returns the network in the state in which each learning rate begins; nil where Apart has it.
	Open func() (Stepper, error)
	// Apart, if it is not nil, is the network in two parts: the run computes the features of all examples once, and learns from them.
	Apart *Apart

	Folder   string            // is there, and nobody else's; see internal/lock
	Identity map[string]string // what must be the same when the run is resumed
	Resume   bool              // go on where the folder's checkpoint is, if there is one
	Loaders  int               // batches loaded beside each other; 0: 2
	// SaveEvery is the time between two checkpoints beside those of each look; 0: a minute.
	SaveEvery time.Duration
	Stop      <-chan struct{} // ends the run after the step in hand when it is closed
	Progress  func(Progress)  // after each step; nil: nobody looks
}

// Progress is how far a run is.
type Progress struct {
	Rate        float64
	Step, Steps int     // of all rates
	Done        int     // of them by an earlier run
	Loss        float64 // since the last look
	Accuracy    float64
	Examples    int  // shown in this process
	Look        *Row // if the step was followed by one
}

// Outcome is what a run found.
type Outcome struct {
	Best     Best
	Rows     []Row
	Diverged []float64   // learning rates that were given up
	Network  *onnx.Model // the best one, for use
	Steps    int         // of all rates, as planned
}

// ErrStopped is the cause of a run that [Job.Stop] has ended: it can be resumed.
var ErrStopped = errors.New("training: stopped")

// MismatchError is the cause of a run that cannot be resumed as it was another one.
type MismatchError struct{ Was, Is map[string]string }

// Error says that they differ; the caller knows how differences are told.
func (e *MismatchError) Error() string { return "training: the folder is of another run" }

// Run trains with each learning rate in turn and returns the network that is best on the validation examples. What was done is in the
// checkpoints of the folder at every moment: a run that ended for any reason is resumed, and then ends with the same bytes.
func Run(ctx context.Context, j Job) (*Outcome, error) {
	if err := j.Settings.Validate(); err != nil {
		return nil, err
	}
	if err := j.Data.CheckClasses(j.Split); err != nil {
		return nil, err
	}
	r := &run{Job: j, train: j.Data.Of(j.Split.Train), validation: j.Data.Of(j.Split.Validation)}
	r.plan = j.Settings.planOf(len(r.train))
	r.at.Identity = j.Identity
	if err := r.begin(); err != nil {
		return nil, err
	}
	if err := r.apart(ctx); err != nil {
		return nil, err
	}
	for !r.at.Done {
		if err := r.candidate(ctx); err != nil {
			return nil, err
		}
	}
	return r.outcome()
}

// run is a job in hand.
type run struct {
	Job
	plan              plan
	train, validation []int
	at                position
	state             []*weights.Tensor // of the checkpoint that the run goes on from; nil once it is in use
	before            int               // steps done by an earlier run
	shown             int               // examples in this process
	saved             time.Time
}

// begin reads the checkpoint that the run goes on from.
func (r *run) begin() error {
	folder := filepath.Join(r.Folder, checkpointFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("training: %w", err)
	}
	left, err := filepath.Glob(filepath.Join(folder, ".*.safetensors.*")) // of a run that was killed while it wrote
	for _, name := range left {
		err = errors.Join(err, os.Remove(name))
	}
	if err != nil {
		return fmt.Errorf("training: %w", err)
	}
	r.saved = time.Now()
	if !r.Resume {
		return nil
	}
	state, at, err := load(r.Folder, lastName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was killed before the first
	}
	if err != nil {
		return err
	}
	if !maps.Equal(at.Identity, r.Identity) {
		return &MismatchError{at.Identity, r.Identity}
	}
	r.state, r.at = state, at
	r.before = r.done()
	return nil
}

// stopped is ErrStopped once the run is to end.
func (r *run) stopped() error {
	select {
	case <-r.Stop:
		return ErrStopped
	default:
		return nil
	}
}

// done is how many steps were taken or given up.
func (r *run) done() int { return r.at.Candidate*r.plan.total + r.at.Step }

// candidate trains with the learning rate that the position is at, to its end.
func (r *run) candidate(ctx context.Context) (err error) {
	s, err := r.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if r.state != nil {
		if err := s.Restore(r.state); err != nil {
			return err
		}
		r.state = nil
	}
	err = r.steps(ctx, s)
	if errors.Is(err, ErrDiverged) && len(r.Settings.Rates) > 1 {
		r.at.Diverged = append(r.at.Diverged, r.rate())
		err = nil
	}
	if err != nil {
		return err
	}
	r.at.Candidate++
	r.at.Step, r.at.Sum, r.at.Stale, r.at.Own = 0, sums{}, 0, nil
	if r.at.Done = r.at.Candidate == len(r.Settings.Rates); r.at.Done {
		if r.at.Best == nil {
			return fmt.Errorf("training: with every learning rate: %w", ErrDiverged)
		}
		return r.save(s)
	}
	return r.fresh()
}

// fresh writes a checkpoint of the next learning rate before its first step.
func (r *run) fresh() (err error) {
	s, err := r.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return r.save(s)
}

func (r *run) rate() float64 { return r.Settings.Rates[r.at.Candidate] }

// steps takes the steps that are left of a learning rate, or as many as it is worth.
func (r *run) steps(ctx context.Context, s Stepper) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	loaders := r.Loaders
	if loaders == 0 {
		loaders = 2
	}
	each := r.plan.accumulate
	queue := newBatches(r.Data, r.train, r.plan, r.Settings).ahead(ctx, r.at.Step*each, r.plan.total*each, loaders)
	for r.at.Step < r.plan.total {
		if err := r.stopped(); err != nil {
			return errors.Join(r.save(s), err)
		}
		if err := r.step(ctx, s, queue); err != nil {
			if ctx.Err() != nil {
				return errors.Join(ctx.Err(), ErrStopped) // perhaps in the middle of a step: the last checkpoint holds
			}
			return err
		}
		over, err := r.after(ctx, s)
		if err != nil || over {
			return err
		}
	}
	return nil
}

// step shows the batches of one step.
func (r *run) step(ctx context.Context, s Stepper, queue <-chan chan loaded) error {
	rate := r.Settings.Schedule.at(r.rate(), r.at.Step, r.plan.total)
	for range r.plan.accumulate {
		place, open := <-queue
		if !open {
			return context.Cause(ctx)
		}
		next := <-place
		if next.err != nil {
			return next.err
		}
		told, err := s.Step(ctx, next.batch, rate)
		if err == nil && math.IsNaN(told.Loss-told.Loss) {
			err = ErrDiverged
		}
		if err != nil {
			return fmt.Errorf("training: step %d with the rate %g: %w", r.at.Step+1, r.rate(), err)
		}
		n := next.batch.Len()
		r.at.Sum.Loss += told.Loss * float64(n)
		r.at.Sum.Right += told.Right
		r.at.Sum.Seen += n
		r.shown += n
	}
	r.at.Step++
	return nil
}

// after looks at the validation examples if it is time, writes a checkpoint if it is time, and tells how far the run is; over: the learning
// rate is not worth more steps.
func (r *run) after(ctx context.Context, s Stepper) (over bool, err error) {
	p := Progress{
		Rate: r.rate(), Step: r.done(), Steps: r.plan.total * len(r.Settings.Rates), Done: r.before, Examples: r.shown,
		Loss: r.at.Sum.Loss / float64(r.at.Sum.Seen), Accuracy: float64(r.at.Sum.Right) / float64(r.at.Sum.Seen),
	}
	look := r.at.Step%r.plan.every == 0 || r.at.Step == r.plan.total
	if look {
		if over, err = r.look(ctx, s); err != nil {
			return false, err
		}
		p.Look = &r.at.Rows[len(r.at.Rows)-1]
	}
	every := r.SaveEvery
	if every == 0 {
		every = time.Minute
	}
	if look || time.Since(r.saved) >= every {
		err = r.save(s)
	}
	if r.Progress != nil {
		r.Progress(p)
	}
	return over, err
}

// save writes the checkpoint that the run goes on from, and the table of the looks so far.
func (r *run) save(s Stepper) error {
	state, err := s.State()
	if err == nil {
		err = save(r.Folder, lastName, state, r.at)
	}
	if err != nil {
		return err
	}
	r.saved = time.Now()
	return replace.Bytes(filepath.Join(r.Folder, metricsName), metricsCSV(r.at.Rows))
}

// outcome brings the best network back.
func (r *run) outcome() (out *Outcome, err error) {
	state, _, err := load(r.Folder, bestName)
	if err != nil {
		return nil, err
	}
	s, err := r.Open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Restore(state); err != nil {
		return nil, err
	}
	out = &Outcome{Best: *r.at.Best, Rows: r.at.Rows, Diverged: r.at.Diverged, Steps: r.plan.total * len(r.Settings.Rates)}
	out.Network, err = s.Export()
	return out, err
}
