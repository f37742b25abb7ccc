package method

import (
	"cmp"

	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models"
)

// ofGraph tells which predictor runs a graph that was made for one, by what its metadata call it.
var ofGraph = map[string]string{"tent": Tent, "memo": Memo, "mc": MCDropout}

// MadeFor names the predictor whose graph a model's file holds; "" for a plain network.
func MadeFor(m *models.Model) string { return ofGraph[m.Made()] }

// Of returns the predictor of a file that holds its graph. The settings lie in the graph, but for what it leaves open: the set of views,
// "" for that of the model's task.
func Of(m *models.Model, set string) (Settings, error) {
	s := Settings{Name: MadeFor(m)}
	if s.Name != Memo {
		return s, nil
	}
	own, err := memo.FromMetadata(m.Graph.Metadata)
	s.Views = &Views{Set: cmp.Or(set, memoSet(m.Manifest)), Count: own.Views}
	return s, err
}
