package view

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/corrections"
	"github.com/oatta/oatta/internal/report/items"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

type line map[string]any

// hostile are texts that a page must show as text.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(2)>`, "\u202egpj.exe", "\x1b[2J\x07bell", `'); drop--`, `</textarea></title><svg onload=alert(3)>`, `{{.Name}}`, "javascript:alert(4)",
}

// result is a line of results.
func result(file, stream, raw, adapted string, p float64, at time.Time) line {
	return line{"file": file, "stream": stream, "time": at.Format("2006-01-02T15:04:05"), "label": raw, "prob": p, "adapted_label": adapted, "adapted_prob": p, "gate": 0.5, "adapted_mode": "smoothed"}
}

func written(t testing.TB, dir string, lines []line) string {
	t.Helper()
	path := filepath.Join(dir, "out.jsonl")
	f, err := os.Create(path)
	must(t, err)
	e := json.NewEncoder(f)
	for _, l := range lines {
		must(t, e.Encode(l))
	}
	must(t, f.Close())
	return path
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// desk is a server with a browser that has entered.
type desk struct {
	*Server
	t      testing.TB
	client *http.Client
	base   string
	labels string
}

func opened(t testing.TB, results, inputs string) *desk {
	t.Helper()
	f, err := items.Open(results, items.Options{})
	must(t, err)
	c, err := Read(f, Settings{Unsure: 0.6})
	must(t, err)
	d := &desk{t: t, labels: filepath.Join(filepath.Dir(results), "out.labels.csv")}
	table, err := corrections.Open(d.labels)
	must(t, err)
	o := Options{Collection: c, Table: table, Who: "ann", Now: func() time.Time { return noon }}
	if inputs != "" {
		o.Inputs, err = OpenInputs(inputs, Reading{})
		must(t, err)
		t.Cleanup(func() { must(t, o.Inputs.Close()) })
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	d.Server, err = NewServer(o, l)
	must(t, err)
	server := &http.Server{Handler: d.Server}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	d.base = "http://" + l.Addr().String()
	jar, err := cookiejar.New(nil)
	must(t, err)
	d.client = &http.Client{Jar: jar}
	return d
}

func (d *desk) enter() *desk {
	d.t.Helper()
	r, err := d.client.Get(d.URL())
	must(d.t, err)
	must(d.t, r.Body.Close())
	if r.StatusCode != 200 {
		d.t.Fatalf("enter: %s", r.Status)
	}
	return d
}

func (d *desk) get(path string) (int, string) {
	d.t.Helper()
	r, err := d.client.Get(d.base + path)
	must(d.t, err)
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	must(d.t, err)
	return r.StatusCode, string(b)
}

// page gets a page that must be there.
func (d *desk) page(path string) string {
	d.t.Helper()
	status, text := d.get(path)
	if status != 200 {
		d.t.Fatalf("%s: %d %s", path, status, text)
	}
	return text
}

// post sends a form as a page of the server does, and returns where it leads.
func (d *desk) post(path string, form ...string) (status int, to, text string) {
	d.t.Helper()
	f := url.Values{}
	for i := 0; i < len(form); i += 2 {
		f.Set(form[i], form[i+1])
	}
	q, err := http.NewRequest(http.MethodPost, d.base+path, strings.NewReader(f.Encode()))
	must(d.t, err)
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	q.Header.Set("Origin", d.base)
	client := *d.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r, err := client.Do(q)
	must(d.t, err)
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	must(d.t, err)
	return r.StatusCode, r.Header.Get("Location"), string(b)
}

func (d *desk) file() string {
	d.t.Helper()
	b, err := os.ReadFile(d.labels)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	must(d.t, err)
	return string(b)
}

// burst is pictures of two cameras, of which some were changed.
func burst() (lines []line) {
	for i := range 12 {
		raw := "deer"
		if i%4 == 1 {
			raw = "fox"
		}
		lines = append(lines, result(fmt.Sprintf("cam%d/p%02d.jpg", i/6, i), fmt.Sprintf("cam%d", i/6), raw, "deer", 0.5+0.04*float64(i%6), noon.Add(time.Duration(i)*time.Second)))
	}
	return append(lines, line{"file": "cam1/broken.jpg", "stream": "cam1", "failure": "it is cut"})
}

// The address opens the pages once, in one browser, and nobody else gets anything.
func TestEntering(t *testing.T) {
	d := opened(t, written(t, t.TempDir(), burst()), "")
	for _, path := range []string{"/", "/item/0", "/view.js", "/thumb/0", "/?token=", "/?token=" + d.token[1:]} {
		if status, text := d.get(path); status != http.StatusForbidden || strings.Contains(text, "deer") {
			t.Errorf("%s before: %d %.80s", path, status, text)
		}
	}
	r, err := d.client.Get(d.URL())
	must(t, err)
	must(t, r.Body.Close())
	if c := r.Header.Get("Set-Cookie"); !strings.Contains(c, "HttpOnly") || !strings.Contains(c, "SameSite=Strict") || strings.Contains(c, "Domain") {
		t.Errorf("cookie %q", c)
	}
	d.page("/")
	if status, _ := d.get("/?token=" + d.token); status != 200 {
		t.Errorf("the same browser again: %d", status)
	}
	other := &desk{Server: d.Server, t: d.t, base: d.base, labels: d.labels}
	jar, err := cookiejar.New(nil)
	must(t, err)
	other.client = &http.Client{Jar: jar}
	if status, text := other.get("/?token=" + d.token); status != http.StatusForbidden || !strings.Contains(text, "once already") {
		t.Errorf("another browser: %d %s", status, text)
	}
	if status, _ := other.get("/"); status != http.StatusForbidden {
		t.Errorf("another browser: %d", status)
	}
}

// Another name that leads to this machine is not served, and what did not come from a page of the server changes nothing.
func TestStrangersRequests(t *testing.T) {
	d := opened(t, written(t, t.TempDir(), burst()), "").enter()
	for host, want := range map[string]int{"evil.example": 421, "127.0.0.1": 421, "127.0.0.1:1": 421, "localhost:" + d.port: 403, "127.0.0.1:" + d.port: 200} {
		q, err := http.NewRequest(http.MethodGet, d.base+"/", nil)
		must(t, err)
		q.Host = host
		if host == "127.0.0.1:"+d.port {
			q.Host = ""
		}
		if strings.HasPrefix(host, "localhost") {
			q.Header.Set("Cookie", "")
			q.URL.Host = host
		}
		r, err := d.client.Do(q)
		must(t, err)
		must(t, r.Body.Close())
		if r.StatusCode != want {
			t.Errorf("%s: %d, want %d", host, r.StatusCode, want)
		}
	}
	for _, origin := range []string{"", "null", "http://evil.example", "http://127.0.0.1:1", "https://" + d.base[7:]} {
		q, err := http.NewRequest(http.MethodPost, d.base+"/label", strings.NewReader("item=0&label=deer"))
		must(t, err)
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if origin != "" {
			q.Header.Set("Origin", origin)
		}
		r, err := d.client.Do(q)
		must(t, err)
		must(t, r.Body.Close())
		if r.StatusCode != http.StatusForbidden || d.file() != "" {
			t.Errorf("from %q: %d, %q", origin, r.StatusCode, d.file())
		}
	}
	r, err := d.client.Get(d.base + "/item/1")
	must(t, err)
	must(t, r.Body.Close())
	csp := r.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || r.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%v", r.Header)
	}
	for path, want := range map[string]int{"/item/13": 404, "/item/-1": 404, "/item/x": 404, "/item/99999999999999999999": 404, "/stream/2": 404, "/thumb/13": 404, "/signal/0": 404, "/etc/passwd": 404, "/item/%2e%2e%2f0": 404, "/label": 405} {
		if status, _ := d.get(path); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
}

// Whatever the results name, nothing outside of the folder is opened, and nothing in it is written.
func TestNothingOutsideIsOpened(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "inside")
	must(t, os.Mkdir(inside, 0o755))
	picture(t, filepath.Join(dir, "secret.jpg"))
	picture(t, filepath.Join(inside, "own.jpg"))
	must(t, os.Symlink(filepath.Join(dir, "secret.jpg"), filepath.Join(inside, "link.jpg")))
	var lines []line
	names := []string{"own.jpg", "../secret.jpg", filepath.Join(dir, "secret.jpg"), "link.jpg", `..\secret.jpg`, "a/../../secret.jpg", "", ".", "own.jpg/x"}
	for i, name := range names {
		lines = append(lines, result(name, "s", "deer", "fox", 0.5, noon.Add(time.Duration(i)*time.Second)))
	}
	d := opened(t, written(t, dir, lines), inside).enter()
	for i, name := range names {
		for _, kind := range []string{"thumb", "picture"} {
			text := d.page(fmt.Sprintf("/%s/%d", kind, i))
			if isPicture := strings.HasPrefix(text, "\xff\xd8"); isPicture != (i == 0) {
				t.Errorf("%s of %q: %.60q", kind, name, text)
			}
		}
	}
	d = opened(t, written(t, dir, lines), filepath.Join(inside, "own.jpg")).enter()
	if text := d.page("/thumb/0"); !strings.HasPrefix(text, "\xff\xd8") {
		t.Errorf("one file that was named: %.60q", text)
	}
	if text := d.page("/thumb/3"); strings.HasPrefix(text, "\xff\xd8") {
		t.Error("another file than the one that was named")
	}
}

// Recordings of movement are read on and back, whatever their channels are called; what is not there is told in its place.
func TestSignals(t *testing.T) {
	dir := t.TempDir()
	text := "time,x,<b>y&z\n"
	for i := range 200 * 50 {
		if i/50 == 100 {
			continue // a gap of a second
		}
		text += fmt.Sprintf("%.2f,%d,%.2f\n", float64(i)/50, i%50, float64(i/50))
	}
	must(t, os.WriteFile(filepath.Join(dir, "rec.csv"), []byte(text), 0o644))
	var lines []line
	for i := range 100 {
		l := result(fmt.Sprintf("rec.csv#%d", i), "rec.csv", "walking", "lying", 0.5, noon)
		l["offset"], l["duration"] = 2*i, 2
		lines = append(lines, l)
	}
	for _, name := range []string{"../rec.csv", "gone.csv", "a:b"} {
		l := result(name+"#0", name, "walking", "lying", 0.5, noon)
		l["offset"], l["duration"] = 0, 2
		lines = append(lines, l)
	}
	out := written(t, t.TempDir(), lines)
	must(t, os.WriteFile(items.ManifestPath(out), []byte(`{"settings":{"program":"oatta","command":"oatta run","what":"window","model":{"name":"m"}},"complete":true}`), 0o644))
	d := opened(t, out, dir).enter()
	for _, i := range []int{3, 90, 2, 50, 0, 99} {
		drawn := d.page(fmt.Sprintf("/signal/%d", i))
		if strings.Count(drawn, `stroke-width="1.4"`) < 2 || !strings.Contains(drawn, "&lt;b&gt;y&amp;z") || strings.Contains(drawn, "<b>") || !strings.Contains(drawn, fmt.Sprintf(">%d:%02d<", 2*i/60, 2*i%60)) {
			t.Errorf("window %d: %.600s", i, drawn)
		}
		if gap := strings.Count(drawn, `stroke-width="1.4"`) == 4; gap != (i == 50) {
			t.Errorf("window %d: a gap: %t", i, gap)
		}
	}
	for i := 100; i < 103; i++ {
		if drawn := d.page(fmt.Sprintf("/signal/%d", i)); strings.Contains(drawn, "stroke-width") || !strings.Contains(drawn, "<text") {
			t.Errorf("%s", drawn)
		}
	}
}

func picture(t testing.TB, path string) {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for i := range 48 {
		m.Set(i, i, color.RGBA{255, 0, 0, 255})
	}
	f, err := os.Create(path)
	must(t, err)
	must(t, jpeg.Encode(f, m, nil))
	must(t, f.Close())
}

// Names, labels, texts and messages of any kind are text in every page.
func TestHostileTexts(t *testing.T) {
	for _, kind := range []string{"pictures", "posts"} {
		dir := t.TempDir()
		var lines []line
		posts := "user,id,text\n"
		for i, h := range hostile {
			l := result(h, h, hostile[(i+1)%len(hostile)], h, 0.5, noon)
			if i == 3 {
				l = line{"file": h, "stream": h, "failure": hostile[0]}
			}
			if kind == "posts" {
				l["file"] = fmt.Sprintf("posts.csv:%d", i+2)
			}
			lines = append(lines, l)
			posts += fmt.Sprintf("a,,\"%s\"\n", strings.ReplaceAll(h, `"`, `""`))
		}
		must(t, os.WriteFile(filepath.Join(dir, "posts.csv"), []byte(posts), 0o644))
		out := written(t, dir, lines)
		manifest := fmt.Sprintf(`{"settings":{"program":"oatta","command":"oatta run","what":%q,"input":["posts.csv"],"model":{"name":%q}},"complete":true,"warnings":[%q]}`,
			map[string]string{"pictures": "picture", "posts": "post"}[kind], "<b>model</b>", hostile[0])
		must(t, os.WriteFile(items.ManifestPath(out), []byte(manifest), 0o644))
		d := opened(t, out, dir).enter()
		d.post("/label", "item", "0", "label", hostile[1])
		paths := []string{"/", "/?show=changed&class=" + url.QueryEscape(hostile[1]) + "&q=" + url.QueryEscape(hostile[1]), "/?none=" + url.QueryEscape(hostile[0]), "/item/1?saved=0"}
		for i := range hostile {
			paths = append(paths, fmt.Sprintf("/item/%d", i), fmt.Sprintf("/stream/%d", i))
		}
		seen := ""
		for _, path := range paths {
			text := d.page(path)
			seen += text
			for _, bad := range []string{"<script>alert", "<img src=x", "<svg onload", "\u202e", "\x1b", "\x07", "<b>model", `href="javascript`} {
				if strings.Contains(text, bad) {
					t.Errorf("%s %s holds %q", kind, path, bad)
				}
			}
			if scripts := strings.Count(text, "<script"); scripts != 1 || regexp.MustCompile(` on[a-z]+="`).MatchString(text) || strings.Contains(text, ` style="`) || strings.Contains(text, "<style") {
				t.Errorf("%s %s: %d scripts, or script or style in the page", kind, path, scripts)
			}
		}
		for _, want := range []string{"&lt;script&gt;alert(1)", `\u202egpj.exe`, `\x1b[2J`, "{{.Name}}"} {
			if !strings.Contains(seen, want) {
				t.Errorf("%s: no page shows %s", kind, want)
			}
		}
		if kind == "posts" && !strings.Contains(d.page("/item/5"), "&lt;/textarea&gt;&lt;/title&gt;") {
			t.Error("the text of a post is not shown")
		}
	}
}

// The list can be searched and filtered, and says how much of each stream fits.
func TestFilters(t *testing.T) {
	d := opened(t, written(t, t.TempDir(), burst()), "").enter()
	for query, want := range map[string][]string{
		"":                    {"13 pictures in 2 streams", "cam0", "cam1"},
		"?show=changed":       {"3 pictures in 2 streams"},
		"?show=failed":        {"1 pictures in 1 stream", "cam1"},
		"?show=unsure":        {"6 pictures in 2 streams"},
		"?q=CAM0":             {"6 pictures in 1 stream"},
		"?q=p07":              {"1 pictures in 1 stream"},
		"?class=fox":          {"3 pictures in 2 streams"},
		"?class=owl":          {"No stream has such pictures"},
		"?show=labelled":      {"No stream has such pictures"},
		"?show=unlabelled":    {"13 pictures in 2 streams"},
		"?show=%3Cb&page=-1":  {"13 pictures in 2 streams"},
		"?show=changed&q=p01": {"1 pictures in 1 stream", `href="/stream/0?q=p01&amp;show=changed"`},
	} {
		text := d.page("/" + query)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s does not say %q", query, w)
			}
		}
	}
	if text := d.page("/stream/1?show=failed"); !strings.Contains(text, "it is cut") || strings.Contains(text, "p07.jpg") {
		t.Error(text)
	}
}

