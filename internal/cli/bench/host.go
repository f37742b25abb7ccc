package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	goruntime "runtime"
	"strings"
	"sync"
	"time"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/setup"
	"github.com/oatta/oatta/runtime"
)

// host is what studies may use of the program.
type host struct {
	log   io.Writer
	quiet bool

	mu       sync.Mutex
	versions map[string]string
	what     string // is counted at present
	bar      interface {
		At(done, total int)
		Finish()
	}
}

func newHost(log io.Writer, quiet bool) *host {
	return &host{log: log, quiet: quiet, versions: map[string]string{"oatta": console.Version(), "Go": goruntime.Version()}}
}

// lent is the host as a study sees it.
func (h *host) lent() report.Host {
	log := h.log
	if h.quiet {
		log = io.Discard
	}
	return report.Host{Engine: h.engine, Log: log, Progress: h.progress}
}

// say tells who waits.
func (h *host) say(format string, args ...any) {
	if !h.quiet {
		fmt.Fprintf(h.log, "oatta: "+format+"\n", args...)
	}
}

// engine loads ONNX Runtime, and remembers that numbers depend on its version. A system without the library says what is missing.
func (h *host) engine(ctx context.Context) (runtime.Engine, error) {
	e, err := setup.LoadEngine(ctx, runtime.DeviceCPU)
	if err != nil {
		return nil, &report.MissingError{What: "ONNX Runtime, which runs the networks", Err: err}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.versions["ONNX Runtime"] = e.Version()
	return e, nil
}

// progress shows how far a study is: a bar for each of its parts.
func (h *host) progress(what string, done, total int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bar == nil || what != h.what {
		h.clear()
		h.bar, h.what = console.NewProgress(h.log, total, h.quiet, what), what
	}
	h.bar.At(done, total)
}

// finish takes the last bar away.
func (h *host) finish() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clear()
}

func (h *host) clear() {
	if h.bar != nil {
		h.bar.Finish()
	}
	h.bar = nil
}

// runStudy runs a study and says in its sections where they come from.
func runStudy(ctx context.Context, s report.Study, set report.Flags, run report.Run, h *host) ([]report.Section, error) {
	began := time.Now()
	sections, err := run(ctx, h.lent())
	if err != nil {
		return nil, err
	}
	for i := range sections {
		m := &sections[i].Made
		m.Command, m.Settings = typed(s.Name, set), settingsHash(s.Name, set)
		m.Machine, m.Began, m.Took = machine(), began.UTC().Truncate(time.Second), time.Since(began).Truncate(time.Millisecond)
		m.Versions = h.with(m.Versions)
		if f := set.Lookup("seeds"); f != nil && m.Seeds == "" {
			m.Seeds = fmt.Sprintf("%s %s", f.Value, f.Usage)
		}
	}
	return sections, nil
}

// with adds the program's versions to those that a study knows.
func (h *host) with(of map[string]string) map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := maps.Clone(h.versions)
	maps.Copy(out, of)
	return out
}

// settingsHash is that of the values of all flags, the defaults too, but for files to write.
func settingsHash(name string, set report.Flags) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q\n", name)
	set.VisitAll(func(f *flag.Flag) {
		if f.Name != "out" {
			fmt.Fprintf(sum, "%q %q\n", f.Name, f.Value.String())
		}
	})
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

// machine tells where it ran, so that times have a measure.
func machine() string {
	out := fmt.Sprintf("%s/%s, %s", goruntime.GOOS, goruntime.GOARCH, console.Number(goruntime.NumCPU(), "core"))
	text, err := os.ReadFile("/proc/cpuinfo") // Linux alone has it
	if err != nil {
		return out
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return out + ", " + strings.TrimSpace(value)
		}
	}
	return out
}
