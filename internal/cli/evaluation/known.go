package evaluation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/cli/console"
)

// KnownFlag names the flag of labels that are known for certain.
const KnownFlag = "labels-known"

// KnownFlags say which labels of the input are known for certain.
func KnownFlags(category string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: KnownFlag, Category: category, Usage: "CSV `FILE` with the columns file, stream and label, of items that somebody corrected: they are certain for the filter, which conditions the others of their stream on them"},
	}
}

// Known finds labels that are known for certain, for the filter. A nil Known knows none.
type Known struct {
	table   *datasets.Labels
	finder  *datasets.StreamLabels
	options Options
	classes map[string]int // of every label of the table; -1 for one that is left open
	found   int
}

// KnownRecord is what a manifest tells of known labels.
type KnownRecord struct {
	From   string `json:"from"`   // name of the file
	SHA256 string `json:"sha256"` // of what it says: items and their classes
	Labels int    `json:"labels"` // in the file
}

// KnownOf reads the flag, and the table of labels that it names; nil without it.
func KnownOf(c *cli.Context) (*Known, error) {
	path := c.String(KnownFlag)
	if path == "" {
		return nil, nil
	}
	table, err := datasets.ReadLabels(path)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", KnownFlag, err)
	}
	k := &Known{table: table, finder: table.ByStream()}
	k.options, err = OptionsOf(c)
	return k, err
}

// SetCodes is told the numbers of classes that a manifest has, before Begin.
func (k *Known) SetCodes(codes map[string]int) {
	if k != nil {
		k.options.Codes = codes
	}
}

// Begin is told the classes. A label that is none of them is an error with its line: what is certain must be understood.
func (k *Known) Begin(classes []string) error {
	if k == nil {
		return nil
	}
	var all []string
	for _, e := range k.table.Entries {
		all = append(all, e.Label)
	}
	labels := NewLabels(classes, k.options, nil)
	if err := labels.Decide(all); err != nil {
		return fmt.Errorf("--%s: %w", KnownFlag, err)
	}
	k.classes = map[string]int{}
	for _, e := range k.table.Entries {
		if labels.Open(e.Label) {
			k.classes[e.Label] = -1
			continue
		}
		class, err := labels.Of(e.Label)
		if err == nil && class < 0 {
			err = fmt.Errorf("label %q is none of the %d classes %s", e.Label, len(classes), console.Some(classes, 8))
		}
		if err != nil {
			return fmt.Errorf("--%s: %s: %w", KnownFlag, k.place(e), err)
		}
		k.classes[e.Label] = class
	}
	return nil
}

// place is where an entry stands, for messages.
func (k *Known) place(e datasets.LabelEntry) string {
	return fmt.Sprintf("%s:%d", filepath.Base(k.table.Name), e.Line)
}

// Of returns the class of an item whose label is known.
func (k *Known) Of(stream, file string) (class int, ok bool, err error) {
	if k == nil {
		return 0, false, nil
	}
	label, err := k.finder.Of(stream, file)
	return k.classOf(label, err)
}

// OfPiece is [Known.Of] of a piece of a recording, which begins at a second of it.
func (k *Known) OfPiece(stream, file string, offset float64) (class int, ok bool, err error) {
	if k == nil {
		return 0, false, nil
	}
	label, err := k.finder.OfPiece(stream, file, offset)
	return k.classOf(label, err)
}

func (k *Known) classOf(label string, err error) (class int, ok bool, _ error) {
	if err != nil {
		return 0, false, fmt.Errorf("--%s: %w", KnownFlag, err)
	}
	if label == "" || k.classes[label] < 0 {
		return 0, false, nil
	}
	k.found++
	return k.classes[label], true, nil
}

// Named returns the labels that may be of items of a stream, in the words of the model; before Begin, too.
func (k *Known) Named(stream string) (out []string) {
	if k == nil {
		return nil
	}
	for _, e := range k.table.Entries {
		if e.Stream == "" || e.Stream == stream {
			out = append(out, k.options.mapped(e.Label))
		}
	}
	return out
}

// Found returns how many items were told their label.
func (k *Known) Found() int {
	if k == nil {
		return 0
	}
	return k.found
}

// Warnings tell, once the items have come, which labels are of none of them, with their lines. It is an error if all are.
func (k *Known) Warnings() ([]string, error) {
	if k == nil {
		return nil, nil
	}
	var out, unused []string
	for _, e := range k.finder.Unused() {
		if k.classes[e.Label] < 0 {
			continue
		}
		what := fmt.Sprintf("%q", e.File)
		if e.Stream != "" {
			what += fmt.Sprintf(" of stream %q", e.Stream)
		}
		unused = append(unused, fmt.Sprintf("%s (line %d)", what, e.Line))
	}
	if len(unused) > 0 {
		what := fmt.Sprintf("%s: %s of no item of the input: %s", filepath.Base(k.table.Name), console.Were(len(unused), "known label"), console.Some(unused, 8))
		if k.found == 0 {
			return nil, fmt.Errorf("--%s: %s", KnownFlag, what)
		}
		out = append(out, what)
	}
	if note := k.finder.Note(); note != "" {
		out = append(out, note)
	}
	return out, nil
}

// Record is what a manifest tells, after Begin; nil without known labels.
func (k *Known) Record() *KnownRecord {
	if k == nil {
		return nil
	}
	var lines []string
	for _, e := range k.table.Entries {
		if class := k.classes[e.Label]; class >= 0 {
			lines = append(lines, fmt.Sprintf("%q %q %d\n", e.Stream, e.File, class))
		}
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, line := range lines {
		_, _ = io.WriteString(h, line) // a hash takes everything
	}
	return &KnownRecord{filepath.Base(k.table.Name), hex.EncodeToString(h.Sum(nil)), len(lines)}
}
