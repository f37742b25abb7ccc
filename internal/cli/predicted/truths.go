package predicted

import (
	"path"
	"strings"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/scores"
)

// Truths compares predictions with true labels, of a table or of the items themselves. The truth reaches nothing else.
type Truths struct {
	Table      map[string]string // by file; nil without a table
	Resolver   *evaluation.Labels
	Comparison *scores.Comparison

	Scored, Unlabelled, Unknown int
}

// ReadTruths reads the table of labels, if there is one.
func ReadTruths(file string) (*Truths, error) {
	t := &Truths{}
	if file == "" {
		return t, nil
	}
	l, err := datasets.ReadLabels(file)
	if err != nil {
		return nil, err
	}
	t.Table = map[string]string{}
	shared := map[string]bool{}
	for _, e := range l.Entries {
		name := CleanID(e.File)
		t.Table[name] = e.Label
		if base := path.Base(name); base != name {
			if old, ok := t.Table[base]; ok && old != e.Label {
				shared[base] = true
			} else if !ok {
				t.Table[base] = e.Label
			}
		}
	}
	for base := range shared { // of two folders, with two labels
		delete(t.Table, base)
	}
	for _, e := range l.Entries { // a whole name counts before the end of another
		t.Table[CleanID(e.File)] = e.Label
	}
	return t, nil
}

// CleanID brings the name of an item into the form in which names are compared.
func CleanID(id string) string {
	return strings.TrimPrefix(path.Clean(strings.ReplaceAll(id, `\`, "/")), "./")
}

// Begin is told the classes.
func (t *Truths) Begin(labels []string) {
	t.Resolver, t.Comparison = evaluation.NewLabels(labels), scores.NewComparison(len(labels))
}

// Add compares one item, whose labels before and after the filter are those of these classes; raw and adapted are of all classes. It returns
// the true class, -1 if it is not known.
func (t *Truths) Add(item *predictions.Item, before, after int, vectors func() (raw, adapted []float64)) int {
	class, ok := t.ClassOf(item)
	if !ok {
		return -1
	}
	if before < 0 || after < 0 { // a label that is none of the classes, as that of a genus
		t.Scored--
		t.Unknown++
		return class
	}
	raw, adapted := vectors()
	t.Comparison.AddLabels(string(item.Stream), class, before, after, raw, adapted)
	return class
}

// ClassOf returns the class of an item's true label. ok is false where there is none, or one that is no class; each is counted.
func (t *Truths) ClassOf(item *predictions.Item) (class int, ok bool) {
	label := item.Truth
	if len(label) == 0 && t.Table != nil {
		id := CleanID(string(item.ID))
		found, ok := t.Table[id]
		if !ok {
			found = t.Table[path.Base(id)]
		}
		label = []byte(found)
	}
	if len(label) == 0 {
		t.Unlabelled++
		return 0, false
	}
	if class = t.Resolver.Of(string(label)); class < 0 {
		t.Unknown++
		return 0, false
	}
	t.Scored++
	return class, true
}
