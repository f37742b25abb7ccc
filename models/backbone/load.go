package backbone

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/weights"
)

// Report says what became of a file of weights. Lists are in order of name.
type Report struct {
	Loaded       int      // tensors that came from the file
	Fresh        []string // tensors of the head that the file does not have, or has for another number of classes: they stay as they were
	Interpolated []string // tables of places that were made for another size of picture
	Ignored      []string // tensors of the file that the network has no use for: counters, heads of pretraining
}

// MismatchError says why a file is not of this network. Lists are complete and in order of name.
type MismatchError struct {
	Network    string
	Missing    []string           // tensors that the file should have
	Unexpected []string           // tensors that it should not, with our names where rules led to one
	WrongShape []weights.Mismatch // tensors of another shape
	Broken     []string           // tensors that several of the file claim to be, or that lack parts
	Fits       []string           // networks, in their usual form, that the file does fit
}

// most is how many names of a list an error spells out.
const most = 12

// Error names the tensors, up to a dozen of each kind.
func (e *MismatchError) Error() string {
	var parts []string
	list := func(what string, names []string) {
		if len(names) == 0 {
			return
		}
		more := ""
		if len(names) > most {
			names, more = names[:most], fmt.Sprintf(" and %d more", len(names)-most)
		}
		parts = append(parts, what+": "+strings.Join(names, ", ")+more)
	}
	list("missing", e.Missing)
	list("unexpected", e.Unexpected)
	var shapes []string
	for _, m := range e.WrongShape {
		shapes = append(shapes, fmt.Sprintf("%s %v, want %v", m.Name, m.Got, m.Want))
	}
	list("of another shape", shapes)
	list("twice or in part", e.Broken)
	fits := ""
	if len(e.Fits) > 0 {
		fits = " (they are those of " + strings.Join(e.Fits, ", of ") + " with its usual options)"
	}
	return fmt.Sprintf("models/backbone: the weights are not those of %s%s: %s", e.Network, fits, strings.Join(parts, "; "))
}

func (e *MismatchError) empty() bool {
	return len(e.Missing)+len(e.Unexpected)+len(e.WrongShape)+len(e.Broken) == 0
}

// Load takes the weights of a file: see the package's contract. The file may be closed afterwards. After an error the network is as it was.
// An error that is a [*MismatchError] says which tensors do not fit.
func (n *Net) Load(f *weights.File) (Report, error) {
	fit, report, err := n.match(f)
	if err != nil {
		return Report{}, fmt.Errorf("models/backbone: %s: %w", n.Name, err)
	}
	r, odd := n.settle(report)
	if !odd.empty() {
		odd.Fits = fitting(f)
		return Report{}, odd
	}
	made := map[string]*graph.Tensor{}
	for _, t := range n.Tensors {
		if slices.Contains(r.Fresh, t.Name) {
			continue
		}
		values, err := elements(t, fit[t.Name])
		if err == nil {
			made[t.Name], err = graph.RawTensor(graph.Float32, t.Dims, encode(values))
		}
		if err != nil {
			return Report{}, fmt.Errorf("models/backbone: %s: %s: %w", n.Name, t.Name, err)
		}
		if len(t.Dims) == 3 && fit[t.Name].Len() != len(values) {
			r.Interpolated = append(r.Interpolated, t.Name)
		}
	}
	for _, t := range n.Tensors {
		if m := made[t.Name]; m != nil {
			n.replace(t, m)
		}
	}
	r.Loaded = len(made)
	return r, nil
}

// match also takes tensors whose shape differs in a way that can be mended: see mendable.
func (n *Net) match(f *weights.File) (map[string]*weights.Tensor, weights.Report, error) {
	want, rules := n.shapes(), n.spec.rulesFor(f.Names())
	fit, report, err := weights.Match(want, f, rules)
	if err != nil {
		return nil, report, err
	}
	again := false
	for _, m := range report.WrongShape {
		if mendable(m) {
			want[m.Name], again = m.Got, true
		}
	}
	if again {
		return weights.Match(want, f, rules)
	}
	return fit, report, nil
}

