package weights

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Report says how a file's tensors fit the wanted ones. Its lists are in order of name, with our names where rules led to one.
type Report struct {
	Missing    []string // wanted, and not in the file
	Unexpected []string // in the file, and not wanted
	WrongShape []Mismatch
	Clashes    []string // wanted names to which the rules lead several tensors
	Broken     []string // stacked tensors that lack parts, or whose parts do not fit each other
	Dropped    []string // names in the file that the rules leave out: no fault
}

// Mismatch is a tensor that is there in another shape.
type Mismatch struct {
	Name      string
	Want, Got []int
}

// Err returns nil if every wanted tensor was found and none was left over, else an error that names all that did not fit.
func (r Report) Err() error {
	var errs []error
	for _, l := range []struct {
		what  string
		names []string
	}{{"missing", r.Missing}, {"unexpected", r.Unexpected}, {"several tensors for", r.Clashes}, {"parts do not fit", r.Broken}} {
		if len(l.names) > 0 {
			errs = append(errs, fmt.Errorf("models/weights: %s: %s", l.what, strings.Join(l.names, ", ")))
		}
	}
	for _, m := range r.WrongShape {
		errs = append(errs, fmt.Errorf("models/weights: %s: shape %v, want %v", m.Name, m.Got, m.Want))
	}
	return errors.Join(errs...)
}

// Match renames a file's tensors by the rules and compares them with the wanted names and shapes. It returns the tensors that fit,
// under their wanted names, and the report; whether a tensor too few or too many is a fault, as it is for [Report.Err], or a head that
// is trained anew, is the caller's to say. The error is for rules that cannot be. No elements are read.
func Match(want map[string][]int, f *File, rules Rules) (map[string]*Tensor, Report, error) {
	var report Report
	compiled, err := rules.compile()
	if err != nil {
		return nil, report, err
	}
	found, parts := map[string][]*Tensor{}, map[string]*stack{}
	for _, t := range f.Tensors() {
		switch to := rules.apply(compiled, t.name); {
		case to.drop:
			report.Dropped = append(report.Dropped, t.name)
		case to.of > 0:
			if parts[to.name] == nil {
				parts[to.name] = newStack(to.of)
			}
			parts[to.name].put(to.part, t)
		default:
			found[to.name] = append(found[to.name], t.Named(to.name))
		}
	}
	for name, s := range parts {
		if t := s.tensor(name); t != nil {
			found[name] = append(found[name], t)
		} else {
			report.Broken = append(report.Broken, name)
		}
	}
	return report.compare(want, found), report.sorted(), nil
}

// compare fills the report, and returns what fits.
func (r *Report) compare(want map[string][]int, found map[string][]*Tensor) map[string]*Tensor {
	fit := map[string]*Tensor{}
	for name, shape := range want {
		ts := found[name]
		switch {
		case len(ts) == 0 && !slices.Contains(r.Broken, name):
			r.Missing = append(r.Missing, name)
		case len(ts) > 1:
			r.Clashes = append(r.Clashes, name)
		case len(ts) == 1 && !slices.Equal(ts[0].shape, shape):
			r.WrongShape = append(r.WrongShape, Mismatch{name, slices.Clone(shape), ts[0].Shape()})
		case len(ts) == 1:
			fit[name] = ts[0]
		}
	}
	for name := range maps.Keys(found) {
		if _, ok := want[name]; !ok {
			r.Unexpected = append(r.Unexpected, name)
		}
	}
	return fit
}

func (r *Report) sorted() Report {
	for _, l := range [][]string{r.Missing, r.Unexpected, r.Clashes, r.Broken, r.Dropped} {
		slices.Sort(l)
	}
	slices.SortFunc(r.WrongShape, func(a, b Mismatch) int { return strings.Compare(a.Name, b.Name) })
	return *r
}

// stack gathers the parts of one tensor.
type stack struct {
	parts  []*Tensor
	broken bool
}

func newStack(n int) *stack { return &stack{parts: make([]*Tensor, n)} }

func (s *stack) put(i int, t *Tensor) {
	if i >= len(s.parts) || s.parts[i] != nil {
		s.broken = true
		return
	}
	s.parts[i] = t
}

// tensor returns the parts one after the other along the first axis, or nil if one is missing or they differ in type or other axes.
func (s *stack) tensor(name string) *Tensor {
	first := s.parts[0]
	if s.broken || slices.Contains(s.parts, nil) || len(first.shape) == 0 {
		return nil
	}
	out := &Tensor{name: name, dtype: first.dtype, shape: first.Shape()}
	out.shape[0] = 0
	for _, t := range s.parts {
		if t.dtype != first.dtype || len(t.shape) == 0 || !slices.Equal(t.shape[1:], first.shape[1:]) {
			return nil
		}
		out.shape[0] += t.shape[0]
		out.size += t.size
	}
	out.fill = func(dst []byte) error {
		for _, t := range s.parts {
			if err := t.fill(dst[:t.size]); err != nil {
				return fmt.Errorf("part %q: %w", t.name, err)
			}
			dst = dst[t.size:]
		}
		return nil
	}
	return out
}
