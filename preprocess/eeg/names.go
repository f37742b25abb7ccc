package eeg

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Choice is the channel that a name stands for: a signal of the recording, or the difference of two.
type Choice struct {
	Signal    int
	Reference int // what is subtracted, -1 for nothing
	By        Rule
	Name      string // the alternative that it was found by
}

// Rule says how a channel was found.
type Rule string

// The rules of [Find], in the order in which they are tried.
const (
	BySpelling   Rule = ""           // the label is the name, but for case, spaces and the like
	ByElectrode  Rule = "electrode"  // but for the kind before it, or an electrode's old name
	ByDifference Rule = "difference" // two signals are subtracted
	ByReference  Rule = "reference"  // one of label and name does not tell the reference
)

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
// Several labels that fit equally well are an error, unless the name ends in the number of one of them: "EEG#2" is the second that fits
// EEG. None is an error, too; both name the labels.
func Find(labels []string, name string) (Choice, error) {
	all := readLabels(labels)
	for want := range strings.SplitSeq(name, "|") {
		plain, number := want, 0
		if !slices.Contains(labels, want) {
			plain, number = numbered(want)
		}
		c, ok, err := all.find(plain, number)
		if err != nil {
			return Choice{}, fmt.Errorf("channel %q: %w", want, err)
		}
		if ok {
			c.Name = want
			return c, nil
		}
	}
	return Choice{}, fmt.Errorf("channel %q: %w %s", name, errNotAmong, list(labels))
}

var errNotAmong = errors.New("not among")

// FindRole is [Find] of what a channel of a role, [EEG] and the like, may be called; its error does not list the alternatives.
func FindRole(labels []string, name, role string) (Choice, error) {
	c, err := Find(labels, name)
	if errors.Is(err, errNotAmong) && strings.Contains(name, "|") {
		return c, fmt.Errorf("no %s by a name that is known among %s", strings.ToUpper(role), list(labels))
	}
	return c, err
}

// Rivals returns the labels that could be of a role, by the kind before them or by one of the names.
func Rivals(labels []string, name, role string) (out []string) {
	const most = 64 // a header may claim thousands
	for _, l := range labels[:min(len(labels), most)] {
		_, err := Find([]string{l}, name)
		if err == nil || parts(l).kind == role {
			out = append(out, l)
		}
	}
	return out
}

// numbered takes the number off a name, 0 where there is none.
func numbered(name string) (string, int) {
	at := strings.LastIndexByte(name, '#')
	if at < 1 {
		return name, 0
	}
	n, err := strconv.Atoi(name[at+1:])
	if err != nil || n < 1 {
		return name, 0
	}
	return name[:at], n
}

// readLabel is a label in the three ways in which it is compared.
type readLabel struct {
	label, folded string
	named
}

type readings []readLabel

func readLabels(labels []string) readings {
	out := make(readings, len(labels))
	for i, l := range labels {
		out[i] = readLabel{l, fold(l), parts(l)}
	}
	return out
}

// find tries the rules in turn.
func (r readings) find(name string, number int) (c Choice, ok bool, err error) {
	want := readLabel{name, fold(name), parts(name)}
	for _, rule := range []struct {
		by   Rule
		same func(a, b readLabel) bool
	}{{BySpelling, identical}, {BySpelling, equalFolded}, {ByElectrode, equalElectrodes}, {ByDifference, nil}, {ByReference, equalReferenced}} {
		if rule.same == nil {
			if c, ok := r.difference(want.named); ok {
				return c, true, nil
			}
			continue
		}
		found := r.matching(want, rule.same)
		switch {
		case number > 0 && number <= len(found):
			return Choice{Signal: found[number-1], Reference: -1, By: rule.by}, true, nil
		case number > 0 && len(found) > 0:
			return Choice{}, false, fmt.Errorf("only %d labels fit: %s", len(found), list(r.labels(found)))
		case len(found) == 1:
			return Choice{Signal: found[0], Reference: -1, By: rule.by}, true, nil
		case len(found) > 1:
			return Choice{}, false, fmt.Errorf("several labels fit: %s: %q is the first of them", list(r.labels(found)), name+"#1")
		}
	}
	return Choice{}, false, nil
}

func (r readings) matching(want readLabel, same func(a, b readLabel) bool) (out []int) {
	for i, l := range r {
		if same(l, want) {
			out = append(out, i)
		}
	}
	return out
}

func (r readings) labels(which []int) []string {
	out := make([]string, len(which))
	for k, i := range which {
		out[k] = r[i].label
	}
	return out
}

// list quotes the first labels.
func list(labels []string) string {
	const most = 40
	var out []string
	for _, l := range labels[:min(len(labels), most)] {
		out = append(out, fmt.Sprintf("%q", l))
	}
	if len(labels) > most {
		out = append(out, fmt.Sprintf("and %d more", len(labels)-most))
	}
	return strings.Join(out, ", ")
}

func identical(a, b readLabel) bool   { return a.label == b.label }
func equalFolded(a, b readLabel) bool { return a.folded == b.folded }

func equalElectrodes(a, b readLabel) bool { return a.fits(b.named) && a.reference == b.reference }

// equalReferenced lets one of the two have a common reference and the other none.
func equalReferenced(x, y readLabel) bool {
	return x.fits(y.named) && (x.reference == "" && common(y.reference) || y.reference == "" && common(x.reference))
}

func (n named) fits(m named) bool {
	return n.electrode == m.electrode && n.electrode != "" && (n.kind == m.kind || n.kind == "" || m.kind == "")
}

var dashes = strings.NewReplacer("_", "-", ":", "-", "–", "-")

// fold writes a label in one way.
func fold(s string) string {
	s = dashes.Replace(strings.ToLower(s))
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
func (r readings) difference(w named) (Choice, bool) {
	if w.reference == "" {
		return Choice{}, false
	}
	second := map[string]int{} // of each reference that is one, the first signal of the electrode that is subtracted
	for j, y := range r {
		if _, known := second[y.reference]; !known && (y.reference == "" || common(y.reference)) && y.fits(named{"", w.reference, ""}) {
			second[y.reference] = j
		}
	}
	for i, x := range r {
		if j, ok := second[x.reference]; ok && i != j && x.fits(named{w.kind, w.electrode, ""}) {
			return Choice{Signal: i, Reference: j, By: ByDifference}, true
		}
	}
	return Choice{}, false
}

// Microvolts returns what a value in a unit is to be multiplied with to be in microvolts; false for units that are no voltage.
func Microvolts(unit string) (float64, bool) {
	switch strings.ToLower(strings.TrimSpace(unit)) {
	case "uv", "µv", "μv", "microv", "uvolt", "uvolts", "microvolt", "microvolts", "\u0083\u00eav": // the signs micro and mu; mu of Shift-JIS, as MNE reads it
		return 1, true
	case "nv", "nanovolt", "nanovolts":
		return 1e-3, true
	case "mv", "millivolt", "millivolts":
		return 1e3, true
	case "v", "volt", "volts":
		return 1e6, true
	}
	return 0, false
}