// settle divides what does not fit into what may be and what may not.
func (n *Net) settle(report weights.Report) (Report, *MismatchError) {
	r := Report{Ignored: report.Dropped}
	odd := &MismatchError{Network: n.Name, Broken: slices.Sorted(slices.Values(slices.Concat(report.Clashes, report.Broken)))}
	lacking := map[string]bool{} // tensors of the head that are missing or have another number of rows
	for _, name := range report.Missing {
		lacking[name] = n.isHead(name)
	}
	for _, m := range report.WrongShape {
		lacking[m.Name] = n.isHead(m.Name) && len(m.Got) == len(m.Want) && slices.Equal(m.Got[1:], m.Want[1:])
	}
	fresh := func(name string) bool { return lacking[name] && n.wholeModule(name, lacking) }
	for _, name := range report.Missing {
		if !fresh(name) {
			odd.Missing = append(odd.Missing, name)
		}
	}
	for _, m := range report.WrongShape {
		if !fresh(m.Name) {
			odd.WrongShape = append(odd.WrongShape, m)
		}
	}
	heads := n.unusedHead()
	for _, name := range report.Unexpected {
		if slices.Contains(heads, name) {
			r.Ignored = append(r.Ignored, name)
		} else {
			odd.Unexpected = append(odd.Unexpected, name)
		}
	}
	for _, t := range n.Tensors {
		if fresh(t.Name) {
			r.Fresh = append(r.Fresh, t.Name)
		}
	}
	slices.Sort(r.Fresh)
	slices.Sort(r.Ignored)
	return r, odd
}

// fitting returns the networks to which a file belongs but for the number of classes.
func fitting(f *weights.File) (names []string) {
	for _, name := range Names() {
		n, err := New(name, Options{})
		if err != nil {
			continue
		}
		if _, report, err := n.match(f); err == nil {
			if _, odd := n.settle(report); odd.empty() {
				names = append(names, name)
			}
		}
	}
	return names
}

func (n *Net) isHead(name string) bool {
	t, _ := n.Tensor(name)
	return t.Head
}

// wholeModule tells that all tensors of a layer are lacking: a bias without its weight is a damaged file, not another head.
func (n *Net) wholeModule(name string, lacking map[string]bool) bool {
	module := moduleOf(name)
	return !slices.ContainsFunc(n.Tensors, func(t Tensor) bool { return moduleOf(t.Name) == module && !lacking[t.Name] })
}

func moduleOf(name string) string { return name[:max(0, strings.LastIndexByte(name, '.'))] }

// unusedHead returns the names of the head's tensors if the network was built without it.
func (n *Net) unusedHead() (names []string) {
	if !n.Options.Embed {
		return nil
	}
	b := &builder{g: graph.New(n.Name, opset), net: &Net{}, opts: n.Options, style: n.spec.style}
	b.opts.Embed = false
	n.spec.net.build(b)
	for _, t := range b.net.Tensors {
		if t.Head {
			names = append(names, t.Name)
		}
	}
	return names
}

// elements reads the elements of a tensor, in the shape that the network has. Integers are no weights, and neither is what is not finite.
func elements(t Tensor, from *weights.Tensor) ([]float32, error) {
	switch from.DType() {
	case weights.F16, weights.BF16, weights.F32, weights.F64:
	default:
		return nil, fmt.Errorf("elements of type %v, want floating point", from.DType())
	}
	values, err := from.Float32s()
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if v-v != 0 {
			return nil, fmt.Errorf("element %d is %v", i, v)
		}
	}
	if count(t.Dims) != int64(len(values)) {
		return interpolate(values, from.Shape(), t.Dims), nil
	}
	return values, nil
}

func count(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

func (n *Net) shapes() map[string][]int {
	out := map[string][]int{}
	for _, t := range n.Tensors {
		shape := make([]int, len(t.Dims))
		for i, d := range t.Dims {
			shape[i] = int(d)
		}
		out[t.Name] = shape
	}
	return out
}
