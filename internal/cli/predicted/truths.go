package predicted

import (
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/scores"
)

// Truths compares predictions with true labels, of a table or of the items themselves. The truth reaches nothing else.
type Truths struct {
	Table      *datasets.Labels // nil without a table
	Resolver   *evaluation.Labels
	Comparison *scores.Comparison
	// Err is why labels cannot be told for what they are: numbers that could mean several things, names of files that could be several. What
	// was scored up to there is not to be used. It is nil for labels that are merely none of the classes.
	Err error

	Scored, Unlabelled, Unknown int

	options evaluation.Options
	files   *datasets.LabelFinder
	streams *datasets.StreamLabels   // in place of files where the table names streams
	all     func() ([]string, error) // the labels that the items hold; nil: there is a table, or nobody can tell
}

// ReadTruths reads the flags that say what the true labels are, and the table of them if there is one.
func (r *Reading) ReadTruths() (*Truths, error) {
	t := &Truths{all: r.trueLabels}
	var err error
	if t.options, err = evaluation.OptionsOf(r.C); err != nil {
		return nil, err
	}
	file := r.C.String("labels")
	if file == "" {
		return t, nil
	}
	if t.Table, err = datasets.ReadLabels(file); err != nil {
		return nil, err
	}
	if t.Table.NamesStreams() {
		t.streams = t.Table.ByStream()
	} else {
		t.files = t.Table.Finder()
	}
	return t, nil
}

// Notes tell what labels were taken for, where that is a choice.
func (t *Truths) Notes() (out []string) {
	if note := t.Resolver.Note(); note != "" {
		out = append(out, note)
	}
	if t.files != nil && t.files.Note() != "" {
		out = append(out, t.files.Note())
	}
	return out
}

// SetCodes is told the numbers of classes that a manifest has, before Begin.
func (t *Truths) SetCodes(codes map[string]int) { t.options.Codes = codes }

// Begin is told the classes.
func (t *Truths) Begin(labels []string) error {
	t.Resolver, t.Comparison = evaluation.NewLabels(labels, t.options, t.all), scores.NewComparison(len(labels))
	if t.Table == nil {
		return nil
	}
	var all []string
	for _, e := range t.Table.Entries {
		all = append(all, e.Label)
	}
	return t.Resolver.Decide(all)
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

// labelOf returns the label of an item in the table.
func (t *Truths) labelOf(item *predictions.Item) (string, error) {
	if t.streams != nil {
		return t.streams.Of(string(item.Stream), string(item.ID))
	}
	return t.files.Of(string(item.ID))
}

// ClassOf returns the class of an item's true label. ok is false where there is none, or one that is no class; each is counted.
func (t *Truths) ClassOf(item *predictions.Item) (class int, ok bool) {
	if t.Err != nil {
		return 0, false
	}
	label := string(item.Truth)
	if label == "" && t.Table != nil {
		if label, t.Err = t.labelOf(item); t.Err != nil {
			return 0, false
		}
	}
	if t.Resolver.Open(label) {
		t.Unlabelled++
		return 0, false
	}
	if class, t.Err = t.Resolver.Of(label); class < 0 {
		t.Unknown++
		return 0, false
	}
	t.Scored++
	return class, true
}
