package backend

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/serve"
)

// Options say what is served. The zero value serves nothing.
type Options struct {
	Models []Source
	// File names the file that keeps the streams of a model; nil: they live in memory, and end with the backend.
	File func(model string) string
	// Open opens the part of a model's streams that is in a shard, of as many as Shards says, in place of a file. Where there are several, none is held
	// before Claim.
	Open   func(ctx context.Context, model string, shard int, o state.Options) (Store, error)
	Shards int           // 0: one
	Key    []byte        // seals the files, see state.Options
	Memory int64         // about how many bytes the filters of one model may take beside a file; 0: 1 GiB
	Early  bool          // answer before the state is durable: a crash may lose the last answered steps
	Delay  time.Duration // that a run of a network, and a commit, wait for more to share it; 0: none, but what came in the meantime is in the next
	Commit int           // rows that share a commit at most; 0: 1024
	Limits Limits
	Quota  func(namespace string) serve.Quota // asked for each request, from any goroutine; nil: none has a limit of its own
	Log    *slog.Logger                       // nil: nothing is logged
}

// Source is a model that can be opened, again and again.
type Source struct {
	Name, Version string // an empty version is 1
	Open          func(context.Context) (*Opened, error)
	Later         bool // not before it is asked for by Load
}

// Opened is an open model.
type Opened struct {
	Classes int
	Labels  []string // of the classes, or none
	Filter  adapt.Settings
	Times   timeline.Settings
	Late    timeline.Policy // "" is PolicyKeep, as of oatta filter; PolicyReorder is refused
	Network Network         // nil: probabilities come in
}

// Network is a classifier before the filter. Predict is called from as many goroutines as Runs says, the others from any.
type Network interface {
	Platform() string
	Inputs() []serve.Port
	// Prepare reads the inputs of a request, into n rows of the same length one after the other. The inputs are not retained. What is wrong with them
	// is a *serve.Error.
	Prepare(inputs []serve.Tensor) (rows []float32, n int, err error)
	// Len is the numbers of a row.
	Len() int
	// Batch is how many rows a run takes at most, Runs how many runs go side by side.
	Batch() int
	Runs() int
	// Predict writes the probabilities of rows, [n, classes], into dst. A row that has none gets the reason in errs.
	Predict(ctx context.Context, dst []float64, rows []float32, of []Row, errs []error) error
	Close() error
}

// Learner is a [Network] that learns along streams.
type Learner interface {
	// Forget lets go of what was learned of a stream, whose next row is that of a new one. It does not wait for runs.
	Forget(stream string)
}

// Row tells a network which stream a row is of; it is empty for one that is of none.
type Row struct {
	Stream     string
	Start, End bool
}

// Limits bound what clients may take. 0 is the default of each.
type Limits struct {
	Rows        int           // of one request; 4096
	Queue       int           // rows that wait at a model; 65536
	Bytes       int64         // of a network's inputs that wait at a model; 1 GiB
	StreamQueue int           // requests of one stream that wait; 256
	Streams     int           // that a model keeps; 1 million
	Keys        int           // of the last requests of a stream that are known again; 16
	Forget      time.Duration // streams without an item for so long are forgotten; 0: never
}

func (l Limits) filled() Limits {
	for _, f := range []struct {
		of *int
		to int
	}{{&l.Rows, 4096}, {&l.Queue, 1 << 16}, {&l.StreamQueue, 256}, {&l.Streams, 1_000_000}, {&l.Keys, 16}} {
		if *f.of == 0 {
			*f.of = f.to
		}
	}
	if l.Bytes == 0 {
		l.Bytes = 1 << 30
	}
	return l
}

func (l Limits) validate() error {
	for _, f := range []struct {
		name string
		is   int
	}{{"rows of a request", l.Rows}, {"rows that wait", l.Queue}, {"requests of a stream that wait", l.StreamQueue}, {"streams", l.Streams}, {"keys of a stream", l.Keys}} {
		if f.is < 1 {
			return fmt.Errorf("backend: at most %d %s: want at least 1", f.is, f.name)
		}
	}
	return nil
}

// check holds an open model to what the backend can do with it.
func (o *Opened) check() error {
	if err := o.Filter.Validate(o.Classes); err != nil {
		return err
	}
	if len(o.Labels) != 0 && len(o.Labels) != o.Classes {
		return fmt.Errorf("%d labels of %d classes", len(o.Labels), o.Classes)
	}
	if o.Late == timeline.PolicyReorder {
		return fmt.Errorf("late items %s: an item is answered before the next is known; want another policy", o.Late)
	}
	_, err := o.clock()
	return err
}

// clock returns a clock at the start of a stream, with its policy.
func (o *Opened) clock() (*timeline.Keeper, error) {
	policy := o.Late
	if policy == "" {
		policy = timeline.PolicyKeep
	}
	return timeline.NewKeeper(o.Times, policy)
}
