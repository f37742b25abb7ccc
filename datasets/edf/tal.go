package edf

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// Annotation is a text at a time. Duration is 0 where the file gives none, which HasDuration tells from one of no length.
type Annotation struct {
	Onset       float64 // seconds since the first sample
	Duration    float64 // seconds
	HasDuration bool
	Text        string
}

// A time-stamped annotation list is: onset, then optionally \x15 and the duration, then \x14, texts each ended by \x14, and \x00.
const (
	talText     = "\x14"
	talDuration = "\x15"
)

// list is one time-stamped annotation list, its onset as the file has it, counted from the header's start.
type list struct {
	onset, duration float64
	timed           bool
	texts           []string // the first one of a record's first list is empty
}

// parseLists reads the lists of one signal in one record. What makes no sense is left out and reported; its neighbours are whole.
func parseLists(b []byte, warn func(format string, args ...any)) (out []list) {
	for raw := range bytes.SplitSeq(b, []byte{0}) {
		if len(raw) == 0 {
			continue
		}
		s, _ := text(raw)
		if !strings.HasSuffix(s, talText) {
			warn("annotation %s: no end", show(s))
			continue
		}
		out = appendList(out, strings.Split(strings.TrimSuffix(s, talText), talText), warn)
	}
	return out
}

// appendList reads the parts of a list. Some writers leave out the zero between two lists, so a text that is a signed number and has
// another text after it begins a new one.
func appendList(out []list, parts []string, warn func(string, ...any)) []list {
	l, ok := parseTime(parts[0], warn)
	if !ok {
		warn("annotation %s: no onset", show(parts[0]))
		return out
	}
	for i, t := range parts[1:] {
		if i > 0 && i+2 < len(parts) && signedNumber(t) {
			next, ok := parseTime(t, warn)
			if ok {
				warn("annotation at %s: no zero before it", show(t))
				out, l = append(out, l), next
				continue
			}
		}
		l.texts = append(l.texts, t)
	}
	return append(out, l)
}

func signedNumber(s string) bool {
	s, _, _ = strings.Cut(s, talDuration)
	if s == "" || s[0] != '+' && s[0] != '-' {
		return false
	}
	_, ok := decimal(s[1:])
	return ok
}

// parseTime reads onset and duration. An onset must have a sign; one without is read all the same.
func parseTime(s string, warn func(string, ...any)) (l list, ok bool) {
	onset, duration, timed := strings.Cut(s, talDuration)
	sign := 1.0
	switch {
	case strings.HasPrefix(onset, "-"):
		sign, onset = -1, onset[1:]
	case strings.HasPrefix(onset, "+"):
		onset = onset[1:]
	default:
		warn("annotation at %s: no sign", show(onset))
	}
	l.onset, ok = decimal(onset)
	l.onset *= sign
	if ok && timed && duration != "" {
		l.timed = true
		l.duration, ok = decimal(duration)
	}
	if ok && strings.Contains(onset+duration, ",") {
		warn("annotation at %s: a comma for the point", show(onset))
	}
	return l, ok
}

// decimal reads digits with at most one point, or a comma for it, up to the seconds of 30,000 years.
func decimal(s string) (float64, bool) {
	if !strings.Contains(s, ".") {
		s = strings.Replace(s, ",", ".", 1)
	}
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0) && v < 1e12
}
