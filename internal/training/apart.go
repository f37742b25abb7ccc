package training

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/runtime"
)

// featureRoom bounds the memory of features that are computed once, in bytes.
const featureRoom = 2 << 30

// Apart is a network of which only the head learns, in two parts. What the first makes of an example, its features, is the same each time,
// so that it is computed once and held.
type Apart struct {
	// Body opens what comes before the head; the caller closes it.
	Body func() (Session, error)
	// Head is what [Job.Open] is, but learns from features. What it exports is the whole network.
	Head func() (Stepper, error)

	shape []int64 // of the features of one item
}

// Apart returns the network in two parts, for [Job.Apart]; nil where all of it learns. Where only the head learns and features can still not
// be computed once it is nil as well, and why tells the reason in a few words.
func (n Network) Apart(s Settings, d *Data, split *Split) (a *Apart, why string, err error) {
	if !s.HeadOnly {
		return nil, "", nil
	}
	switch {
	case s.Mixup > 0:
		return nil, "examples are mixed", nil
	case d.Store.Changes():
		return nil, "examples are changed each time they are shown", nil
	}
	body, head, err := train.Split(n.Model, "")
	if err != nil {
		return nil, err.Error(), nil
	}
	learned := d.Of(split.Train)
	shape, why := n.features(body, head, len(learned)+len(d.Of(split.Validation)))
	if why != "" {
		return nil, why, nil
	}
	open, err := n.opener(head, s.training(d.Counts(learned)), func(s stepper) Stepper { return headStepper{s, n.Model} })
	if err != nil {
		return nil, "", err
	}
	return &Apart{Head: open, Body: func() (Session, error) { return n.Session(body) }, shape: shape}, "", nil
}

// features returns their shape, or why those of so many items are not computed once.
func (n Network) features(body, head *onnx.Model, items int) (shape []int64, why string) {
	for _, v := range head.Graph.Params() {
		if !slices.Contains(n.Head, head.Graph.NameOf(v)) {
			return nil, fmt.Sprintf("%q of its last layer does not learn", head.Graph.NameOf(v))
		}
	}
	if len(head.Graph.Params()) != len(n.Head) {
		return nil, "its head is more than its last layer"
	}
	for _, l := range dropout.Find(body.Graph) {
		if l.P != 0 {
			return nil, fmt.Sprintf("the network drops elements before its head, in %v", l.Node)
		}
	}
	size := int64(4 * items)
	for _, d := range body.Graph.TypeOf(body.Graph.Outputs()[0]).Shape[1:] {
		if !d.Known() {
			return nil, "the number of features is not known before they are computed"
		}
		shape = append(shape, d.Size)
		size *= d.Size
	}
	if size > featureRoom {
		return nil, fmt.Sprintf("the features of %d items would take %.1f GiB", items, float64(size)/(1<<30))
	}
	return shape, ""
}

// apart computes the features if only the head learns.
func (r *run) apart(ctx context.Context) (err error) {
	if r.Apart == nil {
		return nil
	}
	if r.Open = r.Apart.Head; r.at.Done {
		return nil
	}
	body, err := r.Apart.Body()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	items := slices.Concat(r.train, r.validation)
	f, err := computed(ctx, r.Data, body, r.Apart.shape, items, r.plan.batch, r.stopped)
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), ErrStopped)
	}
	if err != nil {
		return err
	}
	on := *r.Data
	on.Store = f
	r.Data = &on
	return nil
}

// headStepper is a head that learns from features.
type headStepper struct {
	stepper
	whole *onnx.Model
}

// Export implements [Stepper]: the whole network with the head as it is now.
func (h headStepper) Export() (*onnx.Model, error) {
	head, err := h.stepper.Export()
	if err != nil {
		return nil, err
	}
	return train.Join(h.whole, head)
}

// features are a [Store] of what the part before the head makes of items.
type features struct {
	Store // of the items themselves, for [Store.Digest]
	rows  map[int][]float32
	shape []int64 // of one item
}

var _ Store = (*features)(nil)

// computed runs the part of a network before its head on items, as they are, batch after batch in their order: a run that is resumed has the
// same features again, bit for bit. between is called before each item, and its error ends the work.
func computed(ctx context.Context, d *Data, body Classifier, shape []int64, items []int, batch int, between func() error) (*features, error) {
	f := &features{Store: d.Store, rows: make(map[int][]float32, len(items)), shape: shape}
	err := d.logits(ctx, body, items, batch, func(item int, row []float32) error {
		f.rows[item] = slices.Clone(row)
		return between()
	})
	return f, err
}

// Batch implements [Store]; features have no changed form.
func (f *features) Batch(items []int, _ func(item int) uint64) ([]runtime.Tensor, error) {
	size := len(f.rows[items[0]])
	out := make([]float32, 0, len(items)*size)
	for _, i := range items {
		row, held := f.rows[i]
		if !held {
			return nil, fmt.Errorf("training: the features of item %d are not held", i)
		}
		out = append(out, row...)
	}
	return []runtime.Tensor{runtime.TensorOf(out, append([]int64{int64(len(items))}, f.shape...)...)}, nil
}
