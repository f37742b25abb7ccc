package tent

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/optim"
)

// ports names the inputs and outputs of a graph by what they are for. Optional ones are empty.
type ports struct {
	Data  []string `json:"data"`            // the network's own inputs, [S, ...]
	Theta string   `json:"theta"`           // [S, P]
	Rate  string   `json:"rate,omitempty"`  // [1]
	Step  string   `json:"step,omitempty"`  // int64 [S, 1], steps taken since the source
	Slots []string `json:"slots,omitempty"` // the optimiser's tensors, each [S, P]

	Prediction string   `json:"prediction"`       // [S, K]
	Before     string   `json:"before,omitempty"` // [S, K], of the first forward pass, unless that is the prediction
	Entropy    string   `json:"entropy"`          // [S], of the first forward pass, in nats
	NextTheta  string   `json:"next_theta"`       // what to feed as theta next
	NextStep   string   `json:"next_step,omitempty"`
	NextSlots  []string `json:"next_slots,omitempty"`
}

// state adds the inputs for the optimiser's state, of which each row belongs to a row of theta.
func (b *builder) state() optim.State {
	var s optim.State
	t := b.g.TypeOf(b.theta)
	if b.s.Optimizer.Counts() {
		s.Step = b.g.Input(b.g.Fresh("step"), graph.Type{Elem: graph.Int64, Shape: graph.Shape{t.Shape[0], graph.N(1)}})
		b.ports.Step = b.g.NameOf(s.Step)
	}
	for _, name := range b.s.Optimizer.Slots() {
		v := b.g.Input(b.g.Fresh("optimizer_"+name), t)
		s.Slots = append(s.Slots, []graph.Value{v})
		b.ports.Slots = append(b.ports.Slots, b.g.NameOf(v))
	}
	for _, v := range b.data {
		b.ports.Data = append(b.ports.Data, b.g.NameOf(v))
	}
	b.ports.Theta = b.g.NameOf(b.theta)
	return s
}

// results makes the outputs, in the order in which ports lists them.
func (b *builder) results(prediction, first, theta, entropy graph.Value, state optim.State) {
	g := b.g
	g.SetOutputs()
	output := func(hint string, v graph.Value) string { return g.NameOf(g.Output(g.Fresh(hint), v)) }
	b.ports.Prediction = output("prediction", prediction)
	if first != prediction {
		b.ports.Before = output("before", first)
	}
	b.ports.Entropy = output("entropy", entropy)
	b.ports.NextTheta = output("next_theta", theta)
	if state.Step != graph.None {
		b.ports.NextStep = output("next_step", state.Step)
	}
	for i, slot := range state.Slots {
		b.ports.NextSlots = append(b.ports.NextSlots, output("next_"+b.ports.Slots[i], slot[0]))
	}
}

// describe writes the model's description.
func (b *builder) describe() string {
	return fmt.Sprintf("A classifier that adapts to what it sees: each run predicts and takes a gradient step on the entropy of its prediction. "+
		"Feed %s with the numbers in the metadata entry %s (little-endian float32, base64, %d of them for each row) where a stream begins, "+
		"%vand after each run what %s returned; see the metadata entry %s for the rest.",
		b.ports.Theta, metaSource, b.flat.Len(), zerosFor(b.ports), b.ports.NextTheta, metaTent)
}

func zerosFor(p ports) string {
	if len(p.Slots) == 0 {
		return ""
	}
	return "zeros for the optimiser's state, "
}
