package dropout

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// MaxPasses bounds the passes that a graph is made for.
const MaxPasses = 100000

// DefaultPasses is the number of passes where nothing says another.
const DefaultPasses = 30

// Settings say what [Build] makes. The zero value takes the Dropout nodes of the file, or puts one with the probability 0.2 before the
// head where there are none.
type Settings struct {
	Output string // name of the output that holds the classes; "": the first
	Kind   string // what it puts out: logits (also ""), probabilities or log-probabilities
	// At names the places of dropout: Dropout nodes, or other nodes or values behind which one is inserted. Empty: all Dropout nodes.
	At []string
	// Head puts one dropout before the head and takes no other: the cheapest, and for a network with dropout in every layer the
	// one whose passes share nearly everything.
	Head bool
	// P is the probability of dropping an element, between 0 and 1; 0: what the node says, DefaultP where it says nothing useful.
	P      float64
	Passes int     // to be noted in the file; 0: DefaultPasses
	Input  []int64 // sizes of one input of the network, where its file leaves them open; nil: as in the file
	// Uncertainty adds the outputs variance, entropy and mutual_information.
	Uncertainty bool
}

// Validate reports a setting out of range.
func (s Settings) Validate() error {
	if s.P != 0 && !(s.P > 0 && s.P < 1) {
		return fmt.Errorf("models/dropout: probability %g: want one between 0 and 1", s.P)
	}
	if s.Passes < 0 || s.Passes > MaxPasses {
		return fmt.Errorf("models/dropout: %d passes: want 1 to %d", s.Passes, MaxPasses)
	}
	if s.Head && len(s.At) > 0 {
		return fmt.Errorf("models/dropout: dropout before the head only, and at %v: want one of the two", s.At)
	}
	if !slices.Contains([]string{"", "logits", "probabilities", "log-probabilities"}, s.Kind) {
		return fmt.Errorf("models/dropout: output of kind %q: want logits, probabilities or log-probabilities", s.Kind)
	}
	return nil
}

// Build returns the graph of Monte Carlo dropout for a classifier, which is not changed. Outputs other than the classes are left out.
func Build(m *onnx.Model, s Settings) (*onnx.Model, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := m.Graph.Check(); err != nil {
		return nil, fmt.Errorf("models/dropout: %w", err)
	}
	out := m.Clone()
	g := out.Graph
	r, layers, err := prepare(g, s)
	if err != nil {
		return nil, err
	}
	spec := Spec{Version: specVersion, About: about, Passes: s.Passes}
	if spec.Passes == 0 {
		spec.Passes = DefaultPasses
	}
	for _, l := range layers {
		mask, err := r.addMask(l, len(layers) > 1)
		if err != nil {
			return nil, err
		}
		spec.Masks = append(spec.Masks, mask)
	}
	y, err := r.rebuild(g.Outputs()[0])
	if err != nil {
		return nil, err
	}
	merge(g, &spec, r, y, s)
	if err := g.Check(); err != nil {
		return nil, fmt.Errorf("models/dropout: %w", err)
	}
	return out, spec.write(out)
}

// prepare leaves of a graph what computes the classes, with an open batch, and the Dropout nodes that become masks, and no others.
func prepare(g *graph.Graph, s Settings) (*rows, []Layer, error) {
	y, err := output(g, s.Output)
	if err != nil {
		return nil, nil, err
	}
	g.SetOutputs(y)
	g.Prune()
	batch, err := OpenBatch(g, s.Input)
	if err != nil {
		return nil, nil, err
	}
	layers, err := place(g, s)
	if err != nil {
		return nil, nil, err
	}
	if err := refuseRandom(g); err != nil {
		return nil, nil, err
	}
	return newRows(g, batch), layers, nil
}

func output(g *graph.Graph, name string) (graph.Value, error) {
	for _, v := range g.Outputs() {
		if name == "" || g.NameOf(v) == name {
			return v, nil
		}
	}
	return graph.None, fmt.Errorf("models/dropout: the network has no output %q", name)
}

// place returns the Dropout nodes that become masks, made where they are missing, each with its probability, and takes out all others.
func place(g *graph.Graph, s Settings) ([]Layer, error) {
	p := s.P
	if p == 0 {
		p = DefaultP
	}
	var chosen []*graph.Node
	var err error
	switch found := Find(g); {
	case len(s.At) > 0:
		chosen, err = at(g, p, s.At)
	case s.Head || len(found) == 0:
		chosen, err = Insert(g, g.Outputs()[0], p)
	default:
		for _, l := range found {
			chosen = append(chosen, l.Node)
		}
	}
	if err != nil {
		return nil, err
	}
	var out []Layer
	for _, l := range Find(g) { // in their order in the graph
		if !slices.Contains(chosen, l.Node) {
			if err := takeOut(g, l.Node); err != nil {
				return nil, err
			}
			continue
		}
		if s.P != 0 || !(l.P > 0 && l.P < 1) {
			l.P = p
		}
		// The shortest decimal that is the file's float32: 0.2, not 0.20000000298.
		if l.P, err = strconv.ParseFloat(strconv.FormatFloat(l.P, 'g', -1, 32), 64); err != nil {
			return nil, fmt.Errorf("models/dropout: %v: %w", l.Node, err)
		}
		out = append(out, l)
	}
	return out, nil
}

// at returns the Dropout nodes of the given names, or new ones behind what else they name.
func at(g *graph.Graph, p float64, names []string) ([]*graph.Node, error) {
	var out []*graph.Node
	for _, name := range names {
		v, err := named(g, name)
		if err != nil {
			return nil, err
		}
		if n, _ := g.Producer(v); n != nil && isDropout(n) {
			out = append(out, n)
			continue
		}
		inserted, err := Insert(g, g.Outputs()[0], p, name)
		if err != nil {
			return nil, err
		}
		out = append(out, inserted...)
	}
	return out, nil
}

// takeOut makes a Dropout pass everything, as it does in inference.
func takeOut(g *graph.Graph, n *graph.Node) error {
	if len(n.Outputs) > 1 && n.Outputs[1] != graph.None && len(g.Uses(n.Outputs[1])) > 0 {
		return fmt.Errorf("models/dropout: %v: its mask is used", n)
	}
	g.Replace(n.Outputs[0], n.Inputs[0])
	g.Remove(n)
	return nil
}

// refuseRandom reports what would make two runs differ, or the rows of a batch depend on each other.
func refuseRandom(g *graph.Graph) error {
	for _, n := range g.Nodes() {
		if strings.HasPrefix(n.Op, "Random") || n.Op == "Bernoulli" || n.Op == "Multinomial" {
			return fmt.Errorf("models/dropout: %v draws random numbers, so that runs would differ: export the network in inference mode, or with Dropout nodes", n)
		}
		if n.Op == "BatchNormalization" && n.Int("training_mode", 0) != 0 {
			return fmt.Errorf("models/dropout: %v normalises by the statistics of its batch, so that the passes would change each other: export with the normalisations in inference mode", n)
		}
	}
	return nil
}
