package benchmarks

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/datasets/predictions"
)

// RunLists cuts predictions that `oatta run --vectors` wrote as JSON lines to lists of the top few classes, and compares the labels that the filter
// makes of the lists with those that it makes of the whole vectors. True labels are not needed, and not looked at.
func RunLists(file string) (Table, error) {
	streams, err := readVectors(file)
	if err != nil {
		return Table{}, err
	}
	table := Table{
		Title:   "Lists of the top few classes: labels that differ from those of whole vectors",
		Columns: []string{"stream", "items", "classes", "changed"},
		Notes: []string{
			"Changed are the labels that the filter changes with whole vectors. Of those that differ, the first are left as they were where whole vectors",
			"change them, and the second changed where whole vectors leave them, or to another class.",
		},
	}
	for _, top := range truncatedTo {
		table.Columns = append(table.Columns, fmt.Sprintf("top %d", top))
	}
	all := compared{left: make([]int, len(truncatedTo)), other: make([]int, len(truncatedTo))}
	for _, s := range streams {
		one, err := compareLists(s.q)
		if err != nil {
			return Table{}, fmt.Errorf("benchmarks: %s: %w", s.name, err)
		}
		table.Add(one.row(s.name, strconv.Itoa(len(s.q[0])))...)
		all.add(one)
	}
	table.Add(all.row("all", "")...)
	return table, nil
}

// vectors are the predictions of a stream.
type vectors struct {
	name string
	q    [][]float64
}

// readVectors reads JSON lines; items that failed are passed over.
func readVectors(file string) (out []*vectors, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("benchmarks: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := predictions.NewJSONLines(file, f, predictions.Options{})
	if _, err := lines.Begin(); err != nil {
		return nil, err
	}
	known := map[string]*vectors{}
	for {
		item, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			if len(out) == 0 {
				return nil, fmt.Errorf("benchmarks: %s: no prediction", file)
			}
			return out, nil
		case err != nil:
			return nil, err
		case item.Blank || item.Probs == nil:
			continue
		}
		s := known[string(item.Stream)]
		if s == nil {
			s = &vectors{name: string(item.Stream)}
			known[s.name] = s
			out = append(out, s)
		}
		q := slices.Clone(item.Probs)
		if _, err := adapt.Normalise(q, len(q)); err != nil {
			return nil, fmt.Errorf("benchmarks: %s: %s: %w", file, item.ID, err)
		}
		s.q = append(s.q, q)
	}
}

// compared is how many labels of a stream differ, by the length of the lists.
type compared struct {
	items, changed int
	left, other    []int // as they were, and changed
}

func compareLists(q [][]float64) (c compared, err error) {
	whole, base := make([]int, len(q)), make([]int, len(q))
	Filter("auto", adapt.Settings{}).Label(whole, q)
	Base().Label(base, q)
	c.items = len(q)
	for i := range q {
		if whole[i] != base[i] {
			c.changed++
		}
	}
	for _, top := range truncatedTo {
		cut, err := listed(q, min(top, len(q[0])), len(q[0]))
		if err != nil {
			return c, err
		}
		left, other := 0, 0
		for i := range q {
			switch cut[i] {
			case whole[i]:
			case base[i]:
				left++
			default:
				other++
			}
		}
		c.left, c.other = append(c.left, left), append(c.other, other)
	}
	return c, nil
}

func (c *compared) add(o compared) {
	c.items, c.changed = c.items+o.items, c.changed+o.changed
	for k := range c.left {
		c.left[k], c.other[k] = c.left[k]+o.left[k], c.other[k]+o.other[k]
	}
}

func (c *compared) row(name, classes string) []string {
	row := []string{name, strconv.Itoa(c.items), classes, strconv.Itoa(c.changed)}
	for k := range c.left {
		row = append(row, fmt.Sprintf("%d + %d", c.left[k], c.other[k]))
	}
	return row
}
