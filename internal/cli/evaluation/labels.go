package evaluation

import (
	"errors"
	"fmt"
	"slices"
)

// Labels finds true labels among the classes, each once. What numbers mean is decided of all labels of an input together, by [Resolve].
type Labels struct {
	classes []string
	options Options
	all     func() ([]string, error) // the labels of the whole input; nil: nobody can tell
	decided *Resolution
	words   bool           // a label that is no number was a name
	met     map[string]int // classes of labels met; -1 for one that is no class
}

// NewLabels returns a finder of labels among some classes. all returns the labels of the whole input, and is called once at the most, at the
// first number; nil where that cannot be known, as of a pipe.
func NewLabels(classes []string, o Options, all func() ([]string, error)) *Labels {
	return &Labels{classes: classes, options: o, all: all, met: map[string]int{}}
}

// Decide resolves all of the labels of an input. Other labels may come, and are none of the classes.
func (r *Labels) Decide(labels []string) error {
	resolution, err := Resolve(labels, r.classes, r.options)
	r.decided = &resolution
	return err
}

// Of returns the class of a label, or -1. An error is what [Resolve] says of the labels; it is no label's in particular.
func (r *Labels) Of(label string) (int, error) {
	if class, known := r.met[label]; known {
		return class, nil
	}
	class, err := r.find(label)
	if err == nil {
		r.met[label] = class
	}
	return class, err
}

func (r *Labels) find(label string) (int, error) {
	if r.decided == nil && r.all != nil && isNumber(r.options.mapped(label)) {
		labels, err := r.all()
		if err == nil && labels != nil {
			err = r.Decide(labels)
		}
		if r.all = nil; err != nil {
			return -1, err
		}
	}
	if r.decided != nil {
		if class, ok := r.decided.Class[label]; ok {
			return class, nil
		}
	}
	o := r.options
	o.alone, o.words = true, r.words
	one, err := Resolve([]string{label}, r.classes, o)
	if err != nil {
		return -1, err
	}
	r.words = r.words || one.Class[label] >= 0 && !isNumber(o.mapped(label))
	return one.Class[label], nil
}

// Open tells whether a label says nothing, in the words of the model.
func (r *Labels) Open(label string) bool { return r.options.mapped(label) == "" }

// Note says how numbers were read; "" if there were none.
func (r *Labels) Note() string {
	if r.decided == nil {
		return ""
	}
	return r.decided.Note
}

// Met returns how many different labels there were.
func (r *Labels) Met() int { return len(r.met) }

// Unknown lists, quoted and sorted, the labels met that are no class.
func (r *Labels) Unknown() (out []string) {
	for label, class := range r.met {
		if class < 0 {
			out = append(out, fmt.Sprintf("%q", r.options.mapped(label)))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ErrNumbers is a refusal to guess what numbers mean.
var ErrNumbers = errors.New("true labels are numbers that can mean several things")
