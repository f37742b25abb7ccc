package view

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
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
	token, secret string
	host          map[string]bool // that requests may be for
	port          string
	style         string

	mu    sync.Mutex
	used  bool // the one-time address
	undos [][]corrections.Edit
}

// mostUndos is how many changes can be taken back.
const mostUndos = 1000

// NewServer makes a server for a listener of the loopback address.
func NewServer(o Options, l net.Listener) (*Server, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	address, ok := l.Addr().(*net.TCPAddr)
	if !ok || !address.IP.IsLoopback() {
		return nil, fmt.Errorf("view: listens on %s: want the loopback address", l.Addr())
	}
	s := &Server{Options: o, token: random(), secret: random(), port: strconv.Itoa(address.Port), style: report.Style() + style}
	s.host = map[string]bool{net.JoinHostPort(address.IP.String(), s.port): true, "localhost:" + s.port: true}
	return s, nil
}

// URL is the one-time address.
func (s *Server) URL() string { return "http://127.0.0.1:" + s.port + "/?token=" + s.token }

func random() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // ends the program where it fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// policy is what pages may do: one script and one style sheet of the server's, pictures of the server's, and forms to it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// cookie is of this port: cookies do not tell ports apart.
func (s *Server) cookie() string { return "oatta-view-" + s.port }

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY",
		"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		h.Set(name, value)
	}
	switch {
	case !s.host[r.Host]:
		http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
	case r.URL.Path == "/" && r.URL.Query().Has("token"):
		s.enter(w, r)
	case !s.known(r):
		http.Error(w, "The address that `oatta view` printed opens this page once, in one browser. Stop the program and start it again for another.", http.StatusForbidden)
	case r.Method == http.MethodPost && r.Header.Get("Origin") != "http://"+r.Host:
		http.Error(w, "that did not come from a page of this server", http.StatusForbidden)
	default:
		s.routes().ServeHTTP(w, r)
	}
}

// known tells whether the request has the cookie.
func (s *Server) known(r *http.Request) bool {
	c, err := r.Cookie(s.cookie())
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(s.secret)) == 1
}

// enter takes the one-time address. The page sends itself on, as a browser that followed a link from elsewhere would not yet show the cookie
// to an answer that sends it on.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	right := subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("token")), []byte(s.token)) == 1
	first := right && !s.used
	s.used = s.used || first
	s.mu.Unlock()
	if !first && !s.known(r) {
		http.Error(w, "This address opened the page once already. Stop `oatta view` and start it again for another.", http.StatusForbidden)
		return
	}
	if first {
		http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(`<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>oatta view</title><p><a href="/">To the results</a></p></html>`))
}

func (s *Server) routes() http.Handler {
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
	m.HandleFunc("GET /view.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write([]byte(script))
	})
	m.HandleFunc("GET /view.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write([]byte(s.style))
	})
	m.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return m
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
		_, _ = w.Write(placeholder(report.Reason(err)))
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
		_, _ = w.Write(placeholder(report.Reason(err)))
	case len(drawn.channels) == 0:
		_, _ = w.Write(placeholder("no channel of a rate that could be drawn"))
	default:
		size := wide
		if r.URL.Query().Has("narrow") {
			size = narrow
		}
		_, _ = w.Write(drawn.svg(size))
	}
}

// placeholder stands in the place of what cannot be shown, and says why.
func placeholder(why string) []byte {
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
