package hypnogram

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets/edf"
)

// maxTextBytes bounds an XML or .annot file; that of a night has less than 1 MB.
const maxTextBytes = 64 << 20

var errLong = errors.New("longer than 64 MiB")

// textReader reads the annotations of a text file, those of stages at least, and says what of them it cannot read.
type textReader func(r io.Reader, start time.Time, o Options) ([]edf.Annotation, []string, error)

// Open reads the hypnogram of a recording that begins at start, which may be unknown, by the ending of its name: the XML of the NSRR or
// of Compumedics Profusion (.xml), an .annot file of Luna, stages one a line or in a table (.eannot, .txt, .csv, .tsv), or else EDF+ or BDF+.
func (o Options) Open(path string, start time.Time) (*Hypnogram, error) {
	read := map[string]textReader{".xml": readXML, ".annot": readAnnot}[ending(path)]
	isList := slices.Contains(listEndings, ending(path))
	if read == nil && !isList {
		return o.openEDF(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("hypnogram: %w", err)
	}
	defer f.Close()
	var h *Hypnogram
	if isList {
		h, err = o.list(f, start)
	} else {
		h, err = o.text(read, f, start)
	}
	if err != nil {
		return nil, fmt.Errorf("hypnogram: %s: %w", filepath.Base(path), err)
	}
	return h, nil
}

// text makes a hypnogram of a text file.
func (o Options) text(read textReader, r io.Reader, start time.Time) (*Hypnogram, error) {
	annotations, notes, err := read(&limited{r: r, left: maxTextBytes}, start, o)
	if err != nil {
		return nil, err
	}
	sortByOnset(annotations)
	return o.noted(start, annotations, notes)
}

func sortByOnset(annotations []edf.Annotation) {
	slices.SortStableFunc(annotations, func(a, b edf.Annotation) int { return cmp.Compare(a.Onset, b.Onset) })
}

// noted is fromAnnotations for annotations of which some could not be read.
func (o Options) noted(start time.Time, annotations []edf.Annotation, notes []string) (*Hypnogram, error) {
	h, err := o.fromAnnotations(start, annotations)
	switch {
	case err != nil && len(notes) > 0:
		return nil, fmt.Errorf("%w; %s", err, notes[0])
	case err != nil:
		return nil, err
	}
	h.Warnings = slices.Concat(notes, h.Warnings)
	return h, nil
}

func ending(path string) string { return strings.ToLower(filepath.Ext(path)) }

// limited is a reader that fails where a file goes on for too long.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLong
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// tally counts what could not be read, and keeps the first.
type tally struct {
	what  string
	count int
	first string
}

func (t *tally) add(first string) {
	if t.count++; t.count == 1 {
		t.first = first
	}
}

func (t *tally) notes() []string {
	if t.count == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d %s cannot be read, the first %s", t.count, t.what, show(t.first))}
}