// Walks go along what is wanted, over streams, and pass over what was labelled.
func TestWalks(t *testing.T) {
	d := opened(t, written(t, t.TempDir(), burst()), "").enter()
	at := -1
	var seen []int
	for range 5 {
		r, err := d.client.Get(fmt.Sprintf("%s/next?from=%d&show=changed", d.base, at))
		must(t, err)
		must(t, r.Body.Close())
		at, err = strconv.Atoi(strings.TrimPrefix(r.Request.URL.Path, "/item/"))
		must(t, err)
		seen = append(seen, at)
	}
	if fmt.Sprint(seen) != "[1 5 9 1 5]" {
		t.Errorf("walked along %v", seen)
	}
	if status, to, _ := d.post("/label", "item", "5", "label", "deer", "walk", "show=changed"); status != 303 || !strings.HasPrefix(to, "/item/9?") || !strings.Contains(to, "show=changed") {
		t.Errorf("%d %s", status, to)
	}
	if _, to, _ := d.post("/label", "item", "9", "label", "deer", "walk", "show=changed"); !strings.HasPrefix(to, "/item/1?") {
		t.Error(to)
	}
	if _, to, _ := d.post("/label", "item", "1", "label", "fox", "walk", "show=changed"); !strings.HasPrefix(to, "/item/1?end=1") {
		t.Error(to)
	}
	r, err := d.client.Get(d.base + "/next?from=1&show=changed&back=1")
	must(t, err)
	b, err := io.ReadAll(r.Body)
	must(t, errors.Join(err, r.Body.Close()))
	if !strings.Contains(string(b), "No more pictures are changed by the filter and not yet labelled") {
		t.Errorf("%s", b)
	}
}

