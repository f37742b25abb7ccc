package report

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/testdata"
)

// opened loads a page and returns its elements as they then are, and what the browser had to say of it.
func opened(t *testing.T, program, page string, dark bool) (dom, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	scheme := map[bool]int{true: 0, false: 1}[dark]
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1440,900", "--user-data-dir="+t.TempDir(),
		fmt.Sprintf("--blink-settings=preferredColorScheme=%d", scheme), "--enable-logging=stderr", "--virtual-time-budget=60000", "--dump-dom", "file://"+page)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, errs.String())
	}
	for _, l := range strings.Split(errs.String(), "\n") {
		if strings.Contains(l, "CONSOLE") {
			said += l + "\n"
		}
	}
	return out.String(), said
}

// finding is what axe-core finds.
type finding struct {
	ID, Impact string
	Nodes      []struct{ HTML, FailureSummary string }
}

// probe runs axe-core on a page that its policy keeps scripts from, without that policy, at a width.
const probe = `<style>html{width:%dpx;overflow-x:hidden}</style><script>%s</script><script>
axe.run(document, {resultTypes: ['violations']}).then(r => {
  const pre = document.createElement('pre'); pre.id = 'found';
  pre.textContent = JSON.stringify({wide: document.body.scrollWidth, passed: r.passes.length, violations: r.violations}); document.body.append(pre);
}, e => { const pre = document.createElement('pre'); pre.id = 'found'; pre.textContent = JSON.stringify({error: '' + e}); document.body.append(pre) });
</script></body>`

// Pages of every kind load without a word from the browser, fit a telephone, and break no rule of accessibility, in light and dark.
func TestPagesInABrowser(t *testing.T) {
	program, axe := testdata.Browser(t), testdata.Asset(t, "axe-core", "axe.min.js")
	rules, err := os.ReadFile(axe)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for kind, page := range pages(t) {
		path := filepath.Join(dir, kind+".html")
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, said := opened(t, program, path, false); said != "" {
			t.Errorf("%s: the browser says %s", kind, said)
		}
		for _, c := range []struct {
			width int
			dark  bool
		}{{390, true}, {1440, false}} {
			_, rest, _ := strings.Cut(page, `<meta http-equiv="Content-Security-Policy"`)
			_, rest, _ = strings.Cut(rest, ">")
			probed := page[:strings.Index(page, `<meta http-equiv`)] + strings.Replace(rest, "</body>", fmt.Sprintf(probe, c.width, rules), 1)
			if err := os.WriteFile(path, []byte(probed), 0o644); err != nil {
				t.Fatal(err)
			}
			dom, _ := opened(t, program, path, c.dark)
			_, found, ok := strings.Cut(dom, `<pre id="found">`)
			found, _, _ = strings.Cut(found, "</pre>")
			var r struct {
				Wide       int
				Passed     int // rules that the page keeps
				Error      string
				Violations []finding
			}
			if err := json.Unmarshal([]byte(html.UnescapeString(found)), &r); !ok || err != nil || r.Error != "" || r.Passed < 20 {
				t.Fatalf("%s: %d rules were looked at: %v %s", kind, r.Passed, err, r.Error)
			}
			if r.Wide > c.width {
				t.Errorf("%s: %d pixels wide where there are %d", kind, r.Wide, c.width)
			}
			for _, v := range r.Violations {
				t.Errorf("%s, %d pixels, dark %t: %s (%s): %s: %s", kind, c.width, c.dark, v.ID, v.Impact, v.Nodes[0].HTML, v.Nodes[0].FailureSummary)
			}
		}
	}
}

// pages are those of the kinds, with all that a page can have.
func pages(t *testing.T) map[string]string {
	dir := t.TempDir()
	for i := range 8 {
		tall(t, filepath.Join(dir, fmt.Sprintf("p%d.jpg", i)), byte(i+1))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, kind := range Kinds() {
		var lines []line
		truth := fixed{}
		for i := range 60 {
			at := noon.Add(time.Duration(i) * 20 * time.Second)
			labels := []string{"W", "N2", "R"}
			if kind != Sleep {
				labels = []string{"red deer", hostile[0], "a label that is longer than there is room for on a telephone"}
			}
			l := result(fmt.Sprintf("p%d.jpg", i%10), fmt.Sprint("stream ", i%3), labels[i/5%3], labels[i/9%3], at)
			if kind == Sleep || kind == Movement {
				l["offset"], l["duration"] = 30*(i/3), 30
			}
			if kind == Sleep {
				l["classes"], l["probs"], l["adapted"] = labels, []float64{0.5, 0.25, 0.25}, []float64{0.25, 0.5, 0.25}
			}
			if i == 17 {
				l = line{"file": hostile[1], "stream": "stream 1", "failure": hostile[2]}
			}
			lines = append(lines, l)
			truth[fmt.Sprintf("p%d.jpg", i%10)] = i % 3
		}
		out[string(kind)] = pageOf(t, Settings{
			Kind: kind, Inputs: root, Truth: truth, Labelled: true, Transitions: true, Program: "oatta", Texts: func(wanted map[string]string) error { return nil },
		}, results(t, "r.jsonl", lines))
	}
	return out
}
