package norms

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// Entropy appends the entropy of each prediction, in nats, and returns it, of shape [N], with the logits [N, K] where the graph shows
// them, else None. The output is [N, K], and kind says what it holds: "logits", "probabilities" or "log-probabilities", the words of
// models.Manifest. Probabilities and their logarithms are followed back to the Softmax or LogSoftmax that made them, because a
// probability that was rounded to 0 or 1 has lost the gradient; where none is found they are taken as they are, and a probability
// below 1e-12 then counts as that.
func Entropy(g *graph.Graph, output graph.Value, kind string) (entropy, logits graph.Value, err error) {
	p, logp, logits, err := logarithms(g, output, kind)
	if err != nil {
		return graph.None, graph.None, err
	}
	return negSum(g, g.Op("Mul", []graph.Value{p, logp})), logits, g.Err()
}

// MarginalEntropy appends the entropy of the mean prediction over all rows, a scalar, and returns it with the logits as [Entropy] does.
func MarginalEntropy(g *graph.Graph, output graph.Value, kind string) (loss, logits graph.Value, err error) {
	p, logp, logits, err := logarithms(g, output, kind)
	if err != nil {
		return graph.None, graph.None, err
	}
	rows := g.Ints(0)
	mean := g.Op("ReduceMean", []graph.Value{p, rows}, graph.A("keepdims", 0))
	// log mean p = logsumexp(log p) - log N does not lose probabilities that are too small for their type.
	n := g.Op("Cast", []graph.Value{g.Op("Size", []graph.Value{entropyRows(g, logp)})}, graph.A("to", g.TypeOf(logp).Elem))
	logMean := g.Op("Sub", []graph.Value{
		g.Op("ReduceLogSumExp", []graph.Value{logp, rows}, graph.A("keepdims", 0)), g.Op("Log", []graph.Value{n}),
	})
	return negSum(g, g.Op("Mul", []graph.Value{mean, logMean})), logits, g.Err()
}

// entropyRows returns something with one element per row.
func entropyRows(g *graph.Graph, v graph.Value) graph.Value {
	return g.Op("Slice", []graph.Value{v, g.Ints(0), g.Ints(1), g.Ints(1)})
}

func negSum(g *graph.Graph, v graph.Value) graph.Value {
	return g.Op("Neg", []graph.Value{g.Op("ReduceSum", []graph.Value{v, g.Ints(-1)}, graph.A("keepdims", 0))})
}

// smallest is the probability below which one whose logarithm must be taken counts as this.
const smallest = 1e-12

// logarithms returns probabilities and their logarithms, of an output of a kind.
func logarithms(g *graph.Graph, output graph.Value, kind string) (p, logp, logits graph.Value, err error) {
	t := g.TypeOf(output)
	if len(t.Shape) != 2 || !t.Elem.IsFloat() {
		return 0, 0, 0, fmt.Errorf("norms: output %q is %v, want predictions [N, K]", g.NameOf(output), t)
	}
	last := graph.A("axis", -1)
	switch kind {
	case "logits":
		logits = output
	case "probabilities":
		logits = before(g, output, "Softmax")
		if logits == graph.None {
			bounded := g.Op("Max", []graph.Value{output, g.Scalar(t.Elem, smallest)})
			return output, g.Op("Log", []graph.Value{bounded}), graph.None, nil
		}
	case "log-probabilities":
		logits = before(g, output, "LogSoftmax")
		if logits == graph.None {
			return g.Op("Exp", []graph.Value{output}), output, graph.None, nil
		}
	default:
		return 0, 0, 0, fmt.Errorf("norms: output %q: kind %q, want logits, probabilities or log-probabilities", g.NameOf(output), kind)
	}
	logp = g.Op("LogSoftmax", []graph.Value{logits}, last)
	return g.Op("Softmax", []graph.Value{logits}, last), logp, logits, nil
}

// before returns what goes into the operator that made an output, if it does so along the last of two axes.
func before(g *graph.Graph, v graph.Value, op string) graph.Value {
	for range maxStored {
		n, _ := g.Producer(v)
		switch {
		case n == nil || n.Domain != "":
			return graph.None
		case n.Op == op:
			in := n.Inputs[0]
			if axis := n.Int("axis", -1); len(g.TypeOf(in).Shape) == 2 && (axis == -1 || axis == 1) {
				return in
			}
			// Classes along another axis, or a Softmax that is logged by a node of its own.
			return graph.None
		case op == "LogSoftmax" && n.Op == "Log":
			op = "Softmax"
		case !slices.Contains([]string{"Identity", "Cast"}, n.Op):
			return graph.None
		}
		v = n.Inputs[0]
	}
	return graph.None
}
