package hypnogram

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets/edf"
)

// Pair is a recording and its hypnogram.
type Pair struct {
	Key       string // what both names share, in capitals: SC4001E
	Recording string // path
	Hypnogram string // path
}

// endings of names that are read; those of scores hold nothing else.
var (
	recordings = []string{".edf", ".bdf", ".rec"}
	scores     = append([]string{".xml", ".annot"}, listEndings...)
)

// words are what names of hypnograms end in after a dash, a point, a space or an underscore; "psg" is what names of recordings end in.
var words = []string{
	"hypnogram", "hypno", "hyp", "stages", "staging", "sleepstages", "scoring", "scored", "scores", "score", "annotations", "annotation",
	"annot", "annots", "events", "labels", "nsrr", "profusion",
}

// named are the words of names that say that a file holds nothing but stages, which no other program contradicts.
var named = words[:3]

// titles are those that say so of a file of text, whose words nobody else could know.
var titles = words[:6]

// bids is what names of recordings end in there beside those of events: sub-01_task-sleep_eeg.edf and sub-01_task-sleep_events.tsv.
const bids = "_EEG"

// IsScores tells by a file's name whether it may be a hypnogram that holds nothing else: .xml, .annot, .eannot, .txt, or .csv and .tsv whose
// names end in a word for one. What oatta itself wrote is none, .hypnogram.csv and the like.
func IsScores(name string) bool {
	end := ending(name)
	if end != ".csv" && end != ".tsv" {
		return slices.Contains(scores, end)
	}
	return slices.Contains(words, lastWord(name)) && !strings.HasSuffix(strings.ToLower(name), ".hypnogram"+end)
}

// lastWord returns the last of several words of a name without its ending, in lower case.
func lastWord(path string) string {
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	at := strings.LastIndexAny(stem, "-_. ")
	if at < 1 {
		return ""
	}
	return strings.ToLower(stem[at+1:])
}

// sleepEDF is a name of Sleep-EDF, in which the last letter is the scorer's in one file and none's in the other.
var sleepEDF = regexp.MustCompile(`^(SC|ST)[0-9]{4}[A-Z][A-Z0-9]$`)

// Pairs joins recordings and hypnograms by their names. Without folder, ending, and a last word that says what a file is ("-PSG" of a
// recording; "-Hypnogram", "_stages", ".scored", "-nsrr" and the like of a hypnogram), the two names are the same but for case: night1.edf
// and night1.xml, sub2-PSG.edf and sub2-Hypnogram.edf. The names of Sleep-EDF differ besides in the letter of the scorer: SC4001E0-PSG.edf
// and SC4001EC-Hypnogram.edf.
//
// Hypnograms are XML files of the NSRR or Compumedics, .annot and .eannot files, EDF files that are called hypnograms or hold nothing but
// annotations, and text files that are called hypnograms, stages or scoring or hold stages (see [Options.Open]); XML and text of other kinds
// are ignored. Names of BIDS may differ in _eeg and _events. Two files of one folder go together before those of two folders. Pairs are in order of their
// keys. Files of a name with a hypnogram that have no partner are in rest, and those with more than one besides in unclear, a line each.
func Pairs(paths []string) (pairs []Pair, rest, unclear []string) {
	groups := map[string]*group{}
	for _, p := range paths {
		key, isScores, ok := keyOf(p)
		if !ok {
			continue
		}
		if groups[key] == nil {
			groups[key] = &group{key: key}
		}
		groups[key].add(p, isScores)
	}
	for key, g := range groups {
		if with := groups[key+bids]; with != nil && len(g.recordings) == 0 {
			with.hypnograms = append(with.hypnograms, g.hypnograms...)
			g.hypnograms = nil
		}
	}
	for _, g := range groups {
		g.sift()
		pairs = append(pairs, g.join()...)
		if len(g.hypnograms) > 0 || len(g.recordings) > 0 && g.scored {
			rest = append(append(rest, g.recordings...), g.hypnograms...)
		}
		if len(g.hypnograms) > 0 && len(g.recordings) > 0 {
			unclear = append(unclear, g.String())
		}
	}
	slices.Sort(rest)
	slices.Sort(unclear)
	slices.SortFunc(pairs, func(a, b Pair) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Recording, b.Recording))
	})
	return pairs, rest, unclear
}

