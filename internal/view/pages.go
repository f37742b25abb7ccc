package view

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/oatta/oatta/internal/report"
)

//go:embed page.html
var pageSource string

// page is parsed when the first is shown: other commands do not wait for it.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"text": report.Visible, "whole": report.Whole, "named": report.Named, "count": report.Number, "code": code,
	}).Parse(report.Change() + pageSource))
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
