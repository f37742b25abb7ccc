package hypnogram

import (
	"fmt"
	"strings"
)

// EpochSeconds is the length of an epoch.
const EpochSeconds = 30

// Stage is a stage of sleep.
type Stage uint8

// The stages of the AASM. The zero value is what was not scored.
const (
	Unscored Stage = iota
	W
	N1
	N2
	N3
	R
)

var stageNames = [...]string{"?", "W", "N1", "N2", "N3", "R"}

// String returns ?, W, N1, N2, N3 or R.
func (s Stage) String() string {
	if int(s) < len(stageNames) {
		return stageNames[s]
	}
	return fmt.Sprintf("Stage(%d)", uint8(s))
}

// Asleep tells whether the stage is one of sleep.
func (s Stage) Asleep() bool { return s >= N1 && s <= R }

// names maps what follows "sleep stage" to stages.
var names = map[string]Stage{
	"w": W, "1": N1, "2": N2, "3": N3, "4": N3, "r": R, "n1": N1, "n2": N2, "n3": N3, "?": Unscored, "m": Unscored,
}

// ParseStage reads the text of an annotation. The second result is false where it is not about stages at all.
func ParseStage(text string) (Stage, bool) {
	s := strings.ToLower(strings.Join(strings.Fields(text), " "))
	if s == "movement time" {
		return Unscored, true
	}
	name, ok := strings.CutPrefix(s, "sleep stage ")
	if !ok {
		return Unscored, false
	}
	stage, ok := names[name]
	return stage, ok
}

// ParseLabel reads what networks call stages: the names of this package, those of Rechtschaffen and Kales, Wake and REM, or the text of
// an annotation, in any case. The second result is false for anything else, "?" included.
func ParseLabel(label string) (Stage, bool) {
	name := strings.ToLower(strings.TrimSpace(label))
	switch name {
	case "wake":
		return W, true
	case "rem":
		return R, true
	}
	stage, ok := names[strings.TrimPrefix(name, "sleep stage ")]
	return stage, ok && stage != Unscored
}
