package view

import (
	"bytes"
	_ "embed"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/oatta/oatta/internal/corrections"
	"github.com/oatta/oatta/internal/report"
)

//go:embed view.js
var script string

//go:embed view.css
var style string

// Options are what a server shows and where labels go.
type Options struct {
	Collection *Collection
	Inputs     *Inputs // nil: nothing but the results is shown
	Table      *corrections.Table
	Who        string      // gives the labels
	Stale      func() bool // tells that the results are no longer those that were read; nil: nobody looks
	Now        func() time.Time
}

// Server shows a collection to one browser.
type Server struct {
	Options
	*Gate

	mu    sync.Mutex
	undos [][]corrections.Edit
}

// mostUndos is how many changes can be taken back.
const mostUndos = 1000

// NewServer makes a server for a listener of the loopback address.
func NewServer(o Options, l net.Listener) (*Server, error) {
	g, err := NewGate(l)
	if err != nil {
		return nil, err
	}
	return g.Show(o), nil
}

// Show shows a collection from now on.
func (g *Gate) Show(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{Options: o, Gate: g}
	g.inside.Store(s.routes())
	return s
}

// assets adds what every page has.
func assets(m *http.ServeMux) *http.ServeMux {
	m.HandleFunc("GET /view.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write([]byte(script))
	})
	m.HandleFunc("GET /view.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write([]byte(report.Style() + style))
	})
	m.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return m
}

func (s *Server) routes() *http.ServeMux {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", s.home)
	m.HandleFunc("GET /stream/{n}", s.stream)
	m.HandleFunc("GET /item/{n}", s.item)
	m.HandleFunc("GET /next", s.walk)
	m.HandleFunc("GET /thumb/{n}", func(w http.ResponseWriter, r *http.Request) { s.picture(w, r, false) })
	m.HandleFunc("GET /picture/{n}", func(w http.ResponseWriter, r *http.Request) { s.picture(w, r, true) })
	m.HandleFunc("GET /signal/{n}", s.signal)
	m.HandleFunc("POST /label", s.label)
	m.HandleFunc("POST /undo", s.undo)
	return assets(m)
}

// snapshot takes the labels as they are now.
func (s *Server) snapshot() *snapshot {
	c := s.Collection
	v := &snapshot{Collection: c, given: make([]string, len(c.records))}
	v.status = s.Table.Look(func(labelOf func(corrections.Item) string) {
		for i := range c.records {
			v.given[i] = labelOf(c.identity(i))
		}
	})
	return v
}

// identity is what an item is called in a table of labels: the names that it has in the results, by which every reader of labels finds it.
func (c *Collection) identity(i int) corrections.Item {
	r := &c.records[i]
	return corrections.Item{Stream: c.streams[r.stream].name, File: r.file, Piece: r.piece(), Offset: r.offset}
}

// number reads the number of an item or stream from the path.
func number(r *http.Request, below int) (int, bool) {
	n, err := strconv.Atoi(r.PathValue("n"))
	return n, err == nil && n >= 0 && n < below
}

// picture serves a picture.
func (s *Server) picture(w http.ResponseWriter, r *http.Request, large bool) {
	n, ok := number(r, s.Collection.Len())
	if !ok {
		http.NotFound(w, r)
		return
	}
	data, err := s.Inputs.picture(r.Context(), n, &s.Collection.records[n], large)
	if err != nil {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = w.Write(noPicture(report.Reason(err)))
		return
	}
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("Cache-Control", "private, max-age=3600")
	_, _ = w.Write(data)
}

// signal serves the drawing of a piece of a recording.
func (s *Server) signal(w http.ResponseWriter, r *http.Request) {
	n, ok := number(r, s.Collection.Len())
	if !ok || !s.Collection.records[n].piece() {
		http.NotFound(w, r)
		return
	}
	rec := &s.Collection.records[n]
	name, from, to := s.Collection.streams[rec.stream].name, rec.offset, rec.offset+rec.duration
	var drawn *signal
	var err error
	if s.Collection.Kind == report.Sleep {
		drawn, err = s.Inputs.night(name, from, to)
	} else {
		drawn, err = s.Inputs.moved(r.Context(), name, from, to)
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	switch {
	case err != nil:
		_, _ = w.Write(noPicture(report.Reason(err)))
	case len(drawn.channels) == 0:
		_, _ = w.Write(noPicture("no channel of a rate that could be drawn"))
	default:
		size := wide
		if r.URL.Query().Has("narrow") {
			size = narrow
		}
		_, _ = w.Write(drawn.svg(size))
	}
}

// noPicture is what stands in the place of a picture or drawing that cannot be shown, and says why.
func noPicture(why string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 120" width="300" height="120" font-family="sans-serif" font-size="14"><rect width="300" height="120" fill="#fff"/>`)
	for i, line := range lines(report.Visible(why), 36, 4) {
		fmt.Fprintf(&b, `<text x="150" y="%d" text-anchor="middle" fill="%s">%s</text>`, 40+20*i, inkSoft, escaped(line))
	}
	b.WriteString("</svg>")
	return b.Bytes()
}

// lines breaks a text between words, into at most so many lines.
func lines(text string, width, most int) (out []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			out, line = append(out, line), ""
		}
		line = short(strings.TrimSpace(line+" "+word), width)
	}
	out = append(out, line)
	if len(out) > most {
		out = append(out[:most-1], out[most-1]+" …")
	}
	return out
}
