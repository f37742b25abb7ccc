package view

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/report"
)

//go:embed page.html
var pageSource string

// page is parsed when the first is shown: other commands do not wait for it.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"text": report.Visible, "whole": report.Whole, "named": report.Named, "count": report.Number, "code": code,
	}).Parse(pageSource))
})

// How much a page lists.
const (
	streamsListed  = 100
	picturesListed = 120
	rowsListed     = 100
	neighbours     = 4 // on each side
	mostChoices    = 2000
)

// message is what a page says of what was just done.
type message struct {
	Text string
	Bad  bool
	New  string // a label that may be given as a new one
}

// frame is what all pages have.
type frame struct {
	Title, Name, Noun string
	Kind              report.Kind
	Message           message
	Warnings          []string
	File              string // of labels
	Labels            int
	Keys              []key
	Shown             bool // there are inputs to be shown
	Again             bool // the page comes again by itself
}

type key struct{ Keys, Does string }

// frameOf begins a page.
func (s *Server) frameOf(v *snapshot, title string) frame {
	f := frame{Title: title, Name: v.Name, Noun: v.Kind.Noun(), Kind: v.Kind, File: filepath.Base(s.Table.Path()), Labels: v.status.Labels, Shown: s.Inputs != nil}
	if s.Stale != nil && s.Stale() {
		f.Warnings = append(f.Warnings, v.Name+" was changed or moved since it was read: stop `oatta view` and start it again to see it as it is")
	}
	if v.status.Err != nil {
		f.Warnings = append(f.Warnings, "The file of labels cannot be read as it is, and nothing is written to it: "+v.status.Err.Error())
	}
	if v.status.Warning != "" {
		f.Warnings = append(f.Warnings, v.status.Warning)
	}
	f.Keys = []key{
		{"n, N", "next, previous changed " + f.Noun + " that is not yet labelled"},
		{"u, U", "next, previous unsure " + f.Noun + " that is not yet labelled"},
		{"j or →, k or ←", "next, previous " + f.Noun + " of the stream, or page"},
		{"a", "accept the adapted label, and go on"},
		{"r", "take the raw label, and go on"},
		{"1 to 9", "give the class of that number, and go on"},
		{"l", "write another label; Enter gives it"},
		{"m", "take the label that most of the event have; M gives it to all of the event that are not yet labelled"},
		{"f", "next " + f.Noun + " of the filter"},
		{"x", "take the label back"},
		{"z", "undo the last change"},
		{"s", "to the stream"},
		{"h", "to the streams"},
		{"/", "search"},
		{"?", "these keys; Escape closes them"},
	}
	return f
}

