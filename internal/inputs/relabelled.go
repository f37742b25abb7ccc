package inputs

import (
	"fmt"
	"path/filepath"

	"github.com/oatta/oatta/datasets"
)

// Relabelled is an input of which some items have another label than the data say, as somebody corrected them. What a run sees of it is the same.
type Relabelled struct {
	Input
	labels map[int]string
}

// Relabel gives items of an input the labels of a table, by stream and name; the others keep theirs. The notes tell how many, and what of the
// table is of no item here. It is an error if all is, or if a label is of a piece of a recording that begins elsewhere.
func Relabel(in Input, table *datasets.Labels) (_ *Relabelled, notes []string, err error) {
	out := &Relabelled{in, map[int]string{}}
	finder := table.ByStream()
	items := in.Items()
	for i := range items {
		label := ""
		if items[i].Duration > 0 {
			label, err = finder.OfPiece(items[i].Stream, items[i].Name, items[i].Offset)
		} else {
			label, err = finder.Of(items[i].Stream, items[i].Name)
		}
		if err != nil {
			return nil, nil, err
		}
		if label != "" {
			out.labels[i] = label
		}
	}
	name := filepath.Base(table.Name)
	wanted := 0
	for _, e := range table.Entries {
		if e.Label != "" {
			wanted++
		}
	}
	switch {
	case wanted == 0:
		return nil, nil, fmt.Errorf("%s: holds no label", name)
	case len(out.labels) == 0:
		return nil, nil, fmt.Errorf("%s: no label is of an item here: its first is %q, the first here %q", name, table.Entries[0].File, items[0].Name)
	}
	notes = append(notes, fmt.Sprintf("%s: %d of %d %ss have their label from there", name, len(out.labels), len(items), in.Noun()))
	if unused := finder.Unused(); len(unused) > 0 {
		notes = append(notes, fmt.Sprintf("%s: labels of no item here: %d, the first of %q (line %d)", name, len(unused), unused[0].File, unused[0].Line))
	}
	if note := finder.Note(); note != "" {
		notes = append(notes, note)
	}
	return out, notes, nil
}

// Label implements [Input].
func (r *Relabelled) Label(i int) string {
	if label, ok := r.labels[i]; ok {
		return label
	}
	return r.Input.Label(i)
}
