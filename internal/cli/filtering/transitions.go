package filtering

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/population"
	"github.com/oatta/oatta/internal/inputs"
)

// Transitions is what other streams taught, and what a run's manifest tells of it in place of the matrix.
type Transitions struct {
	From    string  `json:"from"`                     // manifest, or the name of the file
	SHA256  string  `json:"sha256"`                   // of what they say
	Streams int     `json:"streams"`                  // that taught
	Rhythm  float64 `json:"rhythm_seconds,omitempty"` // they were learned at
	Items   float64 `json:"item_seconds,omitempty"`   // from one item of the input to the next, if that is known in advance
	Power   float64 `json:"power"`                    // of the matrix that the filter got
	Used    bool    `json:"used"`
	Note    string  `json:"note,omitempty"`

	order *population.Order
}

// ofManifest is where transitions come from that no flag names.
const ofManifest = "manifest"

// TransitionsOf reads the flag; those of a model are its own. seconds is the time from one item to the next, 0 if it is not known in
// advance; --rhythm says it, too. nil: there are none.
func TransitionsOf(c *cli.Context, own *population.Order, seconds float64) (*Transitions, error) {
	t := &Transitions{From: ofManifest, Power: 1, Items: seconds, order: own}
	switch path := c.String("transitions"); path {
	case "":
	case "none":
		return nil, nil
	default:
		t.From = filepath.Base(path)
		var err error
		if t.order, err = population.ReadFile(path); err != nil {
			return nil, fmt.Errorf("--transitions: %w", err)
		}
	}
	if t.order == nil {
		return nil, nil
	}
	t.SHA256, t.Streams, t.Rhythm = Digest(AsJSON(t.order)), t.order.Streams, t.order.Rhythm
	rhythm, err := rhythmOf(c.String("rhythm"))
	if err != nil {
		return nil, err
	}
	if rhythm > 0 {
		t.Items = rhythm.Seconds()
	}
	switch {
	case t.Rhythm > 0 && t.Items > 0:
		t.Power = t.Items / t.Rhythm
	case t.Rhythm > 0:
		t.Note = fmt.Sprintf("the transitions were learned at a rhythm of %g s, and that of the input is not known in advance (--rhythm): they are taken from item to item as they are", t.Rhythm)
	case t.Items > 0:
		t.Note = "it is not known at what rhythm the transitions were learned: they are taken from item to item as they are"
	}
	return t, nil
}

// Own is what a model brings of the filter over its classes; the zero value brings nothing.
type Own struct {
	Prior       []float64
	Temperature float64
	Transitions *population.Order
	Labels      []string // of the classes, which transitions go by
}

// Filter reads the settings of the filter from the flags and the model, with the transitions of others if there are some. seconds is as of
// TransitionsOf.
func (o *Own) Filter(c *cli.Context, seconds float64) (adapt.Settings, *Transitions, error) {
	s, err := SettingsOf(c, o.Prior, o.Temperature)
	if err != nil {
		return s, nil, err
	}
	t, err := TransitionsOf(c, o.Transitions, seconds)
	if err == nil {
		err = t.Give(&s, o.Labels)
	}
	return s, t, err
}

// SecondsOf is the time from one item of an input to the next where that is known in advance, else 0.
func SecondsOf(in inputs.Input) float64 {
	if p, ok := in.(interface{ Period() float64 }); ok {
		return p.Period()
	}
	return 0
}

// Check tells whether settings have a place for transitions. Those of a manifest are left out where there is none, which the run's
// manifest says; those that were asked for are an error.
func (t *Transitions) Check(s adapt.Settings) (ok bool, err error) {
	if t == nil {
		return false, nil
	}
	var why string
	switch {
	case s.Gate != adapt.GateAuto && s.Gate != "":
		why = fmt.Sprintf("the gate %s learns its own alone: auto takes those of others", s.Gate)
	case s.Auto != nil && s.Auto.Edition == 1:
		why = "the first edition of auto learns its own alone: the second takes those of others"
	case s.Population != nil:
		why = "the settings have transitions of their own: want one or the other"
	default:
		return true, nil
	}
	if t.From != ofManifest {
		return false, errors.New("--transitions: " + why)
	}
	t.Note = why
	return false, nil
}

// Give adds the transitions to settings of a filter over these classes.
func (t *Transitions) Give(s *adapt.Settings, classes []string) error {
	ok, err := t.Check(*s)
	if !ok {
		return err
	}
	p, err := t.order.For(classes)
	if err != nil {
		return fmt.Errorf("--transitions %s: %w", t.From, err)
	}
	if t.Power != 1 {
		p = p.Power(t.Power)
	}
	s.Population, t.Used = p, true
	return nil
}

// Warning is what a user should know of transitions that are used.
func (t *Transitions) Warning() []string {
	if t == nil || !t.Used || t.Note == "" {
		return nil
	}
	return []string{t.Note}
}
