package datasets

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/table"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// Labels is a table of true labels by file.
type Labels struct {
	Name    string // file that it was read from, for messages
	Entries []LabelEntry

	offsets map[int]float64 // seconds at which entries that are pieces of recordings begin, where the table says so
}

// LabelEntry is the label of one file.
type LabelEntry struct {
	File   string // path relative to the root of a listing, or base name
	Label  string // name or index of a class; "" where the table leaves it open
	Line   int    // in the table
	Stream string // of the item, where a column of that name says it; else ""
}

// ReadLabels reads a CSV table of labels: a header with the columns file and label, in any order and case, beside others that are ignored;
// comma, semicolon or tab between them. A table without a header is understood if it has two columns of which the first row's first ends
// like a picture. RelativePath and File of Timelapse, and Directory and FileName of camtrapR, name a file together. A column stream, if there
// is one, tells whose a name is where several streams have it ([Labels.ByStream]); a column offset, of numbers, at which second of its recording a
// piece begins ([StreamLabels.OfPiece]). A file of one stream may come twice with the same label, not with another. Gzip is
// looked through.
func ReadLabels(name string) (*Labels, error) {
	in, err := textfile.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return parseLabels(name, in)
}

// parseLabels is [ReadLabels] of a reader; name stands in messages.
func parseLabels(name string, r io.Reader) (*Labels, error) {
	t, err := table.New(name, r, 0)
	if err != nil {
		return nil, err
	}
	named, label, stream, err := labelColumns(t)
	if err != nil {
		return nil, err
	}
	offset, err := t.Column("offset", false)
	if err != nil {
		return nil, err
	}
	l := &Labels{Name: name, offsets: map[int]float64{}}
	seen := map[[2]string]int{}
	err = t.Each(func(row table.Row) error {
		if label >= len(row.Cells) {
			return t.Errorf(defaultLabel, "is missing: the row has %s", message.Count(len(row.Cells), "column"))
		}
		e := LabelEntry{File: named.of(row), Label: strings.TrimSpace(row.Get(label)), Line: row.Line, Stream: row.Get(stream)}
		if e.File == "" {
			return t.Errorf(named.column, "is empty")
		}
		key := [2]string{e.File, e.Stream}
		if i, ok := seen[key]; !ok {
			seen[key] = len(l.Entries)
			if at, err := strconv.ParseFloat(strings.TrimSpace(row.Get(offset)), 64); err == nil {
				l.offsets[len(l.Entries)] = at
			}
			l.Entries = append(l.Entries, e)
		} else if old := l.Entries[i]; old.Label != e.Label {
			return t.Errorf(defaultLabel, "%s is %q here and %q in line %d", message.Show(e.File), e.Label, old.Label, old.Line)
		}
		return nil
	})
	return l, err
}

// labelColumns finds the columns that name the file, and those of the label and, -1 if there is none, of the stream.
func labelColumns(t *table.Reader) (named fileColumns, label, stream int, err error) {
	if !t.Has(defaultFileField, defaultLabel) && len(t.Header) == 2 && pictureExtensions[path.Ext(strings.ToLower(strings.TrimSpace(t.Header[0])))] {
		t.UnreadHeader()
		return fileColumns{folder: -1, column: defaultFileField}, 1, -1, nil
	}
	if named, err = fileColumnsOf(t, "", ""); err == nil {
		label, err = t.Column(defaultLabel, true)
	}
	if err == nil {
		stream, err = t.Column("stream", false)
	}
	return named, label, stream, err
}

// Apply gives the pictures of a listing the labels of the table, matching by path relative to the root, else by an end of the paths that no
// other file on either side shares (see the package). Labels that the pictures had stay where the table has none. It returns how many pictures it labelled; what does not match is added to the warnings of the listing.
func (l *Labels) Apply(list *Listing) int {
	names, places, files := make([]string, len(list.Pictures)), make([]string, len(list.Pictures)), make([]string, len(l.Entries))
	for i := range list.Pictures {
		names[i], places[i] = list.Pictures[i].Name, placeOf(&list.Pictures[i])
	}
	for j, e := range l.Entries {
		files[j] = cleanName(e.File)
	}
	p := matchPlaced(names, places, files)
	used := make([]bool, len(files))
	var without, unused few
	n := 0
	for i, j := range p.of {
		if j < 0 {
			without.add(names[i])
			continue
		}
		used[j] = true
		if l.Entries[j].Label != "" {
			list.Pictures[i].Label = l.Entries[j].Label
			n++
		}
	}
	for j, e := range l.Entries {
		if !used[j] {
			unused.add(e.File)
		}
	}
	l.warn(list, without, unused)
	list.warnPairing(message.Show(filepath.Base(l.Name)), names, p)
	return n
}

// warn tells what of the table and of the listing does not fit together.
func (l *Labels) warn(list *Listing, without, unused few) {
	name := message.Show(filepath.Base(l.Name))
	if without.n > 0 {
		list.warn("%s: no label for %d of %s: %s", name, without.n, message.Count(len(list.Pictures), "picture"), without.String())
	}
	if unused.n > 0 {
		list.warn("%s: %s of no picture here: %s", name, choose(unused.n, "1 label is", fmt.Sprintf("%d labels are", unused.n)), unused.String())
	}
}

// ClassNamed returns the index of the class that has a name, exactly, or else but for case; -1 if none has. A name that several classes bear
// is an error.
func ClassNamed(name string, set []string) (int, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		found := -1
		for i, class := range set {
			if !same(class, name) {
				continue
			}
			if found >= 0 {
				return 0, fmt.Errorf("datasets: label %q: classes %d and %d both have this name; give the index", name, found, i)
			}
			found = i
		}
		if found >= 0 {
			return found, nil
		}
	}
	return -1, nil
}
