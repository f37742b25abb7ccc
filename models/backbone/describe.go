package backbone

import "slices"

// Kind is what a network takes.
type Kind string

// The kinds of inputs.
const (
	Picture Kind = "picture" // "input" [N, C, H, W]
	Signal  Kind = "signal"  // "input" [N, C, T]
	Text    Kind = "text"    // "input_ids", "attention_mask" and perhaps "token_type_ids" [N, L]
)

// Info describes a network.
type Info struct {
	Name     string
	About    string // a phrase
	Kind     Kind
	Defaults Options  // those of the published weights; zero where the network has no use for an option
	Recipes  []Recipe // of pictures: how they were prepared for published weights, the usual ones first
}

// Describe tells what a network takes.
func Describe(name string) (Info, error) {
	s, err := specOf(name)
	if err != nil {
		return Info{}, err
	}
	return Info{Name: s.name, About: s.about, Kind: s.kind(), Defaults: s.defaults, Recipes: slices.Clone(s.recipes)}, nil
}

func (s *spec) kind() Kind {
	switch {
	case s.defaults.Size > 0:
		return Picture
	case s.defaults.Samples > 0:
		return Signal
	}
	return Text
}