// Labels are given, changed, taken back and undone, one row an item.
func TestLabels(t *testing.T) {
	d := opened(t, written(t, t.TempDir(), burst()), "").enter()
	head := "file,stream,label,who,when\n"
	row := func(file, label string) string {
		return file + "," + file[:4] + "," + label + ",ann,2026-11-29T12:00:00Z\n"
	}
	step := func(what string, status int, want string) {
		t.Helper()
		if status != http.StatusSeeOther {
			t.Errorf("%s: %d", what, status)
		}
		if want != "" {
			want = head + want
		}
		if got := d.file(); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	a := row("cam0/p00.jpg", "deer")
	status, to, _ := d.post("/label", "item", "0", "label", "deer")
	step("accept", status, a)
	if to != "/item/1?saved=0" {
		t.Error(to)
	}
	status, _, _ = d.post("/label", "item", "1", "label", "FOX")
	step("relabel, in another case", status, a+row("cam0/p01.jpg", "fox"))
	status, _, _ = d.post("/label", "item", "1", "was", "fox", "label", "deer")
	step("change", status, a+row("cam0/p01.jpg", "deer"))
	status, to, _ = d.post("/undo", "item", "1")
	step("undo", status, a+row("cam0/p01.jpg", "fox"))
	if !strings.HasPrefix(to, "/item/1?") || !strings.Contains(d.page(to), "Undone.") {
		t.Error(to)
	}
	status, _, _ = d.post("/label", "item", "1", "was", "fox", "back", "1")
	step("take back", status, a)
	status, _, _ = d.post("/label", "item", "2", "label", "deer", "event", "1")
	step("the event", status, a+row("cam0/p01.jpg", "deer")+row("cam0/p02.jpg", "deer")+row("cam0/p03.jpg", "deer")+row("cam0/p04.jpg", "deer")+row("cam0/p05.jpg", "deer"))
}

// What cannot be done is told, and the file stays.
func TestRefusals(t *testing.T) {
	d := opened(t, written(t, t.TempDir(), burst()), "").enter()
	for _, c := range []struct {
		form   []string
		status int
		want   string
	}{
		{[]string{"item", "0", "label", ""}, 422, "no label was named"},
		{[]string{"item", "0", "label", strings.Repeat("x", 300)}, 422, "at most 200 bytes"},
		{[]string{"item", "0", "label", "a\x00b"}, 422, "no control characters"},
		{[]string{"item", "0", "label", "wolf"}, 422, "Give “<bdi>wolf</bdi>” as a new label"},
		{[]string{"item", "0", "label", "deer", "was", "fox"}, 409, "was taken back meanwhile"},
		{[]string{"item", "99", "label", "deer"}, 400, "no such item"},
		{[]string{"item", "x", "label", "deer"}, 400, "no such item"},
	} {
		if status, _, text := d.post("/label", c.form...); status != c.status || !strings.Contains(text, c.want) || d.file() != "" {
			t.Errorf("%v: %d, want %d with %q; the file holds %q", c.form, status, c.status, c.want, d.file())
		}
	}
	if status, _, text := d.post("/undo"); status != 409 || !strings.Contains(text, "nothing to take back") {
		t.Errorf("%d", status)
	}
	if status, _, _ := d.post("/label", "item", "0", "label", "wolf", "new", "1"); status != 303 || !strings.Contains(d.file(), "wolf") {
		t.Errorf("a new label: %d %s", status, d.file())
	}
	if status, _, _ := d.post("/label", "item", "0", "label", strings.Repeat("y", 1<<17)); status != 400 {
		t.Errorf("a large request: %d", status)
	}
	other, err := corrections.Open(d.labels) // another viewer
	must(t, err)
	must(t, other.Change([]corrections.Edit{{Item: corrections.Item{Stream: "cam0", File: "cam0/p00.jpg"}, Was: "wolf", Label: "fox"}}, "ben", noon))
	if status, _, text := d.post("/label", "item", "0", "was", "wolf", "label", "deer"); status != 409 || !strings.Contains(text, `labelled &#34;fox&#34; meanwhile`) || !strings.Contains(text, "yours: <bdi>fox") {
		t.Errorf("%d %s", status, text)
	}
	must(t, os.WriteFile(d.labels, []byte("nonsense\n"), 0o644))
	if status, _, text := d.post("/label", "item", "0", "was", "fox", "label", "deer"); status != 507 || !strings.Contains(text, "cannot be read as it is") || d.file() != "nonsense\n" {
		t.Errorf("%d %q", status, d.file())
	}
	must(t, os.Remove(d.labels))
	must(t, os.Chmod(filepath.Dir(d.labels), 0o500))
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(d.labels), 0o700) })
	if status, _, _ := d.post("/label", "item", "0", "label", "deer"); os.Geteuid() > 0 && status != 507 {
		t.Errorf("a folder that may not be written: %d", status)
	}
}

