package main

import (
	"path"
	"strings"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/scores"
)

// itemTruths compares predictions with true labels, of a table or of the items themselves. The truth reaches nothing else.
type itemTruths struct {
	table      map[string]string // by file; nil without a table
	resolver   *labelResolver
	comparison *scores.Comparison

	scored, unlabelled, unknown int
}

// readTruths reads the table of labels, if there is one.
func readTruths(file string) (*itemTruths, error) {
	t := &itemTruths{}
	if file == "" {
		return t, nil
	}
	l, err := datasets.ReadLabels(file)
	if err != nil {
		return nil, err
	}
	t.table = map[string]string{}
	shared := map[string]bool{}
	for _, e := range l.Entries {
		name := cleanID(e.File)
		t.table[name] = e.Label
		if base := path.Base(name); base != name {
			if old, ok := t.table[base]; ok && old != e.Label {
				shared[base] = true
			} else if !ok {
				t.table[base] = e.Label
			}
		}
	}
	for base := range shared { // of two folders, with two labels
		delete(t.table, base)
	}
	for _, e := range l.Entries { // a whole name counts before the end of another
		t.table[cleanID(e.File)] = e.Label
	}
	return t, nil
}

func cleanID(id string) string {
	return strings.TrimPrefix(path.Clean(strings.ReplaceAll(id, `\`, "/")), "./")
}

// begin is told the classes.
func (t *itemTruths) begin(labels []string) {
	t.resolver, t.comparison = newLabelResolver(labels), scores.NewComparison(len(labels))
}

// add compares one item, whose label after the filter is that of class after. It returns the true class, -1 if it is not known.
func (t *itemTruths) add(item *predictions.Item, adapted []float64, after int) int {
	class, ok := t.classOf(item)
	if !ok {
		return -1
	}
	t.comparison.AddLabel(string(item.Stream), class, after, item.Probs, adapted)
	return class
}

// classOf returns the class of an item's true label. ok is false where there is none, or one that is no class; each is counted.
func (t *itemTruths) classOf(item *predictions.Item) (class int, ok bool) {
	label := item.Truth
	if len(label) == 0 && t.table != nil {
		id := cleanID(string(item.ID))
		found, ok := t.table[id]
		if !ok {
			found = t.table[path.Base(id)]
		}
		label = []byte(found)
	}
	if len(label) == 0 {
		t.unlabelled++
		return 0, false
	}
	if class = t.resolver.of(string(label)); class < 0 {
		t.unknown++
		return 0, false
	}
	t.scored++
	return class, true
}
