package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a run is: a bar on a terminal, a plain line now and then elsewhere, so that a log shows life.
type progress struct {
	w      io.Writer
	bar    *progressbar.ProgressBar // nil: lines
	quiet  bool
	mu     sync.Mutex
	total  int
	done   int
	before int // done by an earlier run
	failed int
	start  time.Time
	last   time.Time
}

// lineEvery is the time between two plain lines.
const lineEvery = 15 * time.Second

func newProgress(w io.Writer, total int, quiet bool) *progress {
	p := &progress{w: w, quiet: quiet, total: total, start: time.Now(), last: time.Now()}
	if f, ok := w.(*os.File); ok && !quiet && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(w), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
			progressbar.OptionSetItsString("pictures"), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true), progressbar.OptionFullWidth(),
		)
	}
	return p
}

// resumeAt counts what an earlier run has done, unless the run will show it again.
func (p *progress) resumeAt(done int, again bool) {
	if done == 0 || p.quiet {
		return
	}
	fmt.Fprintf(p.w, "oatta: %d of %d pictures were done before\n", done, p.total)
	if again {
		return
	}
	p.done, p.before = done, done
	if p.bar != nil {
		_ = p.bar.Set(done) // a bar that cannot be drawn is no reason to stop
	}
}

func (p *progress) add(failed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if failed {
		p.failed++
	}
	switch {
	case p.quiet:
	case p.bar != nil:
		_ = p.bar.Add(1)
	case time.Since(p.last) >= lineEvery:
		p.last = time.Now()
		rate := float64(p.done-p.before) / time.Since(p.start).Seconds()
		fmt.Fprintf(p.w, "oatta: %d of %d pictures, %d failed, %.1f a second\n", p.done, p.total, p.failed, rate)
	}
}

func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// print writes the closing summary: what came out, and where the time went.
func (s *summary) print(w io.Writer) {
	fmt.Fprintf(w, "%d pictures: %d failed, %d labels changed by the filter", s.Items, s.Failures, s.Changed)
	if s.Resumed > 0 {
		fmt.Fprintf(w, "; %d were done before", s.Resumed)
	}
	fmt.Fprintf(w, "\n%.1f pictures a second: %.2f s, after %.2f s of listing\n", s.PerSecond, s.Seconds, s.ListSeconds)
	fmt.Fprintf(w, "core seconds: decode %.2f, network %.2f, filter %.2f, write %.2f\n",
		s.Busy.Load, s.Busy.Infer, s.Busy.Filter, s.Busy.Write)
}
