package models

import (
	"math"
	"strings"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// tables are the rows of the tables of pieces and of places with which a network for texts begins, found by the names that they have in
// PyTorch; 0 for one that has another.
type tables struct{ pieces, places int }

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
