package method

import (
	"errors"
	"slices"

	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/tent"
)

// Options say how a predictor is run. The zero value runs it on the CPU, with items as the manifest says.
type Options struct {
	Config runtime.Config
	Items  Items // what it is fed with; nil: rows of prepared items, as models.Model.Rows takes them
}

// Items are what a predictor is fed with.
type Items interface {
	// Shape is of one prepared input, the batch left out.
	Shape() []int64
	// Session returns the session with one float32 input of Shape that prepared items go into.
	Session(s runtime.Session) (runtime.Session, error)
}

// Open opens the predictor of a model. The settings of a file that holds the predictor's graph are those of [Of].
func Open(e runtime.Engine, m *models.Model, s Settings, o Options) (p *Predictor, err error) {
	if m.Made() == "" {
		if err := s.Validate(); err != nil {
			return nil, err
		}
	}
	if err := s.fits(m); err != nil {
		return nil, err
	}
	if s.Name == Memo {
		o.Config.Sparing = true
	}
	session, err := s.session(e, m, o.Config)
	if err != nil {
		return nil, err
	}
	if p, err = s.predictor(session, m, o.Items); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return p, nil
}

// session opens the model's own graph, or the one that the predictor makes of it.
func (s Settings) session(e runtime.Engine, m *models.Model, cfg runtime.Config) (runtime.Session, error) {
	if m.Made() != "" || !s.HasGraph() {
		return m.Open(e, cfg)
	}
	return m.OpenGraph(e, cfg, func(net *onnx.Model) (*onnx.Model, error) { return s.build(net, m.Manifest) })
}

// rows puts before a session what prepared items go into.
func rows(session runtime.Session, m *models.Model, items Items) (runtime.Session, []int64, error) {
	if items == nil {
		return m.Rows(session)
	}
	in, err := items.Session(session)
	return in, items.Shape(), err
}

func (s Settings) predictor(session runtime.Session, m *models.Model, items Items) (*Predictor, error) {
	p := &Predictor{Session: session, Kind: predict.Kind(m.Manifest.Output.Kind), classes: len(m.Manifest.Labels)}
	in, shape, err := rows(session, m, items)
	if err != nil {
		return nil, err
	}
	if s.Views != nil {
		p.Views = *s.Views
	}
	switch s.Name {
	case MCDropout:
		p.Kind = predict.Probabilities
		p.Any, err = predict.NewMCDropout(in, shape, p.classes, predict.MCDropoutSettings{})
	case Tent:
		var t *tent.Predictor
		if t, err = tent.New(in, tent.Options{Input: shape}); err == nil {
			p.Streams, p.Kind, p.Note = t, t.Kind(), t.OneLane()
		}
	case Memo:
		p.Any, err = memo.New(in, shape, p.classes)
	default:
		err = s.base(p, in, shape, m.Manifest.Output.Name)
	}
	return p, err
}

// base makes the plain predictor, and puts views before it where they are wanted.
func (s Settings) base(p *Predictor, in runtime.Session, shape []int64, output string) error {
	out := max(0, slices.IndexFunc(in.Outputs(), func(port runtime.Port) bool { return port.Name == output }))
	base, err := predict.NewBase(in, shape, out, p.classes)
	if err != nil {
		return err
	}
	p.Any = base
	if s.Name != TTAug {
		return nil
	}
	p.Any, err = predict.NewAugmented(base, s.augment(p.Kind))
	p.Kind = predict.Probabilities
	return err
}
