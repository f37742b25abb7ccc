package pipeline

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// runLearner runs into path; the predictor's context is cancelled in the given call, 0 for never.
func (b *bench) runLearner(t testing.TB, path string, mode Mode, p *learner, cancelAt int, change func(*Job)) (Report, bool) {
	t.Helper()
	o := openOutput(t, path, mode)
	defer o.Close()
	job := b.job(t)
	job.Predictor, job.Streams, job.Batch, job.Output = nil, p, p.most, o
	if change != nil {
		change(&job)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p.after = func(call int) {
		if call == cancelAt {
			cancel()
		}
	}
	report, err := Run(ctx, job)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err == nil {
		if err := o.Finish(); err != nil {
			t.Fatal(err)
		}
	}
	return report, err == nil
}

// learners are the ways in which state is kept.
func learners(most int) map[string]func() *learner {
	return map[string]func() *learner{
		"stream":  func() *learner { return &learner{most: most, poison: 6, toxic: 7} },
		"every 4": func() *learner { return &learner{most: most, every: 4, poison: 6, toxic: 7} },
		"item":    func() *learner { return &learner{most: most, every: 1, poison: 6, toxic: 7} },
		"never":   func() *learner { return &learner{most: 1, never: true, poison: 6, toxic: 7} },
	}
}

// spoil gives a bench items that fail in a step.
func (b *bench) spoil(r *rand.Rand) {
	for i := range b.inputs {
		if b.inputs[i] != nil {
			switch r.IntN(12) {
			case 0:
				b.inputs[i][2] = 6
			case 1:
				b.inputs[i][2] = 7
			}
		}
	}
}

// A run that was interrupted in any of its steps and resumed writes the bytes of one that was not, though what the predictor puts out
// depends on all that its stream has shown and on the number of rows in each step.
func TestLanesResumeEqualsAnUninterruptedRun(t *testing.T) {
	for seed := range uint64(2) {
		b := newBench(100+seed, 30)
		b.spoil(rand.New(rand.NewPCG(seed, 5)))
		for name, fresh := range learners(2 + int(seed)) {
			held := func(j *Job) { j.Held = 1 + int(9*seed) }
			p := fresh()
			want, whole := b.learn(t, p, held)
			for at := 1; at <= p.calls; at++ {
				path := filepath.Join(t.TempDir(), "out.json")
				first, _ := b.runLearner(t, path, Fresh, fresh(), at, held)
				report, ended := b.runLearner(t, path, Resume, fresh(), 0, held)
				got, err := os.ReadFile(path)
				if err != nil || !ended || string(got) != want {
					t.Fatalf("seed %d, %s: interrupted in step %d, after %d items: the output differs: %v", seed, name, at, first.Items, err)
				}
				if report.Counts != whole.Counts || report.Resumed != first.Items {
					t.Fatalf("seed %d, %s: %+v and %+v, uninterrupted %+v", seed, name, first, report, whole)
				}
			}
		}
	}
}

// The same of runs that are interrupted again and again, and whose files are damaged.
func TestLanesResumeAgainAndAgain(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 6))
		b := newBench(200+seed, 1+r.IntN(150))
		b.spoil(r)
		held := func(j *Job) { j.Held, j.Whole = 1+int(seed)*5, seed%2 == 0 }
		for name, fresh := range learners(1 + r.IntN(5)) {
			want, _ := b.learn(t, fresh(), held)
			path := filepath.Join(t.TempDir(), "out.json")
			mode, calls := Fresh, 0
			for ended := false; !ended; mode = Resume {
				calls += 1 + r.IntN(30) // enough, at last, to get past what must be repeated
				_, ended = b.runLearner(t, path, mode, fresh(), calls, held)
				if !ended {
					damage(t, r, path)
				}
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != want {
				t.Fatalf("seed %d, %s: the output differs: %v", seed, name, err)
			}
		}
	}
}

// A predictor that takes the source's state every so often need not see a long stream from its beginning.
func TestResumeRepeatsNoMoreThanItMust(t *testing.T) {
	for _, c := range []struct {
		p    *learner
		want int
	}{{&learner{most: 2}, 90}, {&learner{most: 2, every: 20}, 10}, {&learner{most: 2, every: 1}, 0}} {
		b := named(120)
		path := filepath.Join(t.TempDir(), "out.json")
		again := *c.p
		if report, _ := b.runLearner(t, path, Fresh, c.p, 91, nil); report.Items != 90 {
			t.Fatalf("interrupted after %d items", report.Items)
		}
		if report, _ := b.runLearner(t, path, Resume, &again, 0, nil); report.Repeated != c.want || report.Resumed != 90 {
			t.Errorf("every %d: %+v, want %d repeated", c.p.every, report, c.want)
		}
	}
}

// A broken engine ends the run instead of turning items into failures, also where streams are held, and a resumption tries them again.
func TestBrokenEngineEndsLanes(t *testing.T) {
	b := newBench(9, 120)
	p := &learner{most: 3}
	want, _ := b.learn(t, p, nil)
	path := filepath.Join(t.TempDir(), "out.json")
	o := openOutput(t, path, Fresh)
	job := b.job(t)
	p = &learner{most: 3}
	p.after = func(call int) { p.broken = call >= 20 }
	job.Predictor, job.Streams, job.Batch, job.Output = nil, p, 3, o
	report, err := Run(context.Background(), job)
	if err == nil || !strings.Contains(err.Error(), "failed on 3 runs in a row") || !strings.Contains(err.Error(), "device lost") || report.Items == 0 {
		t.Fatalf("Run: %+v, %v", report, err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	b.runLearner(t, path, Resume, &learner{most: 3}, 0, nil)
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("after the engine came back the output differs: %v", err)
	}
}
