package view

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/oatta/oatta/internal/report/items"
	"github.com/oatta/oatta/internal/testdata"
)

// window is a tab of a browser that shows the pages of a desk. It collects what the browser complains of and what it asks of others.
type window struct {
	t    *testing.T
	ctx  context.Context
	desk *desk

	mu    sync.Mutex
	wrong []string
}

func windowOn(t *testing.T, d *desk) *window {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU, chromedp.ExecPath(testdata.Browser(t)), chromedp.UserDataDir(t.TempDir()))
	parent, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	w := &window{t: t, ctx: ctx, desk: d}
	w.do(chromedp.Navigate("about:blank"))
	must(t, chromedp.Listen(ctx, w.hear))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	must(t, err)
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	must(t, err)
	limit := time.AfterFunc(4*time.Minute, cancel)
	t.Cleanup(func() { limit.Stop() })
	w.do(chromedp.Navigate(d.URL()), chromedp.WaitVisible(chromedp.CSS("#main")))
	return w
}

func (w *window) hear(event any) {
	said := ""
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err != nil || u.Scheme != "data" && u.Host != strings.TrimPrefix(w.desk.base, "http://") {
			said = "request of " + e.Request.URL
		}
	case *log.EventEntryAdded:
		said = "log: " + e.Entry.Text + " " + e.Entry.URL
	case *runtime.EventConsoleAPICalled:
		said = fmt.Sprintf("console: %s", e.Type)
	case *runtime.EventExceptionThrown:
		said = "exception: " + e.ExceptionDetails.Text
	}
	if said != "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.wrong = append(w.wrong, said)
	}
}

func (w *window) do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	must(w.t, chromedp.Do(w.ctx, steps...))
}

// key presses a key that leads to another page, and waits for it.
func (w *window) key(k string) {
	w.t.Helper()
	_, err := chromedp.RunResponse(w.ctx, chromedp.KeyEvent(k))
	if err != nil {
		w.t.Fatalf("key %q: %v", k, err)
	}
}

// tap presses a key that leads into a field. A browser sends no character after a key that the page took, and neither may a test.
func (w *window) tap(k string) {
	w.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		_, err := chromedp.Call(w.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: k})
		must(w.t, err)
	}
}

func (w *window) path() string {
	w.t.Helper()
	at, err := chromedp.Run(w.ctx, chromedp.Location())
	must(w.t, err)
	return strings.TrimPrefix(at, w.desk.base)
}

func eval[T any](w *window, script string) T {
	w.t.Helper()
	v, err := chromedp.Run(w.ctx, chromedp.Evaluate[T](script))
	must(w.t, err)
	return v
}

// album is pictures of two cameras of which every third was changed.
func album(t *testing.T, n int) (results, inputs string) {
	t.Helper()
	dir := t.TempDir()
	inputs = filepath.Join(dir, "pictures")
	must(t, os.Mkdir(inputs, 0o755))
	var lines []line
	for i := range n {
		name := fmt.Sprintf("p%03d.jpg", i)
		picture(t, filepath.Join(inputs, name))
		raw := "fox"
		if i%3 == 0 {
			raw = "deer"
		}
		lines = append(lines, result(name, fmt.Sprintf("cam%d", 2*i/n), raw, "fox", 0.4+float64(i%6)/10, noon.Add(time.Duration(i)*20*time.Second)))
	}
	lines[0]["classes"], lines[0]["probs"], lines[0]["adapted"] = []string{"deer", "fox", "boar"}, []float64{0.5, 0.3, 0.2}, []float64{0.3, 0.6, 0.1}
	return written(t, dir, lines), inputs
}

