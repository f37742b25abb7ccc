package tent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/norms"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
)

// Build returns the network that predicts and learns in one run, as an ordinary ONNX model of standard operators; m is not changed. What
// its inputs and outputs are stands in the package's comment and, for whoever gets the file, in the model's own description and metadata.
//
// A network without normalisation layers is an error that says what to do: see [norms.Explain]. One whose rows cannot be told apart,
// mostly because it was exported for a batch of one, becomes a graph for one stream at a time, and the metadata say which node it was.
func Build(m *onnx.Model, s Settings) (*onnx.Model, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.filled()
	lanes := &builder{s: s, m: m.Clone(), producer: m.Producer}
	err := lanes.build(!s.Together)
	if err == nil {
		return lanes.m, nil
	}
	if s.Together {
		return nil, fmt.Errorf("tent: %w", err)
	}
	one := &builder{s: s, m: m.Clone(), producer: m.Producer, why: err.Error()}
	if one.build(false) != nil { // the same fault shows without rows too, or there are two
		return nil, fmt.Errorf("tent: %w", err)
	}
	return one.m, nil
}

// builder holds the graph while it grows.
type builder struct {
	s        Settings
	m        *onnx.Model
	producer string
	why      string // there is one lane, though more were asked for

	g      *graph.Graph
	data   []graph.Value // the network's own inputs
	output graph.Value
	rows   graph.Dim // of the batch
	flat   norms.Flat
	theta  graph.Value
	lanes  bool // every row of the batch has its row of theta
	ports  ports
}

