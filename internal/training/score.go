package training

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/population"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/calibration"
	"github.com/oatta/oatta/internal/scores"
	"github.com/oatta/oatta/internal/streams"
	"github.com/oatta/oatta/runtime"
)

// Classifier gives the logits of inputs.
type Classifier interface {
	Logits(ctx context.Context, inputs []runtime.Tensor) ([]float32, error)
}

// Session classifies by a session whose inputs are in the order of a store's batches and whose output is logits.
type Session struct{ runtime.Session }

// Logits implements [Classifier].
func (s Session) Logits(ctx context.Context, in []runtime.Tensor) ([]float32, error) {
	out := make([]runtime.Tensor, len(s.Outputs()))
	if err := s.Run(ctx, out, in); err != nil {
		return nil, err
	}
	return runtime.DataOf[float32](out[0])
}

// Learned is what the labels tell of a trained network.
type Learned struct {
	Temperature float64          // of the validation examples; 1 if they cannot tell
	Note        string           // why they cannot; "" if they can
	Fit         *calibration.Fit // nil if they cannot
	Prior       []float64        // of the classes in what the network was trained on, as they counted there
	Transitions *population.Order
	// Taught is what those gain for the validation, as items come; nil where that has fewer than two streams. Where they harm for sure, they
	// are left out.
	Taught     *calibration.Gain
	Validation scores.Evaluation  // streams are groups; filtered as items come
	Test       *scores.Evaluation // nil without test groups
	Smoothed   scores.Evaluation  // of the test, else of the validation: each answer knows its whole stream
	Intervals  *scores.Bootstrap  // over the groups of the test; nil for fewer than two
}

// Settings are those with which `run` filters the network's predictions.
func (l *Learned) Settings() adapt.Settings {
	s := adapt.Settings{Prior: l.Prior}
	if l.Temperature != 1 {
		s = s.Calibrated(l.Temperature)
	}
	return s
}

// Learn finds temperature, prior and transitions of a trained network, and its scores on the held-out groups with the filter and without.
func Learn(ctx context.Context, d *Data, s *Split, c Classifier, set Settings) (*Learned, error) {
	l := &Learned{}
	var err error
	if l.Prior, err = prior(d.Counts(d.Of(s.Train)), set.Balanced); err != nil {
		return nil, err
	}
	if l.Transitions, err = d.order(s.Train); err != nil {
		return nil, err
	}
	validation, err := d.predict(ctx, c, s.Validation, set.Batch)
	if err != nil {
		return nil, err
	}
	if err := l.fit(d, validation); err != nil {
		return nil, err
	}
	filter := l.Settings()
	if l.Transitions != nil {
		if filter.Population, err = l.Transitions.For(d.Labels); err != nil {
			return nil, err
		}
		if l.Taught, err = d.taught(validation, l.Settings(), filter.Population); err != nil {
			return nil, err
		}
		if l.Taught.Harm() {
			l.Transitions, filter.Population = nil, nil
		}
	}
	return l, l.score(ctx, d, s, c, set.Batch, validation, filter)
}

// score fills in the scores.
func (l *Learned) score(ctx context.Context, d *Data, s *Split, c Classifier, batch int, validation map[int][]float64, filter adapt.Settings) error {
	x, err := d.compare(validation, s.Validation, filter, streams.Filtered)
	if err != nil {
		return err
	}
	l.Validation = x.EvaluateClasses(d.Labels)
	held, of := validation, s.Validation
	if len(s.Test) > 0 {
		of = s.Test
		if held, err = d.predict(ctx, c, of, batch); err != nil {
			return err
		}
		if x, err = d.compare(held, of, filter, streams.Filtered); err != nil {
			return err
		}
		e := x.EvaluateClasses(d.Labels)
		l.Test = &e
	}
	if len(s.Test) > 1 {
		if l.Intervals, err = x.Bootstrap(d.Labels, scores.BootstrapOptions{}); err != nil {
			return err
		}
	}
	if x, err = d.compare(held, of, filter, streams.Smoothed); err == nil {
		l.Smoothed = x.Evaluate(d.Labels)
	}
	return err
}

// prior is that of the examples, or even where the loss made them so.
func prior(counts []int, balanced bool) ([]float64, error) {
	if balanced {
		for k := range counts {
			counts[k] = 1
		}
	}
	return calibration.Prior(counts, calibration.Pseudocount)
}

