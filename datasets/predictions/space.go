package predictions

import (
	"slices"
)

// Space is the classes that the filter of one stream of a document works on. It depends on what the document declares and on the lists of
// the stream, and not on other streams.
//
// Of a document that declares few classes it is all of them. Of one that declares more, it is those that lists of the stream name, and one
// more that stands for all others: no list says anything that would tell these apart, so that the filter needs only one of them, at the cost
// of one class.
type Space struct {
	Classes []int // into those of the document, in their order
	// Rest is how many declared classes no list of the stream names; if there are any, one of them is the last class of the space.
	Rest int
	// Single tells that no list of the stream names more than one class: such lists say where the predictor is unsure, and nothing of what else
	// it may be.
	Single bool
	// Alone tells that the lists of the stream name one class and no other, though there are others: there is nothing to choose from, and nothing
	// that would tell how sure the predictor should be.
	Alone bool

	place   map[int]int // of each class
	allowed []bool      // labels that an ensemble gave in the stream by its classifier alone; nil: no ensemble
}

// Len returns the number of classes that the filter has.
func (s *Space) Len() int {
	if s.Rest > 0 {
		return len(s.Classes) + 1
	}
	return len(s.Classes)
}

// Names returns the names of the classes of the space; the last, if it stands for others, is called so.
func (s *Space) Names(all []string) []string {
	out := make([]string, 0, s.Len())
	for _, c := range s.Classes {
		out = append(out, all[c])
	}
	if s.Rest > 0 {
		out = append(out, RestName)
	}
	return out
}

// RestName is what the class that stands for those of no list is called in figures. It is never a label.
const RestName = "(classes of no list)"

// Restore turns what a filter made of an item's vector q into probabilities of all classes. The class that stands for others gets the mass that the
// item's list left to all of them, or less where the filter made one of them less likely; never more: of a class that no list names
// nothing speaks for it. The others share what is left as the filter has it.
func (s *Space) Restore(dst, adapted, q []float64) []float64 {
	dst = append(dst[:0], adapted...)
	if s.Rest == 0 {
		return dst
	}
	last := len(dst) - 1
	others := float64(s.Rest) * q[last]
	rest := others / (1 - q[last] + others)
	if adapted[last] < q[last] {
		rest *= adapted[last] / q[last]
	}
	if named := 1 - adapted[last]; named > 0 {
		for i := range dst[:last] {
			dst[i] *= (1 - rest) / named
		}
	}
	dst[last] = rest
	return dst
}

// Expand writes restored probabilities into a vector of all classes of the document; those of no list share their mass.
func (s *Space) Expand(dst, restored []float64) {
	for i := range dst {
		dst[i] = 0
		if s.Rest > 0 {
			dst[i] = restored[len(restored)-1] / float64(s.Rest)
		}
	}
	for k, c := range s.Classes {
		dst[c] = restored[k]
	}
}

// Place returns where a class of the document is in the space; -1 if it is none of its own.
func (s *Space) Place(class int) int {
	if k, ok := s.place[class]; ok {
		return k
	}
	return -1
}

// newSpace returns the space of a stream whose lists name some classes, of so many that are declared.
func newSpace(named []int, declared, most int) *Space {
	s := &Space{Classes: named, Rest: declared - len(named)}
	if declared <= most {
		s.Classes, s.Rest = make([]int, declared), 0
		for i := range s.Classes {
			s.Classes[i] = i
		}
	}
	s.place = make(map[int]int, len(s.Classes))
	for k, c := range s.Classes {
		s.place[c] = k
	}
	return s
}

// makeSpaces finds the space of every stream. The entries are in the order of streams.
func (d *Document) makeSpaces() {
	for i := 0; i < len(d.entries); {
		n := i
		named, longest := map[int]bool{}, 0
		for ; n < len(d.entries) && d.entries[n].stream == d.entries[i].stream; n++ {
			if d.entries[n].err == nil {
				longest = max(longest, len(d.entries[n].top))
				for _, s := range d.entries[n].top {
					named[s.class] = true
				}
			}
		}
		lists := len(named)
		d.nameAlso(named, d.entries[i].stream)
		classes := make([]int, 0, len(named))
		for c := range named {
			classes = append(classes, c)
		}
		slices.Sort(classes)
		space := newSpace(classes, d.declared, d.o.Most)
		space.Single, space.Alone = longest <= 1, lists == 1 && d.declared > 1
		d.allow(space, d.entries[i:n])
		for k := i; k < n; k++ {
			d.entries[k].space = space
		}
		i = n
	}
}

// nameAlso adds the classes that a stream has for another reason than its lists.
func (d *Document) nameAlso(named map[int]bool, stream string) {
	if d.o.Also == nil {
		return
	}
	for _, name := range d.o.Also(stream) {
		if class := d.classOf(name); class >= 0 {
			named[class] = true
		}
	}
}

// fill writes the vector of a list into dst [Len]. What the list leaves out is shared equally by all declared classes that it does not name.
// The class that stands for others has the share of one, and the vector is divided by its sum.
func (s *Space) fill(dst []float64, top []score) error {
	unlisted := len(s.Classes) + s.Rest - len(top)
	if err := spread(dst, top, s.place, unlisted); err != nil || s.Rest == 0 {
		return err
	}
	sum := 0.0
	for _, p := range dst {
		sum += p
	}
	for i := range dst {
		dst[i] /= sum
	}
	return nil
}