func (b *builder) build(lanes bool) error {
	b.g, b.lanes = b.m.Graph, lanes
	for _, step := range []func() error{b.open, b.choose, b.expose, b.form, b.unroll, b.finish} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// open prepares the forward graph: one output, a batch that is open if rows are to be streams, and all shapes known.
func (b *builder) open() error {
	g := b.g
	b.data = slices.Clone(g.Inputs())
	if err := b.pick(); err != nil {
		return err
	}
	for _, v := range b.data {
		t := g.TypeOf(v)
		if len(t.Shape) == 0 {
			return fmt.Errorf("input %q is %v, want a batch along axis 0", g.NameOf(v), t)
		}
		if first := t.Shape[0]; b.rows == (graph.Dim{}) {
			b.rows = first
		} else if !first.Same(b.rows) {
			return fmt.Errorf("inputs %q and %q have batches %v and %v", g.NameOf(b.data[0]), g.NameOf(v), b.rows, first)
		}
	}
	if !b.s.Together && b.rows.Size > 1 {
		return fmt.Errorf("the network is for batches of %d: export it with an open batch", b.rows.Size)
	}
	if b.lanes && b.rows.Name == "" || b.rows == graph.Any {
		b.rows = graph.Sym(g.Fresh("N"))
		for _, v := range b.data {
			t := g.TypeOf(v)
			t.Shape = slices.Clone(t.Shape)
			t.Shape[0] = b.rows
			g.SetType(v, t)
		}
		g.Forget()
	}
	if err := g.Infer(); err != nil {
		return err
	}
	g.Fold()
	g.Widen() // rules prepare weights that are constants, not casts of some
	if t := g.TypeOf(b.output); len(t.Shape) != 2 || !t.Shape[0].Same(b.rows) || !t.Shape[1].Known() {
		return fmt.Errorf("output %q is %v, want predictions [%v, classes]: the network may be made for one row", g.NameOf(b.output), t, b.rows)
	}
	return nil
}

// pick makes the output that predicts the only one.
func (b *builder) pick() error {
	b.output = b.g.Outputs()[0]
	if name := b.s.Output; name != "" {
		i := slices.IndexFunc(b.g.Outputs(), func(v graph.Value) bool { return b.g.NameOf(v) == name })
		if i < 0 {
			return fmt.Errorf("the network has no output %q", name)
		}
		b.output = b.g.Outputs()[i]
	}
	b.g.SetOutputs(b.output)
	b.g.Prune()
	if b.s.Kind == "" {
		b.s.Kind = "logits"
		if n, _ := b.g.Producer(b.output); n != nil && n.Op == "Softmax" {
			b.s.Kind = "probabilities"
		} else if n != nil && (n.Op == "LogSoftmax" || n.Op == "Log") {
			b.s.Kind = "log-probabilities"
		}
	}
	return nil
}

// choose finds the layers, and drops those that are not wanted: their scale and bias stay constants.
func (b *builder) choose() error {
	if err := norms.Explain(b.g, b.producer); err != nil {
		return err
	}
	if chosen, _ := b.layers(); len(chosen) == 0 {
		return fmt.Errorf("of the network's %d normalisation layers none is called %q without %q", len(norms.Find(b.g)), b.s.Layers, b.s.Frozen)
	}
	return nil
}

// layers returns the layers that are adapted, and all.
func (b *builder) layers() (chosen, all []norms.Layer) {
	all = norms.Find(b.g)
	for _, l := range all {
		begins := func(prefix string) bool { return strings.HasPrefix(l.Name, prefix) }
		if (len(b.s.Layers) == 0 || slices.ContainsFunc(b.s.Layers, begins)) && !slices.ContainsFunc(b.s.Frozen, begins) {
			chosen = append(chosen, l)
		}
	}
	return chosen, all
}

// expose makes the parameters an input, theta [S, P], or [1, P] for one stream.
func (b *builder) expose() (err error) {
	g := b.g
	chosen, all := b.layers()
	if err := b.deviations(all); err != nil {
		return err
	}
	name := g.Fresh("theta")
	if b.lanes {
		if slices.ContainsFunc(g.Nodes(), isTraining) { // whose statistics would be those of all streams together
			if err := norms.Restate(g, all, 0); err != nil {
				return err
			}
		}
		b.theta, b.flat, err = norms.ExposeRows(g, b.frozen(all, norms.Params(chosen)), name, b.rows, b.s.Batch)
		return err
	}
	if err := norms.Restate(g, all, b.s.Batch); err != nil {
		return err
	}
	vector, flat, err := norms.Expose(g, norms.Params(chosen), g.Fresh("vector"))
	if err != nil {
		return err
	}
	b.flat = flat
	b.theta = g.Input(name, graph.Type{Elem: g.TypeOf(vector).Elem, Shape: graph.Of(1, int64(flat.Len()))})
	g.Replace(vector, g.Op("Reshape", []graph.Value{b.theta, g.Ints(-1)}))
	if err := g.Sort(); err != nil {
		return err
	}
	b.g = g.Extract(append(slices.Clone(b.data), b.theta), g.Outputs())
	b.m.Graph = b.g
	return b.g.Infer()
}

// isTraining reports a normalisation by the statistics of whatever is in the batch.
func isTraining(n *graph.Node) bool {
	return n.Op == "BatchNormalization" && n.Domain == "" && n.Int("training_mode", 0) != 0
}

// deviations refuses to normalise single numbers by themselves: what came out would be the biases, whatever the item is.
func (b *builder) deviations(all []norms.Layer) error {
	if b.s.Batch < 1 || b.s.Together {
		return nil
	}
	for _, l := range all {
		if l.Kind != norms.Batch {
			continue
		}
		if sizes, known := b.g.TypeOf(l.X).Shape[2:].Sizes(); known && !slices.ContainsFunc(sizes, func(n int64) bool { return n != 1 }) {
			return fmt.Errorf("%s: an item has one number per channel there, which has no deviation: use the source's statistics, or a blend", l.Name)
		}
	}
	return nil
}

// frozen returns the layers without the scales and biases that are not adapted. A layer that has none left stays only for its statistics.
func (b *builder) frozen(all []norms.Layer, adapted []graph.Value) []norms.Layer {
	var out []norms.Layer
	for _, l := range all {
		if !slices.Contains(adapted, l.Scale) {
			l.Scale = graph.None
		}
		if !slices.Contains(adapted, l.Bias) {
			l.Bias = graph.None
		}
		if l.Scale != graph.None || l.Bias != graph.None || l.Kind == norms.Batch && b.s.Batch > 0 {
			out = append(out, l)
		}
	}
	return out
}

// form writes convolutions as is fastest with as many rows as runs mostly have.
func (b *builder) form() error { return b.s.Forms.Apply(b.g, int64(b.s.Rows), "x") }

// unroll appends the steps to the first forward pass, and the pass after the last.
func (b *builder) unroll() error {
	forward := b.repeated()
	theta, prediction := b.theta, b.output
	rate := b.g.Scalar(b.g.TypeOf(theta).Elem, b.s.Rate)
	if b.s.RateInput {
		rate = b.g.Input(b.g.Fresh("rate"), graph.Type{Elem: b.g.TypeOf(theta).Elem, Shape: graph.Of(1)})
		b.ports.Rate = b.g.NameOf(rate)
	}
	state := b.state()
	first := prediction
	var entropy graph.Value
	for i := range b.s.Steps {
		if i > 0 {
			var err error
			if prediction, err = b.again(forward, theta); err != nil {
				return err
			}
		}
		h, _, err := norms.Entropy(b.g, prediction, b.s.Kind)
		if err != nil {
			return err
		}
		if i == 0 {
			entropy = h
		}
		if theta, state, err = b.step(h, theta, rate, state); err != nil {
			return err
		}
	}
	if !b.s.Before {
		var err error
		if prediction, err = b.again(forward, theta); err != nil {
			return err
		}
	}
	b.results(prediction, first, theta, entropy, state)
	return b.g.Err()
}

// repeated returns the part of the forward graph that depends on theta, as a graph whose inputs are what it does not depend on: what comes
// before the first adapted layer is computed once.
func (b *builder) repeated() *graph.Graph {
	depends := map[graph.Value]bool{b.theta: true}
	inputs := []graph.Value{b.theta}
	for _, n := range b.g.Nodes() {
		if !slices.ContainsFunc(n.Inputs, func(v graph.Value) bool { return depends[v] }) {
			continue
		}
		for _, v := range n.Outputs {
			depends[v] = true
		}
		for _, v := range n.Inputs {
			if v != graph.None && !depends[v] && b.g.Kind(v) != graph.Constant && !slices.Contains(inputs, v) {
				inputs = append(inputs, v)
			}
		}
	}
	return b.g.Extract(inputs, []graph.Value{b.output})
}

// again appends another forward pass, under other parameters.
func (b *builder) again(forward *graph.Graph, theta graph.Value) (graph.Value, error) {
	bind := map[graph.Value]graph.Value{}
	for _, v := range forward.Inputs() {
		bind[v] = v
	}
	bind[b.theta] = theta
	made, err := b.g.Import(forward, bind)
	if err != nil {
		return graph.None, err
	}
	return made[b.output], b.g.Err()
}

// step appends the gradient of the entropies and one move of the optimiser. Each row's entropy depends on its own row of theta alone, so
// their sum has the gradients of all; of items that are adapted to together the mean is taken.
func (b *builder) step(entropy, theta, rate graph.Value, state optim.State) (graph.Value, optim.State, error) {
	reduce := "ReduceMean"
	if b.lanes {
		reduce = "ReduceSum"
	}
	loss := b.g.Op(reduce, []graph.Value{entropy}, graph.A("keepdims", 0))
	grads, err := b.s.Forms.Gradient(b.g, int64(b.s.Rows), "x", loss, []graph.Value{theta})
	if err != nil {
		return graph.None, state, err
	}
	next, state, err := b.s.Optimizer.Step(b.g, []graph.Value{theta}, grads, rate, state)
	if err != nil {
		return graph.None, state, err
	}
	return next[0], state, nil
}
