package motion

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// notes counts what went wrong by kind, so that a file with a million bad rows has one line of warning.
type notes struct{ list []*note }

type note struct {
	what  string // "damaged rows left out"
	n     int
	first string // place and perhaps cause of the first
}

// again counts one more of a kind, and tells whether there was one before: the place of the first alone is worth the words.
func (ns *notes) again(what string) bool {
	for _, x := range ns.list {
		if x.what == what {
			x.n++
			return true
		}
	}
	return false
}

// add counts one of a kind.
func (ns *notes) add(what, first string) {
	if !ns.again(what) {
		ns.list = append(ns.list, &note{what, 1, first})
	}
}

// say records a fact that has no count.
func (ns *notes) say(format string, args ...any) {
	ns.list = append(ns.list, &note{what: fmt.Sprintf(format, args...)})
}

func (ns *notes) strings() []string {
	var out []string
	for _, x := range ns.list {
		if x.n == 0 {
			out = append(out, x.what)
			continue
		}
		out = append(out, fmt.Sprintf("%s: %d, the first at %s", x.what, x.n, x.first))
	}
	return out
}

// show returns a name or a value as one short line of valid text.
func show(s string) string {
	const most = 80
	cut := len(s) > most
	if cut {
		s = s[:most]
		for !utf8.ValidString(s) && len(s) > most-utf8.UTFMax {
			s = s[:len(s)-1]
		}
	}
	plain := utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) })
	if !plain {
		s = strconv.Quote(s)
	}
	if cut {
		s += "..."
	}
	return s
}
