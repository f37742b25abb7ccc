package networks

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/oatta/oatta/internal/method"
	imageprep "github.com/oatta/oatta/preprocess/image"
	"github.com/oatta/oatta/runtime"
)

// revisions number what predictors say of one picture with the same settings. A number is raised when that changes, so that nothing of
// before is taken from disk; TestRevisions fails until it is.
var revisions = map[string]int{method.Base: 1, method.MCDropout: 1, method.TTAug: 1, method.Tent: 1, method.Memo: 1}

// Candidate is one predictor with its settings.
type Candidate struct {
	Name     string
	Settings method.Settings
	Views    imageprep.Views // of ttaug and memo
}

// Plain is the network as it is.
func Plain() Candidate {
	return Candidate{Name: method.Base, Settings: method.Settings{Name: method.Base}}
}

// Default is one of the five predictors, with what `oatta eval` gives it for pictures of the network where no flag says otherwise.
func Default(name string, net *Network) (Candidate, error) {
	s, err := method.Default(name, net.Model.Manifest)
	if err != nil {
		return Candidate{}, err
	}
	return Of(name, s)
}

// Of is a predictor with settings.
func Of(name string, s method.Settings) (c Candidate, err error) {
	c = Candidate{Name: name, Settings: s}
	if v := s.Views; v != nil {
		c.Views.Augmented = v.Count
		c.Views.Set, err = imageprep.ParseSet(v.Set)
	}
	return c, err
}

// AlongStreams tells whether what it predicts depends on the order.
func (c Candidate) AlongStreams() bool { return c.Settings.Name == method.Tent }

// Key says in a line all that decides what it predicts of a picture, the network, the picture and the engine left out.
func (c Candidate) Key() string {
	b, err := json.Marshal(struct {
		method.Settings
		Made     imageprep.Views `json:"made"`
		Revision int             `json:"revision"`
	}{c.Settings, c.Views, revisions[c.Settings.Name]})
	if err != nil {
		panic(err) // plain numbers and words
	}
	return string(b)
}

// open opens it on one thread.
func (c Candidate) open(e runtime.Engine, net *Network) (*method.Predictor, error) {
	return method.Open(e, net.Model, c.Settings, method.Options{Config: runtime.Config{IntraThreads: 1}})
}

// predict returns the probabilities of some pictures, end to end.
func (c Candidate) predict(ctx context.Context, p *method.Predictor, net *Network, pictures []Picture) ([]float32, error) {
	viewer, err := net.transform.NewViews(c.Views)
	if err != nil {
		return nil, err
	}
	n := p.InputLen()
	src, dst, seeds := make([]float32, len(pictures)*n), make([]float32, len(pictures)*net.Classes()), make([]uint64, len(pictures))
	for i, one := range pictures {
		seeds[i] = one.Seed
		if err := viewer.Picture(src[i*n:(i+1)*n], one.Image, 1, one.Seed); err != nil {
			return nil, err
		}
	}
	if err := p.Any.Predict(ctx, dst, src, seeds); err != nil {
		return nil, err
	}
	return dst, probabilities(p, dst)
}

// probabilities turns rows of raw predictions into probabilities in place.
func probabilities(p *method.Predictor, rows []float32) error {
	q := make([]float64, p.Classes())
	for row := range slices.Chunk(rows, len(q)) {
		if err := p.Probabilities(q, row); err != nil {
			return err
		}
		for i, v := range q {
			row[i] = float32(v)
		}
	}
	return nil
}
