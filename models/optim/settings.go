package optim

import "fmt"

// Method is the rule by which parameters move.
type Method uint8

// The methods. Momentum and Nesterov's form are settings of SGD.
const (
	SGD Method = iota
	Adam
	AdamW
)

// String returns the name as flags and manifests write it.
func (m Method) String() string {
	switch m {
	case SGD:
		return "sgd"
	case Adam:
		return "adam"
	case AdamW:
		return "adamw"
	}
	return fmt.Sprintf("method%d", uint8(m))
}

// Settings choose an optimiser. The zero value is plain SGD.
type Settings struct {
	Method Method

	Momentum float64 // of SGD, 0 <= Momentum < 1
	Nesterov bool    // of SGD with momentum

	Beta1   float64 // of Adam, 0 < Beta1 < 1; 0 means 0.9
	Beta2   float64 // of Adam, 0 < Beta2 < 1; 0 means 0.999
	Epsilon float64 // of Adam, > 0; 0 means 1e-8

	// Decay is what pulls parameters to zero, >= 0: added to the gradient as Decay*p, but in AdamW taken off the parameter as
	// rate*Decay*p. PyTorch's AdamW has 0.01 by default; here it is 0.
	Decay float64

	// ClipNorm bounds the norm of all gradients together, as torch.nn.utils.clip_grad_norm_ does; 0 does not.
	ClipNorm float64
}

// Validate reports the first setting out of its range.
func (s Settings) Validate() error {
	if s.Method > AdamW {
		return fmt.Errorf("optim: method %d is none", s.Method)
	}
	for _, f := range []struct {
		name        string
		value, high float64
	}{{"momentum", s.Momentum, 1}, {"beta1", s.Beta1, 1}, {"beta2", s.Beta2, 1}, {"epsilon", s.Epsilon, 1e9}, {"decay", s.Decay, 1e9}, {"clip norm", s.ClipNorm, 1e30}} {
		if !(f.value >= 0 && f.value < f.high) {
			return fmt.Errorf("optim: %s %v is not in [0, %g)", f.name, f.value, f.high)
		}
	}
	switch {
	case s.Nesterov && s.Momentum == 0:
		return fmt.Errorf("optim: nesterov needs momentum")
	case s.Method != SGD && s.Momentum != 0:
		return fmt.Errorf("optim: momentum is a setting of sgd, %v has beta1", s.Method)
	}
	return nil
}

// filled returns the settings with defaults in place.
func (s Settings) filled() Settings {
	for _, f := range []struct {
		value *float64
		def   float64
	}{{&s.Beta1, 0.9}, {&s.Beta2, 0.999}, {&s.Epsilon, 1e-8}} {
		if *f.value == 0 {
			*f.value = f.def
		}
	}
	return s
}

// Slots returns the names of the tensors that the optimiser keeps for each parameter, of its type and shape.
func (s Settings) Slots() []string {
	switch {
	case s.Method != SGD:
		return []string{"m", "v"}
	case s.Momentum != 0:
		return []string{"b"}
	}
	return nil
}

// Counts reports an optimiser whose state has the number of steps taken.
func (s Settings) Counts() bool { return s.Method != SGD }