// keyOf returns what a name shares with its partner's, and whether it is a hypnogram's.
func keyOf(path string) (key string, isScores, ok bool) {
	end := ending(path)
	stem := strings.ToUpper(filepath.Base(path))
	stem = stem[:len(stem)-len(end)]
	isScores = slices.Contains(scores, end)
	if !isScores && !slices.Contains(recordings, end) {
		return "", false, false
	}
	called := false // a recording or a hypnogram
	if at := strings.LastIndexAny(stem, "-_. "); at > 0 {
		word := strings.ToLower(stem[at+1:])
		if called = word == "psg" && !isScores || slices.Contains(words, word); called {
			isScores = isScores || word != "psg"
			stem = strings.TrimRight(stem[:at], "-_. ")
		}
	}
	if called && sleepEDF.MatchString(stem) {
		stem = stem[:len(stem)-1]
	}
	return stem, isScores, stem != ""
}

// group is the files of one key.
type group struct {
	key                    string
	recordings, hypnograms []string
	scored                 bool // there is, or was, a hypnogram, or a name asks for one
}

func (g *group) add(path string, isScores bool) {
	if isScores {
		g.hypnograms = append(g.hypnograms, path)
		return
	}
	g.recordings = append(g.recordings, path)
	g.scored = g.scored || strings.HasSuffix(strings.ToLower(path), "-psg.edf")
}

// sift looks into files whose names do not settle what they are.
func (g *group) sift() {
	var kept []string
	for _, p := range g.hypnograms {
		switch end := ending(p); {
		case end == ".xml" && !isScoresXML(p):
		case IsText(p) && !calledScores(p) && (len(g.recordings) == 0 || !holdsStages(p)):
		case slices.Contains(scores, end) || calledHypnogram(p) || annotationsOnly(p):
			kept = append(kept, p)
		default:
			g.recordings = append(g.recordings, p)
		}
	}
	g.hypnograms = kept
	if len(g.recordings) > 1 {
		isScores := func(p string) bool { return annotationsOnly(p) }
		for _, p := range g.recordings {
			if isScores(p) {
				g.hypnograms = append(g.hypnograms, p)
			}
		}
		g.recordings = slices.DeleteFunc(g.recordings, isScores)
	}
	g.scored = g.scored || len(g.hypnograms) > 0
}

// calledHypnogram tells whether a name says so plainly.
func calledHypnogram(path string) bool {
	return slices.Contains(named, lastWord(path))
}

// IsText tells of a hypnogram by its name whether it is of text, as other files are besides.
func IsText(path string) bool {
	return ending(path) != ".eannot" && slices.Contains(listEndings, ending(path))
}

func calledScores(path string) bool { return slices.Contains(titles, lastWord(path)) }

// holdsStages tells whether a file of text can be read and a stage is in it, or numbers that may be codes of stages.
func holdsStages(path string) bool {
	h, err := Options{}.Open(path, time.Time{})
	return errors.Is(err, errCodes) || err == nil && slices.ContainsFunc(h.Stages, func(s Stage) bool { return s != Unscored })
}

// annotationsOnly tells whether a file can be read and has no signals.
func annotationsOnly(path string) bool {
	f, err := edf.OpenFile(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return !slices.ContainsFunc(f.Header().Signals, func(s edf.Signal) bool { return !s.Annotations() })
}

// join takes out the pairs: those of one folder, then what is left where it is one of each.
func (g *group) join() (pairs []Pair) {
	for _, r := range slices.Clone(g.recordings) {
		beside := func(p string) bool { return filepath.Dir(p) == filepath.Dir(r) }
		if h := only(g.hypnograms, beside); h != "" && only(g.recordings, beside) != "" {
			pairs = append(pairs, g.pair(r, h))
		}
	}
	if len(g.recordings) == 1 && len(g.hypnograms) == 1 {
		pairs = append(pairs, g.pair(g.recordings[0], g.hypnograms[0]))
	}
	return pairs
}

// only returns the path for which f holds, if it is the only one.
func only(paths []string, f func(string) bool) (found string) {
	for _, p := range paths {
		if f(p) && found != "" {
			return ""
		} else if f(p) {
			found = p
		}
	}
	return found
}

func (g *group) pair(recording, hypnogram string) Pair {
	g.recordings = slices.DeleteFunc(g.recordings, func(p string) bool { return p == recording })
	g.hypnograms = slices.DeleteFunc(g.hypnograms, func(p string) bool { return p == hypnogram })
	return Pair{g.key, recording, hypnogram}
}

// String says why there is no pair.
func (g *group) String() string {
	return fmt.Sprintf("several files are called %s: %d recordings, the first %s, and %d hypnograms, the first %s: not paired",
		strings.ToLower(g.key), len(g.recordings), filepath.Base(g.recordings[0]), len(g.hypnograms), filepath.Base(g.hypnograms[0]))
}