// Fifty items are looked at and labelled by keys alone: changes one by one, accepted, relabelled, written, of the event, undone.
func TestKeyboardAlone(t *testing.T) {
	const n = 150
	results, inputs := album(t, n)
	d := opened(t, results, inputs)
	w := windowOn(t, d)
	want := map[string]string{}
	name := func() string {
		return eval[string](w, `document.querySelector("h1").textContent`)
	}
	w.key("n") // the first change
	for i := range 50 {
		if got := name(); got != fmt.Sprintf("p%03d.jpg", 3*i) {
			t.Fatalf("item %d is %s", i, got)
		}
		switch at := name(); i % 5 {
		case 0:
			w.key("a")
			want[at] = "fox"
		case 1:
			w.key("r")
			want[at] = "deer"
		case 2:
			w.key("3") // boar
			want[at] = "boar"
		case 3:
			w.key("1")
			w.key("z") // back at it, without a label
			if got := name(); got != at || !strings.Contains(w.path(), "undone=1") {
				t.Fatalf("after the undo: %s, not %s", got, at)
			}
			w.key("m")
			want[at] = "fox"
		case 4:
			w.tap("l")
			w.do(chromedp.KeyEvent("boar"))
			w.key(kb.Enter)
			want[at] = "boar"
		}
	}
	if !strings.Contains(w.path(), "end=1") {
		t.Errorf("at the end: %s", w.path())
	}
	rows, err := csv.NewReader(strings.NewReader(d.file())).ReadAll()
	must(t, err)
	got := map[string]string{}
	for _, row := range rows[1:] {
		got[row[0]] = row[2]
		if row[3] != "ann" || row[1] == "" {
			t.Errorf("%q", row)
		}
	}
	if len(got) != 50 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%d labels: %v\nwant %v", len(got), got, want)
	}
	w.key("j")
	w.key("s")
	if !strings.HasPrefix(w.path(), "/stream/1") {
		t.Errorf("s leads to %s", w.path())
	}
	w.key("h")
	w.do(chromedp.KeyEvent("?"))
	if !eval[bool](w, `document.getElementById("keys").open`) {
		t.Error("? shows no keys")
	}
	w.do(chromedp.KeyEvent(kb.Escape))
	w.tap("/")
	w.do(chromedp.KeyEvent("cam1"))
	w.key(kb.Enter)
	if !strings.Contains(w.path(), "q=cam1") {
		t.Errorf("the search leads to %s", w.path())
	}
	w.key("u")
	w.key("M") // the event, of which the labelled ones stay
	if n := strings.Count(d.file(), "\n"); n < 60 {
		t.Errorf("%d lines after the label of an event", n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, said := range w.wrong {
		t.Error(said)
	}
}

// Pages break no serious rule of accessibility at a telephone's width in the dark and a desk's in the light, fit the screen, and hold no script
// but the server's.
func TestPagesInABrowser(t *testing.T) {
	rules, err := os.ReadFile(testdata.Asset(t, "axe-core", "axe.min.js"))
	must(t, err)
	for kind, d := range desks(t) {
		w := windowOn(t, d)
		if kind == "start" {
			w.do(chromedp.SendKeys(chromedp.ID("folder"), "x"))
			w.key(kb.Enter)
			for range 100 { // it fails at once, and the page tells it when it is asked for again
				if w.do(chromedp.Navigate(d.base + "/")); eval[bool](w, `document.querySelector("p.bad") !== null`) {
					break
				}
			}
		}
		for _, size := range []struct {
			width int64
			dark  bool
		}{{390, true}, {1440, false}} {
			scheme := map[bool]string{true: "dark", false: "light"}[size.dark]
			_, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
			must(t, err)
			w.do(chromedp.EmulateViewport(size.width, 900))
			paths := []string{"/stream/1?show=unsure", "/item/17?show=changed&saved=2"}
			switch kind {
			case "start":
				paths = []string{"/"}
			case "picture":
				paths = append(paths, "/", "/?show=changed", "/stream/0", "/item/1")
			}
			for _, path := range paths {
				w.do(chromedp.Navigate(d.base + path))
				eval[any](w, string(rules)+";null")
				type finding struct {
					ID, Impact string
					Nodes      []struct{ HTML, FailureSummary string }
				}
				found, err := chromedp.Run(w.ctx, chromedp.Evaluate[struct {
					Passed int
					Wide   int64
					Broken int
					Found  []finding
				}](`axe.run(document, {resultTypes: ['violations']}).then(r => ({
					passed: r.passes.length, wide: document.documentElement.scrollWidth, found: r.violations,
					broken: [...document.images].filter(i => i.complete && i.naturalWidth === 0).length}))`, chromedp.EvalAwaitPromise))
				must(t, err)
				if found.Passed < 15 {
					t.Fatalf("%s %s: %d rules were looked at", kind, path, found.Passed)
				}
				if found.Wide > size.width || found.Broken > 0 {
					t.Errorf("%s %s, %d pixels: %d wide, %d pictures do not show", kind, path, size.width, found.Wide, found.Broken)
				}
				for _, v := range found.Found {
					if v.Impact == "serious" || v.Impact == "critical" {
						t.Errorf("%s %s, %d pixels, %s: %s (%s): %s: %s", kind, path, size.width, scheme, v.ID, v.Impact, v.Nodes[0].HTML, v.Nodes[0].FailureSummary)
					}
				}
			}
		}
		w.mu.Lock()
		for _, said := range w.wrong {
			t.Errorf("%s: %s", kind, said)
		}
		w.mu.Unlock()
	}
}

// first is a desk without results, on which a folder was named that is none.
func first(t *testing.T) *desk {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	g, err := NewGate(l)
	must(t, err)
	g.Start(t.Context(), Starter{Folder: hostile[1], Run: func(_ context.Context, folder string, _ bool, said io.Writer) (string, error) {
		fmt.Fprintln(said, hostile[0])
		return "", fmt.Errorf("%s: there is no such folder", folder)
	}})
	server := &http.Server{Handler: g}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	d := &desk{Server: &Server{Gate: g}, t: t, base: "http://" + l.Addr().String()}
	jar, err := cookiejar.New(nil)
	must(t, err)
	d.client = &http.Client{Jar: jar}
	return d
}

// desks are servers of every kind of results.
func desks(t *testing.T) map[string]*desk {
	t.Helper()
	out := map[string]*desk{"start": first(t)}
	for _, what := range []string{"picture", "epoch", "window", "post"} {
		dir := t.TempDir()
		var lines []line
		for i := range 60 {
			labels := []string{"red deer", hostile[0], "a label that is longer than there is room for on a telephone"}
			file, stream := fmt.Sprintf("p%d.jpg", i), fmt.Sprint("stream ", i%2)
			if what == "epoch" {
				labels = []string{"W", "N2", "R"}
			}
			l := result(file, stream, labels[i/5%3], labels[i/9%3], 0.3+float64(i%7)/10, noon.Add(time.Duration(i)*20*time.Second))
			if what == "epoch" || what == "window" {
				l["offset"], l["duration"] = 30*(i/2), 30
			}
			l["classes"], l["probs"], l["adapted"] = labels, []float64{0.5, 0.25, 0.25}, []float64{0.25, 0.5, 0.25}
			if i == 17 {
				l = line{"file": hostile[1], "stream": "stream 1", "failure": hostile[4]}
			}
			if i%3 == 0 && what == "picture" {
				picture(t, filepath.Join(dir, file))
			}
			lines = append(lines, l)
		}
		results := written(t, dir, lines)
		manifest := fmt.Sprintf(`{"settings":{"program":"oatta","command":"oatta run","what":%q,"model":{"name":"m"}},"complete":true,"warnings":["beware"]}`, what)
		must(t, os.WriteFile(items.ManifestPath(results), []byte(manifest), 0o644))
		d := opened(t, results, dir)
		must(t, os.WriteFile(d.labels, []byte("file,stream,label\np2.jpg,stream 0,R\n"), 0o644))
		out[what] = d
	}
	return out
}
