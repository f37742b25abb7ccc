package timeline

import (
	"fmt"
	"time"
)

// Gaps says what is told of the time between items.
type Gaps string

// The choices. The empty string is DefaultGaps.
const (
	GapsOff    Gaps = "off"    // nothing: only the order of the items counts
	GapsMissed Gaps = "missed" // missed steps
	GapsBreaks Gaps = "breaks" // breaks
	GapsAll    Gaps = "all"    // both
)

// DefaultGaps is what the zero Settings tell. It is right for the gate auto; under the paper's modes breaks alone do better, as a
// matrix with few counts loses more by powers than the stream does (benchmarks/gaps measures both).
const DefaultGaps = GapsAll

// Settings configures a Clock. The zero value learns the rhythm, and tells missed steps, and breaks after DefaultLongSteps of them.
type Settings struct {
	Gaps Gaps `json:"gaps,omitempty"`

	// Rhythm is the time from one item to the next where none is missed, as in 30 s for the epochs of a night; 0 learns it, as the
	// median of the last Window positive steps, once there are Least of them. A negative one is never known: no missed steps, and no breaks
	// by LongSteps.
	Rhythm time.Duration `json:"rhythm,omitempty"`
	Window int           `json:"window,omitempty"` // 1 to MaxWindow; 0 is 64
	Least  int           `json:"least,omitempty"`  // 1 to Window; 0 is 8, or Window if that is less

	// Tolerance is how late an item may be without a step being missed, in parts of the rhythm, above 0 and below 1; 0 is 0.5, which rounds
	// to the nearest count.
	Tolerance float64 `json:"tolerance,omitempty"`

	// LongGap and LongSteps say after what time, and after how many times the rhythm, a gap is a break; the shorter counts. 0 is none;
	// both 0 are DefaultLongSteps.
	LongGap   time.Duration `json:"long_gap,omitempty"`
	LongSteps float64       `json:"long_steps,omitempty"`
}

// The defaults and limits of Settings.
const (
	DefaultLongSteps = 300
	DefaultWindow    = 64
	DefaultLeast     = 8
	DefaultTolerance = 0.5
	MaxWindow        = 1024
)

// Resolved returns the settings with every default filled in, or an error that names the setting out of range.
func (s Settings) Resolved() (Settings, error) {
	if s.Gaps == "" {
		s.Gaps = DefaultGaps
	}
	if s.Window == 0 {
		s.Window = DefaultWindow
	}
	if s.Least == 0 {
		s.Least = min(DefaultLeast, max(s.Window, 1))
	}
	if s.Tolerance == 0 {
		s.Tolerance = DefaultTolerance
	}
	if s.LongGap == 0 && s.LongSteps == 0 {
		s.LongSteps = DefaultLongSteps
	}
	switch {
	case s.Gaps != GapsOff && s.Gaps != GapsMissed && s.Gaps != GapsBreaks && s.Gaps != GapsAll:
		return s, fmt.Errorf("timeline: gaps %q: want off, missed, breaks or all", s.Gaps)
	case s.Window < 1 || s.Window > MaxWindow:
		return s, fmt.Errorf("timeline: window %d: want 1 to %d", s.Window, MaxWindow)
	case s.Least < 1 || s.Least > s.Window:
		return s, fmt.Errorf("timeline: least %d steps in a window of %d: want 1 to %d", s.Least, s.Window, s.Window)
	case !(s.Tolerance > 0 && s.Tolerance < 1):
		return s, fmt.Errorf("timeline: tolerance %g: want above 0 and below 1", s.Tolerance)
	case s.LongGap < 0:
		return s, fmt.Errorf("timeline: long gap %v: want 0 or longer", s.LongGap)
	case s.LongSteps != 0 && !(s.LongSteps >= 1 && s.LongSteps <= 1e12):
		return s, fmt.Errorf("timeline: long gap of %g steps: want 1 to 1e12", s.LongSteps)
	}
	return s, nil
}

// Validate reports the first setting out of range.
func (s Settings) Validate() error {
	_, err := s.Resolved()
	return err
}
