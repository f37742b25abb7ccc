package view

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"

	"github.com/oatta/oatta/internal/report"
)

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
		return clock(r.offset, 0)
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
