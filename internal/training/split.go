package training

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets"
)

// Choice says which groups a part gets: so many, a share of them, or those of some names.
type Choice struct {
	Number int      // groups; 0 with neither Share nor Names: none
	Share  float64  // of the groups, rounded up, 0 to below 1
	Names  []string // of groups, or patterns of names with * ? and [a-z]
}

// SplitSettings say who is held out.
type SplitSettings struct {
	Test       Choice // a number or share takes the groups with the most items, as the paper does
	Validation Choice // a number or share is drawn from the groups that are not for the test
	Seed       uint64 // of that draw
	Drawn      bool   // draw the test, too: groups are no streams, so that their length tells nothing
}

// Split is groups by the part that they belong to. Each is in one of them.
type Split struct {
	Train      []Group `json:"train"` // in natural order of names, as the others
	Validation []Group `json:"validation"`
	Test       []Group `json:"test,omitempty"`
}

// ErrOneGroup is the cause where all examples are of one person, camera or account.
var ErrOneGroup = errors.New("all examples are of one group, so that nobody is left to validate on")

// NewSplit divides groups. It depends on names and numbers, not on their order. Groups without a labelled item belong to no part.
func NewSplit(groups []Group, s SplitSettings) (*Split, error) {
	rest := slices.DeleteFunc(slices.Clone(groups), func(g Group) bool { return g.Items == 0 })
	slices.SortFunc(rest, func(a, b Group) int {
		return cmp.Or(datasets.CompareNatural(a.Name, b.Name), strings.Compare(a.Name, b.Name))
	})
	switch len(rest) {
	case 0:
		return nil, errors.New("training: no item has a class")
	case 1:
		return nil, fmt.Errorf("training: %w: %s", ErrOneGroup, rest[0].Name)
	}
	if err := disjoint(rest, s); err != nil {
		return nil, err
	}
	out := &Split{}
	var err error
	drawn := func(of []Group) []Group { return shuffled(of, s.Seed) }
	first := longest
	if s.Drawn {
		first = drawn
	}
	if out.Test, rest, err = s.Test.take("test", rest, first); err != nil {
		return nil, err
	}
	if out.Validation, rest, err = s.Validation.take("validation", rest, drawn); err != nil {
		return nil, err
	}
	out.Train = rest
	if len(out.Validation) == 0 {
		return nil, errors.New("training: validation: no group; at least one must be held out, by which learning rate and checkpoint are chosen")
	}
	return out, nil
}

// disjoint refuses a group that is named for two parts.
func disjoint(groups []Group, s SplitSettings) error {
	for _, g := range groups {
		if s.Test.names(g.Name) && s.Validation.names(g.Name) {
			return fmt.Errorf("training: %s is named for the test and for validation: no group may be in two parts", g.Name)
		}
	}
	return nil
}

// names tells whether a group is named.
func (c Choice) names(group string) bool {
	return slices.ContainsFunc(c.Names, func(pattern string) bool {
		fits, err := path.Match(pattern, group)
		return pattern == group || err == nil && fits
	})
}

// take divides groups into those of the choice and the others, in their order. At least one must be left.
func (c Choice) take(part string, groups []Group, order func([]Group) []Group) (taken, rest []Group, err error) {
	wanted := map[string]bool{}
	if len(c.Names) > 0 {
		for _, pattern := range c.Names {
			if !slices.ContainsFunc(groups, func(g Group) bool { return Choice{Names: []string{pattern}}.names(g.Name) }) {
				return nil, nil, fmt.Errorf("training: %s: no group is called %q; there are %s", part, pattern, some(groups))
			}
		}
		for _, g := range groups {
			wanted[g.Name] = c.names(g.Name)
		}
	} else {
		n, err := c.count(part, len(groups))
		if err != nil {
			return nil, nil, err
		}
		for _, g := range order(groups)[:n] {
			wanted[g.Name] = true
		}
	}
	for _, g := range groups {
		if wanted[g.Name] {
			taken = append(taken, g)
		} else {
			rest = append(rest, g)
		}
	}
	if len(rest) == 0 {
		return nil, nil, fmt.Errorf("training: %s: takes all %d groups; some must be left", part, len(groups))
	}
	return taken, rest, nil
}

func (c Choice) count(part string, of int) (int, error) {
	n := c.Number
	if c.Share != 0 {
		if !(c.Share > 0 && c.Share < 1) {
			return 0, fmt.Errorf("training: %s: a share of %v, want more than 0 and less than 1", part, c.Share)
		}
		n = int(math.Ceil(c.Share*float64(of) - 1e-9))
	}
	if n < 0 || n >= of {
		return 0, fmt.Errorf("training: %s: %d of %d groups, want 0 or more, and some left", part, n, of)
	}
	return n, nil
}

// longest puts the groups with the most items first.
func longest(groups []Group) []Group {
	out := slices.Clone(groups)
	slices.SortStableFunc(out, func(a, b Group) int { return cmp.Compare(b.Items, a.Items) })
	return out
}

func shuffled(groups []Group, seed uint64) []Group {
	out := slices.Clone(groups)
	generator(seedOf(seed, forSplit)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// some names the first groups.
func some(groups []Group) string {
	const most = 8
	var names []string
	for _, g := range groups[:min(len(groups), most)] {
		names = append(names, g.Name)
	}
	if len(groups) > most {
		names = append(names, "...")
	}
	return strings.Join(names, ", ")
}

// Of returns the items of some groups that have a class, in their order.
func (d *Data) Of(groups []Group) (items []int) {
	in := nameSet(groups)
	for i, item := range d.Items {
		if item.Class >= 0 && in[item.Group] {
			items = append(items, i)
		}
	}
	return items
}

func nameSet(groups []Group) map[string]bool {
	out := map[string]bool{}
	for _, g := range groups {
		out[g.Name] = true
	}
	return out
}

// Counts returns how many of the items each class has.
func (d *Data) Counts(items []int) []int {
	out := make([]int, len(d.Labels))
	for _, i := range items {
		out[d.Items[i].Class]++
	}
	return out
}

// CheckClasses reports classes that cannot be learned, or that nobody could be told to be learned: fewer than two, or one that no example
// for training has.
func (d *Data) CheckClasses(s *Split) error {
	if len(d.Labels) < 2 {
		return fmt.Errorf("training: %d class, want two or more: %s", len(d.Labels), strings.Join(d.Labels, ", "))
	}
	train := d.Counts(d.Of(s.Train))
	held := d.Counts(append(d.Of(s.Validation), d.Of(s.Test)...))
	for k, n := range train {
		if n > 0 {
			continue
		}
		if held[k] > 0 {
			return fmt.Errorf("training: class %q has examples of held-out groups (%d) and none for training: hold other groups out, or leave the class out of the labels", d.Labels[k], held[k])
		}
		return fmt.Errorf("training: class %q has no example: leave it out of the labels", d.Labels[k])
	}
	return nil
}