// write writes a page.
func write(w http.ResponseWriter, status int, name string, data any) {
	var out bytes.Buffer
	if err := page().ExecuteTemplate(&out, name, data); err != nil {
		http.Error(w, "view: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes())
}

// filters is the form that chooses.
type filters struct {
	Shows   []option
	Classes []option
	Class   string
	Query   string
	Action  string
	Many    bool // too many classes for a list
}

type option struct {
	Value, Name string
	Selected    bool
}

func (s *snapshot) filters(c choice, action string) filters {
	f := filters{Class: code(c.class), Action: action, Query: c.part, Many: len(s.Classes) > 300}
	for _, o := range shows {
		f.Shows = append(f.Shows, option{o.Value, o.Name, o.Value == c.show})
	}
	for _, class := range s.Classes[:min(len(s.Classes), mostChoices)] {
		f.Classes = append(f.Classes, option{code(class), report.Named(class), class == c.class})
	}
	return f
}

// pager leads from one part of a list to the next.
type pager struct {
	Page, Pages  int
	Before, Next string // addresses; "": none
	From, To, Of int
}

// paged returns the part of a list that a request wants.
func paged(r *http.Request, n, each int) (from, to int, p pager) {
	p.Pages = max(1, (n+each-1)/each)
	k, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil || k < 1 {
		k = 1
	}
	p.Page = min(k, p.Pages)
	from, to = (p.Page-1)*each, min(p.Page*each, n)
	p.From, p.To, p.Of = from+1, to, n
	at := func(k int) string {
		q := r.URL.Query()
		q.Set("page", strconv.Itoa(k))
		return r.URL.Path + "?" + q.Encode()
	}
	if p.Page > 1 {
		p.Before = at(p.Page - 1)
	}
	if p.Page < p.Pages {
		p.Next = at(p.Page + 1)
	}
	return from, to, p
}

type homePage struct {
	frame
	Items, Streams, Changed, Unsure, Failed int
	Unsurely                                string
	RunWarnings                             []string
	Facts                                   []fact
	Filters                                 filters
	Rows                                    []streamRow
	Wanted                                  int
	Pager                                   pager
	Walk                                    template.URL
}

type fact struct{ Name, Value string }

type streamRow struct {
	Number                                 int
	Name, Gate, From, Until                string
	Items, Wanted, Changed, Unsure, Failed int
	Labelled                               int
}

// home lists the streams, those first that the filter changed most.
func (s *Server) home(w http.ResponseWriter, r *http.Request) {
	v := s.snapshot()
	c := choiceOf(r.URL.Query())
	n := v.totals()
	p := homePage{
		frame: s.frameOf(v, v.Name), Items: len(v.records), Streams: len(v.streams), Changed: n.changed, Unsure: n.unsure, Failed: n.failed, Unsurely: fmt.Sprintf("%.2f", v.Collection.unsure),
		RunWarnings: v.Collection.Warnings, Filters: v.filters(c, "/"), Walk: c.query(),
	}
	for _, f := range v.Facts {
		p.Facts = append(p.Facts, fact{f.Name, f.Value})
	}
	p.Message = v.ended(r.URL.Query())
	var rows []streamRow
	for k := range v.streams {
		wanted := v.of(k, c)
		if len(wanted) == 0 {
			continue
		}
		p.Wanted += len(wanted)
		rows = append(rows, v.row(k, len(wanted)))
	}
	slices.SortStableFunc(rows, func(a, b streamRow) int {
		return cmp.Or(cmp.Compare(b.Changed, a.Changed), datasets.CompareNatural(a.Name, b.Name))
	})
	from, to, pager := paged(r, len(rows), streamsListed)
	p.Rows, p.Pager = rows[from:to], pager
	for i := range p.Rows {
		v.span(&p.Rows[i])
	}
	write(w, http.StatusOK, "home", p)
}

func (s *snapshot) row(k, wanted int) streamRow {
	st := &s.streams[k]
	row := streamRow{Number: k, Name: st.name, Items: len(st.items), Wanted: wanted, Changed: st.changed, Unsure: st.unsure, Failed: st.failed, Gate: "–"}
	if st.gates > 0 {
		row.Gate = fmt.Sprintf("%.2f", st.gate/float64(st.gates))
	}
	for _, i := range st.items {
		if s.given[i] != "" {
			row.Labelled++
		}
	}
	return row
}

// span tells from when to when a stream goes.
func (s *snapshot) span(row *streamRow) {
	var first, last time.Time
	for _, i := range s.streams[row.Number].items {
		t := s.records[i].time
		if t.IsZero() {
			continue
		}
		if first.IsZero() || t.Before(first) {
			first = t
		}
		if t.After(last) {
			last = t
		}
	}
	if !first.IsZero() {
		row.From, row.Until = first.Format("2006-01-02 15:04"), last.Format("2006-01-02 15:04")
	}
}

type streamPage struct {
	frame
	Row     streamRow
	Strip   *strip
	Filters filters
	Items   []itemRow
	Pager   pager
	Walk    template.URL
	First   int // item from which a walk begins
}

type itemRow struct {
	Number                             int
	Name, When, Raw, Adapted, Given    string
	Prob, After, Gate, Failure, Text   string
	Changed, Unsure, Here, Failed, New bool // New: an event begins here
}

func (s *snapshot) itemRow(i int) itemRow {
	r := &s.records[i]
	row := itemRow{
		Number: i, Name: r.file, When: whenOf(r), Raw: s.text(r.raw), Adapted: s.text(r.adapted), Given: s.given[i],
		Prob: ratio(r.prob), After: ratio(r.after), Gate: ratio(r.gate), Changed: r.changed(), Unsure: s.isUnsure(r), Failed: r.adapted < 0,
	}
	switch {
	case r.failure >= 0:
		row.Failure = s.failures[r.failure]
	case r.adapted < 0:
		row.Failure = "no prediction"
	}
	return row
}

func whenOf(r *record) string {
	switch {
	case !r.time.IsZero() && r.piece():
		return r.time.Format("2006-01-02 15:04:05") + " (" + clock(r.offset, 1) + ")"
	case !r.time.IsZero():
		return r.time.Format("2006-01-02 15:04:05")
	case r.piece():
		if r.duration < 1 || r.offset != math.Trunc(r.offset) {
			return fmt.Sprintf("%s + %.2f s", clock(math.Trunc(r.offset), 1), r.offset-math.Trunc(r.offset))
		}
		return clock(r.offset, 1)
	}
	return ""
}

func ratio(v float32) string {
	if v != v {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}

// stream lists the items of a stream.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	k, ok := number(r, len(s.Collection.streams))
	if !ok {
		http.NotFound(w, r)
		return
	}
	v := s.snapshot()
	c := choiceOf(r.URL.Query())
	wanted := v.of(k, c)
	p := streamPage{frame: s.frameOf(v, v.streams[k].name), Row: v.row(k, len(wanted)), Strip: v.stripOf(k), Filters: v.filters(c, fmt.Sprintf("/stream/%d", k)), Walk: c.query()}
	p.Message = v.ended(r.URL.Query())
	v.span(&p.Row)
	each := rowsListed
	if v.Kind == report.Pictures {
		each = picturesListed
	}
	from, to, pager := paged(r, len(wanted), each)
	p.Pager = pager
	for at, i := range wanted[from:to] {
		row := v.itemRow(int(i))
		row.New = at == 0 || !v.near(wanted[from+at-1], i)
		if v.Kind == report.Posts {
			row.Text = s.textOf(int(i), 280)
		}
		p.Items = append(p.Items, row)
	}
	if len(p.Items) > 0 {
		p.First = p.Items[0].Number
	}
	write(w, http.StatusOK, "stream", p)
}

// textOf is the text of a post, cut; "" where there is none.
func (s *Server) textOf(i, most int) string {
	text, err := s.Inputs.text(s.Collection, s.Collection.records[i].file)
	if err != nil {
		return ""
	}
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// walk goes to the next item of a choice.
func (s *Server) walk(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, err := strconv.Atoi(q.Get("from"))
	if err != nil {
		from = -1
	}
	c := choiceOf(q)
	v := s.snapshot()
	to, ok := v.next(from, c, q.Get("back") != "")
	if !ok {
		back := url.Values{"none": {c.show}}
		at := "/?" + back.Encode()
		if from >= 0 && from < len(v.records) {
			at = fmt.Sprintf("/item/%d?%s", from, back.Encode())
		}
		http.Redirect(w, r, at, http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, fmt.Sprintf("/item/%d?%s", to, c.query()), http.StatusSeeOther)
}

// ended says what the address tells of what was just done.
func (s *snapshot) ended(q url.Values) (m message) {
	switch none := q.Get("none"); none {
	case changed, unsure, failed, labelled:
		m.Text = "No more " + s.Kind.Noun() + "s are " + map[string]string{changed: "changed by the filter and not yet labelled", unsure: "unsure and not yet labelled", failed: "failed", labelled: "labelled by you"}[none] + "."
	default:
		if q.Has("none") {
			m.Text = "No other " + s.Kind.Noun() + " is like that."
		}
	}
	if n, err := strconv.Atoi(q.Get("saved")); err == nil && n >= 0 && n < len(s.records) {
		m.Text = fmt.Sprintf("Saved: %q has no label of yours now.", report.Visible(s.records[n].file))
		if s.given[n] != "" {
			m.Text = fmt.Sprintf("Saved: %q is %q.", report.Visible(s.records[n].file), report.Visible(report.Named(s.given[n])))
		}
		if q.Has("end") {
			m.Text += " There is no next one."
		}
	}
	if q.Has("undone") {
		m.Text = "Undone."
	}
	return m
}

type itemPage struct {
	frame
	Item              itemRow
	Truth             string
	Stream            streamRow
	Place             int
	Mode              string
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
	Event             int // items
	EventLeft         int // of them not yet labelled
	Before, Next      int // in the stream; -1: none
	PrefetchA         int // pictures that come next; -1: none
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

func (s *Server) showItem(w http.ResponseWriter, v *snapshot, n int, c choice, status int, m message) {
	rec := &v.records[n]
	k := int(rec.stream)
	list := v.streams[k].items
	p := itemPage{
		frame: s.frameOf(v, rec.file), Item: v.itemRow(n), Truth: v.text(rec.truth), Stream: v.row(k, 0), Place: int(rec.place) + 1, Mode: v.modes[rec.mode], Walk: c.query(),
		Picture: v.Kind == report.Pictures, Signal: s.Inputs != nil && rec.piece() && (v.Kind == report.Sleep || v.Kind == report.Movement), Before: -1, Next: -1, PrefetchA: -1,
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
	if at := int(rec.place); at > 0 {
		p.Before = int(list[at-1])
	}
	if at := int(rec.place); at+1 < len(list) {
		p.Next = int(list[at+1])
	}
	if to, ok := v.following(n, c); ok && p.Picture {
		p.PrefetchA = to
	}
	for _, i := range list[max(0, int(rec.place)-neighbours):min(len(list), int(rec.place)+neighbours+1)] {
		row := v.itemRow(int(i))
		row.Here = int(i) == n
		if v.Kind == report.Posts {
			row.Text = s.textOf(int(i), 140)
		}
		p.Near = append(p.Near, row)
	}
	event := v.event(n)
	p.Event = len(event)
	p.Majority, p.MajorityOf = v.majority(event)
	for _, i := range event {
		if v.given[i] == "" {
			p.EventLeft++
		}
	}
	p.Shares, p.Why = v.shares(rec), v.why(n, event)
	p.Choices, p.All = v.numbered(rec), v.Classes[:min(len(v.Classes), mostChoices)]
	s.mu.Lock()
	p.Undo = len(s.undos) > 0
	s.mu.Unlock()
	write(w, status, "item", p)
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
func (s *snapshot) why(n int, event []int32) (out []string) {
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
