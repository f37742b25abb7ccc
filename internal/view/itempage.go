package view

import (
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"

	"github.com/oatta/oatta/internal/report"
)

type itemPage struct {
	frame
	Item              itemRow
	Truth             string
	Stream            streamRow
	Place             int
	Walk              template.URL
	Boxed             *boxed
	Picture, Signal   bool
	Post, Problem     string
	Shares            []shareRow
	Why               []string
	Near              []itemRow
	Choices           []numbered
	All               []string // classes that a label may be of
	Majority          string
	MajorityOf        int
	Event             int  // items
	Burst             bool // they are a burst of pictures
	EventLeft         int  // of them not yet labelled
	Before, Next      int  // in the stream; -1: none
	Ahead             int  // picture that comes next; -1: none
	Undo              bool
	ChangedQ, UnsureQ template.URL
}

type boxed struct{ X, Y, W, H string }

type shareRow struct {
	Label         string
	Raw, Adapted  string
	RawW, AdaptW  string // of the bars
	IsRaw, IsAdap bool
}

type numbered struct {
	Key   int
	Label string
}

// item shows an item.
func (s *Server) item(w http.ResponseWriter, r *http.Request) {
	n, ok := number(r, s.Collection.Len())
	if !ok {
		http.NotFound(w, r)
		return
	}
	v := s.snapshot()
	s.showItem(w, v, n, choiceOf(r.URL.Query()), http.StatusOK, v.ended(r.URL.Query()))
}

// showItem shows an item with a message.
func (s *Server) showItem(w http.ResponseWriter, v *snapshot, n int, c choice, status int, m message) {
	rec := &v.records[n]
	p := itemPage{
		frame: s.frameOf(v, rec.file), Item: v.itemRow(n), Truth: v.text(rec.truth), Stream: v.row(int(rec.stream), 0), Place: int(rec.place) + 1, Walk: c.query(),
		Picture: v.Kind == report.Pictures, Signal: s.Inputs != nil && rec.piece() && (v.Kind == report.Sleep || v.Kind == report.Movement), Before: -1, Next: -1, Ahead: -1,
		ChangedQ: choice{show: changed}.query(), UnsureQ: choice{show: unsure}.query(),
	}
	p.Message = m
	if v.Kind == report.Posts {
		text, err := s.Inputs.text(v.Collection, rec.file)
		if p.Post = text; err != nil {
			p.Problem = report.Reason(err)
		}
	}
	if b := rec.box; b != nil {
		p.Boxed = &boxed{share100(b[0]), share100(b[1]), share100(b[2]), share100(b[3])}
	}
	if to, ok := v.following(n, c); ok && p.Picture {
		p.Ahead = to
	}
	s.beside(v, n, &p)
	v.offer(n, &p)
	p.Shares, p.Why = v.shares(rec), v.why(n)
	s.mu.Lock()
	p.Undo = len(s.undos) > 0
	s.mu.Unlock()
	write(w, status, "item", p)
}

// beside fills in what is beside an item in its stream.
func (s *Server) beside(v *snapshot, n int, p *itemPage) {
	rec := &v.records[n]
	list, at := v.streams[rec.stream].items, int(rec.place)
	if at > 0 {
		p.Before = int(list[at-1])
	}
	if at+1 < len(list) {
		p.Next = int(list[at+1])
	}
	for _, i := range v.around(rec) {
		row := v.itemRow(int(i))
		row.Here = int(i) == n
		if v.Kind == report.Posts {
			row.Text = s.textOf(int(i), 140)
		}
		p.Near = append(p.Near, row)
	}
}

// offer fills in the labels that an item may be given.
func (s *snapshot) offer(n int, p *itemPage) {
	event := s.event(n)
	p.Event, p.Burst = len(event), s.burst(n)
	p.Majority, p.MajorityOf = s.majority(event)
	for _, i := range event {
		if s.given[i] == "" {
			p.EventLeft++
		}
	}
	p.Choices, p.All = s.numbered(&s.records[n]), s.Classes[:min(len(s.Classes), mostChoices)]
}

func share100(v float64) string {
	return strconv.FormatFloat(100*min(max(v, -1), 2), 'f', 2, 64)
}

