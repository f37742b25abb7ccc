package datasets

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/oatta/oatta/datasets/internal/message"
)

// StreamLabels finds the labels of items that are told apart by stream and name. It is not safe for concurrent use.
type StreamLabels struct {
	table *Labels
	own   map[[2]string]int // entry by stream and file
	any   *LabelFinder      // of the entries that name no stream
	at    []int             // place in table of the entries of any
	used  map[int]bool
}

// ByStream returns a finder of the labels of a table among items of several streams. An entry that names a stream is of no other's item.
func (l *Labels) ByStream() *StreamLabels {
	f := &StreamLabels{table: l, own: map[[2]string]int{}, used: map[int]bool{}}
	rest := &Labels{Name: l.Name}
	for i, e := range l.Entries {
		if e.Stream != "" {
			f.own[[2]string{e.Stream, e.File}] = i
			continue
		}
		rest.Entries, f.at = append(rest.Entries, e), append(f.at, i)
	}
	f.any = rest.Finder()
	return f
}

// Of returns the label of an item, "" if the table has none. An entry of its stream must have its name as it is; of those that name no stream,
// names are compared as [LabelFinder.Of] does. Two entries of different labels are an error.
func (f *StreamLabels) Of(stream, file string) (string, error) {
	i, ok := f.own[[2]string{stream, file}]
	if !ok {
		return f.any.Of(file)
	}
	e := f.table.Entries[i]
	if j, twice := f.any.exact[file]; twice && j != several && f.any.table.Entries[j].Label != e.Label {
		o := f.any.table.Entries[j]
		return "", fmt.Errorf("datasets: %s:%d: %s is %q here and %q in line %d", message.Show(filepath.Base(f.table.Name)), e.Line, message.Show(file), e.Label, o.Label, o.Line)
	}
	f.used[i] = true
	return e.Label, nil
}

// OfPiece is [StreamLabels.Of] of a piece of a recording that begins at a second of it. An entry that says another second is of other windows
// than these, as another network has them, and an error: its label would be of another time.
func (f *StreamLabels) OfPiece(stream, file string, offset float64) (string, error) {
	label, err := f.Of(stream, file)
	if err != nil || label == "" {
		return label, err
	}
	i, ok := f.own[[2]string{stream, file}]
	if !ok {
		j, named := f.any.exact[file]
		if !named || j == several {
			return label, nil
		}
		i = f.at[j]
	}
	if at, told := f.table.offsets[i]; told && math.Abs(at-offset) > pieceTolerance {
		return "", fmt.Errorf("datasets: %s:%d: %s begins at second %g there and at %g here: the labels are of other windows than these", message.Show(filepath.Base(f.table.Name)), f.table.Entries[i].Line, message.Show(file), at, offset)
	}
	return label, nil
}

// pieceTolerance is how far two beginnings of one piece may lie apart, in seconds: what writing them rounds off.
const pieceTolerance = 0.002

// Note is that of [LabelFinder.Note].
func (f *StreamLabels) Note() string { return f.any.Note() }

// Unused returns the entries that are of no item so far, in the order of the table.
func (f *StreamLabels) Unused() (out []LabelEntry) {
	for i := range f.any.users {
		f.used[f.at[i]] = true
	}
	for i, e := range f.table.Entries {
		if !f.used[i] {
			out = append(out, e)
		}
	}
	return out
}

// NamesStreams tells whether entries name the streams of their items.
func (l *Labels) NamesStreams() bool {
	return slices.ContainsFunc(l.Entries, func(e LabelEntry) bool { return e.Stream != "" })
}
