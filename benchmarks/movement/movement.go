package movement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"time"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/benchmarks/runs"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/runtime"
)

// Settings say what is measured.
type Settings struct {
	Shared   string    // folder of shared data
	Data     string    // recordings in place of HAPT below Shared
	Model    string    // "": the embedded one
	People   string    // regular expression on streams, whose first group is the person; "": users 21 to 30 of HAPT
	Purity   float64   // share of a window that its label must have, 0 to 1
	Shuffles int       // draws of the order without meaning, 1 or more
	Runs     int       // runs of the network at a time, each on one thread; 0: one
	Progress io.Writer // a line for each predictor
}

// held are the people that the embedded network has not seen.
const held = `(user2[1-9]|user30)$`

// Run returns the tables.
func Run(ctx context.Context, engine runtime.Engine, o Settings) (tables []report.Table, err error) {
	if o.Shuffles < 1 || o.Runs < 0 {
		return nil, errors.New("movement: draws of an order: want 1 or more; runs: want 0 or more")
	}
	s, in, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("movement: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	s.runs = runs.Runs{Engine: engine, Model: s.model, Input: in, AtOnce: o.Runs, Held: s.order}
	r, err := s.measure(ctx, o)
	if err != nil {
		return nil, err
	}
	return r.tables(s, o), nil
}

// open loads the model and lists the windows of the people. The caller closes the input.
func open(ctx context.Context, o Settings) (*study, *inputs.Motion, error) {
	people, err := regexp.Compile(cmp.Or(o.People, held))
	if err == nil && people.NumSubexp() < 1 {
		err = errors.New("no group in parentheses")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("people: %w", err)
	}
	m, err := models.Load(cmp.Or(o.Model, models.DefaultMotion))
	if err != nil {
		return nil, nil, err
	}
	data := cmp.Or(o.Data, filepath.Join(o.Shared, "data", "motion", "hapt_rawdata_acc.tar.gz"))
	in, err := inputs.OpenMotion(ctx, []string{data}, m.Manifest, inputs.MotionOptions{Purity: o.Purity})
	if err != nil {
		return nil, nil, err
	}
	s := &study{model: m, input: in}
	if s.filter, err = runs.Filter(m.Manifest); err == nil {
		err = s.choose(people)
	}
	if err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	return s, in, nil
}

// measure runs every predictor.
func (s *study) measure(ctx context.Context, o Settings) (*result, error) {
	r := &result{}
	for _, name := range method.Names() {
		start := time.Now()
		row, err := s.measureMethod(ctx, name, o.Shuffles)
		if err != nil {
			return nil, fmt.Errorf("movement: %s: %w", name, err)
		}
		r.rows = append(r.rows, row)
		if o.Progress != nil {
			fmt.Fprintf(o.Progress, "%s: %d windows in %.0f s\n", name, len(s.order), time.Since(start).Seconds())
		}
	}
	return r, nil
}

// row is what a predictor came to.
type row struct {
	name     string
	ordered  scores
	shuffled []scores // of each draw
}

// measureMethod predicts in the order of the recordings and in others.
func (s *study) measureMethod(ctx context.Context, name string, shuffles int) (*row, error) {
	set, err := method.Default(name, s.model.Manifest)
	if err != nil {
		return nil, err
	}
	q, err := s.predict(ctx, set, s.order)
	if err != nil {
		return nil, err
	}
	out := &row{name: name}
	if out.ordered, err = s.score(q, s.order); err != nil {
		return nil, err
	}
	for draw := range shuffles {
		order := s.shuffled(uint64(draw))
		if name == method.Tent {
			if q, err = s.predict(ctx, set, order); err != nil {
				return nil, err
			}
		}
		one, err := s.score(q, order)
		if err != nil {
			return nil, err
		}
		out.shuffled = append(out.shuffled, one)
	}
	return out, nil
}
