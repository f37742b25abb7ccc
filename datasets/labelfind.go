package datasets

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
)

// LabelFinder finds the labels of files that come one by one, so that it never knows what else there will be. It is not safe for concurrent
// use.
type LabelFinder struct {
	table   *Labels
	exact   map[string]int // entry by name
	whole   map[string]int // entry by folded name; several where they differ in the label
	ends    map[string]int // entry by what its folded name ends in; several where more than one does
	users   map[int]string // of entries that were found: the file
	place   string         // what all such names have more, on the side that has more
	between [2]string      // the first such pair, for messages
	boxes   int            // files that got the label of the picture that they are boxes of
}

// Finder returns a finder of the labels of a table.
func (l *Labels) Finder() *LabelFinder {
	f := &LabelFinder{table: l, exact: map[string]int{}, whole: map[string]int{}, ends: map[string]int{}, users: map[int]string{}}
	for i, e := range l.Entries {
		name := FoldName(e.File)
		if old, twice := f.exact[e.File]; twice && (old == several || l.Entries[old].Label != e.Label) {
			f.exact[e.File] = several // of several streams
		} else {
			f.exact[e.File] = i
		}
		if old, twice := f.whole[name]; twice && (old == several || l.Entries[old].Label != e.Label) {
			f.whole[name] = several
		} else {
			f.whole[name] = i
		}
		for _, rest, more := strings.Cut(name, "/"); more; _, rest, more = strings.Cut(rest, "/") {
			if old, twice := f.ends[rest]; twice && (old == several || l.Entries[old].Label != e.Label || FoldName(l.Entries[old].File) != name) {
				f.ends[rest] = several
			} else {
				f.ends[rest] = i
			}
		}
	}
	return f
}

// Of returns the label of a file, "" if the table has none. Names are compared as [FoldName] writes them: equal, or one is the end of the
// other, with the same before it for all files. A name in the table that says nothing of folders is of the one file that ends so. A name
// that could be of several files, or that names of the table from two places could be of, is an error that tells both: files of equal names
// lie in the folders of every camera. FILE#NUMBER, which a box of a picture is called, has the label of FILE unless the table has its own.
func (f *LabelFinder) Of(file string) (string, error) {
	label, found, err := f.of(file)
	picture, isBox := pictureOf(file)
	if found || err != nil || !isBox {
		return label, err
	}
	if label, found, err = f.of(picture); found && err == nil {
		f.boxes++
	}
	return label, err
}

// pictureOf returns the picture of a box that is called FILE#NUMBER.
func pictureOf(file string) (picture string, ok bool) {
	i := strings.LastIndexByte(file, '#')
	if i <= 0 || i+1 == len(file) || strings.Trim(file[i+1:], "0123456789") != "" {
		return "", false
	}
	return file[:i], true
}

// Note tells, if there were any, how many boxes have the labels of their pictures; else it is "".
func (f *LabelFinder) Note() string {
	if f.boxes == 0 {
		return ""
	}
	return fmt.Sprintf("the labels of pictures count for their boxes (FILE#NUMBER): %s", message.Count(f.boxes, "item"))
}

// of is Of for the name as it stands; found tells whether the table has it.
func (f *LabelFinder) of(file string) (label string, found bool, err error) {
	name := FoldName(file)
	i, ok := f.exact[file]
	if !ok {
		i, ok = f.whole[name]
	}
	switch {
	case ok && i == several:
		return "", true, f.ambiguous(file, func(e string) bool { return e == name })
	case ok:
		label, err = f.use(i, file, "", false)
		return label, true, err
	}
	for _, rest, more := strings.Cut(name, "/"); more; _, rest, more = strings.Cut(rest, "/") {
		if i, ok := f.whole[rest]; ok && i != several {
			label, err = f.use(i, file, strings.TrimSuffix(name, rest), strings.Contains(rest, "/"))
			return label, true, err
		}
	}
	switch i, ok := f.ends[name]; {
	case !ok:
		return "", false, nil
	case i == several:
		return "", true, f.ambiguous(file, func(e string) bool { return strings.HasSuffix(e, "/"+name) })
	default:
		label, err = f.use(i, file, "\x00"+strings.TrimSuffix(FoldName(f.table.Entries[i].File), name), true)
		return label, true, err
	}
}

// ambiguous is the error of a file that could be several of the table, whose folded names are like it.
func (f *LabelFinder) ambiguous(file string, like func(entry string) bool) error {
	var could []string
	for _, e := range f.table.Entries {
		if len(could) < 2 && like(FoldName(e.File)) {
			could = append(could, message.Show(e.File))
		}
	}
	return f.errorf("%s could be %s", message.Show(file), strings.Join(could, " or "))
}

// use returns the label of an entry for a file, whose names differ by a place before one of them.
func (f *LabelFinder) use(i int, file, place string, placed bool) (string, error) {
	e := f.table.Entries[i]
	if user, used := f.users[i]; used && FoldName(user) != FoldName(file) {
		return "", f.errorf("%s could be %s or %s", message.Show(e.File), message.Show(user), message.Show(file))
	}
	f.users[i] = file
	if placed {
		if f.between[0] == "" {
			f.place, f.between = place, [2]string{e.File, file}
		}
		if f.place != place {
			return "", f.errorf("%s is taken for %s, so %s cannot be %s: want names with the same folders as the predictions have",
				message.Show(f.between[0]), message.Show(f.between[1]), message.Show(e.File), message.Show(file))
		}
	}
	return e.Label, nil
}

func (f *LabelFinder) errorf(format string, args ...any) error {
	return fmt.Errorf("datasets: %s: %s", message.Show(filepath.Base(f.table.Name)), fmt.Sprintf(format, args...))
}
