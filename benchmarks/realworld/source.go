package realworld

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/runs"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models"
)

// source is a collection with the model that predicts it.
type source struct {
	id, title string
	intro     []string
	paper     string // column of the paper's table that stands beside; empty: none
	paperSays string // what that column is
	own       string // the paper's name of the collection, of which this is the very one; empty: it is another

	open     func(ctx context.Context) (*models.Model, inputs.Input, error)
	person   func(stream string) string // whose a stream is, "" leaves it out; nil: each is somebody's own
	test     int                        // identities, those of the most items; 0: all
	least    int                        // items that an identity must have
	labelled bool                       // items without a label of the model's do not take part
	nameless bool                       // identities are numbered: their names are nobody's business
	polarity bool                       // the classes are negative and positive, and have a figure of their dispersion
}

// opened is a source whose identities have been chosen.
type opened struct {
	source
	model *models.Model
	input inputs.Input
	auto  adapt.Settings

	names []string // of identities
	order []int    // items, stream after stream, identity after identity
	whose []int    // identity of each item of the input, -1 for those left out
	truth []int    // class of each item of the input, -1: none
}

// begin opens a source and chooses its identities. The caller closes the input.
func (s source) begin(ctx context.Context) (*opened, error) {
	m, in, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	o := &opened{source: s, model: m, input: in}
	if o.auto, err = runs.Filter(m.Manifest); err == nil {
		if err = o.label(); err == nil {
			err = o.choose()
		}
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return o, nil
}

// label finds the classes of the true labels.
func (o *opened) label() error {
	labels := inputs.Labels(o.input)
	r, err := evaluation.Resolve(labels, o.model.Manifest.Labels, evaluation.Options{Codes: o.model.Manifest.Codes})
	if err != nil {
		return err
	}
	o.truth = make([]int, len(o.input.Items()))
	known := false
	for i := range o.truth {
		o.truth[i] = -1
		if class, ok := r.Class[o.input.Label(i)]; ok {
			o.truth[i] = class
			known = known || class >= 0
		}
	}
	if !known {
		return fmt.Errorf("none of the true labels %.60q is one of the model's, %q", labels, o.model.Manifest.Labels)
	}
	return nil
}

// choose takes the identities with the most items.
func (o *opened) choose() error {
	items := o.input.Items()
	count := map[string]int{}
	for i := range items {
		if name := o.identity(i); name != "" {
			count[name]++
		}
	}
	var all []datasets.Identity
	for name, n := range count {
		if n >= o.least {
			all = append(all, datasets.Identity{Name: name, Samples: n})
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("nobody has %d or more items with a label of the model's", max(1, o.least))
	}
	slices.SortFunc(all, func(a, b datasets.Identity) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), datasets.CompareNatural(a.Name, b.Name))
	})
	if o.test > 0 && o.test < len(all) {
		all = all[:o.test]
	}
	at := map[string]int{}
	for k, one := range all {
		at[one.Name] = k
		name := one.Name
		if o.nameless {
			name = fmt.Sprintf("%d", k+1)
		}
		o.names = append(o.names, name)
	}
	o.whose = make([]int, len(items))
	for i := range items {
		o.whose[i] = -1
		if k, ok := at[o.identity(i)]; ok {
			o.whose[i], o.order = k, append(o.order, i)
		}
	}
	slices.SortStableFunc(o.order, func(a, b int) int { return cmp.Compare(o.whose[a], o.whose[b]) })
	return nil
}

// identity is whose an item is, "" of one that does not take part.
func (o *opened) identity(i int) string {
	if o.labelled && o.truth[i] < 0 {
		return ""
	}
	stream := o.input.Items()[i].Stream
	if o.person == nil {
		return stream
	}
	return o.person(stream)
}

// holdMost bounds the numbers that are held for orders without meaning: 512 MB.
const holdMost = 128 << 20

// predictors are those that the model can have: trees have no gradients, and nothing to drop.
func (o *opened) predictors(wanted []string) []string {
	if sig := o.model.Manifest.Signal; sig != nil && sig.Features != "" {
		wanted = slices.DeleteFunc(slices.Clone(wanted), func(name string) bool { return name != method.Base && name != method.TTAug })
	}
	return wanted
}

// predict lets a predictor say what the items are, in their order and in others.
func (o *opened) predict(ctx context.Context, r *runs.Runs, name string, shuffles int) (predicted, error) {
	out := predicted{predictor: name}
	set, err := method.Default(name, o.model.Manifest)
	if err != nil {
		return out, err
	}
	q, err := r.Predict(ctx, set, o.order)
	if err != nil {
		return out, err
	}
	if len(q) == 0 {
		return out, errors.New("no item could be predicted")
	}
	out.ordered = o.identities(q, o.order)
	for draw := range shuffles {
		order := runs.Shuffled(o.input.Items(), o.order, uint64(draw))
		if name == method.Tent {
			if q, err = r.Predict(ctx, set, order); err != nil {
				return out, err
			}
		}
		out.shuffled = append(out.shuffled, o.identities(q, order))
	}
	return out, nil
}

// runs are those of the model over the input. Recordings are held for Tent in other orders, if they fit.
func (o *opened) runs() *runs.Runs {
	r := &runs.Runs{Model: o.model, Input: o.input}
	size := len(o.order)
	for _, n := range o.input.Shape() {
		size *= int(n)
	}
	if o.model.Manifest.Signal != nil && size <= holdMost {
		r.Held = o.order
	}
	return r
}

// identities arranges predictions; what could not be read is left out.
func (o *opened) identities(q map[int][]float64, order []int) []identity {
	out := make([]identity, len(o.names))
	for k, name := range o.names {
		out[k].name = name
	}
	items := o.input.Items()
	var last *benchmarks.Stream
	for _, i := range order {
		if q[i] == nil {
			continue
		}
		one := &out[o.whose[i]]
		if len(one.streams) == 0 || last.Name != items[i].Stream {
			last = &benchmarks.Stream{Name: items[i].Stream}
			one.streams = append(one.streams, last)
		}
		last.Q, last.Truth = append(last.Q, q[i]), append(last.Truth, o.truth[i])
	}
	return slices.DeleteFunc(out, func(one identity) bool { return len(one.streams) == 0 })
}
