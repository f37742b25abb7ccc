package eeg

import (
	"fmt"
	"slices"
	"strings"
)

// Choice is the channel that a name stands for: a signal of the recording, or the difference of two.
type Choice struct {
	Signal    int
	Reference int // what is subtracted, -1 for nothing
}

// Find chooses a channel by name. Alternatives stand with | between them, the first that is there counts: "EEG Fpz-Cz|C4-M1". A label
// fits, in this order,
//
//  1. if it is the same;
//  2. but for case, spaces, dots at the end, an underscore or colon for the dash;
//  3. but for the kind before it ("EEG Fpz-Cz" and "Fpz-Cz", never "EOG Fpz-Cz"), and old names of electrodes (T3 is T7, T4 T8, T5 P7,
//     T6 P8, A1 M1, A2 M2);
//  4. if the name is a difference "C3-M2" of two labels that are there, against one and the same reference;
//  5. but for a common reference after one of both ("C3-Ref", "C3-LE", "C3-M2" for C3).
//
// Several labels that fit equally well are an error, and so is none; both name the labels.
func Find(labels []string, name string) (Choice, error) {
	for want := range strings.SplitSeq(name, "|") {
		for _, same := range []func(a, b string) bool{identical, equalFolded, equalElectrodes, nil, equalReferenced} {
			if same == nil {
				if c, ok := difference(labels, want); ok {
					return c, nil
				}
				continue
			}
			found := matching(labels, want, same)
			if len(found) == 1 {
				return Choice{found[0], -1}, nil
			}
			if len(found) > 1 {
				return Choice{}, fmt.Errorf("channel %q: several labels fit: %s", want, list(labels, found))
			}
		}
	}
	return Choice{}, fmt.Errorf("channel %q: not among %s", name, list(labels, nil))
}

func matching(labels []string, want string, same func(a, b string) bool) (out []int) {
	for i, l := range labels {
		if same(l, want) {
			out = append(out, i)
		}
	}
	return out
}

// list quotes some labels, or the first ones of all.
func list(labels []string, which []int) string {
	var out []string
	for i, l := range labels {
		if which == nil || slices.Contains(which, i) {
			out = append(out, fmt.Sprintf("%q", l))
		}
	}
	if len(out) > 40 {
		out = append(out[:40], fmt.Sprintf("and %d more", len(out)-40))
	}
	return strings.Join(out, ", ")
}

func identical(a, b string) bool   { return a == b }
func equalFolded(a, b string) bool { return fold(a) == fold(b) }

func equalElectrodes(a, b string) bool {
	x, y := parts(a), parts(b)
	return x.fits(y) && x.reference == y.reference
}

// equalReferenced lets one of the two have a common reference and the other none.
func equalReferenced(a, b string) bool {
	x, y := parts(a), parts(b)
	return x.fits(y) && (x.reference == "" && common(y.reference) || y.reference == "" && common(x.reference))
}

func (n named) fits(m named) bool {
	return n.electrode == m.electrode && n.electrode != "" && (n.kind == m.kind || n.kind == "" || m.kind == "")
}

// fold writes a label in one way.
func fold(s string) string {
	s = strings.NewReplacer("_", "-", ":", "-", "–", "-").Replace(strings.ToLower(s))
	s = strings.Join(strings.Fields(s), " ")
	s = strings.ReplaceAll(strings.ReplaceAll(s, " -", "-"), "- ", "-")
	return strings.TrimRight(s, ". ")
}

// named is a label in parts: "EEG C3-A2" is eeg, c3, m2.
type named struct{ kind, electrode, reference string }

var (
	kinds   = []string{"eeg", "eog", "emg", "ecg", "ekg", "resp", "pol"}
	modern  = map[string]string{"t3": "t7", "t4": "t8", "t5": "p7", "t6": "p8", "a1": "m1", "a2": "m2"}
	commons = []string{"ref", "le", "avg", "av", "car", "m1", "m2", "a1a2", "m1m2"}
)

func common(reference string) bool { return slices.Contains(commons, reference) }

func parts(label string) (n named) {
	s := fold(label)
	if first, rest, ok := strings.Cut(s, " "); ok && slices.Contains(kinds, first) {
		n.kind, s = first, rest
	}
	if n.kind == "pol" {
		n.kind = "" // of Nihon Kohden, before any label
	}
	n.electrode, n.reference, _ = strings.Cut(s, "-")
	n.electrode, n.reference = renamed(n.electrode), renamed(n.reference)
	return n
}

func renamed(electrode string) string {
	if m, ok := modern[electrode]; ok {
		return m
	}
	return electrode
}

// difference looks for the two electrodes of a bipolar name, recorded against one and the same thing.
func difference(labels []string, want string) (Choice, bool) {
	w := parts(want)
	if w.reference == "" {
		return Choice{}, false
	}
	for i, a := range labels {
		for j, b := range labels {
			x, y := parts(a), parts(b)
			alike := x.reference == y.reference && (x.reference == "" || common(x.reference))
			if i != j && alike && x.fits(named{w.kind, w.electrode, ""}) && y.fits(named{"", w.reference, ""}) {
				return Choice{i, j}, true
			}
		}
	}
	return Choice{}, false
}

// Microvolts returns what a value in a unit is to be multiplied with to be in microvolts; false for units that are no voltage.
func Microvolts(unit string) (float64, bool) {
	switch strings.ToLower(strings.TrimSpace(unit)) {
	case "uv", "µv", "μv", "microv", "microvolt": // the signs micro and mu
		return 1, true
	case "nv":
		return 1e-3, true
	case "mv":
		return 1e3, true
	case "v":
		return 1e6, true
	}
	return 0, false
}
