package console

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far a run is: a bar on a terminal, a plain line now and then elsewhere, so that a log shows life.
type progress struct {
	w      io.Writer
	what   string                   // is counted
	Bar    *progressbar.ProgressBar // nil: lines
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

// NewProgress shows nothing if quiet.
func NewProgress(w io.Writer, total int, quiet bool, what string) *progress {
	p := &progress{w: w, what: what, quiet: quiet, total: total, start: time.Now(), last: time.Now()}
	if !quiet && IsTerminal(w) {
		p.Bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(bottom(w)), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
			progressbar.OptionSetItsString(what), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true), progressbar.OptionFullWidth(),
		)
	}
	return p
}

// At shows that done of total are done.
func (p *progress) At(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.total != total {
		p.total = total
		if p.Bar != nil {
			p.Bar.ChangeMax(total)
		}
	}
	p.done = done
	p.show()
}

// ResumeAt counts what an earlier run has done.
func (p *progress) ResumeAt(done int) {
	if done == 0 || p.quiet {
		return
	}
	fmt.Fprintf(p.w, "oatta: %d of %d %s were done before\n", done, p.total, p.what)
	p.done, p.before = done, done
	p.show()
}

// Add counts an item.
func (p *progress) Add(failed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if failed {
		p.failed++
	}
	p.show()
}

// show draws the bar, or writes a line if it is time for one. A bar that cannot be drawn is no reason to stop.
func (p *progress) show() {
	switch {
	case p.quiet:
	case p.Bar != nil:
		_ = p.Bar.Set(p.done)
	case time.Since(p.last) >= lineEvery:
		p.last = time.Now()
		rate := float64(p.done-p.before) / time.Since(p.start).Seconds()
		fmt.Fprintf(p.w, "oatta: %d of %d %s, %d failed, %.1f a second\n", p.done, p.total, p.what, p.failed, rate)
	}
}

// Finish takes the bar away.
func (p *progress) Finish() {
	if p.Bar != nil {
		_ = p.Bar.Clear()
	}
}
