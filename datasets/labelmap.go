package datasets

import (
	"io"
	"maps"
	"strings"

	"github.com/oatta/oatta/datasets/internal/table"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// LabelMap renames labels, as from the names of a collection to the classes of a model. The zero value renames nothing.
type LabelMap struct {
	to map[string]string // by lower-case name
}

// ReadLabelMap reads a CSV table with the columns from and to, whose other columns are ignored. Case does not matter in from. An empty
// to leaves pictures of that label without one. A label may come twice with the same outcome, not with another.
func ReadLabelMap(name string) (*LabelMap, error) {
	in, err := textfile.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return parseLabelMap(name, in)
}

// parseLabelMap is [ReadLabelMap] of a reader; name stands in messages.
func parseLabelMap(name string, r io.Reader) (*LabelMap, error) {
	t, err := table.New(name, r, 0)
	if err != nil {
		return nil, err
	}
	at, err := t.Columns(2, "from", "to")
	if err != nil {
		return nil, err
	}
	m := &LabelMap{to: map[string]string{}}
	err = t.Each(func(row table.Row) error {
		a, b := strings.ToLower(strings.TrimSpace(row.Get(at[0]))), strings.TrimSpace(row.Get(at[1]))
		if a == "" {
			return t.Errorf("from", "is empty")
		}
		if old, ok := m.to[a]; ok && old != b {
			return t.Errorf("to", "%q becomes %q here and %q above", a, b, old)
		}
		m.to[a] = b
		return nil
	})
	return m, err
}

// Map returns what a label becomes: itself if the map does not name it.
func (m *LabelMap) Map(label string) string {
	if to, ok := m.to[strings.ToLower(label)]; ok {
		return to
	}
	return label
}

// All returns what each label becomes, by its name in lower case. The map is the caller's.
func (m *LabelMap) All() map[string]string { return maps.Clone(m.to) }
