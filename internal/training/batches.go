package training

import (
	"context"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/oatta/oatta/runtime"
)

// Batch is what a network is shown at once.
type Batch struct {
	Inputs  []runtime.Tensor // as the network has them, [N, ...] each
	Labels  []int            // [N]; nil where Targets tell
	Targets []float32        // [N, classes], the wanted probability of each class; nil where Labels tell
}

// Len returns the number of examples.
func (b Batch) Len() int { return int(b.Inputs[0].Shape[0]) }

// batches makes those of a run. Number i of all that a run will see depends on the seed and on i alone.
type batches struct {
	data  *Data
	items []int // for training
	size  int
	each  int // batches of an epoch
	mixup float64
	seed  uint64

	order   []int // of the items in an epoch
	ordered int   // that epoch; -1: none
}

func newBatches(d *Data, items []int, p plan, s Settings) *batches {
	return &batches{data: d, items: items, size: p.batch, each: p.perEpoch * p.accumulate, mixup: s.Mixup, seed: s.Seed, ordered: -1}
}

// chosen returns the items of batch i, and its epoch.
func (b *batches) chosen(i int) (items []int, epoch int) {
	epoch = i / b.each
	if b.ordered != epoch {
		b.order = generator(seedOf(b.seed, forShuffle, uint64(epoch))).Perm(len(b.items))
		b.ordered = epoch
	}
	at := i % b.each * b.size
	for _, k := range b.order[at : at+b.size] {
		items = append(items, b.items[k])
	}
	return items, epoch
}

// load makes the batch of items that are shown in an epoch; i is its number in the run.
func (b *batches) load(i, epoch int, items []int) (Batch, error) {
	in, err := b.data.Store.Batch(items, func(item int) uint64 { return seedOf(b.seed, forChange, uint64(epoch), uint64(item)) })
	if err != nil {
		return Batch{}, err
	}
	out := Batch{Inputs: in, Labels: b.data.classes(items)}
	if b.mixup > 0 {
		out.mix(b.mixup, len(b.data.Labels), seedOf(b.seed, forMixup, uint64(i)))
	}
	return out, nil
}

func (d *Data) classes(items []int) []int {
	out := make([]int, len(items))
	for k, i := range items {
		out[k] = d.Items[i].Class
	}
	return out
}

// mix lays another example of the batch over each, with one weight for all (Zhang et al., mixup, 2018).
func (b *Batch) mix(alpha float64, classes int, seed uint64) {
	random := generator(seed)
	weight := float32(distuv.Beta{Alpha: alpha, Beta: alpha, Src: random}.Rand())
	other := random.Perm(b.Len())
	for k, t := range b.Inputs {
		x := t.Data.([]float32) // what has no arithmetic was refused
		mixed, one := make([]float32, len(x)), len(x)/len(other)
		for i, j := range other {
			for e := range one {
				mixed[i*one+e] = weight*x[i*one+e] + (1-weight)*x[j*one+e]
			}
		}
		b.Inputs[k] = runtime.TensorOf(mixed, t.Shape...)
	}
	b.Targets = make([]float32, len(other)*classes)
	for i, j := range other {
		b.Targets[i*classes+b.Labels[i]] += weight
		b.Targets[i*classes+b.Labels[j]] += 1 - weight
	}
	b.Labels = nil
}

// loaded is a batch, or why there is none.
type loaded struct {
	batch Batch
	err   error
}

// ahead loads the batches from one to another, some beside each other, and gives them in their order. It ends with the context.
func (b *batches) ahead(ctx context.Context, from, to, loaders int) <-chan chan loaded {
	queue := make(chan chan loaded, max(1, loaders-1)) // one more is on its way when the queue is full
	go func() {
		defer close(queue)
		for i := from; i < to; i++ {
			items, epoch := b.chosen(i)
			place := make(chan loaded, 1)
			select {
			case queue <- place:
			case <-ctx.Done():
				return
			}
			go func() {
				batch, err := b.load(i, epoch, items)
				place <- loaded{batch, err}
			}()
		}
	}()
	return queue
}
