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

// names are the words for stages. After "sleep stage" and the like all of them count: the words of Rechtschaffen and Kales, of the AASM,
// of YASA, of Luna and of the NSRR. The codes 1 to 4 mean the same to all who write them after such words; 5 does not, and 0 is no word.
var names = map[string]Stage{
	"w": W, "wake": W, "awake": W, "s0": W,
	"1": N1, "n1": N1, "s1": N1, "nrem1": N1, "nrem 1": N1,
	"2": N2, "n2": N2, "s2": N2, "nrem2": N2, "nrem 2": N2,
	"3": N3, "n3": N3, "s3": N3, "nrem3": N3, "nrem 3": N3,
	"4": N3, "n4": N3, "s4": N3, "nrem4": N3, "nrem 4": N3,
	"r": R, "rem": R,
	"?": Unscored, "m": Unscored, "mt": Unscored, "movement": Unscored, "movement time": Unscored, "no stage": Unscored,
	"u": Unscored, "uns": Unscored, "unscored": Unscored, "unknown": Unscored, "art": Unscored, "artefact": Unscored, "artifact": Unscored,
}

// whole are texts that tell a stage and begin in no usual way.
var whole = map[string]Stage{
	"movement time": Unscored, "sleep-mt": Unscored, // of Sleep-EDF and of the CAP database
	"stage 1 sleep": N1, "stage 2 sleep": N2, "stage 3 sleep": N3, "stage 4 sleep": N3, "rem sleep": R, // of the NSRR
}

// prefixes are what stands before the word in an annotation that can be of nothing but a stage: as MNE and Sleep-EDF write it, Natus
// ("Stage - N2") and the CAP database ("SLEEP-S2").
var prefixes = []string{"sleep stage ", "stage - ", "sleep-"}

// plain writes a text in one way.
func plain(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(text, "_", " ")), " "))
}

// ParseStage reads the text of an annotation. The second result is false where it is not about stages at all, or about one that is not
// known.
func ParseStage(text string) (Stage, bool) {
	s := plain(text)
	if stage, ok := whole[s]; ok {
		return stage, true
	}
	for _, p := range prefixes {
		if name, ok := strings.CutPrefix(s, p); ok {
			stage, ok := names[name]
			return stage, ok
		}
	}
	return Unscored, false
}

// strange tells a text that names a stage that is not known.
func strange(text string) bool {
	_, known := ParseStage(text)
	return !known && strings.HasPrefix(plain(text), prefixes[0])
}

// bareStage reads a text that is the word alone, as Luna and YASA write it, or behind "Stage". Codes and letters that can mean anything are none.
func bareStage(text string) (Stage, bool) {
	s := plain(text)
	if name, ok := strings.CutPrefix(s, "stage "); ok {
		stage, ok := names[name]
		return stage, ok
	}
	stage, ok := names[s]
	return stage, ok && (stage != Unscored && s[0] > '9' || s == "?" || len(s) > 2)
}

// labels are what networks call stages.
var labels = map[string]Stage{
	"w": W, "wake": W, "awake": W, "1": N1, "n1": N1, "2": N2, "n2": N2, "3": N3, "4": N3, "n3": N3, "r": R, "rem": R,
	"s1": N1, "s2": N2, "s3": N3, "s4": N3, "nrem1": N1, "nrem2": N2, "nrem3": N3, "nrem4": N3,
}

// ParseLabel reads what networks call stages: the names of this package, those of Rechtschaffen and Kales, Wake and REM, or the text of
// an annotation, in any case. The second result is false for anything else, "?" included.
func ParseLabel(label string) (Stage, bool) {
	stage, ok := labels[strings.TrimPrefix(strings.ToLower(strings.TrimSpace(label)), "sleep stage ")]
	return stage, ok
}
