package train

import (
	"fmt"
	"time"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/training"
)

// lineEvery is the time between two plain lines about steps.
const lineEvery = 15 * time.Second

// readProgress shows how far the reading is.
func (t *task) readProgress(noun string) func(done, total int) {
	if t.c.Bool("quiet") || !console.IsTerminal(t.env.Err) {
		return nil
	}
	p := console.NewProgress(t.env.Err, 0, false, noun+"s read")
	return func(done, total int) {
		p.At(done, total)
		if done == total {
			p.Finish()
		}
	}
}

// stepProgress shows how far the training is: on a terminal a bar, elsewhere a line now and then; and a line at each look at the validation
// examples.
func (t *task) stepProgress() (show func(training.Progress), end func()) {
	if t.c.Bool("quiet") {
		return nil, func() {}
	}
	terminal := console.IsTerminal(t.env.Err)
	bar := console.NewProgress(t.env.Err, 1, !terminal, "steps")
	begin, last := time.Now(), time.Now()
	show = func(p training.Progress) {
		now := fmt.Sprintf("rate %g: loss %.4f, accuracy %.4f", p.Rate, p.Loss, p.Accuracy)
		if bar.Bar != nil {
			bar.Bar.Describe(now)
			bar.At(p.Step, p.Steps)
		}
		if p.Look == nil && (bar.Bar != nil || time.Since(last) < lineEvery) {
			return
		}
		last = time.Now()
		if p.Look != nil {
			now += fmt.Sprintf("; validation %.4f, %.4f", p.Look.ValidationNLL, p.Look.ValidationAccuracy)
		}
		bar.Finish()
		fmt.Fprintf(t.env.Err, "oatta: step %d of %d, %s; %s\n", p.Step, p.Steps, now, pace(p, time.Since(begin)))
	}
	return show, bar.Finish
}

// pace tells how fast it goes, and how long it will take.
func pace(p training.Progress, spent time.Duration) string {
	here := p.Step - p.Done
	if here <= 0 || spent <= 0 {
		return "just begun"
	}
	left := time.Duration(float64(spent) / float64(here) * float64(p.Steps-p.Step))
	return fmt.Sprintf("%s left, %.0f examples a second", left.Round(time.Second), float64(p.Examples)/spent.Seconds())
}
