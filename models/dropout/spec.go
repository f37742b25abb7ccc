package dropout

import (
	"encoding/json"
	"fmt"

	"github.com/oatta/oatta/models/onnx"
)

// The metadata of a file that [Build] made.
const (
	MetaGraph = "oatta.graph" // what kind of graph the file holds
	MetaSpec  = "oatta.mc"    // the Spec, as JSON
	GraphMC   = "mc"          // the value of MetaGraph
)

// specVersion is the version of [Spec] that this program writes and reads.
const specVersion = 1

// Spec says how a graph of [Build] is used: which inputs are masks and which outputs hold what.
type Spec struct {
	Version int    `json:"version"` // 1
	About   string `json:"about"`   // for people
	Passes  int    `json:"passes"`  // that the graph was made for; each run may choose another number
	Masks   []Mask `json:"masks"`

	// Names of outputs. The last three are empty where the graph does not have them.
	Probability       string `json:"probability"`                  // [N, classes]
	Variance          string `json:"variance,omitempty"`           // [N, classes]
	Entropy           string `json:"entropy,omitempty"`            // [N]
	MutualInformation string `json:"mutual_information,omitempty"` // [N]
}

// Mask is one input of masks, float32 [N, passes, features...].
type Mask struct {
	Input    string  `json:"input"`
	Node     string  `json:"node"`     // the Dropout that it stands for
	P        float64 `json:"p"`        // probability of 0; the other elements are 1/(1-p)
	Features []int64 `json:"features"` // -1: as large as the network's input makes it
}

const about = "Monte Carlo dropout: feed masks [N, passes, features...] whose elements are 0 with probability p and 1/(1-p) otherwise, drawn anew for each item and pass; probability is the mean over the passes"

// Open returns what the metadata of a file say: that of a [onnx.Model], or of a session that runs one.
func Open(metadata map[string]string) (Spec, error) {
	if kind := metadata[MetaGraph]; kind != GraphMC {
		return Spec{}, fmt.Errorf("models/dropout: metadata %s is %q: not a graph for Monte Carlo dropout", MetaGraph, kind)
	}
	var s Spec
	if err := json.Unmarshal([]byte(metadata[MetaSpec]), &s); err != nil {
		return Spec{}, fmt.Errorf("models/dropout: metadata %s: %w", MetaSpec, err)
	}
	if err := s.validate(); err != nil {
		return Spec{}, fmt.Errorf("models/dropout: metadata %s: %w", MetaSpec, err)
	}
	return s, nil
}

func (s Spec) validate() error {
	switch {
	case s.Version != specVersion:
		return fmt.Errorf("version %d: want %d", s.Version, specVersion)
	case s.Passes < 1 || s.Passes > MaxPasses:
		return fmt.Errorf("passes %d: want 1 to %d", s.Passes, MaxPasses)
	case len(s.Masks) == 0:
		return fmt.Errorf("no masks")
	case s.Probability == "":
		return fmt.Errorf("no output of probabilities")
	}
	for _, m := range s.Masks {
		if m.Input == "" || !(m.P > 0 && m.P < 1) {
			return fmt.Errorf("mask %q of node %q with p %g: want a name, and p between 0 and 1", m.Input, m.Node, m.P)
		}
	}
	return nil
}

// write puts the spec into a model's metadata.
func (s Spec) write(m *onnx.Model) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("models/dropout: %w", err)
	}
	m.SetMeta(MetaGraph, GraphMC)
	m.SetMeta(MetaSpec, string(text))
	return nil
}
