package evaluation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
)

// Options say how true labels are read.
type Options struct {
	// Map gives labels of the data the words of the model; "" is no label. Nil changes nothing.
	Map func(string) string
	// Positions makes numbers the positions of classes, counted from First, 0 or 1.
	Positions bool
	First     int
	// Codes are the numbers of classes that the model's manifest has; nil: none.
	Codes map[string]int

	alone bool // there may be other labels
	words bool // of which one was a name
}

// mapped returns a label in the words of the model.
func (o Options) mapped(label string) string {
	label = strings.TrimSpace(label)
	if o.Map != nil && label != "" {
		return o.Map(label)
	}
	return label
}

// Resolution is what labels are.
type Resolution struct {
	Class map[string]int // of each label; -1 for one that is no class
	Note  string         // how numbers were read; "" if all labels are names
}

// Resolve finds the classes of true labels, of which it must be given all that there are: what a number means cannot be seen of it alone.
//
//   - A label is the name of a class, exactly or but for case; where all classes are stages of sleep, or one of their other names, as R for
//     REM. A whole number is a name, too, however it is written: 1.0 is 1.
//   - Numbers that are no names are the codes of the model's manifest, if all of them are.
//   - Else they are the codes of [codeSystems] where the classes and all of the numbers are such.
//   - Else they are positions of classes, if the options say so and every number is one. Then they are so before anything else.
//   - Else, where other labels are names, they are no classes, as words that are no names are none; beside names of stages of sleep 1 to 4 are
//     N1, N2 and N3.
//   - Else they could mean several things, and are refused by an error that wraps [ErrNumbers] and tells the choices.
func Resolve(labels, classes []string, o Options) (Resolution, error) {
	r := Resolution{Class: make(map[string]int, len(labels))}
	n := names{classes: classes, stages: stagesOf(classes)}
	numbers := map[string]int{} // labels that are no names, and what number they are
	words := o.words
	for _, label := range labels {
		text := o.mapped(label)
		number, isNumber := numberOf(text)
		switch class := n.class(text); {
		case isNumber && o.Positions:
			numbers[label] = number
		case isNumber && class < 0:
			if class = n.class(strconv.Itoa(number)); class < 0 {
				numbers[label] = number
			}
			r.Class[label] = class
		default:
			r.Class[label] = class
			words = words || class >= 0 && !isNumber
		}
	}
	if len(numbers) == 0 {
		return r, nil
	}
	return r, r.number(numbers, n, words, o)
}

// number decides what numbers that are no names mean.
func (r *Resolution) number(numbers map[string]int, n names, words bool, o Options) error {
	of := func(int) int { return -1 }
	values := slices.Compact(slices.Sorted(maps.Values(numbers)))
	system := systemOf(values, n)
	switch {
	case o.Positions:
		if low, high := values[0], values[len(values)-1]; low < o.First || high >= o.First+len(n.classes) {
			return fmt.Errorf("--label-index %d: the labels %s are not all positions from %d to %d of the %d classes %s",
				o.First, someNumbers(values), o.First, o.First+len(n.classes)-1, len(n.classes), someNames(n.classes))
		}
		of = func(v int) int { return v - o.First }
	case o.codesOf(values) != nil:
		label := o.codesOf(values)
		of = func(v int) int { return n.class(label[v]) }
		own := codeSystem{words: label}
		r.Note = fmt.Sprintf("the true labels %s are read as the codes of the model's manifest: %s (--label-index and --label-map read them otherwise)", someNumbers(values), own.explain(values))
	case words && n.stages != nil: // beside W and R the stages of Rechtschaffen and Kales are 1 to 4
		of = n.stageNumber
	case words: // as any other word that is no name
	case system != nil && !o.alone:
		of = func(v int) int { return n.class(system.words[v]) }
		r.Note = fmt.Sprintf("the true labels %s are read as %s: %s (--label-index and --label-map read them otherwise)", someNumbers(values), system.name, system.explain(values))
	default:
		return refusal(values, n.classes)
	}
	for label, v := range numbers {
		r.Class[label] = of(v)
	}
	return nil
}

// codesOf returns the labels of the manifest's codes if all of some numbers are such, else nil.
func (o Options) codesOf(values []int) map[int]string {
	labels := map[int]string{}
	for label, code := range o.Codes {
		labels[code] = label
	}
	for _, v := range values {
		if _, ok := labels[v]; !ok {
			return nil
		}
	}
	return labels
}

// refusal is the error of numbers that could mean several things.
func refusal(values []int, classes []string) error {
	var choices []string
	low, high := values[0], values[len(values)-1]
	if low >= 0 && high < len(classes) {
		choices = append(choices, "--label-index 0 takes them for positions of classes, counted from 0")
	}
	if low >= 1 && high <= len(classes) {
		choices = append(choices, "--label-index 1 for positions counted from 1")
	}
	choices = append(choices, "--label-map FILE names them")
	return fmt.Errorf("%w: %s, and the classes are %s: %s", ErrNumbers, someNumbers(values), someNames(classes), strings.Join(choices, ", "))
}

// names finds classes by name.
type names struct {
	classes []string
	stages  map[hypnogram.Stage]int // nil unless the classes are stages of sleep
}

// class returns the class of a name, or -1.
func (n names) class(name string) int {
	if name == "" {
		return -1
	}
	class, err := datasets.ClassNamed(name, n.classes)
	if err != nil { // of several
		return -1
	}
	if class < 0 && n.stages != nil && !isNumber(name) {
		if stage, ok := hypnogram.ParseLabel(name); ok {
			if class, ok = n.stages[stage]; !ok {
				class = -1
			}
		}
	}
	return class
}

// stageNumber returns the class of a stage that is written as a number, or -1.
func (n names) stageNumber(v int) int {
	if stage, ok := hypnogram.ParseLabel(strconv.Itoa(v)); ok {
		if class, ok := n.stages[stage]; ok {
			return class
		}
	}
	return -1
}

// stagesOf returns the classes of stages of sleep, nil if the classes are not such or one stage has several.
func stagesOf(classes []string) map[hypnogram.Stage]int {
	stages := map[hypnogram.Stage]int{}
	for i, class := range classes {
		stage, ok := hypnogram.ParseLabel(class)
		if _, twice := stages[stage]; twice || !ok || isNumber(class) {
			return nil
		}
		stages[stage] = i
	}
	if len(stages) < 2 {
		return nil
	}
	return stages
}

// numberOf reads a whole number, as Python's pandas writes it, too: 1.0.
func numberOf(text string) (int, bool) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v != float64(int32(v)) || strings.ContainsAny(text, "xXpP_") {
		return 0, false
	}
	return int(v), true
}

func isNumber(text string) bool { _, ok := numberOf(text); return ok }

func someNumbers(values []int) string {
	text := make([]string, min(len(values), 8))
	for i := range text {
		text[i] = strconv.Itoa(values[i])
	}
	if len(values) > len(text) {
		text = append(text, "...")
	}
	return strings.Join(text, ", ")
}

func someNames(names []string) string {
	if len(names) > 8 {
		return strings.Join(names[:8], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
