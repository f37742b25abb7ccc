package view

import (
	"html/template"
	"net/url"
	"sort"
	"strconv"
	"strings"

	"github.com/oatta/oatta/internal/corrections"
	"github.com/oatta/oatta/internal/report"
)

// Which items are wanted.
const (
	all        = ""
	changed    = "changed"
	unsure     = "unsure"
	failed     = "failed"
	labelled   = "labelled"
	unlabelled = "unlabelled"
)

// shows are the choices, and what they are called.
var shows = []struct{ Value, Name string }{
	{all, "all"}, {changed, "changed by the filter"}, {unsure, "unsure"}, {failed, "failed"}, {labelled, "labelled by you"}, {unlabelled, "not yet labelled"},
}

// choice says which items are wanted.
type choice struct {
	show  string
	class string // label before or after the filter, or given; "": any
	part  string // part of the name of the stream, or of the item
}

func choiceOf(q url.Values) choice {
	c := choice{show: q.Get("show"), class: decode(q.Get("class")), part: strings.ToLower(strings.TrimSpace(q.Get("q")))}
	for _, s := range shows {
		if s.Value == c.show {
			return c
		}
	}
	c.show = all
	return c
}

// values are a choice as the parts of an address.
func (c choice) values() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"show": c.show, "class": code(c.class), "q": c.part} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// query is a choice behind the question mark of an address.
func (c choice) query() template.URL { return template.URL(c.values().Encode()) }

// code is a label as a form or an address carries it: as it is, or quoted in ASCII where a screen or terminal would obey it, or where
// it begins with a quote itself.
func code(label string) string {
	if report.Whole(label) != label || strings.HasPrefix(label, `"`) {
		return strconv.QuoteToASCII(label)
	}
	return label
}

// decode undoes [code].
func decode(text string) string {
	if label, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) {
		return label
	}
	return text
}

// snapshot is the collection with the labels of a moment.
type snapshot struct {
	*Collection
	given  []string // label of each item; "": none
	status corrections.Status
}

// wants tells whether an item is wanted; its stream's name counts for the query.
func (s *snapshot) wants(c choice, class int32, i int32) bool {
	r := &s.records[i]
	switch c.show {
	case changed:
		if !r.changed() {
			return false
		}
	case unsure:
		if !s.isUnsure(r) {
			return false
		}
	case failed:
		if r.adapted >= 0 {
			return false
		}
	case labelled:
		if s.given[i] == "" {
			return false
		}
	case unlabelled:
		if s.given[i] != "" {
			return false
		}
	}
	if c.class != "" && s.given[i] != c.class && (class < 0 || r.raw != class && r.adapted != class) {
		return false
	}
	return c.part == "" || strings.Contains(strings.ToLower(r.file), c.part) || strings.Contains(strings.ToLower(s.streams[r.stream].name), c.part)
}

// classOf is the number of the class of a choice.
func (s *snapshot) classOf(c choice) int32 {
	if n, ok := s.number[c.class]; ok {
		return n
	}
	return -1
}

// of are the items of a stream that are wanted.
func (s *snapshot) of(k int, c choice) []int32 {
	if c == (choice{}) {
		return s.streams[k].items
	}
	class := s.classOf(c)
	var out []int32
	for _, i := range s.streams[k].items {
		if s.wants(c, class, i) {
			out = append(out, i)
		}
	}
	return out
}

// next finds the item after, or before, another that is wanted, in the order of the streams, and from the other end when there is none up to
// that one. Walks along what is changed or unsure pass over what was labelled.
func (s *snapshot) next(from int, c choice, back bool) (int, bool) {
	class, order := s.classOf(c), s.order()
	at := -1 // before the first
	if from >= 0 && from < len(s.records) {
		at = order.place(s.Collection, from)
	} else if back {
		at = 0
	}
	n := len(s.records)
	for k := 1; k <= n; k++ {
		p := (at + k) % n
		if back {
			p = ((at-k)%n + n) % n
		}
		i := order.item(s.Collection, p)
		if i == from || !s.wants(c, class, int32(i)) || (c.show == changed || c.show == unsure) && s.given[i] != "" {
			continue
		}
		return i, true
	}
	return 0, false
}

// ordering counts through the items stream by stream.
type ordering []int // of the first item of each stream

func (s *snapshot) order() ordering {
	first, n := make(ordering, len(s.streams)), 0
	for k := range s.streams {
		first[k] = n
		n += len(s.streams[k].items)
	}
	return first
}

func (o ordering) place(c *Collection, i int) int {
	return o[c.records[i].stream] + int(c.records[i].place)
}

func (o ordering) item(c *Collection, p int) int {
	k := sort.Search(len(o), func(k int) bool { return o[k] > p }) - 1 // the last stream that begins at or before p
	return int(c.streams[k].items[p-o[k]])
}
