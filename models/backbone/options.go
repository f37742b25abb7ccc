package backbone

import (
	"fmt"
)

// Options choose among the forms of a network. Zero values stand for the form that its published weights have; an option that the
// network has no use for is an error.
type Options struct {
	Classes int // 2 to 1048576
	// Channels of the input: of pictures 3, of signals 1 to 1024.
	Channels int
	// Size is the side of a picture in pixels, 32 to 4096 (16 to 4096 for the networks of CIFAR-10); of vision transformers a multiple
	// of the patch.
	Size int
	// Samples of a window of a signal, 8 to 1048576.
	Samples int
	// Levels of the tcn, 1 to 16: its dilation doubles from each to the next. Default: 6 for windows of up to 253 samples, which are
	// what 6 levels see, else 8.
	Levels int
	// Dropout is the rate before the head, below 1. 0 is the network's own; below 0 there is none.
	Dropout float64
	// Vocabulary and Positions are the rows of the tables of tokens and of places of a network for texts, 2 to 1048576 each.
	Vocabulary, Positions int
	// Embed leaves the head out. Pictures and signals give what the head would read, texts the mean over their tokens, made one unit long.
	Embed bool
	// Seed decides the fresh initialisation.
	Seed uint64
}

// span is the range of an option and what it means.
type span struct {
	name       string
	value      *int
	def        int // 0: the network has no use for it
	least, top int
}

// resolve fills in defaults and reports the first option that is out of range or of no use.
func (o Options) resolve(s *spec) (Options, error) {
	d, least := s.defaults, 32
	if d.Size > 0 {
		least = min(least, d.Size/2)
	}
	for _, p := range []span{
		{"classes", &o.Classes, d.Classes, 2, 1 << 20},
		{"channels", &o.Channels, d.Channels, 1, 1024},
		{"size", &o.Size, d.Size, least, 4096},
		{"samples", &o.Samples, d.Samples, 8, 1 << 20},
		{"vocabulary", &o.Vocabulary, d.Vocabulary, 2, 1 << 20},
		{"positions", &o.Positions, d.Positions, 2, 1 << 20},
	} {
		switch {
		case *p.value == 0:
			*p.value = p.def
		case p.def == 0:
			return o, fmt.Errorf("%s: %d, and the network has none", p.name, *p.value)
		case *p.value < p.least || *p.value > p.top:
			return o, fmt.Errorf("%s: %d, want %d to %d", p.name, *p.value, p.least, p.top)
		}
	}
	if v, ok := s.net.(vit); ok && o.Size%int(v.patch) != 0 {
		return o, fmt.Errorf("size: %d, want a multiple of %d, the side of a patch", o.Size, v.patch)
	}
	if err := o.resolveLevels(s); err != nil {
		return o, err
	}
	return o, o.resolveDropout(s)
}

func (o *Options) resolveLevels(s *spec) error {
	_, ok := s.net.(tcn)
	switch {
	case !ok && o.Levels != 0:
		return fmt.Errorf("levels: %d, and the network has none", o.Levels)
	case ok && o.Levels == 0 && o.Samples <= 253:
		o.Levels = 6
	case ok && o.Levels == 0:
		o.Levels = 8
	case ok && (o.Levels < 1 || o.Levels > 16):
		return fmt.Errorf("levels: %d, want 1 to 16", o.Levels)
	}
	return nil
}

func (o *Options) resolveDropout(s *spec) error {
	switch {
	case !(o.Dropout < 1): // NaN too
		return fmt.Errorf("dropout: %v, want below 1", o.Dropout)
	case o.Dropout == 0:
		o.Dropout = s.defaults.Dropout
	}
	o.Dropout = max(0, o.Dropout)
	return nil
}