// Labels outlive the program, and the results being made anew.
func TestLabelsSurvive(t *testing.T) {
	dir := t.TempDir()
	d := opened(t, written(t, dir, burst()), "").enter()
	d.post("/label", "item", "1", "label", "fox")
	lines := burst()
	lines[0], lines[1] = lines[1], lines[0] // in another order
	again := opened(t, written(t, dir, lines), "").enter()
	if text := again.page("/item/0"); !strings.Contains(text, "yours: <bdi>fox") {
		t.Error("the label is gone")
	}
}

// BenchmarkFirstPage reads 50,000 pictures and shows the first page; the other reads the file and counts its lines.
func BenchmarkFirstPage(b *testing.B) {
	var lines []line
	for i := range 50_000 {
		raw := []string{"deer", "fox", "boar", "owl"}[i%4]
		lines = append(lines, result(fmt.Sprintf("cam%03d/IMG_%05d.JPG", i/200, i), fmt.Sprintf("cam%03d", i/200), raw, "deer", 0.3+float64(i%70)/100, noon.Add(time.Duration(i)*time.Second)))
	}
	path := written(b, b.TempDir(), lines)
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			d := opened(b, path, "").enter()
			d.page("/")
		}
	})
	b.Run("wc", func(b *testing.B) {
		for b.Loop() {
			data, err := os.ReadFile(path)
			must(b, err)
			if n := len(strings.Fields(string(data))); n == 0 {
				b.Fatal(n)
			}
		}
	})
	b.Run("pages", func(b *testing.B) {
		d := opened(b, path, "").enter()
		b.ResetTimer()
		for b.Loop() {
			d.page("/item/49999?show=changed")
		}
	})
}
