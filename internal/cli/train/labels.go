package train

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/reading"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/training"
)

// maxLabelFile bounds a file of names of classes.
const maxLabelFile = 16 << 20

// given returns the classes of --labels; nil without the flag.
func (t *task) given() ([]string, error) {
	text := t.c.String("labels")
	if text == "" {
		return nil, nil
	}
	split := func(r rune) bool { return r == ',' }
	if info, err := os.Stat(text); err == nil && info.Mode().IsRegular() {
		data, err := files.ReadBounded(text, maxLabelFile)
		if err != nil {
			return nil, fmt.Errorf("--labels: %w", err)
		}
		text, split = strings.TrimPrefix(string(data), "\ufeff"), func(r rune) bool { return r == '\n' }
	}
	var out []string
	for _, name := range strings.FieldsFunc(text, split) {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out, nil
}

// corrected gives an input the labels of --corrections.
func (t *task) corrected(in inputs.Input) (inputs.Input, error) {
	return reading.Relabelled(t.c, t.env, "corrections", in)
}

// reading says what the items of an input are: of which class and of whom. usual are classes that labels may be of where no flag names
// them, the first that fits counts.
func (t *task) reading(in inputs.Input, usual ...[]string) (training.Reading, error) {
	r := training.Reading{Noun: in.Noun()}
	options, err := evaluation.OptionsOf(t.c)
	if err != nil {
		return r, err
	}
	distinct := inputs.Labels(in)
	if len(distinct) == 0 {
		if name, why, failed := in.Unread(); failed > 0 && failed == len(in.Items()) {
			return r, fmt.Errorf("none of the %ss can be read: %s: %s", in.Noun(), name, why)
		}
		return r, fmt.Errorf("no %s has a label", in.Noun())
	}
	if r.Labels, err = t.given(); err != nil {
		return r, err
	}
	if r.Labels == nil {
		if r.Labels, err = classesOf(distinct, options, usual); err != nil {
			return r, err
		}
	}
	resolver := evaluation.NewLabels(r.Labels, options, nil)
	if err := resolver.Decide(distinct); err != nil {
		return r, err
	}
	if !slices.ContainsFunc(distinct, func(l string) bool { class, err := resolver.Of(l); return err == nil && class >= 0 }) {
		return r, fmt.Errorf("none of the labels of the data is one of the classes %s; they are %s", console.Some(r.Labels, 8), console.Some(distinct, 8))
	}
	if note := resolver.Note(); note != "" {
		console.Warn(t.c, t.env, []string{note})
	}
	r.Class = func(label string) int {
		class, err := resolver.Of(label)
		if err != nil { // all were decided
			return -1
		}
		return class
	}
	r.Group, err = t.groups()
	r.Progress = t.readProgress(in.Noun())
	return r, err
}

// classesOf returns the classes of labels: usual ones that all labels are of, else the labels themselves, which then must be names.
func classesOf(labels []string, o evaluation.Options, usual [][]string) ([]string, error) {
	for _, classes := range usual {
		r, err := evaluation.Resolve(labels, classes, o)
		if err != nil {
			continue
		}
		if !slices.ContainsFunc(labels, func(l string) bool { return r.Class[l] < 0 && (o.Map == nil || o.Map(l) != "") }) {
			return classes, nil
		}
	}
	var out []string
	for _, label := range labels {
		if label = strings.TrimSpace(label); o.Map != nil {
			label = o.Map(label)
		}
		if label == "" {
			continue
		}
		if _, err := strconv.ParseFloat(label, 64); err == nil {
			return nil, fmt.Errorf("the labels are numbers, as %s: name the classes by --labels, or each number by --label-map FILE", label)
		}
		out = append(out, label)
	}
	slices.SortFunc(out, datasets.CompareNatural)
	return slices.Compact(out), nil
}

// known are the names of streams in which collections tell whose they are.
var known = []*regexp.Regexp{
	regexp.MustCompile(`^acc_exp\d+_(user\d+)$`),     // HAPT
	regexp.MustCompile(`(?:^|/)(SC4\d\d|ST7\d\d)\d`), // Sleep-EDF: two nights a person
}

// groups reads --groups: whose a stream is. A stream that does not fit stands for itself.
func (t *task) groups() (func(stream string) string, error) {
	patterns := known
	if t.c.IsSet("groups") {
		re, err := regexp.Compile(t.c.String("groups"))
		if err == nil && re.NumSubexp() < 1 {
			err = errors.New("it has no group in parentheses")
		}
		if err != nil {
			return nil, fmt.Errorf("--groups: %w", err)
		}
		patterns = []*regexp.Regexp{re}
	}
	return func(stream string) string {
		for _, re := range patterns {
			if m := re.FindStringSubmatch(stream); m != nil && m[1] != "" {
				return m[1]
			}
		}
		return stream
	}, nil
}

// divide says who is held out.
func (t *task) divide() error {
	groups := t.data.Groups()
	labelled := 0
	for _, g := range groups {
		if g.Items > 0 {
			labelled++
		}
	}
	s := training.SplitSettings{Seed: t.settings.Seed, Test: training.Choice{Share: 0.2}, Validation: training.Choice{Share: 0.1}, Drawn: t.apart}
	if labelled < 3 {
		s.Test = training.Choice{}
		if !t.c.IsSet("test") {
			console.Warn(t.c, t.env, []string{fmt.Sprintf("only %s: nobody is left for a test", console.Number(labelled, t.group))})
		}
	}
	for _, f := range []struct {
		name, usual string
		to          *training.Choice
	}{{"test", t.usual.test, &s.Test}, {"validation", t.usual.validation, &s.Validation}} {
		text := f.usual
		if t.c.IsSet(f.name) {
			text = t.c.String(f.name)
		}
		if text == "" {
			continue
		}
		var err error
		if *f.to, err = choiceOf(f.name, text); err != nil {
			return err
		}
	}
	var err error
	t.split, err = training.NewSplit(groups, s)
	if errors.Is(err, training.ErrOneGroup) {
		return fmt.Errorf("%w. Give recordings of two %ss or more; or, if streams are of different ones, say so by --groups, as '(.*)' for each stream its own", err, t.group)
	}
	if err == nil {
		err = t.data.CheckClasses(t.split)
	}
	if err == nil {
		t.train = t.data.Of(t.split.Train)
	}
	return err
}

// tellData says what was read, and what of it is not used.
func (t *task) tellData() {
	d := t.data
	for i, b := range d.Bad {
		if i == 5 {
			console.Warn(t.c, t.env, []string{fmt.Sprintf("... and %d more", len(d.Bad)-i)})
			break
		}
		console.Warn(t.c, t.env, []string{fmt.Sprintf("not used: %s: %s", b.Name, b.Reason)})
	}
	console.Warn(t.c, t.env, []string{fmt.Sprintf("%s: %d without a label, %d with one that is none of the %d classes, %d that cannot be used",
		console.Number(len(d.Items), d.Noun), d.Free, d.Other, len(d.Labels), len(d.Bad))})
	part := func(name string, of []training.Group) string {
		n := 0
		for _, g := range of {
			n += g.Items
		}
		return fmt.Sprintf("%s %d of %s", name, n, console.Number(len(of), t.group))
	}
	console.Warn(t.c, t.env, []string{strings.Join([]string{part("training", t.split.Train), part("validation", t.split.Validation), part("test", t.split.Test)}, ", ")})
}
