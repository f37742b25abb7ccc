package models

import (
	"math"
	"strings"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// tables are the rows of the tables with which a network for texts begins.
type tables struct{ pieces, places int }

// Tables returns the rows of the network's tables of pieces and of places, found by the names that they have in PyTorch; 0 for one that
// has another. A tokenizer with more pieces is another network's, and a text of more tokens than places has none for the last.
func (m *Model) Tables() (pieces, places int) { return m.tables.pieces, m.tables.places }

func tablesOf(g *onnxpb.GraphProto) (t tables) {
	for _, w := range g.GetInitializer() {
		dims := w.GetDims()
		switch name := w.GetName(); {
		case len(dims) != 2 || dims[0] < 0 || dims[0] > math.MaxInt32:
		case strings.HasSuffix(name, "word_embeddings.weight"):
			t.pieces = int(dims[0])
		case strings.HasSuffix(name, "position_embeddings.weight"):
			t.places = int(dims[0])
		}
	}
	return t
}