// order counts how the classes follow each other in the streams of some groups; nil if there are more classes than that is learned of.
func (d *Data) order(of []Group) (*population.Order, error) {
	if len(d.Labels) > population.MaxClasses || d.Unordered {
		return nil, nil
	}
	in, counts := nameSet(of), population.NewCounts(len(d.Labels))
	err := d.Streams(func(from, to int) error {
		if !in[d.Items[from].Group] {
			return nil
		}
		stream := make([]population.Item, 0, to-from)
		for _, item := range d.Items[from:to] {
			stream = append(stream, population.Item{Class: item.Class, Time: item.Time})
		}
		counts.Add(stream)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return counts.Order(d.Labels)
}

// predict returns the probabilities of the items of some groups, labelled or not; nil for one that could not be read.
func (d *Data) predict(ctx context.Context, c Classifier, of []Group, batch int) (map[int][]float64, error) {
	in := nameSet(of)
	var items []int
	for i, item := range d.Items {
		if in[item.Group] && !d.unread[i] {
			items = append(items, i)
		}
	}
	out := make(map[int][]float64, len(items))
	err := d.logits(ctx, c, items, batch, func(i int, logits []float32) error {
		q := make([]float64, len(logits))
		logSoftmax(q, logits)
		total := 0.0
		for k, v := range q {
			q[k] = math.Exp(v)
			total += q[k]
		}
		for k := range q {
			q[k] /= total
		}
		out[i] = q
		return adapt.Check(q, len(d.Labels))
	})
	return out, err
}

// fit finds the temperature.
func (l *Learned) fit(d *Data, predicted map[int][]float64) error {
	set := calibration.NewSet(len(d.Labels), calibration.DefaultMaxBytes)
	for i, item := range d.Items {
		if q := predicted[i]; q != nil && item.Class >= 0 {
			set.Add(item.Group, item.Class, q)
		}
	}
	f, err := set.Fit(calibration.Options{})
	l.Temperature = 1
	switch {
	case errors.Is(err, calibration.ErrNothingToFit):
		l.Note = "no temperature: " + err.Error()
		return nil
	case err != nil:
		return err
	case f.Bound != "":
		l.Note = fmt.Sprintf("no temperature: the fit ended at its %s bound, %g", f.Bound, f.Temperature)
		return nil
	}
	l.Temperature, l.Fit = f.Temperature, &f
	return nil
}

// taught tells what transitions of the training gain for streams that were predicted; nil where there are not two.
func (d *Data) taught(predicted map[int][]float64, s adapt.Settings, p *adapt.Population) (*calibration.Gain, error) {
	r := calibration.NewRecordings(len(d.Labels), calibration.DefaultMaxBytes)
	for i, item := range d.Items {
		if q := predicted[i]; q != nil {
			r.Add(item.Stream, item.Class, item.Time, q)
		}
	}
	h, err := r.HeldOut(calibration.HeldOutOptions{Settings: s, Taught: p})
	if h == nil || err != nil {
		return nil, err
	}
	return h.Transitions, nil
}

// compare filters the streams of some groups and scores what comes out, group by group.
func (d *Data) compare(predicted map[int][]float64, of []Group, s adapt.Settings, mode streams.Mode) (*scores.Comparison, error) {
	in, x := nameSet(of), scores.NewComparison(len(d.Labels))
	group := map[string]string{}
	err := d.Streams(func(from, to int) error {
		if !in[d.Items[from].Group] {
			return nil
		}
		group[d.Items[from].Stream] = d.Items[from].Group
		return d.filter(predicted, from, to, s, mode, x)
	})
	return x.Grouped(func(stream string) string { return group[stream] }), err
}

// filter passes the predictions of a stream through a filter of its own.
func (d *Data) filter(predicted map[int][]float64, from, to int, s adapt.Settings, mode streams.Mode, x *scores.Comparison) error {
	at := from
	runner, err := streams.New(streams.Options{Classes: len(d.Labels), Settings: s, Mode: mode, Times: &streams.Times{Policy: timeline.PolicyKeep}},
		func(a streams.Answer[int]) error {
			i := at
			if a.Waited {
				i = a.Ref
			}
			if item := d.Items[i]; item.Class >= 0 && a.Probs != nil {
				x.Add(item.Stream, item.Class, predicted[i], a.Probs)
			}
			return nil
		})
	if err != nil {
		return err
	}
	for ; at < to; at++ {
		q := predicted[at]
		if q == nil {
			continue
		}
		err := runner.Add(streams.Item[int]{Stream: []byte(d.Items[at].Stream), Time: d.Items[at].Time, Probs: q, Ref: func() int { return at }})
		if err != nil {
			return err
		}
	}
	return runner.Flush()
}
