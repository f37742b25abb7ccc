package evaluation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/datasets/motion"
)

// codeSystem is a way in which a field writes its classes as numbers.
type codeSystem struct {
	name  string
	words map[int]string // "": what has no class
	// of tells whether classes are such that the codes can be theirs.
	of func(n names) bool
	// shows tells whether the numbers of an input show that they are these codes and not those of another system, or positions.
	shows func(has func(int) bool) bool
}

// codeSystems are the ones that are known. Where an input holds numbers that several of them have, what tells them apart must occur.
func codeSystems() []codeSystem {
	return []codeSystem{
		{
			"Sentiment140's codes",
			map[int]string{0: "negative", 2: "neutral", 4: "positive"},
			hasPolarity,
			func(has func(int) bool) bool { return has(4) },
		},
		{
			"signs",
			map[int]string{-1: "negative", 0: "neutral", 1: "positive"},
			hasPolarity,
			func(has func(int) bool) bool { return has(-1) },
		},
		{
			// Of YASA's Hypnogram. Every night begins awake.
			"YASA's codes of sleep",
			map[int]string{-2: "", -1: "", 0: "W", 1: "N1", 2: "N2", 3: "N3", 4: "R"},
			hasStages,
			func(has func(int) bool) bool { return has(0) },
		},
		{
			// Of Compumedics and the NSRR, after Rechtschaffen and Kales: 6 is movement, 9 unscored.
			"the codes of sleep of the NSRR",
			map[int]string{0: "W", 1: "N1", 2: "N2", 3: "N3", 4: "N3", 5: "R", 6: "", 9: ""},
			hasStages,
			func(has func(int) bool) bool { return has(0) && has(5) },
		},
		{"HARTH's codes", harthWords(), hasHARTH, func(func(int) bool) bool { return true }},
	}
}

// systemOf returns the system of codes that numbers are of, nil if they could be of none, or of several.
func systemOf(values []int, n names) *codeSystem {
	var found []codeSystem
	for _, s := range codeSystems() {
		strange := slices.ContainsFunc(values, func(v int) bool { _, ok := s.words[v]; return !ok })
		if s.of(n) && !strange && s.shows(func(v int) bool { return slices.Contains(values, v) }) {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return &found[0]
}

// explain lists the meanings of some codes.
func (s codeSystem) explain(values []int) string {
	var out []string
	for _, v := range values {
		word := s.words[v]
		if word == "" {
			word = "no class"
		}
		out = append(out, fmt.Sprintf("%d %s", v, word))
	}
	return strings.Join(out, ", ")
}

func hasPolarity(n names) bool { return n.class("negative") >= 0 && n.class("positive") >= 0 }

// hasStages tells whether the classes are stages of sleep, with wakefulness and REM among them.
func hasStages(n names) bool {
	_, wake := n.stages[hypnogram.W]
	_, rem := n.stages[hypnogram.R]
	return wake && rem
}

// hasHARTH tells whether the classes are HARTH's six.
func hasHARTH(n names) bool {
	groups := map[string]bool{}
	for _, group := range motion.HARTHCodes() {
		groups[group] = n.class(group) >= 0
	}
	for _, there := range groups {
		if !there {
			return false
		}
	}
	return len(n.classes) == len(groups)
}

func harthWords() map[int]string {
	words := map[int]string{}
	for code, group := range motion.HARTHCodes() {
		if v, err := strconv.Atoi(code); err == nil {
			words[v] = group
		}
	}
	return words
}
