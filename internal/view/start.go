package view

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	goruntime "runtime"
	"strings"
	"sync"

	"github.com/oatta/oatta/internal/report"
)

// Starter is what a first page can do where there are no results yet.
type Starter struct {
	Folder string // that the page begins with; may be ""
	// Run classifies the pictures of a folder, with what it says on the way, and returns where the results lie. With engine, it fetches first
	// what networks run on.
	Run func(ctx context.Context, folder string, engine bool, said io.Writer) (results string, err error)
	// Open opens results with the folder that they are of.
	Open func(results, folder string) (Options, error)
}

// start is the first page: a folder is named, is run, and its results are shown.
type start struct {
	Starter
	gate *Gate
	ctx  context.Context // of the server

	mu      sync.Mutex
	running bool
	cancel  context.CancelFunc
	folder  string
	said    tail
	err     error
}

// Start shows the first page. What is run ends with the context.
func (g *Gate) Start(ctx context.Context, s Starter) {
	p := &start{Starter: s, gate: g, ctx: ctx, folder: s.Folder}
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", p.show)
	m.HandleFunc("POST /run", p.run)
	m.HandleFunc("POST /stop", p.stop)
	g.inside.Store(assets(m))
}

type startPage struct {
	frame
	Folder  string
	Running bool
	Said    []string
	Problem string
}

// show shows the form, or how far it is.
func (p *start) show(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	page := startPage{frame: frame{Title: "Pictures", Again: p.running, Keys: []key{{"?", "these keys; Escape closes them"}}}, Folder: p.folder, Running: p.running, Said: p.said.lines()}
	if p.err != nil {
		page.Problem = p.err.Error()
	}
	write(w, http.StatusOK, "start", page)
}

// run begins, unless it has.
func (p *start) run(w http.ResponseWriter, r *http.Request) {
	f, ok := formOf(w, r)
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	defer http.Redirect(w, r, "/", http.StatusSeeOther)
	if p.running {
		return
	}
	p.folder, p.err = pathOf(f.Get("folder"), goruntime.GOOS), nil
	p.said = tail{}
	if p.folder == "" {
		p.err = errors.New("no folder was named")
		return
	}
	ctx, cancel := context.WithCancel(p.ctx)
	p.running, p.cancel = true, cancel
	go p.work(ctx, p.folder, f.Get("engine") != "")
}

// pathOf reads a path as people bring it: Windows copies it in quotes, and browsers that take a dropped folder write its address.
func pathOf(text, goos string) string {
	text = strings.Trim(strings.TrimSpace(text), `"`)
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "file":
	case u.Host != "" && u.Host != "localhost": // file://server/share/pictures
		if goos == "windows" {
			return `\\` + u.Host + strings.ReplaceAll(u.Path, "/", `\`)
		}
	case len(u.Path) > 2 && u.Path[0] == '/' && u.Path[2] == ':': // file:///C:/pictures
		return u.Path[1:]
	default:
		return u.Path
	}
	return text
}

// work runs, and shows what came out.
func (p *start) work(ctx context.Context, folder string, engine bool) {
	results, err := p.Run(ctx, folder, engine, lockedWriter{p})
	if ctx.Err() != nil {
		err = errors.New("stopped: what was done is kept, and the same folder goes on from there")
	}
	var o Options
	if err == nil {
		o, err = p.Open(results, folder)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancel()
	if p.running, p.err = false, err; err == nil {
		p.gate.Show(o)
	}
}

// stop ends what runs.
func (p *start) stop(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running {
		p.cancel()
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// lockedWriter writes into what was said.
type lockedWriter struct{ p *start }

// Write implements [io.Writer].
func (w lockedWriter) Write(b []byte) (int, error) {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	w.p.said.add(b)
	return len(b), nil
}

// tail is the end of a text.
type tail struct{ text []byte }

// mostSaid is how much of it is kept, and mostLines shown.
const (
	mostSaid  = 8 << 10
	mostLines = 12
)

func (t *tail) add(b []byte) {
	t.text = append(t.text, b...)
	if len(t.text) > 2*mostSaid {
		t.text = append([]byte(nil), t.text[len(t.text)-mostSaid:]...)
	}
}

func (t *tail) lines() (out []string) {
	for line := range strings.Lines(string(bytes.TrimSpace(t.text))) {
		out = append(out, report.Visible(strings.TrimRight(line, "\r\n")))
	}
	return out[max(0, len(out)-mostLines):]
}
