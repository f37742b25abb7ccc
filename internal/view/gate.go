package view

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
)

// Gate lets one browser in, and shows it what there is at the time.
type Gate struct {
	token, secret string
	host          map[string]bool // that requests may be for
	port          string
	inside        atomic.Pointer[http.ServeMux]

	mu   sync.Mutex
	used bool // the one-time address
}

// NewGate makes a gate for a listener of the loopback address. It shows nothing yet.
func NewGate(l net.Listener) (*Gate, error) {
	address, ok := l.Addr().(*net.TCPAddr)
	if !ok || !address.IP.IsLoopback() {
		return nil, fmt.Errorf("view: listens on %s: want the loopback address", l.Addr())
	}
	g := &Gate{token: random(), secret: random(), port: strconv.Itoa(address.Port)}
	g.host = map[string]bool{net.JoinHostPort(address.IP.String(), g.port): true, "localhost:" + g.port: true}
	g.inside.Store(assets(http.NewServeMux()))
	return g, nil
}

// URL is the one-time address.
func (g *Gate) URL() string { return "http://127.0.0.1:" + g.port + "/?token=" + g.token }

func random() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // ends the program where it fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// policy is what pages may do: one script and one style sheet of the server's, pictures of the server's, and forms to it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// cookie is of this port: cookies do not tell ports apart.
func (g *Gate) cookie() string { return "oatta-view-" + g.port }

// ServeHTTP implements [http.Handler].
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY",
		"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		h.Set(name, value)
	}
	switch {
	case !g.host[r.Host]:
		http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
	case r.URL.Path == "/" && r.URL.Query().Has("token"):
		g.enter(w, r)
	case !g.known(r):
		http.Error(w, "The address that `oatta view` printed opens this page once, in one browser. Stop the program and start it again for another.", http.StatusForbidden)
	case r.Method == http.MethodPost && r.Header.Get("Origin") != "http://"+r.Host:
		http.Error(w, "that did not come from a page of this server", http.StatusForbidden)
	default:
		g.inside.Load().ServeHTTP(w, r)
	}
}

// known tells whether the request has the cookie.
func (g *Gate) known(r *http.Request) bool {
	c, err := r.Cookie(g.cookie())
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(g.secret)) == 1
}

// enter takes the one-time address. The page sends itself on, as a browser that followed a link from elsewhere would not yet show the cookie
// to an answer that sends it on.
func (g *Gate) enter(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	right := subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("token")), []byte(g.token)) == 1
	first := right && !g.used
	g.used = g.used || first
	g.mu.Unlock()
	if !first && !g.known(r) {
		http.Error(w, "This address opened the page once already. Stop `oatta view` and start it again for another.", http.StatusForbidden)
		return
	}
	if first {
		http.SetCookie(w, &http.Cookie{Name: g.cookie(), Value: g.secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(`<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>oatta view</title><p><a href="/">To the results</a></p></html>`))
}