// numbered are the classes that have a key: all where they are few, in their order; else those that the item's neighbourhood knows.
func (s *snapshot) numbered(r *record) (out []numbered) {
	add := func(label string) {
		if label == "" || len(out) == 9 || slices.ContainsFunc(out, func(n numbered) bool { return n.Label == label }) {
			return
		}
		out = append(out, numbered{len(out) + 1, label})
	}
	if len(s.Classes) <= 9 {
		for _, class := range s.Classes {
			add(class)
		}
		return out
	}
	for _, list := range [][]share{r.later, r.before} {
		for _, l := range list {
			add(s.text(l.label))
		}
	}
	for _, i := range s.around(r) {
		add(s.given[i])
		add(s.text(s.records[i].adapted))
		add(s.text(s.records[i].raw))
	}
	return out
}

// around are an item and its neighbours.
func (s *snapshot) around(r *record) []int32 {
	list := s.streams[r.stream].items
	return list[max(0, int(r.place)-neighbours):min(len(list), int(r.place)+neighbours+1)]
}

// shares is the distribution before and after, as far as it is known.
func (s *snapshot) shares(r *record) (out []shareRow) {
	find := func(list []share, label int32) (float32, bool) {
		for _, l := range list {
			if l.label == label {
				return l.p, true
			}
		}
		return 0, false
	}
	before, later := r.before, r.later
	if before == nil && r.raw >= 0 && r.prob == r.prob {
		before = []share{{r.raw, r.prob}}
	}
	if later == nil && r.adapted >= 0 && r.after == r.after {
		later = []share{{r.adapted, r.after}}
	}
	seen := map[int32]bool{}
	for _, l := range slices.Concat(later, before) {
		if seen[l.label] {
			continue
		}
		seen[l.label] = true
		row := shareRow{Label: s.text(l.label), Raw: "–", Adapted: "–", RawW: "0", AdaptW: "0", IsRaw: l.label == r.raw, IsAdap: l.label == r.adapted}
		if p, ok := find(before, l.label); ok {
			row.Raw, row.RawW = fmt.Sprintf("%.3f", p), share100(float64(p))
		}
		if p, ok := find(later, l.label); ok {
			row.Adapted, row.AdaptW = fmt.Sprintf("%.3f", p), share100(float64(p))
		}
		out = append(out, row)
	}
	return out
}

// why says in words how the adapted label came about, as far as the results tell.
func (s *snapshot) why(n int) (out []string) {
	r := &s.records[n]
	noun := s.Kind.Noun()
	if r.adapted < 0 {
		return nil
	}
	raw, adapted := report.Visible(report.Named(s.text(r.raw))), report.Visible(report.Named(s.text(r.adapted)))
	switch mode := s.modes[r.mode]; mode {
	case "known":
		return []string{"The filter was given this label as certain, and conditioned the others of its stream on it."}
	case "filtered":
		out = append(out, "The filter knew the "+noun+"s before this one, and none behind it.")
	case "lagged":
		out = append(out, "The filter knew the "+noun+"s before this one, and some behind it.")
	case "smoothed":
		out = append(out, "The filter knew the whole stream.")
	}
	switch {
	case r.gate != r.gate:
	case r.gate < 0.005:
		out = append(out, "The gate is 0: order told nothing here, and the classifier's answer stands.")
	default:
		out = append(out, fmt.Sprintf("The gate is %.2f: so much of the answer owes itself to order, and the rest to the %s alone.", r.gate, noun))
	}
	agree, others := 0, 0
	for _, i := range s.around(r) {
		if int(i) == n || s.records[i].raw < 0 {
			continue
		}
		others++
		if s.records[i].raw == r.adapted {
			agree++
		}
	}
	switch {
	case r.raw < 0:
	case r.changed():
		out = append(out, fmt.Sprintf("Alone it looks like %q (%s); %d of the %d %ss beside it look like %q, and so it became that.", raw, ratio(r.prob), agree, others, noun, adapted))
	default:
		out = append(out, fmt.Sprintf("Alone it looks like %q (%s), and so do %d of the %d %ss beside it: the label stays.", raw, ratio(r.prob), agree, others, noun))
	}
	if s.isUnsure(r) {
		out = append(out, fmt.Sprintf("It is unsure: the adapted label has a probability below %.2f.", s.unsure))
	}
	return out
}
